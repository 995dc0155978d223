"""What is simulated, what is fitted to it, and what that finds: one study of each at a time."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import polars as pl
from scipy import stats

from helpers import bradley_terry, plackett_luce, published, resample
from helpers.choice.logit import Floats
from helpers.choice.rankings import Rankings, read_rankings
from helpers.clmm import Clmm, clmm, intervals
from helpers.errors import HelpersError
from helpers.paths import DATA
from helpers.runs import Result, Task
from helpers.simulate.cumulative import Cumulative, published_model, simulate_cumulative
from helpers.simulate.design import DIMENSIONS, perception_design
from helpers.simulate.settings import PERCEPTION, Settings
from helpers.simulate.utility import simulate

LEVEL = 0.95
RESAMPLES = 400
CODES = tuple(DIMENSIONS)
TERMS = ("evaluator", "case", "analyst", "evaluator:case", "case:analyst", "evaluator:analyst")
FORMULA = f"rank ~ {' + '.join(CODES)} + {' + '.join(f'(1 | {term})' for term in TERMS)}"

PLAIN = replace(PERCEPTION, halo=0.0, utility={})
LIKING = replace(PERCEPTION, halo=0.0)

MIXED = "cumulative link mixed model"
RANKED = "rank-ordered logit, evaluators as clusters"
PAIRED = "Bradley–Terry, evaluators resampled"


@dataclass(frozen=True)
class Found:
    """One estimate with its interval, both None where there is none.

    Attributes
    ----------
    model : str
        What was fitted, and where its intervals come from.
    kind : str
        "slope", "weight", "share", "cutpoint" or "standard deviation".
    parameter : str
        What was estimated.
    truth : float
        What was planted.
    estimate, low, high : float or None
        What was found. An interval may be open above: its end is None and `low` is not.
    state : str
        "found", or why not.
    """

    model: str
    kind: str
    parameter: str
    truth: float
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    state: str = "found"


@dataclass(frozen=True)
class Scenario:
    """A generator and the models that are fitted to what it makes.

    Attributes
    ----------
    generator : str
        What is simulated, in words.
    seed : int
        Of the first study; those after it count on.
    fit : callable
        From a seed to estimates.
    """

    generator: str
    seed: int
    fit: Callable[[int], Iterator[Found]]


@cache
def truth() -> Cumulative:
    """The published cumulative link mixed model."""
    return published_model(published.load(DATA / "published" / "perception"))


def mixed_under_own(seed: int) -> Iterator[Found]:
    """The cumulative link mixed model fitted to draws from it."""
    sample = simulate_cumulative(perception_design(seed), PERCEPTION, truth(), seed)
    names = [f"{k}|{k + 1}" for k in range(1, len(truth().cutpoints) + 1)]
    spread = {f"sd({term})": float(np.sqrt(truth().variances[term])) for term in TERMS}
    planted = [("slope", *pair) for pair in zip(CODES, truth().slopes, strict=True)]
    planted += [("cutpoint", *pair) for pair in zip(names, truth().cutpoints, strict=True)]
    planted += [("standard deviation", *pair) for pair in spread.items()]
    try:
        fit = _fitted(sample.ratings())
    except HelpersError as error:
        yield from (Found(MIXED, *one, state=str(error)) for one in planted)
        return
    wald = intervals(fit, "wald", [*names, *CODES])
    profile = intervals(fit, "profile", list(spread))
    ends = {row["name"]: row for row in pl.concat([wald, profile]).iter_rows(named=True)}
    for kind, name, value in planted:
        row = ends[name]
        yield Found(MIXED, kind, name, value, row["estimate"], *_ends(row["lower"], row["upper"]))


def mixed_under_utility(seed: int) -> Iterator[Found]:
    """The cumulative link mixed model fitted to rankings, which are no draws from it."""
    ratings = simulate(perception_design(seed), PLAIN, seed).ratings()
    weights = np.array(PLAIN.weights)
    shares = weights / weights.sum()
    planted = [("weight", *pair) for pair in zip(CODES, weights.tolist(), strict=True)]
    planted += [("share", *pair) for pair in zip(CODES, shares.tolist(), strict=True)]
    try:
        fit = _fitted(ratings)
    except HelpersError as error:
        yield from (Found(MIXED, *one, state=str(error)) for one in planted)
        return
    slopes = -fit.coefficients[list(CODES)].to_numpy()  # rank 1 is the best
    covariance = fit.covariance.loc[list(CODES), list(CODES)].to_numpy()
    total = slopes.sum()
    change = (np.eye(len(CODES)) - (slopes / total)[:, None]) / total  # of shares with slopes
    estimate = np.concatenate([slopes, slopes / total])
    errors = np.sqrt(np.concatenate([np.diag(covariance), np.diag(change @ covariance @ change.T)]))
    yield from _around(MIXED, planted, estimate, stats.norm.ppf((1 + LEVEL) / 2) * errors)


def ranked_under(settings: Settings, resampled: bool) -> Callable[[int], Iterator[Found]]:
    """The models of whole rankings, fitted to rankings by utility.

    Parameters
    ----------
    settings : Settings
        What rankings are made of.
    resampled : bool
        Whether Bradley–Terry with resampled evaluators is fitted beside the rank-ordered logit.
    """

    def fit(seed: int) -> Iterator[Found]:
        sample = simulate(perception_design(seed), settings, seed)
        rankings = read_rankings(sample.ratings(), CODES)
        planted = [("weight", *pair) for pair in zip(CODES, settings.weights, strict=True)]
        models = {RANKED: _clustered} | ({PAIRED: _resampled} if resampled else {})
        for model, fitted in models.items():
            try:
                yield from fitted(rankings, planted, seed)
            except HelpersError as error:
                yield from (Found(model, *one, state=str(error)) for one in planted)

    return fit


SCENARIOS: Mapping[str, Scenario] = {
    "clmm": Scenario("ranks drawn one by one from the mixed model", 70_000, mixed_under_own),
    "utility": Scenario("rankings by scores and chance", 71_000, ranked_under(PLAIN, True)),
    "liking": Scenario(
        "rankings by scores, likings that scores do not show, and chance",
        72_000,
        ranked_under(LIKING, False),
    ),
    "misspecified": Scenario("rankings by scores and chance", 71_000, mixed_under_utility),
}


def study(task: Task) -> Result:
    """Simulate one study and fit it.

    Parameters
    ----------
    task : mapping
        `scenario`, a name in `SCENARIOS`, and `seed`.

    Returns
    -------
    dict
        `found`, a list of the fields of each `Found`.
    """
    scenario = SCENARIOS[task["scenario"]]
    return {"found": [vars(one) for one in scenario.fit(task["seed"])]}


def _fitted(ratings: pl.DataFrame) -> Clmm:
    fit = clmm(FORMULA, ratings)
    if not fit.converged:
        raise HelpersError("did not converge")
    return fit


def _clustered(
    rankings: Rankings, planted: list[tuple[str, str, float]], _: int
) -> Iterator[Found]:
    """Intervals by Student's t, as in the chapter on the mapping."""
    fit = plackett_luce.regression(rankings)
    errors = np.sqrt(np.diag(fit.clustered(rankings.evaluator)))
    clusters = len(set(rankings.evaluator.tolist()))
    reach = stats.t.ppf((1 + LEVEL) / 2, clusters - 1) * errors
    return _around(RANKED, planted, fit.estimate, reach)


def _resampled(
    rankings: Rankings, planted: list[tuple[str, str, float]], seed: int
) -> Iterator[Found]:
    """Percentile intervals, as in the chapter on weights."""
    fit = bradley_terry.regression(rankings)
    drawn = fit.refit(resample.bootstrap(rankings.evaluator, RESAMPLES, seed))
    ends = resample.percentile(drawn, LEVEL)
    rows = zip(planted, fit.estimate, ends.low, ends.high, strict=True)
    return (Found(PAIRED, *one, float(value), *_ends(low, high)) for one, value, low, high in rows)


def _around(
    model: str,
    planted: list[tuple[str, str, float]],
    estimate: Floats,
    reach: Floats,
) -> Iterator[Found]:
    for one, value, far in zip(planted, estimate.tolist(), reach.tolist(), strict=True):
        yield Found(model, *one, value, *_ends(value - far, value + far))


def _ends(low: float, high: float) -> tuple[float | None, float | None]:
    """Ends as JSON has them: None where open, and both None where one was not found."""
    if np.isnan(low) or np.isnan(high):
        return None, None
    first, last = (float(end) if np.isfinite(end) else None for end in (low, high))
    return first, last
