"""Conditional modes: what each level of a random term adds, given the data and the estimates."""

import numpy as np
import polars as pl
from scipy import stats

from helpers.clmm.result import Clmm, require_level


def conditional_modes(fit: Clmm, level: float = 0.95) -> pl.DataFrame:
    """Modes of all random effects with intervals, as for a caterpillar plot.

    The variance is that of the effect given the data, −(∂²h/∂u²)⁻¹ times σ²; it takes the estimates
    for the truth. Where a variance is 0 so are all its modes.

    Parameters
    ----------
    fit : Clmm
        A fitted model.
    level : float
        Coverage of the intervals, each by itself.

    Returns
    -------
    polars.DataFrame
        A row per level of each random term, in the terms' and the levels' order: term, level,
        estimate, std_error, lower, upper, on the link's scale.

    Raises
    ------
    HelpersError
        For a level that is not between 0 and 1.
    """
    require_level(level)
    likelihood = fit.problem
    laplace = likelihood.laplace
    point = likelihood.evaluate(fit.parameters, np.zeros(laplace.count))
    sd = np.repeat(np.sqrt(fit.variances.to_numpy()), laplace.sizes)
    estimate = sd * point.mode[laplace.order]
    error = sd * np.sqrt(laplace.mode_variances()[laplace.order])
    reach = stats.norm.ppf((1 + level) / 2) * error
    return pl.DataFrame(
        {
            "term": np.repeat(np.array(fit.design.terms, dtype=object), laplace.sizes).tolist(),
            "level": [label for labels in fit.design.labels for label in labels],
            "estimate": estimate,
            "std_error": error,
            "lower": estimate - reach,
            "upper": estimate + reach,
        },
        schema_overrides={"term": pl.String, "level": pl.String},
    )
