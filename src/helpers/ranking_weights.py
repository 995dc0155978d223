"""What rankings say each dimension is worth: weights with intervals, by one method or several."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from helpers import bradley_terry, plackett_luce, rank_regression, say
from helpers.choice.fit import Fit
from helpers.choice.logit import Floats
from helpers.choice.rankings import Rankings
from helpers.choice.resampled import Resampled, resampled
from helpers.errors import HelpersError, did_you_mean
from helpers.not_estimable import NotEstimableError

METHODS: Mapping[str, Callable[[Rankings], Fit]] = {
    model.MODEL: model.regression for model in (bradley_terry, plackett_luce, rank_regression)
}


def regression(method: str) -> Callable[[Rankings], Fit]:
    """The regression of this name, or an error that suggests the nearest."""
    if method not in METHODS:
        near = did_you_mean(method, METHODS) or f"; there are: {', '.join(METHODS)}"
        raise HelpersError(f"no method is called '{method}'{near}")
    return METHODS[method]


def normalised(weights: ArrayLike, names: Sequence[str] | None = None) -> Floats:
    """Divide weights by their sum.

    Parameters
    ----------
    weights : array_like
        Weights of dimensions, positive where higher scores go with better ranks. Slopes of a
        model of ranks, of which 1 is the best, must be given with their signs turned.
    names : sequence of str, optional
        Names of the dimensions, for messages.

    Returns
    -------
    ndarray
        Weights that add up to one.

    Raises
    ------
    NotEstimableError
        If signs are mixed, no weight is positive, or one is missing.
    """
    values = np.asarray(weights, dtype=float)
    names = [str(i + 1) for i in range(len(values))] if names is None else names
    named = list(zip(names, values.tolist(), strict=True))
    missing = [name for name, value in named if not np.isfinite(value)]
    negative = [f"'{name}' {say.number(value)}" for name, value in named if value < 0]
    if missing:
        reason = f"there is no weight of {', '.join(missing)}"
    elif not values.any():
        reason = "all weights are zero"
    elif not (values > 0).any():
        reason = "no weight is positive: higher scores go with worse ranks; is rank 1 the best?"
    elif negative:
        reason = f"weights have different signs: {', '.join(negative)}, the others positive"
    else:
        return np.asarray(values / values.sum())
    raise NotEstimableError("normalised weights are", reason)


def shares(weights: Floats) -> Floats:
    """Divide weights by their sum, whatever their signs; nan where they add up to zero.

    Parameters
    ----------
    weights : ndarray
        Shape (…, dimensions).
    """
    total = weights.sum(axis=-1, keepdims=True)
    return np.asarray(weights / np.where(total == 0, np.nan, total))


@dataclass(frozen=True)
class Weighing:
    """Weights, and weights divided by their sum, of a fit in resamples of its rankings.

    Attributes
    ----------
    fit : Fit
        A regression.
    rankings : Rankings
        What it was fitted to.
    """

    fit: Fit
    rankings: Rankings

    def __call__(self, counts: Floats) -> Floats:
        """Weigh the dimensions when rankings count anew.

        Parameters
        ----------
        counts : ndarray
            Shape (resamples, rankings).

        Returns
        -------
        ndarray
            Shape (resamples, 2 × dimensions), weights before shares. In a resample in which signs
            are mixed, weights are divided by their sum all the same.
        """
        dimensions = len(self.rankings.dimensions)
        found = self.fit.refit(counts)[:, :dimensions]
        found[:, ~np.isfinite(self.fit.estimate[:dimensions])] = np.nan
        return np.hstack([found, shares(found)])


def weights(
    fit: Fit, rankings: Rankings, resamples: int = 2000, seed: int = 1, level: float = 0.95
) -> pl.DataFrame:
    """Weights of a fit with intervals, as they are and divided by their sum.

    Parameters
    ----------
    fit : Fit
        A regression on these rankings.
    rankings : Rankings
        What it was fitted to.
    resamples, seed, level
        Of the bootstrap over evaluators; the jackknife over cases has the same level.

    Returns
    -------
    DataFrame
        By `dimension`: `weight`, `low`, `high` (resampling evaluators), `case_low`, `case_high`
        (leaving out one case each), the same with `share_` in front for normalised weights, and
        `reason` where something is null.
    """
    found = resampled(Weighing(fit, rankings), rankings, resamples, seed, level)
    return weight_table(rankings.dimensions, found, fit.reasons)


def weight_table(
    dimensions: Sequence[str], found: Resampled, reasons: Mapping[str, str]
) -> pl.DataFrame:
    """Lay out what `Weighing` gave in resamples, in the columns of `weights`."""
    count = len(dimensions)
    share = found.table(slice(count, 2 * count), "weight", "share_")
    notes = list(found.notes)
    try:
        normalised(found.estimate[:count], dimensions)
    except NotEstimableError as error:
        share = share.with_columns(pl.all() * None)
        notes.insert(0, f"share not estimable: {error.reason}")
    own = {name: [f"weight not estimable: {reason}"] for name, reason in reasons.items()}
    return pl.concat(
        [
            pl.DataFrame({"dimension": dimensions}),
            found.table(slice(0, count), "weight"),
            share,
            pl.DataFrame({"reason": ["; ".join([*own.get(d, []), *notes]) for d in dimensions]}),
        ],
        how="horizontal",
    )


def compare_weights(
    rankings: Rankings,
    methods: Sequence[str] = tuple(METHODS),
    resamples: int = 2000,
    seed: int = 1,
    level: float = 0.95,
    others: Mapping[str, ArrayLike] | None = None,
) -> pl.DataFrame:
    """Weights by several methods in one table; their shares are on one scale.

    Parameters
    ----------
    rankings : Rankings
        Whole rankings with scores.
    methods : sequence of str
        Among "Bradley–Terry", "Plackett–Luce" and "least squares on ranks".
    resamples, seed, level
        As for `weights`.
    others : mapping of str to array_like, optional
        Weights found elsewhere, by name, positive for better ranks; they get no intervals.

    Returns
    -------
    DataFrame
        The columns of `weights` after `method`. A method without weights has nulls and a reason.
    """
    dimensions = rankings.dimensions
    tables = {}
    for method in methods:
        fitted = regression(method)
        try:
            fit = fitted(rankings)
            tables[method] = weights(fit, rankings, resamples, seed, level)
        except NotEstimableError as error:
            found = _fixed(np.full(len(dimensions), np.nan))
            tables[method] = weight_table(
                dimensions, found, dict.fromkeys(dimensions, error.reason)
            )
    for name, given in (others or {}).items():
        tables[name] = weight_table(dimensions, _fixed(np.asarray(given, dtype=float)), {})
    return pl.concat(
        [table.select(pl.lit(name).alias("method"), pl.all()) for name, table in tables.items()]
    )


def _fixed(values: Floats) -> Resampled:
    """Weights that cannot be resampled."""
    both = np.hstack([values, shares(values)])
    nothing = np.empty((0, len(both)))
    return Resampled(both, nothing, nothing, None, None, ())
