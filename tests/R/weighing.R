# Weights, predictions and scores of the shipped study, by glm, lm and survival.
# Run from the project's root: Rscript tests/R/weighing.R
suppressMessages({library(survival); library(qvcalc)})
rows <- list()
known <- function(quantity, name, value)
  rows[[length(rows) + 1]] <<- data.frame(quantity, name, value = unname(value))
ratings <- read.csv("data/perception/ratings.csv")
dimensions <- setdiff(names(ratings), c("evaluator", "case", "analyst", "rank"))
ratings$ranking <- paste(ratings$evaluator, ratings$case)

# All pairs within rankings
pairs <- do.call(rbind, lapply(split(ratings, ratings$ranking), function(own) {
  both <- combn(nrow(own), 2)
  one <- own[both[1, ], ]; other <- own[both[2, ], ]
  data.frame(evaluator = one$evaluator, case = one$case, above = one$rank < other$rank,
             one[dimensions] - other[dimensions])
}))
formula <- reformulate(c("0", dimensions), "above")
tight <- list(epsilon = 1e-14, maxit = 50)
fit <- function(data) coef(glm(formula, binomial, data, control = tight))
model <- glm(formula, binomial, pairs, control = tight)
weights <- coef(model)
known("weight", dimensions, weights)
known("se", dimensions, sqrt(diag(vcov(model))))
known("share", dimensions, weights / sum(weights))

# Jackknife over cases
jackknife <- function(estimate, without) {
  n <- nrow(without)
  se <- sqrt((n - 1) / n * colSums(sweep(without, 2, colMeans(without))^2))
  list(se = se, low = estimate - qt(.975, n - 1) * se, high = estimate + qt(.975, n - 1) * se)
}
cases <- unique(ratings$case)
no_case <- t(sapply(cases, function(case) fit(pairs[pairs$case != case, ])))
ends <- jackknife(weights, no_case)
known("jackknife_se", dimensions, ends$se)
known("case_low", dimensions, ends$low)
known("case_high", dimensions, ends$high)

# Least squares on ranks, an effect of each ranking; Plackett–Luce
linear <- lm(reformulate(c("0", "ranking", dimensions), "rank"), ratings)
known("least_squares", dimensions, -coef(linear)[dimensions])
exact <- coxph.control(eps = 1e-12, toler.chol = 1e-13, iter.max = 100)
ordered <- coxph(reformulate(c(dimensions, "strata(ranking)"), "Surv(rank)"), ratings, control = exact)
known("plackett_luce", dimensions, coef(ordered))

# Abilities, less their mean, with quasi-standard errors
analysts <- unique(ratings$analyst)
ratings$item <- factor(ratings$analyst, analysts)
able <- coxph(Surv(rank) ~ item + strata(ranking), ratings, control = exact)
ability <- c(0, coef(able))
known("ability", analysts, ability - mean(ability))
quasi <- qvcalc(rbind(0, cbind(0, vcov(able))), labels = analysts)$qvframe
known("quasi_se", analysts, quasi$quasiSE)
beyond <- coxph(reformulate(c("item", dimensions, "strata(ranking)"), "Surv(rank)"), ratings,
                control = exact)
ability <- c(0, coef(beyond)[paste0("item", analysts[-1])])
known("beyond", analysts, ability - mean(ability))

# Each evaluator, and each case, predicted by the others' weights
predicted <- function(group) {
  eta <- numeric(nrow(pairs)); utility <- numeric(nrow(ratings))
  for (name in unique(pairs[[group]])) {
    beta <- fit(pairs[pairs[[group]] != name, ])
    own <- pairs[[group]] == name
    eta[own] <- as.matrix(pairs[own, dimensions]) %*% beta
    own <- ratings[[group]] == name
    utility[own] <- as.matrix(ratings[own, dimensions]) %*% beta
  }
  utility <- round(utility, 9)
  place <- ave(-utility, ratings$ranking, FUN = rank)
  tau <- sapply(split(data.frame(utility, rank = ratings$rank), ratings$ranking),
                function(own) cor(own$utility, -own$rank, method = "kendall"))
  hit <- place == ratings$rank
  sign <- sign(round(eta, 9))
  calibration <- glm(pairs$above ~ 0 + eta, binomial, control = tight)
  c(tau = mean(tau), pairwise = mean(ifelse(sign == 0, .5, (sign > 0) == pairs$above)),
    whole = mean(tapply(hit, ratings$ranking, all)), position = mean(hit),
    slope = unname(coef(calibration)))
}
for (group in c("evaluator", "case")) {
  found <- predicted(group)
  known(paste0("without_", group), names(found), found)
}

# Perceived Capability Score, with a jackknife over cases in which weights are fitted anew
score <- function(beta, data) {
  data$score <- as.matrix(data[dimensions]) %*% (beta / sum(beta))
  by_case <- tapply(data$score, list(data$case, data$analyst), mean)
  colMeans(by_case)[analysts]
}
own <- score(weights, ratings)
known("score", analysts, own)
without <- t(sapply(seq_along(cases), function(i)
  score(no_case[i, ], ratings[ratings$case != cases[i], ])))
ends <- jackknife(own, without)
known("score_case_low", analysts, ends$low)
known("score_case_high", analysts, ends$high)

result <- do.call(rbind, rows)
result$value <- format(result$value, digits = 12, trim = TRUE)
write.csv(result, "tests/R/weighing.csv", row.names = FALSE, quote = FALSE)
