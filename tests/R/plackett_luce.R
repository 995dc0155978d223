# Plackett–Luce models: the rank-ordered logit is Cox's partial likelihood, a ranking being a
# stratum and a rank a time. With ties it is log-linear over the sets that could be chosen.
# Run from the project's root: Rscript tests/R/plackett_luce.R
suppressMessages({library(survival); library(qvcalc)})
folder <- "tests/data/rankings/"
rows <- list()
known <- function(case, quantity, name, value)
  rows[[length(rows) + 1]] <<- data.frame(case, quantity, name, value = unname(value))
model <- function(case, fit) {
  known(case, "estimate", names(coef(fit)), coef(fit))
  variance <- if (is.null(fit$naive.var)) vcov(fit) else fit$naive.var  # without clusters
  known(case, "se", names(coef(fit)), sqrt(diag(variance)))
}
exact <- coxph.control(eps = 1e-10, toler.chol = 1e-12, iter.max = 100)

# Salad dressings (Critchlow & Fligner 1991)
salad <- read.csv(paste0(folder, "salad.csv"))
fit <- coxph(Surv(rank) ~ acetic + gluconic + strata(taster), data = salad, cluster = taster, control = exact)
model("salad", fit)
known("salad", "robust_se", names(coef(fit)), sqrt(diag(vcov(fit))))
known("salad", "loglik", "", fit$loglik[2])
known("salad", "null_loglik", "", fit$loglik[1])
fit <- coxph(Surv(rank) ~ dressing + strata(taster), data = salad, control = exact)
names(fit$coefficients) <- sub("dressing", "", names(coef(fit)))
model("dressings", fit)
known("dressings", "loglik", "", fit$loglik[2])
covariance <- rbind(0, cbind(0, vcov(fit)))
quasi <- qvcalc(covariance, labels = LETTERS[1:4])$qvframe
known("dressings", "quasi_se", rownames(quasi), quasi$quasiSE)

# NASCAR 2002 (Hunter 2004), without the four drivers who came last in all their races
races <- read.csv(paste0(folder, "nascar.csv"), check.names = FALSE)
never <- c("Andy Hillenburg", "Gary Bradberry", "Jason Hedlesky", "Randy Renfrow")
long <- data.frame(race = c(row(races)), place = c(col(races)), driver = unlist(races))
long <- droplevels(subset(long, !driver %in% never))
fit <- coxph(Surv(place) ~ factor(driver) + strata(race), data = long, control = exact)
names(fit$coefficients) <- sub("^factor\\(driver\\)", "", names(coef(fit)))
model("nascar", fit)
known("nascar", "loglik", "", fit$loglik[2])

# Rankings with ties of two and three, made up
orders <- list(list("a", "b", "c", "d"), list("b", c("a", "c"), "d"), list(c("a", "b", "d"), "c"),
               list("d", "c", c("a", "b")), list("c", "a"), list("b", "d", "a", "c"),
               list("a", "c", "b"))
choices <- list()
for (order in orders) for (place in seq_along(order)) {
  left <- unlist(order[place:length(order)])
  sets <- do.call(c, lapply(1:3, function(n) if (n <= length(left)) combn(left, n, simplify = FALSE)))
  if (length(sets) > 1) choices[[length(choices) + 1]] <- data.frame(
    choice = length(choices) + 1,
    chosen = sapply(sets, setequal, order[[place]]),
    t(sapply(sets, function(set) c("b", "c", "d") %in% set) / rep(lengths(sets), each = 3)),
    tie2 = lengths(sets) == 2, tie3 = lengths(sets) == 3)
}
choices <- do.call(rbind, choices)
names(choices) <- c("choice", "chosen", "b", "c", "d", "tie of 2", "tie of 3")
x <- as.matrix(choices[-(1:2)])
fit <- glm(choices$chosen ~ 0 + factor(choices$choice) + x, family = poisson,
           control = list(epsilon = 1e-14, maxit = 100))
own <- grepl("^x", names(coef(fit)))
name <- sub("^x", "", names(coef(fit))[own])
known("ties", "estimate", name, coef(fit)[own])
known("ties", "se", name, sqrt(diag(vcov(fit)))[own])
known("ties", "loglik", "", as.numeric(logLik(fit)) + max(choices$choice))

result <- do.call(rbind, rows)
result$value <- format(result$value, digits = 12, trim = TRUE)
write.csv(result, "tests/R/plackett_luce.csv", row.names = FALSE, quote = FALSE)
