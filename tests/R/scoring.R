# Figures of the chapters on scores, for the shipped simulated study, by R: base, psych, lme4 and
# lmerTest (Debian: r-cran-psych, r-cran-gparotation, r-cran-lme4, r-cran-lmertest).
# Run from the project's root: Rscript tests/R/scoring.R
suppressMessages({library(psych); library(lme4); library(lmerTest)})
known <- data.frame()
note <- function(what, item, value) {
  known <<- rbind(known, data.frame(what, item, value = unname(value)))
}
folder <- "data/perception/"
ratings <- read.csv(paste0(folder, "ratings.csv"), fileEncoding = "UTF-8")
people <- read.csv(paste0(folder, "evaluators.csv"))
cases <- read.csv(paste0(folder, "cases.csv"))
dimensions <- setdiff(names(ratings), c("evaluator", "case", "analyst", "rank"))
for (name in c("evaluator", "case", "analyst")) ratings[[name]] <- factor(ratings[[name]])
scores <- ratings[dimensions]
first <- dimensions[1]

# Levels: means over cases, case-weighted means over evaluators
pairs <- aggregate(scores, ratings[c("evaluator", "case")], mean)
for (d in dimensions) {
  by_case <- tapply(ratings[[d]], ratings$case, mean)
  note("case mean", d, mean(by_case))
  note("case sd", d, sd(by_case))
  note("case se", d, sd(by_case) / sqrt(length(by_case)))
  own <- tapply(pairs[[d]], pairs$evaluator, mean)
  weight <- as.numeric(table(pairs$evaluator))
  centre <- weighted.mean(own, weight)
  note("evaluator mean", d, centre)
  note("evaluator unweighted", d, mean(own))
  n <- length(own)
  note("evaluator se", d, sqrt(n / (n - 1) * sum(weight^2 * (own - centre)^2)) / sum(weight))
}

# Correlations, with a delete-one-evaluator jackknife on Fisher's z
within <- scores - sapply(scores, ave, ratings$evaluator, ratings$case)
between <- function(rows) aggregate(scores[rows, ], ratings[rows, c("case", "analyst")], mean)[dimensions]
all_rows <- rep(TRUE, nrow(ratings))
part <- list(pooled = function(rows) scores[rows, ], within = function(rows) within[rows, ],
             between = between)
jackknife <- function(value, without) {  # limits on the scale of z, carried back
  m <- length(without)
  se <- sqrt((m - 1) / m * sum((without - mean(without))^2)) / (1 - value^2)
  tanh(atanh(value) + c(-1, 1) * qt(.975, m - 1) * se)
}
for (name in names(part)) for (method in c("pearson", "spearman")) {
  matrix <- cor(part[[name]](all_rows), method = method)
  for (other in dimensions[-1])
    note(paste(name, method), paste(first, other), matrix[first, other])
  without <- sapply(levels(ratings$evaluator), function(one)
    cor(part[[name]](ratings$evaluator != one), method = method)[first, dimensions[2]])
  limits <- jackknife(matrix[first, dimensions[2]], without)
  note(paste(name, method, "limits"), c("low", "high"), limits)
}

# Internal consistency
for (name in names(part)) {
  table <- part[[name]](all_rows)
  note("alpha", name, suppressWarnings(psych::alpha(table)$total$raw_alpha))
  note("omega total", name, suppressWarnings(suppressMessages(
    psych::omega(table, nfactors = 1, plot = FALSE)))$omega.tot)
}
note("omega hierarchical", "pooled", suppressWarnings(suppressMessages(
  psych::omega(scores, nfactors = 3, plot = FALSE)))$omega_h)

# Variance split
control <- lmerControl(optCtrl = list(xtol_abs = 1e-9, ftol_abs = 1e-9, maxeval = 1e4))
for (d in dimensions) {
  model <- as.formula(paste(d, "~ 1 + (1|case) + (1|evaluator) + (1|analyst) + (1|case:analyst) +
                            (1|evaluator:case) + (1|evaluator:analyst)"))
  fit <- suppressMessages(lme4::lmer(model, ratings, control = control))
  parts <- as.data.frame(VarCorr(fit))
  note(paste("variance", parts$grp), d, parts$vcov)
  note("REML criterion", d, REMLcrit(fit))
}

# Specialists
fields <- strsplit(people$specialty, "; *")
names(fields) <- people$evaluator
field <- setNames(cases$specialty, cases$case)
is_specialist <- function(evaluator, case)
  mapply(function(e, k) field[[k]] %in% fields[[e]], as.character(evaluator), as.character(case))
ratings$specialist <- is_specialist(ratings$evaluator, ratings$case)
pairs$specialist <- is_specialist(pairs$evaluator, pairs$case)
groups <- aggregate(pairs[dimensions], pairs[c("specialist", "case")], mean)
pooled_d <- function(a, b)
  (mean(a) - mean(b)) / sqrt(((length(a) - 1) * var(a) + (length(b) - 1) * var(b)) /
                               (length(a) + length(b) - 2))
tested <- function(unit, table, d) {
  a <- table[[d]][table$specialist]; b <- table[[d]][!table$specialist]
  tests <- list(Student = t.test(a, b, var.equal = TRUE), Welch = t.test(a, b))
  if (unit == "case-by-group means") tests$paired <- t.test(a, b, paired = TRUE)
  for (test in names(tests)) {
    found <- tests[[test]]
    what <- paste(test, unit)
    note(paste(what, c("t", "df", "p", "low", "high")), d,
         c(found$statistic, found$parameter, found$p.value, found$conf.int))
    note(paste(what, "d"), d, if (test == "paired") mean(a - b) / sd(a - b) else pooled_d(a, b))
  }
}
for (d in dimensions) {
  tested("case-by-group means", groups, d)
  tested("evaluator–case means", pairs, d)
  tested("rows", ratings, d)
}

# The model of all rows
long <- reshape(ratings, direction = "long", varying = dimensions, v.names = "score",
                times = dimensions, timevar = "dimension")
long$dimension <- factor(long$dimension, dimensions)
long$specialist <- as.numeric(long$specialist)
fit <- suppressMessages(lmerTest::lmer(
  score ~ 0 + dimension + dimension:specialist + (1|evaluator) + (1|case) + (1|analyst) +
    (1|case:analyst) + (1|evaluator:case) + (1|evaluator:case:analyst) + (1|evaluator:dimension) +
    (1|case:dimension) + (1|evaluator:case:dimension), long, control = control))
rows <- coef(summary(fit))[length(dimensions) + seq_along(dimensions), ]
for (column in c("Estimate", "Std. Error", "df", "t value", "Pr(>|t|)"))
  note(paste("model", column), dimensions, rows[, column])
contrasts <- diag(2 * length(dimensions))[length(dimensions) + seq_along(dimensions), ]
apart <- contrasts[-1, ] - contrasts[rep(1, length(dimensions) - 1), ]
for (name in c("shift", "emphasis")) {
  found <- contestMD(fit, if (name == "shift") contrasts else apart)
  note(paste("model", name), c("F", "df1", "df2", "p"),
       unlist(found[c("F value", "NumDF", "DenDF", "Pr(>F)")]))
}

# Agreement: W over the dimensions; over the analysts W, ICC(2,1) and ICC(2,k)
w <- function(table) {
  test <- friedman.test(table)
  unname(c(test$statistic, test$p.value, test$statistic / (nrow(table) * test$parameter)))
}
wide <- function(case, d) {
  own <- ratings[ratings$case == case, ]
  unclass(xtabs(as.formula(paste(d, "~ evaluator + analyst")), droplevels(own)))
}
r_mean <- function(table) (nrow(table) * w(table)[3] - 1) / (nrow(table) - 1)
moves <- matrix(0, nlevels(ratings$evaluator), nlevels(ratings$case),
                dimnames = list(levels(ratings$evaluator), levels(ratings$case)))
agreement <- setNames(numeric(nlevels(ratings$case)), levels(ratings$case))
for (case in levels(ratings$case)) {
  note(paste("dimensions", c("chi2", "p", "W")), case,
       w(as.matrix(pairs[pairs$case == case, dimensions])))
  for (d in dimensions) {
    table <- wide(case, d)
    found <- ICC(t(table), lmer = FALSE)$results
    note("analysts W", paste(case, d), w(table)[3])
    for (row in c(2, 5)) note(paste("analysts", c("ICC(2,1)", "", "", "ICC(2,k)")[row - 1],
                                    c("value", "low", "high")), paste(case, d),
                              unlist(found[row, c("ICC", "lower bound", "upper bound")]))
    agreement[case] <- agreement[case] + r_mean(table) / length(dimensions)
    m <- nrow(table)
    without <- sapply(seq_len(m), function(i) r_mean(table[-i, ]))
    moves[rownames(table), case] <- moves[rownames(table), case] +
      sqrt((m - 1) / m) * (mean(without) - without) / length(dimensions)
  }
}
note("mean r", names(agreement), agreement)
covariance <- crossprod(moves)
centred <- scale(covariance, scale = FALSE)
statistic <- sum((agreement - mean(agreement))^2) / sum(diag(centred))
df <- sum(diag(centred))^2 / sum(diag(centred %*% centred))
note("equality", c("statistic", "df", "p"),
     c(statistic, df, pchisq(statistic * df, df, lower.tail = FALSE)))

known$value <- sprintf("%.10e", known$value)
write.csv(known, "tests/R/scoring.csv", row.names = FALSE, quote = which(names(known) != "value"))
