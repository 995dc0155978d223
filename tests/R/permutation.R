# Permutation of dimensions by enumeration, for tests/test_permutation_counts.py.
# Run from the project's folder: Rscript tests/R/permutation.R > tests/R/permutation.csv
# Base R alone. Ranks are of sums rounded to nine decimals, so that sums equal on paper tie.

orders <- function(n) {
  if (n == 1) return(matrix(1L, 1, 1))
  rest <- orders(n - 1)
  do.call(rbind, lapply(seq_len(n), function(first) {
    others <- setdiff(seq_len(n), first)
    cbind(first, matrix(others[rest], nrow(rest)))
  }))
}

ranked <- function(x) rank(-round(x, 9))

studies <- list(
  four = list(
    scores = rbind(c(3.2, 2.1, 4.0), c(3.2, 3.3, 2.8), c(2.0, 4.1, 2.8), c(1.5, 2.1, 3.6)),
    weights = c(0.5, 0.2, 0.3), accuracies = c(20, 55, 55, 10)
  ),
  six = list(
    scores = rbind(
      c(2.98, 2.70, 2.75, 3.10), c(3.93, 3.81, 3.38, 2.20), c(3.77, 3.67, 3.33, 4.00),
      c(3.41, 3.31, 2.70, 3.90), c(3.11, 3.10, 2.89, 1.70), c(3.03, 3.19, 3.84, 2.50)
    ),
    weights = c(0.19, 0.17, 0.12, 0.35), accuracies = c(10.9, 51.4, 39.6, 18.9, 45.6, 43.4)
  )
)

say <- function(study, dimension, quantity, value) {
  cat(study, dimension, quantity, format(value, digits = 15), sep = ",")
  cat("\n")
}

cat("study,dimension,quantity,value\n")
for (name in names(studies)) {
  own <- studies[[name]]
  n <- nrow(own$scores)
  every <- orders(n)
  evaluators <- ranked(own$scores %*% own$weights)
  bench <- ranked(own$accuracies)
  line <- function(bench) {
    d <- evaluators - bench
    function(r) sum((r - bench) * d) / sum(d * d)
  }
  t_of <- line(bench)
  d <- evaluators - bench
  say(name, 0, "distance", sqrt(sum(d * d)))
  far <- apply(every, 1, function(o) sum((bench[o] - evaluators)^2))
  alike <- every[abs(far - sum(d * d)) < 1e-9, , drop = FALSE]
  say(name, 0, "alike", nrow(alike))
  means <- matrix(0, nrow(alike), ncol(own$scores))
  within <- means
  observed <- numeric(ncol(own$scores))
  for (k in seq_len(ncol(own$scores))) {
    permuted <- apply(every, 1, function(o) {
      x <- own$scores
      x[, k] <- x[o, k]
      ranked(x %*% own$weights)
    })
    t <- apply(permuted, 2, t_of)
    off <- sapply(seq_along(t), function(i) sqrt(sum((permuted[, i] - bench - t[i] * d)^2)))
    close <- function(x, e) x < e - 1e-9
    for (e in c(0.25, 0.5, 1)) say(name, k, paste0("ratio ", e), sum(close(abs(t), e)))
    for (e in c(1, 2)) {
      say(name, k, paste0("distance ", e), sum(close(abs(t) * sqrt(sum(d * d)), e)))
    }
    say(name, k, "overshot 0.5", sum(close(abs(t), 0.5) & t < -1e-9))
    say(name, k, "beyond 0.5", sum(t < 0 & !close(abs(t), 0.5)))
    say(name, k, "along", mean(t))
    say(name, k, "off", mean(off))
    say(name, k, "moved", mean(apply(permuted, 2, function(r) any(r != evaluators))))
    say(name, k, "displacement", mean(apply(permuted, 2, function(r) sqrt(sum((r - evaluators)^2)))))
    for (b in seq_len(nrow(alike))) {
      at <- apply(permuted, 2, line(bench[alike[b, ]]))
      means[b, k] <- mean(at)
      within[b, k] <- mean(close(abs(at), 0.5))
    }
    observed[k] <- mean(t)
    say(name, k, "emphasis along", mean(t) - mean(means[, k]))
    say(name, k, "emphasis count", mean(within[, k]) - mean(close(abs(t), 0.5)))
  }
  # dimension 2 declared
  value <- function(m) m[2] - mean(m[-2])
  drawn <- apply(means, 1, value)
  say(name, 2, "p along", mean(drawn >= value(observed) - 1e-12))
  say(name, 2, "value along", value(observed - colMeans(means)))
}
