# Cumulative link (mixed) models by R's ordinal.
# Run from the project's root: Rscript tests/R/clmm.R    (a minute; the six-term fit is slow)
suppressMessages(library(ordinal))
data_of <- function(name) read.csv(file.path("tests/data/clmm", paste0(name, ".csv")), stringsAsFactors = TRUE)
wine <- data_of("wine")
wine$rating <- ordered(wine$rating)
wine$judge <- factor(wine$judge)
wine$bottle <- factor(wine$bottle)
soup <- data_of("soup")
soup$SURENESS <- ordered(soup$SURENESS)
soup$PRODID <- factor(soup$PRODID)
soup$RESP <- factor(soup$RESP)
housing <- data_of("housing")
housing$Sat <- ordered(housing$Sat, c("Low", "Medium", "High"))
study <- data_of("study")
study$rank <- ordered(study$rank)
study$case <- factor(study$case)

# More than one random term goes through nlminb, whose default limits end fits early.
control <- clmm.control(method = "nlminb", iter.max = 2000, eval.max = 20000)
rows <- function(case, kind, name, estimate, std_error = NA)
  data.frame(case, kind, name, estimate, std_error, row.names = NULL)
mixed <- function(case, formula, data, ...) {
  fit <- do.call(clmm, list(formula, data = data, control = control, Hess = TRUE, ...))
  stopifnot(fit$optRes$convergence == 0)
  table <- coef(summary(fit))
  variances <- sapply(VarCorr(fit), function(v) v[1, 1])
  # The conditional mode of each term's first level, with its standard deviation.
  modes <- lapply(names(variances), function(term) {
    mode <- ranef(fit)[[term]]
    rows(case, "mode", paste(term, rownames(mode)[1], sep = "@"), mode[1, 1],
         sqrt(condVar(fit)[[term]][1, 1]))
  })
  rbind(rows(case, "loglik", "", as.numeric(logLik(fit))),
        rows(case, "fixed", rownames(table), table[, 1], table[, 2]),
        rows(case, "variance", names(variances), variances), do.call(rbind, modes))
}
plain <- function(case, formula, data, ...) {
  fit <- do.call(clm, list(formula, data = data, ...))
  table <- coef(summary(fit))
  rbind(rows(case, "loglik", "", as.numeric(logLik(fit))),
        rows(case, "fixed", rownames(table), table[, 1], table[, 2]))
}
judge <- rating ~ temp + contact + (1 | judge)
sides <- rating ~ temp * contact + (1 | judge) + (1 | judge:temp)
soups <- SURENESS ~ PRODID + (1 | RESP) + (1 | RESP:PRODID)
ranks <- rank ~ inquiry + accuracy + coverage + reasoning + treatment + treatment_coverage +
  acceptability + (1 | evaluator) + (1 | case) + (1 | analyst) + (1 | evaluator:case) +
  (1 | case:analyst) + (1 | evaluator:analyst)
result <- rbind(
  plain("wine clm", rating ~ temp + contact, wine),
  plain("wine clm cloglog", rating ~ temp + contact, wine, link = "cloglog"),
  plain("wine clm loglog", rating ~ temp + contact, wine, link = "loglog"),
  plain("wine clm cauchit", rating ~ temp + contact, wine, link = "cauchit"),
  plain("wine clm symmetric", rating ~ temp + contact, wine, threshold = "symmetric"),
  mixed("wine", judge, wine),
  mixed("wine probit", judge, wine, link = "probit"),
  mixed("wine symmetric", judge, wine, threshold = "symmetric"),
  mixed("wine equidistant", judge, wine, threshold = "equidistant"),
  mixed("wine bottle", update(judge, . ~ . + (1 | bottle)), wine),
  # The code for a single random term takes cloglog for loglog and the other way round; the code
  # for several does not.
  mixed("wine cloglog", sides, wine, link = "cloglog"),
  mixed("wine loglog", sides, wine, link = "loglog"),
  mixed("soup probit equidistant", soups, soup, link = "probit", threshold = "equidistant"),
  mixed("soup", SURENESS ~ PROD + (1 | RESP) + (1 | RESP:PROD), soup),
  mixed("soup symmetric", SURENESS ~ PROD + (1 | RESP) + (1 | RESP:PROD), soup, threshold = "symmetric"),
  mixed("housing", Sat ~ Infl + Cont + (1 | Type), housing, weights = housing$Freq),
  mixed("study", ranks, study))

# Do slopes differ between thresholds? nominal_test can say without random terms, and clmm2, the
# package's earlier function, lets them differ beside one random term.
nominal <- nominal_test(clm(rating ~ temp + contact, data = wine))
old <- list(clmm2(rating ~ temp + contact, random = judge, data = wine),
            clmm2(rating ~ contact, nominal = ~temp, random = judge, data = wine),
            clmm2(rating ~ temp, nominal = ~contact, random = judge, data = wine))
logliks <- sapply(old, function(fit) fit$logLik)
beside <- 2 * (logliks[-1] - logliks[1])
slopes <- -old[[3]]$Theta["contactyes", ]
result <- rbind(result, rows("wine nominal", "lr", rownames(nominal)[-1], nominal[-1, "LRT"]),
                rows("wine nominal judge", "lr", rownames(nominal)[-1], beside),
                rows("wine nominal judge", "contactyes", names(slopes), slopes))
# Profile likelihood intervals.
limits <- confint(clm(rating ~ temp + contact, data = wine), type = "profile")
result <- rbind(result, rows("wine profile", "lower", rownames(limits), limits[, 1]),
                rows("wine profile", "upper", rownames(limits), limits[, 2]))
result$estimate <- sprintf("%.9g", result$estimate)
result$std_error <- ifelse(is.na(result$std_error), "", sprintf("%.9g", result$std_error))
write.csv(result, "tests/R/clmm.csv", row.names = FALSE, quote = FALSE)
