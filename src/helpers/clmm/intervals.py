"""Confidence intervals: Wald, profile likelihood, and parametric bootstrap (percentiles).

A profile interval holds the values of one parameter at which the log-likelihood, maximised over all
others, is within half a χ²₁ quantile of its maximum. It is found on the signed root of twice that
distance, which is nearly a straight line (Bates & Watts 1988, chapter 6). Standard deviations have
Wald intervals on the log scale, so that they stay positive.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import polars as pl
from scipy import stats
from scipy.optimize import brentq

from helpers.clmm.bootstrap import bootstrap
from helpers.clmm.optimise import CLOSE, climb, negative_hessian
from helpers.clmm.predictors import standardise
from helpers.clmm.problem import root_mean_square
from helpers.clmm.result import Clmm, require_level
from helpers.errors import HelpersError, did_you_mean

Method = Literal["wald", "profile", "bootstrap"]
EXACT = 1e-5  # of the distance from the estimate
FIRST_STEP = 0.1  # for standard deviations of zero, which have no standard error
SEARCH = 12


def intervals(
    fit: Clmm,
    method: Method = "wald",
    names: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 500,
    seed: int = 1,
    progress: bool = True,
) -> pl.DataFrame:
    """Confidence intervals of threshold parameters, coefficients and standard deviations.

    Parameters
    ----------
    fit : Clmm
        A fitted model.
    method : str
        "wald", "profile" or "bootstrap".
    names : sequence of str or None
        Which parameters, such as "tempwarm" or "sd(judge)"; all if None.
    level : float
        Coverage.
    resamples, seed, progress : int, int, bool
        For the bootstrap, see `bootstrap`.

    Returns
    -------
    polars.DataFrame
        A row per parameter: name, estimate, lower, upper; nan where there is no limit to be found.

    Raises
    ------
    HelpersError
        For an unknown method or name, or a level that is not between 0 and 1.
    """
    require_level(level)
    chosen = fit.parameter_names if names is None else list(names)
    for name in chosen:
        if name not in fit.parameter_names:
            raise HelpersError(f"no parameter '{name}'" + did_you_mean(name, fit.parameter_names))
    if method == "bootstrap":
        drawn = bootstrap(fit, resamples, seed, progress).estimates
        tail = (1 - level) / 2
        limits = [np.quantile(drawn[name].to_numpy(), [tail, 1 - tail]) for name in chosen]
    elif method == "profile":
        profile = _Profile(fit, level)
        limits = [profile.limits(fit.parameter_names.index(name)) for name in chosen]
    elif method == "wald":
        limits = [_wald(fit, name, level) for name in chosen]
    else:
        raise HelpersError(f"method '{method}': expected wald, profile or bootstrap")
    return pl.DataFrame(
        {
            "name": chosen,
            "estimate": [float(fit.estimates[name]) for name in chosen],
            "lower": [float(low) for low, _ in limits],
            "upper": [float(high) for _, high in limits],
        }
    )


def _wald(fit: Clmm, name: str, level: float) -> tuple[float, float]:
    if name not in fit.deviations.index:
        return np.nan, np.nan
    estimate = float(fit.estimates[name])
    reach = float(stats.norm.ppf((1 + level) / 2) * fit.deviations[name])
    if name in fit.parameter_names[fit.problem.fixed :]:
        return estimate * np.exp(-reach / estimate), estimate * np.exp(reach / estimate)
    return estimate - reach, estimate + reach


class _Profile:
    """Profiles of one fit's likelihood; variances at the boundary stay there."""

    def __init__(self, fit: Clmm, level: float) -> None:
        # Predictors scaled but not centred: then every parameter is a reported one in other units.
        scale = standardise(fit.design.x)[2]
        self.problem = replace(fit.problem, x=fit.design.x / scale)
        fixed = self.problem.fixed
        alpha = np.ones(fit.problem.matrix.shape[1])
        self.unit = np.concatenate([alpha, 1 / scale, 1 / root_mean_square(fit.design)])
        parameters = fit.estimates.to_numpy() / self.unit
        self.top = self.problem.evaluate(parameters, np.zeros(self.problem.laplace.count))
        self.free = parameters != 0
        self.free[:fixed] = True
        rough = np.where(self.free, np.diag(fit.curvature), 1.0)
        self.curvature = negative_hessian(self.problem.evaluate, self.top, rough, self.free)
        self.covariance = np.linalg.pinv(self.curvature)
        self.target = float(stats.norm.ppf((1 + level) / 2))

    def limits(self, j: int) -> tuple[float, float]:
        """Limits of parameter j; the lower one of a standard deviation may be 0."""
        value = self.top.parameters[j]
        floor = -value if j >= self.problem.fixed else -np.inf
        low = -self._reach(j, -1, floor) if floor < 0 else floor
        return (value + low) * self.unit[j], (value + self._reach(j, 1, np.inf)) * self.unit[j]

    def _reach(self, j: int, side: int, end: float) -> float:
        """How far parameter j can move to one side before the signed root gets to its target."""
        width = np.sqrt(self.covariance[j, j]) if self.free[j] else FIRST_STEP / self.target
        inner, outer = 0.0, self.target * width
        for _ in range(SEARCH):
            outer = min(outer, abs(end))
            distance = self._root(j, side * outer)
            if np.isnan(distance):
                return np.nan
            if distance >= 0:
                return float(
                    brentq(lambda x: self._root(j, side * x), inner, outer, xtol=EXACT * outer)
                )
            if outer == abs(end):
                return outer
            inner, outer = outer, 1.5 * outer
        return np.inf

    def _root(self, j: int, move: float) -> float:
        """Root of twice the fall of the log-likelihood once j is moved, less the target."""
        if move == 0:
            return -self.target
        only = np.zeros(len(self.free))
        only[j] = move
        # The others move along at first as the curvature at the top has it.
        along = self.covariance[:, j] / self.covariance[j, j] * move if self.free[j] else only
        for first in (along, only):
            start = self.problem.evaluate(self.top.parameters + first, self.top.mode)
            if np.isfinite(start.loglik):
                break
        else:
            return np.nan
        others = self.free & (only == 0)
        found = climb(self.problem.evaluate, start, self.curvature, others)
        fall = max(self.top.loglik - found.point.loglik, 0.0)
        return float(np.sqrt(2 * fall)) - self.target if found.decrement < CLOSE else np.nan
