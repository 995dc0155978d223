# Refit the shipped study by ordinal::clmm as in the paper's Tables 4, 5 and 9 (about 90 s).
# Run from the project's root: Rscript data/perception/simulation/clmm.R [ratings.csv result.csv]
suppressMessages(library(ordinal))
files <- commandArgs(trailingOnly = TRUE)
if (length(files) == 0) files <- file.path("data/perception", c("ratings.csv", "simulation/clmm.csv"))
input <- files[1]
ratings <- read.csv(input)
scores <- setdiff(names(ratings), c("evaluator", "case", "analyst", "rank"))
ratings[scores] <- scale(ratings[scores], scale = FALSE)  # centred, or the fit is ill-conditioned
for (name in c("evaluator", "case", "analyst")) ratings[[name]] <- factor(ratings[[name]])
ratings$rank <- factor(ratings$rank, ordered = TRUE)
terms <- c("evaluator", "case", "analyst", "evaluator:case", "case:analyst", "evaluator:analyst")
formula <- reformulate(c(scores, sprintf("(1 | %s)", terms)), "rank")
# nlminb stops at 150 iterations without a word unless told otherwise.
control <- clmm.control(method = "nlminb", iter.max = 2000, eval.max = 20000)
fit <- clmm(formula, ratings, control = control, Hess = TRUE)
stopifnot(fit$optRes$convergence == 0)
errors <- sqrt(diag(vcov(fit)))
rows <- function(kind, estimates, names = base::names(estimates)) data.frame(
  kind, name = names, estimate = round(estimates, 4), std_error = round(errors[names], 4)
)
variances <- vapply(VarCorr(fit)[terms], function(v) v[1, 1], 0)
sha <- strsplit(system2("sha256sum", input, stdout = TRUE), " ")[[1]][1]
versions <- sprintf("R %s with ordinal %s", getRversion(), packageVersion("ordinal"))
result <- rbind(
  rows("slope", fit$beta), rows("cutpoint", fit$Theta[1, ], names(fit$alpha)),
  rows("variance", variances, terms),
  rows("check", c(`log-likelihood` = fit$logLik, `largest gradient` = max(abs(fit$gradient)))),
  data.frame(kind = c("sha256 of ratings.csv", "made by"), name = c(sha, versions),
             estimate = NA, std_error = NA)
)
write.csv(result, files[2], row.names = FALSE, na = "", quote = FALSE)
