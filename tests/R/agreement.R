# Agreement and reliability by R: base, psych, lme4 and vcd (Debian: r-cran-psych, r-cran-gparotation,
# r-cran-lme4, r-cran-vcd). Run from the project's root: Rscript tests/R/agreement.R
suppressMessages({library(psych); library(lme4); library(vcd)})
known <- data.frame()
note <- function(data, statistic, value, low = NA, high = NA) {
  known <<- rbind(known, data.frame(data, statistic, value, low, high))
}
anxiety <- as.matrix(read.csv("tests/data/anxiety.csv"))  # one row per item
rounding <- as.matrix(read.csv("tests/data/rounding_times.csv"))  # one row per block
shrout <- as.matrix(read.csv("tests/data/shrout_fleiss.csv"))  # one row per item

# Friedman's test; Kendall's W = χ² / (raters × df)
ranked <- function(name, ratings) {
  test <- friedman.test(ratings)
  note(name, "chi2", unname(test$statistic))
  note(name, "p", test$p.value)
  note(name, "w", unname(test$statistic / (nrow(ratings) * test$parameter)))
}
ranked("anxiety", t(anxiety))
ranked("rounding_times", rounding)
ranked("attitude_rows_1_to_6", as.matrix(attitude[1:6, ]))

# Intraclass correlations of complete tables, by mean squares
for (name in c("anxiety", "shrout_fleiss")) {
  table <- if (name == "anxiety") anxiety else shrout
  found <- ICC(table, lmer = FALSE)$results
  forms <- c("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")
  for (i in 1:6) note(name, forms[i], found$ICC[i], found$`lower bound`[i], found$`upper bound`[i])
}

# Shares of variance by restricted maximum likelihood, also with gaps
shares <- function(name, table) {
  long <- data.frame(y = c(table), item = factor(c(row(table))), rater = factor(c(col(table))))
  share <- function(formula) {
    control <- lmerControl(optCtrl = list(xtol_abs = 1e-10, ftol_abs = 1e-12))
    variance <- as.data.frame(VarCorr(lmer(formula, long, control = control)))
    variance$vcov[variance$grp == "item"] / sum(variance$vcov)
  }
  note(name, "random", share(y ~ 1 + (1 | item) + (1 | rater)))
  note(name, "fixed", share(y ~ rater + (1 | item)))
  note(name, "none", share(y ~ 1 + (1 | item)))
}
plates <- xtabs(diameter ~ plate + sample, Penicillin)
plates <- matrix(plates, nrow(plates), dimnames = list(NULL, paste0("sample_", colnames(plates))))
write.csv(plates, "tests/data/penicillin.csv", row.names = FALSE)
with_gaps <- function(table, step) { table[seq(1, length(table), step)] <- NA; table }
shares("shrout_fleiss", shrout)
shares("shrout_fleiss_gaps_5", with_gaps(shrout, 5))
shares("penicillin", plates)
shares("penicillin_gaps_5", with_gaps(plates, 5))
shares("anxiety_gaps_3", with_gaps(anxiety, 3))

# Cohen's kappa: psych for unweighted limits, vcd for all errors (psych's are wrong where weighted)
cohen <- matrix(c(88, 14, 18, 10, 40, 10, 2, 6, 12), 3, byrow = TRUE)
penalty <- matrix(c(0, 1, 3, 1, 0, 6, 3, 6, 0), 3)
movies <- matrix(c(24, 8, 13, 8, 13, 11, 10, 9, 64), 3, byrow = TRUE)
kappas <- function(name, table, weights, statistic, part) {
  fit <- Kappa(table, weights = weights)
  limits <- confint(fit)
  row <- if (part == "Unweighted") 1 else 2
  note(name, statistic, fit[[part]][["value"]], limits[row, 1], limits[row, 2])
  note(name, paste(statistic, "se"), fit[[part]][["ASE"]])
}
kappas("cohen", cohen, "Equal-Spacing", "unweighted", "Unweighted")
kappas("cohen", cohen, 1 - penalty / 6, "custom", "Weighted")
kappas("movies", movies, "Equal-Spacing", "unweighted", "Unweighted")
kappas("movies", movies, "Equal-Spacing", "linear", "Weighted")
kappas("movies", movies, "Fleiss-Cohen", "quadratic", "Weighted")
levels <- 1:6
pair <- table(factor(anxiety[, 1], levels), factor(anxiety[, 2], levels))
kappas("anxiety", pair, "Equal-Spacing", "unweighted", "Unweighted")
kappas("anxiety", pair, "Equal-Spacing", "linear", "Weighted")
kappas("anxiety", pair, "Fleiss-Cohen", "quadratic", "Weighted")

# Reliability
write.csv(as.matrix(datasets::attitude), "tests/data/attitude.csv", row.names = FALSE)
write.csv(as.matrix(Thurstone), "tests/data/thurstone.csv", row.names = FALSE)
for (name in c("attitude", "thurstone")) {
  table <- if (name == "attitude") as.matrix(datasets::attitude) else as.matrix(Thurstone)
  note(name, "alpha", psych::alpha(table)$total$raw_alpha)
  for (factors in 1:3) {
    fit <- suppressMessages(suppressWarnings(omega(table, factors, n.obs = 213, plot = FALSE)))
    note(name, paste("omega total", factors), fit$omega.tot)
    if (factors > 1) note(name, paste("omega hierarchical", factors), fit$omega_h)
  }
}
groups <- rep(1:6, each = 5)
deviations <- datasets::attitude
for (item in names(deviations)) deviations[item] <- deviations[item] - ave(deviations[[item]], groups)
means <- aggregate(datasets::attitude, list(groups), mean)[-1]
note("attitude", "alpha within", psych::alpha(deviations)$total$raw_alpha)
note("attitude", "alpha between", psych::alpha(means)$total$raw_alpha)
note("attitude", "omega within", suppressWarnings(omega(deviations, 1, plot = FALSE)$omega.tot))

known$statistic <- as.character(known$statistic)
known[3:5] <- lapply(known[3:5], format, digits = 12, trim = TRUE)
write.csv(known, "tests/R/agreement.csv", row.names = FALSE, quote = 2)
