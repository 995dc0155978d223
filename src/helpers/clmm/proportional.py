"""Is one slope enough? A check of proportional odds, predictor by predictor.

The model says that a predictor moves all thresholds alike. Here each in turn may move every
threshold by an amount of its own, θ_k − x γ_k, with the random terms as they are; the likelihood
ratio against one common slope has K − 2 degrees of freedom per column (Peterson & Harrell 1990;
`nominal_test` in R's ordinal without random terms, `clmm2` there beside a single one).
"""

from dataclasses import replace

import numpy as np
import polars as pl
from scipy import stats

from helpers.clmm import separation, start
from helpers.clmm.arrays import Floats
from helpers.clmm.fit import maximise
from helpers.clmm.optimise import CLOSE, Climb
from helpers.clmm.predictors import standardise
from helpers.clmm.problem import Problem
from helpers.clmm.result import Clmm
from helpers.errors import HelpersError


def proportional_odds(fit: Clmm) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Test each predictor's slope for being the same at all thresholds.

    Parameters
    ----------
    fit : Clmm
        A fitted model of at least three categories.

    Returns
    -------
    tuple of polars.DataFrame
        The tests: term, lr, df, p, converged (nothing can be said where it is false: thresholds
        that cross leave no maximum). And the slopes: coefficient, threshold, slope, which is
        infinite where all ratings on one side of a threshold have the same value.
    """
    if len(fit.design.categories) < 3:
        raise HelpersError(
            "proportional odds say nothing of two categories: there is one threshold"
        )
    tests, slopes = [], []
    for term in dict.fromkeys(fit.design.assign):
        columns = [j for j, name in enumerate(fit.design.assign) if name == term]
        freed = _freed(fit.problem, columns)
        found = maximise(freed, start.without_random_terms(freed))
        lr = max(2 * (found.point.loglik - fit.loglik), 0.0)
        df = (len(fit.design.categories) - 2) * len(columns)
        arrived = found.decrement < CLOSE
        tests.append((term, lr, df, float(stats.chi2.sf(lr, df)) if arrived else None, arrived))
        gamma = _slopes(freed, found, standardise(fit.design.x)[2][columns])
        slopes += [
            (fit.design.predictors[j], threshold, float(gamma[k, c]))
            for c, j in enumerate(columns)
            for k, threshold in enumerate(fit.thresholds.index)
        ]
    return (
        pl.DataFrame(tests, ["term", "lr", "df", "p", "converged"], orient="row"),
        pl.DataFrame(slopes, ["coefficient", "threshold", "slope"], orient="row"),
    )


def _slopes(freed: Problem, found: Climb, scale: Floats) -> Floats:
    """Slopes by threshold and column, infinite where they were only getting larger."""
    first = freed.matrix.shape[1] + freed.x.shape[1]
    gamma = found.point.parameters[first : freed.fixed]
    places = [str(j) for j in range(freed.fixed)]
    endless = {int(place) - first for place in separation.separating(freed, places)}
    limitless = np.isin(np.arange(len(gamma)), list(endless))
    return np.where(limitless, np.copysign(np.inf, gamma), gamma).reshape(-1, len(scale)) / scale


def _freed(problem: Problem, columns: list[int]) -> Problem:
    """The same model with a slope by threshold for some predictors."""
    rest = np.setdiff1d(np.arange(problem.x.shape[1]), columns)
    return replace(problem, x=problem.x[:, rest], nominal=problem.x[:, columns])
