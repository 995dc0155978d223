"""The engine `r`: the same model by R's ordinal::clmm, called through the bridge to R.

R gets the very columns that the native engine gets, standardised (a badly scaled Hessian is what
its optimiser stumbles over), and a limit of iterations it will not reach: the default of 150 ends
fits short of the maximum without a word. Its own account of convergence is not relied upon.
"""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from helpers import r
from helpers.clmm.arrays import Floats, Ints
from helpers.clmm.describe import describe
from helpers.clmm.design import Design
from helpers.clmm.optimise import CLOSE
from helpers.clmm.problem import Problem, scaled_covariates
from helpers.clmm.result import Clmm
from helpers.errors import HelpersError

_FIT = """
function(y, categories, x, levels, covariates, weights, link, threshold, start) {
  data <- data.frame(y = factor(y, seq_along(categories) - 1, categories), w = weights)
  named <- function(letter, columns) paste0(letter, seq_len(ncol(columns)), recycle0 = TRUE)
  data[named("x", x)] <- x
  data[named("g", levels)] <- lapply(as.data.frame(levels), factor)
  data[named("z", covariates)] <- covariates
  slope <- apply(covariates, 2, function(z) any(z != 1))
  bars <- sprintf("(%s | g%d)", ifelse(slope, paste0("0 + z", seq_along(slope)), "1"),
                  seq_along(slope))
  right <- c("1", named("x", x), if (length(slope)) bars)
  model <- stats::as.formula(paste("y ~", paste(right, collapse = " + ")))
  if (!length(slope)) {
    fit <- ordinal::clm(model, data = data, weights = w, link = link, threshold = threshold)
    return(list(fixed = c(fit$alpha, fit$beta), sd = numeric(), loglik = as.numeric(fit$logLik),
                code = fit$convergence$code, message = fit$message, gradient = fit$gradient,
                hessian = fit$Hessian, log_sd = FALSE))
  }
  control <- ordinal::clmm.control(method = "nlminb", iter.max = 2000, eval.max = 20000,
                                   useMatrix = link %in% c("cloglog", "loglog"))
  arguments <- list(model, data = data, weights = data$w, link = link, threshold = threshold,
                    Hess = TRUE, model = FALSE, control = control)
  single <- length(slope) == 1 && !slope && !control$useMatrix  # ordinal has code of its own for it
  # R sorts terms by their number of levels, unless it is the same for all, when it only mixes up
  # their names; so names are not relied upon. Term t is R's term place[t].
  count <- apply(levels, 2, function(level) length(unique(level)))
  place <- if (any(diff(count) != 0)) order(rev(order(count))) else seq_along(count)
  if (length(start)) {
    fixed <- head(start, -length(slope)); sd <- tail(start, length(slope))[order(place)]
    arguments$start <- if (single) c(fixed, log(sd)) else list(fixed, sd)
  }
  fit <- do.call(ordinal::clmm, arguments)
  sd <- unname(sapply(fit$ST, function(st) st[1, 1]))
  list(fixed = c(fit$alpha, fit$beta), sd = sd[place], loglik = as.numeric(fit$logLik),
       code = fit$optRes$convergence, message = fit$optRes$message, gradient = fit$gradient,
       hessian = fit$Hessian, log_sd = single,
       interior = paste0("ST", place), kept = names(fit$gradient))
}
"""


def fit_by_r(
    read: Design, likelihood: Problem, link: str, threshold: str, start: Floats | None = None
) -> Clmm:
    """Fit by ordinal::clmm (ordinal::clm where there is no random term).

    Parameters
    ----------
    read : Design
        The data.
    likelihood : Problem
        The likelihood of these data, to check R's answer against.
    link, threshold : str
        What the model is made of.
    start : ndarray of float or None
        Where R starts, in the likelihood's parameters; its own choice if None.
    """
    counts = np.bincount(read.y, minlength=len(read.categories))
    if not counts.all():
        raise HelpersError(
            f"nobody used {read.categories[int(np.argmin(counts))]}, and R drops categories that "
            "nobody used, which moves tied thresholds: use engine 'native'"
        )
    r.require("ordinal")
    answer = r.call(
        _FIT,
        y=read.y,
        categories=read.categories,
        x=likelihood.x,
        levels=np.array(read.levels).reshape(len(read.levels), len(read.y)).T,
        covariates=scaled_covariates(read),
        weights=read.weights,
        link=link,
        threshold=threshold,
        start=start,
    )
    found = answer.value
    parameters = np.concatenate([found["fixed"], found["sd"]])
    order = _order(likelihood, found)
    parameters[np.setdiff1d(np.arange(len(parameters)), order)] = 0.0  # at the boundary
    unit = np.ones(len(order))
    if found["log_sd"][0]:
        unit[-1] = found["sd"][0]
    hessian = np.zeros((len(parameters),) * 2)
    hessian[np.ix_(order, order)] = found["hessian"] / np.outer(unit, unit)
    gradient = np.zeros(len(parameters))
    gradient[order] = -found["gradient"] / unit
    step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
    point = likelihood.evaluate(parameters, np.zeros(likelihood.laplace.count))
    loglik = float(found["loglik"][0])
    said = _once([*answer.warnings, *answer.messages, *(found["message"] or [])])
    return describe(
        read, likelihood, link, threshold, "r",
        replace(point, loglik=loglik, gradient=gradient), hessian,
        arrived=found["code"][0] == 0 and abs(float(step @ gradient)) < CLOSE, said=said,
    )  # fmt: skip


def _once(texts: list[str]) -> tuple[str, ...]:
    """Remarks on one line each, and once instead of at every iteration."""
    plain = [re.sub(r" at iteration \d+$", "", " ".join(text.split())) for text in texts]
    return tuple(dict.fromkeys(plain))


def _order(likelihood: Problem, found: dict[str, Any]) -> Ints:
    """Which of the likelihood's parameters the rows of R's Hessian stand for."""
    fixed = np.arange(likelihood.fixed)
    kept = found.get("kept") or []
    terms = [(name, t) for t, name in enumerate(found.get("interior") or []) if name in kept]
    inside = [t for name, t in sorted(terms, key=lambda term: kept.index(term[0]))]
    return np.concatenate([fixed, likelihood.fixed + np.array(inside, dtype=np.int64)])
