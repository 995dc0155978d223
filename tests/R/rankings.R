# Rankings and evaluators of the shipped study by base R.
# Run from the project's root: Rscript tests/R/rankings.R
ratings <- read.csv("data/perception/ratings.csv", check.names = FALSE)
analysts <- read.csv("data/perception/analysts.csv")
evaluators <- read.csv("data/perception/evaluators.csv")
known <- data.frame()
note <- function(statistic, of, value) known <<- rbind(known, data.frame(statistic, of, value))
dimensions <- c("inquiry", "accuracy", "coverage", "reasoning", "treatment",
                "treatment_coverage", "acceptability")

# Mean ranks: over evaluators within cases, then over cases
by_case <- with(ratings, tapply(rank, list(case, analyst), mean))
for (a in colnames(by_case)) {
  note("mean rank", a, mean(by_case[, a]))
  note("sd of cases", a, sd(by_case[, a]))
  note("share of rank 1", a, mean(ratings$rank[ratings$analyst == a] == 1))
}

# Language models against levels
level <- setNames(analysts$level, analysts$analyst)
wide <- reshape(ratings[c("evaluator", "case", "analyst", "rank")], direction = "wide",
                idvar = c("evaluator", "case"), timevar = "analyst")
ranks_of <- function(a) wide[[paste0("rank.", a)]]
for (llm in analysts$analyst[analysts$kind == "llm"]) {
  for (physician in analysts$analyst[analysts$kind == "physician"]) {
    pair <- paste(llm, level[[physician]])
    d <- ranks_of(llm) - ranks_of(physician)
    note("difference", pair, mean(tapply(d, wide$case, mean)))
    note("share above", pair, mean(tapply((d < 0) + (d == 0) / 2, wide$case, mean)))
  }
}

# Pitman and Morgan: variances are equal if sum and difference do not correlate; the interval
# holds the ratios that this test does not reject
pitman <- function(x, y, ratio = 1) cor.test(x - sqrt(ratio) * y, x + sqrt(ratio) * y)$p.value
senior <- by_case[, "Specialist-Senior"]
for (llm in c("Gemini 2.5 pro", "Qwen-235B-T")) {
  other <- by_case[, llm]
  ratio <- var(senior) / var(other)
  limit <- function(span) {
    exp(uniroot(function(l) pitman(senior, other, exp(l)) - .05, log(ratio) + span, tol = 1e-10)$root)
  }
  note("ratio of variances", llm, ratio)
  note("ratio low", llm, limit(c(-8, 0)))
  note("ratio high", llm, limit(c(0, 8)))
  note("ratio p", llm, pitman(senior, other))
}

# Order of levels: exact sign flips of the rise per level
levels <- by_case[, c("Specialist-Senior", "Specialist-Junior", "Non-specialist")]
rise <- levels %*% c(-1, 0, 1) / 2
signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), nrow(levels))))
flipped <- signs %*% rise
note("rise per level", "all", mean(rise))
note("rise p", "all", 2 * mean(flipped >= sum(rise) - 1e-9))
blocks <- t(apply(cbind(ranks_of("Specialist-Senior"), ranks_of("Specialist-Junior"),
                        ranks_of("Non-specialist")), 1, rank))
note("page", "all", sum(colSums(blocks) * 1:3))

# Friedman over cases, by analyst, of evaluators with all cases
counts <- table(wide$evaluator)
whole <- names(counts)[counts == 9]
for (a in analysts$analyst) {
  own <- ratings[ratings$analyst == a & ratings$evaluator %in% whole, ]
  test <- friedman.test(tapply(own$rank, list(own$evaluator, own$case), identity))
  note("friedman chi2", a, unname(test$statistic))
  note("friedman p", a, test$p.value)
}

# Kendall's W by case
for (one in unique(ratings$case)) {
  own <- ratings[ratings$case == one, ]
  test <- friedman.test(tapply(own$rank, list(own$evaluator, own$analyst), identity))
  note("w", one, unname(test$statistic) / (length(unique(own$evaluator)) * unname(test$parameter)))
  table <- tapply(own$rank, list(own$analyst, own$evaluator), identity)
  pairs <- cor(table, method = "spearman")
  note("mean correlation", one, mean(pairs[upper.tri(pairs)]))
}

# Evaluators beside the others
others <- function(x, cell) (ave(x, cell, FUN = sum) - x) / (ave(x, cell, FUN = length) - 1)
cell <- with(ratings, paste(case, analyst))
lenient <- sapply(dimensions, function(d) ratings[[d]] - others(ratings[[d]], cell))
per_case <- aggregate(lenient, ratings[c("evaluator", "case")], mean)
leniency <- aggregate(per_case[dimensions], per_case["evaluator"], mean)
leniency$all <- rowMeans(leniency[dimensions])
agree <- function(x) {
  against <- round(others(x, cell), 9)
  x <- round(x, 9)
  each <- sapply(split(seq_along(x), with(ratings, paste(evaluator, case, sep = ":"))),
                 function(i) cor(x[i], against[i], method = "spearman"))
  tapply(each, sub(":.*", "", names(each)), mean)
}
on_ranks <- agree(ratings$rank)
on_scores <- agree(rowMeans(ratings[dimensions]))
for (e in c("N01", "N18", "N37")) {
  note("leniency", e, leniency$all[leniency$evaluator == e])
  note("leniency in coverage", e, leniency$coverage[leniency$evaluator == e])
  note("agreement on ranks", e, on_ranks[[e]])
  note("agreement on scores", e, on_scores[[e]])
  rest <- with(ratings[ratings$evaluator != e, ], tapply(rank, list(case, analyst), mean))
  note("largest shift", e, max(abs(colMeans(rest) - colMeans(by_case))))
}

# Least squares with HC3 errors
decades <- setNames(evaluators$years / 10, evaluators$evaluator)
regress <- function(of, y) {
  fit <- lm(y ~ decades[names(y)])
  x <- model.matrix(fit)
  bread <- solve(crossprod(x))
  error <- sqrt((bread %*% crossprod(x * residuals(fit) / (1 - hatvalues(fit))) %*% bread)[2, 2])
  note("slope", of, unname(coef(fit)[2]))
  note("slope error", of, error)
  note("slope p", of, 2 * pt(-abs(unname(coef(fit)[2]) / error), df.residual(fit)))
}
regress("leniency", setNames(leniency$all, leniency$evaluator))
regress("agreement on ranks", c(on_ranks))

# Effect of the place, of places made up here: both groupings as fixed effects, errors clustered
row <- seq_len(nrow(ratings)) - 1
ratings$position <- (row * 5 + (row %/% 9) * 2) %% 9 + 1
for (outcome in c("rank", "coverage")) {
  within <- function(y) resid(lm(y ~ factor(paste(evaluator, case)) + factor(cell), ratings))
  place <- within(ratings$position)
  y <- within(ratings[[outcome]])
  slope <- sum(place * y) / sum(place^2)
  scores <- tapply(place * (y - slope * place), ratings$evaluator, sum)
  groups <- length(scores)
  note("position", outcome, slope)
  note("position error", outcome, sqrt(groups / (groups - 1) * sum(scores^2)) / sum(place^2))
}

# Spearman with exact p, where R has it: without ties
x <- c(.2, .5, .4, .9, .7, .1, .6, .8)
y <- c(3, 1, 2, 8, 5, 4, 6, 7)
test <- cor.test(x, y, method = "spearman", exact = TRUE)
note("trend", "eight", unname(test$estimate))
note("trend p", "eight", test$p.value)

known$value <- format(known$value, digits = 12, trim = TRUE)
write.csv(known, "tests/R/rankings.csv", row.names = FALSE, quote = 1:2)
