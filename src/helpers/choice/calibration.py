"""Whether pairs are won as often as a model says they are."""

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import expit

from helpers import resample
from helpers.choice.fit import Fit, fit_choices
from helpers.choice.logit import Floats, Ints
from helpers.choice.prediction import predicted_order
from helpers.choice.rankings import Rankings
from helpers.choice.resampled import Resampled, resampled
from helpers.choice.sets import pairs_as_choices
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError


def calibration(
    fit: Fit,
    rankings: Rankings,
    train: NDArray[np.generic],
    bins: int = 10,
    resamples: int = 2000,
    seed: int = 1,
    level: float = 0.95,
) -> pl.DataFrame:
    """Predicted against observed preference, pair by pair, for rankings left out.

    Each pair is seen from its predicted favourite (pairs without one are left out); a tie counts
    ½. Pairs are sorted by the probability that the favourite wins into groups of the same size.

    Parameters
    ----------
    fit : Fit
        A Bradley–Terry or Plackett–Luce regression on these rankings.
    rankings : Rankings
        What it was fitted to.
    train : ndarray
        Shape (splits, rankings), as for `validate`.
    bins : int
        Number of groups.
    resamples, seed, level
        Of intervals that resample evaluators.

    Returns
    -------
    DataFrame
        `predicted` (mean probability of the favourite), `observed` (share that it won), its
        interval `low`, `high` (null with one evaluator only), and number of `pairs`.
    """
    if "least squares" in fit.model:
        raise HelpersError(f"{fit.model} gives no probabilities to calibrate")
    trained = np.asarray(train, dtype=float)
    coefficients = fit.refit(trained)
    known = ~np.isnan(coefficients).any(axis=1)
    coefficients = coefficients[known]
    at, pair = np.nonzero((trained[known] == 0)[:, rankings.pairs.ranking])
    scores = coefficients[:, : len(rankings.dimensions)]
    favourite = predicted_order(rankings, scores)[at, pair]
    at, pair, favourite = (values[favourite != 0] for values in (at, pair, favourite))
    chance = _chance(fit, rankings, coefficients[at], pair)
    won = (1 + favourite * rankings.pairs.order[pair]) / 2
    group = np.argsort(np.argsort(chance, kind="stable"), kind="stable") * bins // max(1, len(at))
    count, wins, sums = np.zeros((3, len(rankings), bins))
    where = rankings.pairs.ranking[pair], group
    for table, values in ((count, np.ones(len(at))), (wins, won), (sums, chance)):
        np.add.at(table, where, values)
    used = count.any(axis=0)
    low, high = _interval(rankings, wins[:, used], count[:, used], resamples, seed, level)
    total = count.sum(axis=0)[used]
    return pl.DataFrame(
        {
            "predicted": sums.sum(axis=0)[used] / total,
            "observed": wins.sum(axis=0)[used] / total,
            "low": low,
            "high": high,
            "pairs": total.astype(int),
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))


def slope(
    fit: Fit,
    rankings: Rankings,
    train: NDArray[np.generic],
    resamples: int = 2000,
    seed: int = 1,
    level: float = 0.95,
) -> Resampled:
    """How steeply log odds of winning rise with those predicted: 1 where weights are just right.

    Below 1 predictions are too sure, above 1 not sure enough (Cox 1958, "Two further applications
    of a model for binary regression"). Predicted log odds are differences of weighted scores by
    weights that were fitted without the ranking; a tie counts half a win for each.

    Parameters
    ----------
    fit, rankings, train
        As for `calibration`. A ranking that several splits leave out counts once for each.
    resamples, seed, level
        Of the bootstrap over evaluators; the jackknife over cases has the same level.

    Returns
    -------
    Resampled
        Of one quantity. Weights stay as they were fitted.

    Raises
    ------
    NotEstimableError
        If no split has weights, or larger and larger slopes fit ever better.
    """
    trained = np.asarray(train, dtype=float)
    coefficients = fit.refit(trained)[:, : len(rankings.dimensions)]
    known = np.isfinite(coefficients).all(axis=1)
    at, ranking = np.nonzero(trained[known] == 0)
    pairs = rankings.pairs
    start = np.searchsorted(pairs.ranking, np.arange(len(rankings) + 1))
    parts = [np.arange(start[r], start[r + 1]) for r in ranking]
    pair = np.concatenate([np.empty(0, dtype=np.int64), *parts])
    weights = coefficients[known][np.repeat(at, [len(part) for part in parts])]
    difference = rankings.scores[pairs.first[pair]] - rankings.scores[pairs.second[pair]]
    log_odds = (difference * weights).sum(axis=1)
    by_ranking = np.argsort(pairs.ranking[pair], kind="stable")
    pair, log_odds = pair[by_ranking], log_odds[by_ranking]
    choices, _ = pairs_as_choices(
        log_odds[:, None],
        pairs.order[pair],
        np.ones(len(pair)),
        pairs.ranking[pair],
        len(rankings),
        "half",
    )
    found = fit_choices(choices, ["log odds predicted"], fit.model, "calibration slopes")
    return resampled(found.refit, rankings, resamples, seed, level)


def _chance(fit: Fit, rankings: Rankings, coefficients: Floats, pair: Ints) -> Floats:
    """Probability that the favourite of each pair wins, plus half that of a tie."""
    first, second = rankings.pairs.first[pair], rankings.pairs.second[pair]
    difference = rankings.scores[first] - rankings.scores[second]
    dimensions = len(rankings.dimensions)
    chance: Floats = expit(np.abs((difference * coefficients[:, :dimensions]).sum(axis=1)))
    ties = [name in {"tie", "tie of 2"} for name in fit.names[dimensions:]]
    if not any(ties):
        return chance
    # From strengths e^(m/2), e^(−m/2) and ν, all divided by the sum of the first two.
    tie = np.exp(coefficients[:, dimensions:][:, ties][:, 0]) * np.sqrt(chance * (1 - chance))
    return np.asarray((chance + tie / 2) / (1 + tie))


def _interval(
    rankings: Rankings, wins: Floats, count: Floats, resamples: int, seed: int, level: float
) -> tuple[Floats, Floats]:
    try:
        weights = resample.bootstrap(rankings.evaluator, resamples, seed)
    except NotEstimableError:
        nothing = np.full(wins.shape[1], np.nan)
        return nothing, nothing
    with np.errstate(invalid="ignore"):  # a resample may hold no pair of a group
        interval = resample.percentile(weights @ wins / (weights @ count), level)
    return interval.low, interval.high
