# Friedman's test by base R; Kendall's W follows as χ² / (raters × df).
# Run from the project's root: Rscript tests/R/kendalls_w.R
anxiety <- as.matrix(read.csv("tests/data/anxiety.csv"))
rounding <- as.matrix(read.csv("tests/data/rounding_times.csv"))
known <- function(case, ratings) {  # one row of `ratings` per rater
  test <- friedman.test(ratings)
  chi2 <- unname(test$statistic)
  df <- unname(test$parameter)
  data.frame(case, w = chi2 / (nrow(ratings) * df), chi2, df, p = test$p.value)
}
result <- rbind(known("anxiety", t(anxiety)), known("rounding_times", rounding))
result[-1] <- lapply(result[-1], format, digits = 12, trim = TRUE)
write.csv(result, "tests/R/kendalls_w.csv", row.names = FALSE, quote = FALSE)
