# Real analyses by base R, for the audit to check once they are rounded as a paper would print them.
# Run from the project's root: Rscript tests/R/audit.R
student <- t.test(extra ~ group, sleep, var.equal = TRUE)
welch <- t.test(extra ~ group, sleep)
paired <- with(sleep, t.test(extra[group == 1], extra[group == 2], paired = TRUE))
groups <- split(sleep$extra, sleep$group)
d <- diff(rev(sapply(groups, mean))) / sqrt(mean(sapply(groups, var)))
rounding <- as.matrix(read.csv("tests/data/rounding_times.csv"))
friedman <- friedman.test(rounding)
line <- lm(dist ~ speed, cars)
curve <- lm(dist ~ poly(speed, 2), cars)
slope <- coef(summary(glm(am ~ wt, binomial, mtcars)))["wt", ]
fit <- function(model) {
  e <- residuals(model)
  c(r2 = summary(model)$r.squared, residual_sd = sqrt(mean(e^2)), mae = mean(abs(e)))
}
known <- c(
  p_z_1.96 = 2 * pnorm(-1.96), p_z_3.29 = 2 * pnorm(-3.29),
  p_chi2_12.90_6 = pchisq(12.90, 6, lower.tail = FALSE),
  p_chi2_14.665_8 = pchisq(14.665, 8, lower.tail = FALSE),
  p_t_2.08_8 = 2 * pt(-2.08, 8), p_t_2.08_28 = 2 * pt(-2.08, 28),
  student_t = unname(student$statistic), student_df = unname(student$parameter),
  student_p = student$p.value, student_d = unname(d),
  welch_df = unname(welch$parameter), welch_p = welch$p.value,
  paired_t = unname(paired$statistic), paired_df = unname(paired$parameter), paired_p = paired$p.value,
  friedman_chi2 = unname(friedman$statistic), friedman_df = unname(friedman$parameter),
  friedman_p = friedman$p.value, friedman_m = nrow(rounding),
  friedman_w = unname(friedman$statistic) / (nrow(rounding) * unname(friedman$parameter)),
  glm_estimate = slope[[1]], glm_se = slope[[2]], glm_z = slope[[3]], glm_p = slope[[4]],
  line_p = cor.test(cars$dist, cars$speed)$p.value,
  setNames(fit(line), paste0("line_", names(fit(line)))),
  setNames(fit(curve), paste0("curve_", names(fit(curve)))),
  cars_sd = sqrt(mean((cars$dist - mean(cars$dist))^2)), cars_n = nrow(cars)
)
write.csv(data.frame(name = names(known), value = format(known, digits = 15, trim = TRUE)),
          "tests/R/audit.csv", row.names = FALSE, quote = FALSE)
