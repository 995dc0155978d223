# α and ω total by R's psych (Debian: r-cran-psych).
# Run from the project's root: Rscript tests/R/psychometrics.R
suppressMessages(library(psych))
omega_total <- function(correlations, factors) {  # as psych::omega has it, on an ML solution
  fit <- fa(correlations, factors, rotate = "none", fm = "ml", n.obs = 1000)
  1 - sum(fit$uniquenesses) / sum(correlations)
}
attitude <- as.matrix(datasets::attitude)
write.csv(attitude, "tests/data/attitude.csv", row.names = FALSE)
thurstone <- as.matrix(Thurstone)
write.csv(thurstone, "tests/data/thurstone.csv", row.names = FALSE)
known <- list(
  c("attitude", "alpha", psych::alpha(attitude)$total$raw_alpha),
  c("attitude", "omega1", omega_total(cor(attitude), 1)),
  c("thurstone", "alpha", psych::alpha(thurstone)$total$raw_alpha),
  c("thurstone", "omega1", omega_total(thurstone, 1)),
  c("thurstone", "omega3", omega_total(thurstone, 3)),
  c("thurstone", "omega3_minres", omega(thurstone, 3, n.obs = 213, plot = FALSE)$omega.tot)
)
result <- as.data.frame(do.call(rbind, known))
names(result) <- c("data", "statistic", "value")
write.csv(result, "tests/R/psychometrics.csv", row.names = FALSE, quote = FALSE)
