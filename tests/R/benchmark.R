# Correlation, smoother, parabola, power and points left out, by cor.test, loess, lm, isoreg and pf.
# Run from the project's root: Rscript tests/R/benchmark.R
rows <- list()
known <- function(quantity, name, value)
  rows[[length(rows) + 1]] <<- data.frame(quantity, name = as.character(name), value = unname(value))

score <- c(2.1, 3.9, 3.3, 2.6, 2.4, 2.2)
accuracy <- c(10.9, 51.4, 39.6, 18.9, 15.6, 13.4)
scattered <- c(22.1, 31.4, 19.6, 28.9, 15.6, 24.4)
known("score", 1:6, score)
known("accuracy", 1:6, accuracy)
known("scattered", 1:6, scattered)
known("speed", seq_along(cars$speed), cars$speed)
known("dist", seq_along(cars$dist), cars$dist)

# Pearson's r: Fisher's interval, Student's p, and all 720 orders
orders <- function(v) if (length(v) < 2) matrix(v, 1) else
  do.call(rbind, lapply(seq_along(v), function(i) cbind(v[i], orders(v[-i]))))
for (set in c("accuracy", "scattered")) {
  y <- get(set)
  test <- cor.test(score, y)
  r <- test$estimate
  known(paste0("pearson_", set), c("r", "low", "high", "p_student"),
        c(r, test$conf.int, test$p.value))
  every <- abs(apply(orders(1:6), 1, function(o) cor(score, y[o])))
  known(paste0("permutation_", set), c("p", "least"),
        c(mean(every >= abs(r) - 1e-9), mean(every >= max(every) - 1e-9)))
  ranked <- abs(apply(orders(1:6), 1, function(o) cor(rank(score), rank(y)[o])))
  rho <- cor(score, y, method = "spearman")
  known(paste0("spearman_", set), c("rho", "p"), c(rho, mean(ranked >= abs(rho) - 1e-9)))
}

# LOESS by degree and iterations; hat matrix by unit vectors, so without robust weights
smooth <- function(x, y, degree, robust, span = .7)
  loess(y ~ x, span = span, degree = degree, family = if (robust) "symmetric" else "gaussian",
        control = loess.control(statistics = "exact", iterations = robust + 1,
                                surface = if (degree) "interpolate" else "direct"))
for (degree in 0:2) for (robust in c(0, 1, 3)) {
  if (degree == 2 && robust) next
  own <- smooth(score, accuracy, degree, robust)
  known(sprintf("loess_%d_%d", degree, robust), 1:6, fitted(own))
}
for (set in c("accuracy", "scattered")) for (robust in c(0, 3))
  known(sprintf("lowess_%s_%d", set, robust), order(score),
        lowess(score, get(set), f = .7, iter = robust, delta = 0)$y)
own <- smooth(score, accuracy, 1, 0)
known("loess_state", c("trace", "equivalent", "freedom", "scale"),
      c(own$trace.hat, own$enp, own$one.delta, own$s))
at <- c(2.15, 2.5, 2.9, 3.6)
known("loess_at", at, predict(own, data.frame(x = at)))
own <- smooth(cars$speed, cars$dist, 2, 0, .75)
known("loess_cars", seq_along(cars$speed), fitted(own))
known("loess_cars_state", c("trace", "equivalent", "freedom", "scale"),
      c(own$trace.hat, own$enp, own$one.delta, own$s))
own <- smooth(cars$speed, cars$dist, 1, 3, .6)
known("loess_cars_robust", seq_along(cars$speed), fitted(own))

# Line: R², residual SD, mean absolute error, AICc as loess has it (its trace is 2)
line <- lm(accuracy ~ score)
n <- 6
known("line", c("r2", "sigma", "mae", "aicc"),
      c(summary(line)$r.squared, summary(line)$sigma, mean(abs(resid(line))),
        log(mean(resid(line)^2)) + 1 + 2 * (2 + 1) / (n - 2 - 2)))

# Parabola against line, and power against one that levels out, or halves its slope
z <- (score - min(score)) / diff(range(score))
for (set in c("accuracy", "scattered")) {
  y <- get(set)
  straight <- lm(y ~ z)
  bent <- lm(y ~ z + I(z^2))
  test <- anova(straight, bent)
  b <- coef(bent)
  known(paste0("bend_", set), c("f", "p", "ratio"),
        c(test$F[2], test$`Pr(>F)`[2], (b[2] + 2 * b[3]) / b[2]))
  left <- sum(resid(lm(I(z^2) ~ z))^2)
  variance <- deviance(bent) / 3
  for (flat in c(0, .5)) {
    term <- coef(straight)[2] * (1 - flat) / (1 + flat)
    power <- function(variance) 1 - pf(qf(.95, 1, 3), 1, 3, ncp = term^2 * left / variance)
    wide <- deviance(bent) / qchisq(c(.025, .975), 3)
    known(sprintf("power_%s_%g", set, flat), c("power", "low", "high"),
          c(power(variance), power(wide[1]), power(wide[2])))
  }
}

# Points left out
isotonic <- function(x, y, new) {
  o <- order(x)
  fit <- if (cor(x, y) >= 0) isoreg(x[o], y[o])$yf else -isoreg(x[o], -y[o])$yf
  approx(x[o], fit, new, rule = 2)$y
}
for (set in c("accuracy", "scattered")) {
  y <- get(set)
  out <- function(name, predictor)
    known(paste0("left_", set), paste(name, 1:6), sapply(1:6, function(i)
      predictor(data.frame(x = score[-i], y = y[-i]), data.frame(x = score[i]))))
  out("Mean alone", function(d, new) mean(d$y))
  out("Straight line", function(d, new) predict(lm(y ~ x, d), new))
  out("Line in the logarithm", function(d, new) predict(lm(y ~ log(x), d), new))
  out("Parabola", function(d, new) predict(lm(y ~ x + I(x^2), d), new))
  out("Monotone", function(d, new) isotonic(d$x, d$y, new$x))
  out("LOESS", function(d, new) predict(smooth(d$x, d$y, 1, 0), new))
}

found <- do.call(rbind, rows)
found$value <- ifelse(is.na(found$value), "", sprintf("%.12g", found$value))
write.csv(found, "tests/R/benchmark.csv", row.names = FALSE, quote = FALSE)
