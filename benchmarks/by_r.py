"""The same mixed model by R's ordinal::clmm, with the processor time that it took."""

import polars as pl

from helpers import r

SAME = 0.01  # log-likelihoods may differ by as much: R ends a little early

_FIT = """
function(data, formula) {
  for (name in c("evaluator", "case", "analyst")) data[[name]] <- factor(data[[name]])
  data$rank <- ordered(data$rank)
  formula <- stats::as.formula(formula)
  spent <- system.time(fit <- ordinal::clmm(formula, data = data, Hess = TRUE))
  list(seconds = sum(spent[1:2]), loglik = as.numeric(stats::logLik(fit)))
}
"""


def clmm_by_r(data: pl.DataFrame, formula: str) -> tuple[float, float]:
    """Seconds, and the log-likelihood at which R ended."""
    answer = r.call(_FIT, data=data, formula=formula).value
    return answer["seconds"][0], answer["loglik"][0]
