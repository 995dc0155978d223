"""How often analysts got each rank, and their mean ranks."""

import numpy as np
import polars as pl
from scipy import stats

from helpers import estimates, say
from helpers.agreement import Estimate
from helpers.agreement.jackknife import Scale
from helpers.ranking.decisions import UNRANKED
from helpers.ranking.table import Floats, Ranks, means
from helpers.simultaneous import drawn, simultaneous

KINDS = {"llm": "LLM", "physician": "Physician", "": "not given"}


def two_intervals(
    values: Floats, resamples: int, seed: int, confidence: float, scale: Scale | None = None
) -> tuple[list[Estimate], list[Estimate]]:
    """Means with intervals for these cases, and with intervals for others like them.

    Parameters
    ----------
    values : ndarray
        Shape (evaluators, cases, things), of one evaluator and one case at least; a gap is nan.
    resamples, seed : int
        Of the bootstraps: over evaluators, and over evaluators and cases.
    confidence : float
        With which all intervals of a kind hold together.
    scale : Scale, optional
        Where intervals are symmetric.

    Returns
    -------
    tuple of list of Estimate
        For each thing.
    """
    evaluators, cases, _ = values.shape
    estimate = means(values, np.ones((1, evaluators)), np.ones((1, cases)))[0]
    people, texts = drawn(evaluators, cases, resamples, seed)
    here, joint = (
        simultaneous(estimate, means(values, people, own), clusters, confidence, seed, scale)
        for own, clusters in ((np.ones_like(texts), evaluators), (texts, min(evaluators, cases)))
    )
    return here, joint


def both(name: str, here: Estimate, joint: Estimate) -> dict[str, float | None]:
    """Cells of an estimate with its two intervals, as `intervals` shows them."""
    return {
        name: joint.value,
        "Here low": here.low,
        "Here high": here.high,
        f"{name} low": joint.low,
        f"{name} high": joint.high,
    }


def intervals(name: str) -> dict[str, tuple[str, str]]:
    """The two intervals in a table made with `both`, for `show.table`."""
    return {
        "95 % CI, these cases": ("Here low", "Here high"),
        "95 % CI, cases like these": (f"{name} low", f"{name} high"),
    }


def note(here: Estimate, joint: Estimate) -> str:
    """Why an estimate or one of its two intervals is missing."""
    if here.reason == joint.reason or not joint.estimable:
        return estimates.note(joint)
    told = ((here.reason, "these cases"), (joint.reason, "cases like these"))
    return "; ".join(f"no interval for {what}: {reason}" for reason, what in told if reason)


def order(ranks: Ranks) -> list[int]:
    """Positions of analysts from the best mean rank to the worst."""
    overall = _overall(ranks)
    known = np.where(np.isfinite(overall), overall, np.inf)
    return [int(place) for place in np.argsort(known, kind="stable")]


def frequencies(ranks: Ranks) -> pl.DataFrame:
    """How often each analyst got each rank, in per cent of its rankings.

    Every ranking counts the same. Analysts that share a rank count at the best place that they
    share.

    Returns
    -------
    DataFrame
        "Analyst", "Rankings" and a column for each rank, from the best analyst to the worst.
    """
    if not ranks.rankings:
        return estimates.absent("Analyst", UNRANKED)
    shares = shares_of_ranks(ranks)
    rows = [
        {
            "Analyst": ranks.analysts[place],
            "Rankings": int(ranks.given[:, :, place].sum()),
            **{str(rank + 1): 100 * share for rank, share in enumerate(shares[place])},
        }
        for place in order(ranks)
    ]
    return pl.DataFrame(rows)


def shares_of_ranks(ranks: Ranks) -> Floats:
    """Share of each rank among an analyst's, shape (analysts, ranks), of one ranking or more."""
    places = stats.rankdata(ranks.values, method="min", axis=2, nan_policy="omit")
    highest = int(np.nanmax(places))
    counts = np.stack([(places == rank).sum(axis=(0, 1)) for rank in range(1, highest + 1)], axis=1)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def mean_ranks(
    ranks: Ranks, resamples: int = 2000, seed: int = 1, confidence: float = 0.95
) -> pl.DataFrame:
    """Mean ranks with two intervals: for these cases, and for others like them.

    Parameters
    ----------
    ranks : Ranks
        Whole rankings.
    resamples, seed : int
        Of the bootstrap.
    confidence : float
        Confidence level.

    Returns
    -------
    DataFrame
        From the best analyst to the worst: "Mean rank" with its two intervals, the lowest and the
        highest mean rank in a case, numbers of cases and rankings.
    """
    if not ranks.rankings:
        return estimates.absent("Analyst", UNRANKED)
    here, joint = two_intervals(ranks.values, resamples, seed, confidence)
    rows = [
        {
            "Analyst": ranks.analysts[place],
            "Kind": KINDS[ranks.kinds[place]],
            "Level": ranks.levels[place],
            **_possible(ranks, both("Mean rank", here[place], joint[place])),
            "Best case": float(np.nanmin(ranks.by_case[:, place])),
            "Worst case": float(np.nanmax(ranks.by_case[:, place])),
            "Cases": int(np.isfinite(ranks.by_case[:, place]).sum()),
            "Rankings": int(ranks.given[:, :, place].sum()),
            estimates.NOTE: note(here[place], joint[place]),
        }
        for place in order(ranks)
    ]
    return estimates.frame(rows, optional=("Level", estimates.NOTE))


def by_case(ranks: Ranks) -> pl.DataFrame:
    """Mean rank in each case (row) of each analyst (column), from the best to the worst.

    The last two rows are the mean and the standard deviation over cases.
    """
    if not ranks.rankings:
        return estimates.absent("Case", UNRANKED)
    columns: dict[str, list[str | float | None]] = {"Case": [*ranks.cases, "Mean", "SD"]}
    overall = _overall(ranks)
    for place in order(ranks):
        own = ranks.by_case[:, place]
        name = ranks.analysts[place]
        values = map(_known, [*own, overall[place], spread(own)])
        columns[f"{name} (analyst)" if name == "Case" else name] = list(values)
    return pl.DataFrame(columns, strict=False)


def spread(values: Floats) -> float:
    """Standard deviation of the numbers that are there; nan for fewer than two."""
    known = values[np.isfinite(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")


def sentence(ranks: Ranks) -> str:
    """What the rankings of a study are: how many, of how many analysts, with or without ties."""
    if not ranks.rankings:
        return f"Nothing is estimable here: {UNRANKED}."
    sizes = ranks.given.sum(axis=2)[ranks.given.any(axis=2)]
    few, many = int(sizes.min()), int(sizes.max())
    ties = int(_tied(ranks).sum())
    analysts = say.count(few, "analyst") if few == many else f"{few} to {many} analysts"
    told = [
        f"Used: {say.count(ranks.rankings, 'ranking')} by "
        f"{say.count(len(ranks.evaluators), 'evaluator')} in "
        f"{say.count(len(ranks.cases), 'case')}, each of {analysts}; "
        f"{ties or 'none'} with a rank that is shared."
    ]
    if few != many:
        told.append(
            "Cases differ in the number of analysts, so that their ranks are not on one scale: "
            "read mean ranks with care, and shares of rankings in which one analyst is above "
            "another instead."
        )
    return " ".join(told)


def _tied(ranks: Ranks) -> Floats:
    """Whether a ranking has a rank that is shared, shape (evaluators, cases)."""
    ordered = np.sort(ranks.values, axis=2)
    return np.asarray((np.diff(ordered, axis=2) == 0).any(axis=2))


def _overall(ranks: Ranks) -> Floats:
    everyone = np.ones((1, len(ranks.evaluators))), np.ones((1, len(ranks.cases)))
    return np.asarray(means(ranks.values, *everyone)[0])


def _possible(ranks: Ranks, cells: dict[str, float | None]) -> dict[str, float | None]:
    """Cells cut at the ends of what ranks can be."""
    most = float(np.nanmax(ranks.values))
    return {
        name: None if value is None else min(max(value, 1.0), most) for name, value in cells.items()
    }


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
