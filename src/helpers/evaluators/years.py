"""Whether years in practice go along with how evaluators judge.

Each evaluator gives one number, so that evaluators, not ratings, are what is counted. A straight
line is fitted by least squares, unweighted: evaluators of few cases are as much a sample of
evaluators as those of many. Standard errors allow for their unequal noise (HC3: MacKinnon & White
1985, *Journal of Econometrics* 29, 305–325), with Student's t of n − 2 degrees of freedom.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from helpers import estimates, say, show
from helpers.agreement import Estimate
from helpers.evaluators.profile import Profiles
from helpers.multiplicity import holm
from helpers.ranking.decisions import ABSENT, ALPHA, NO, YES
from helpers.results import Entry
from helpers.study import Study

Floats = NDArray[np.float64]

PER = 10  # years


@dataclass(frozen=True, kw_only=True)
class Slope(Estimate):
    """Slope of a straight line; `p` is two-sided, `rho` Spearman's correlation."""

    p: float | None = None
    rho: float | None = None


def slope(x: ArrayLike, y: ArrayLike, confidence: float = 0.95, unit: str = "evaluators") -> Slope:
    """Slope of y on x by least squares, with HC3 standard error.

    Parameters
    ----------
    x, y : array_like
        One pair for each unit; pairs with a gap (nan) are dropped and counted.
    confidence : float
        Confidence level.
    unit : str
        What is counted, in the plural.

    Returns
    -------
    Slope
        Per unit of x, or the reason why there is none.
    """
    both = np.column_stack([np.asarray(x, dtype=float), np.asarray(y, dtype=float)])
    given = np.isfinite(both).all(axis=1)
    a, b = both[given].T
    n = len(a)
    result = partial(Slope, confidence=confidence, used=n, dropped=int((~given).sum()), unit=unit)
    if n < 4:
        return result(reason=f"{n} {unit} with both; at least 4 are needed")
    if np.ptp(a) == 0:
        return result(reason=f"all {unit} have the same value")
    centred = a - a.mean()
    value = float(centred @ b / (centred @ centred))
    residual = b - b.mean() - value * centred
    leverage = 1 / n + centred**2 / (centred @ centred)
    result = partial(result, value=value, rho=_spearman(a, b))
    if leverage.max() > 1 - 1e-9:
        return result(reason="the slope rests on one of them alone")
    error = float(np.sqrt(((centred * residual / (1 - leverage)) ** 2).sum()) / (centred @ centred))
    if error < 1e-12:
        return result(reason="the line fits without error")
    margin = error * float(stats.t.ppf((1 + confidence) / 2, n - 2))
    p = float(2 * stats.t.sf(abs(value) / error, n - 2))
    return result(low=value - margin, high=value + margin, p=p)


def _floats(values: pl.Series) -> Floats:
    return np.asarray(values.cast(pl.Float64).to_numpy())


def _spearman(x: Floats, y: Floats) -> float | None:
    if np.ptp(y) == 0:
        return None
    return float(np.corrcoef(stats.rankdata(x), stats.rankdata(y))[0, 1])


@dataclass(frozen=True)
class Along:
    """How an outcome of evaluators goes along with their years; `p_holm` is over all outcomes."""

    outcome: str
    slope: Slope
    p_holm: float | None


def along_years(profiles: Profiles, confidence: float = 0.95) -> list[Along]:
    """Regress leniency, in all and by dimension, and agreement on years in practice.

    Parameters
    ----------
    profiles : Profiles
        Of all evaluators.
    confidence : float
        Confidence level of each interval.

    Returns
    -------
    list of Along
        Slopes per ten years.
    """
    people = profiles.people
    outcomes = {"Leniency": people["leniency"]}
    for label in profiles.dimensions:
        own = profiles.leniency.filter(pl.col("dimension") == label)
        joined = people.join(own, on="evaluator", how="left", maintain_order="left")
        outcomes[f"Leniency, {label}"] = joined["value"]
    outcomes |= {"Agreement on ranks": people["ranks"], "Agreement on scores": people["scores"]}
    decades = _floats(people["years"]) / PER
    found = [slope(decades, _floats(values), confidence) for values in outcomes.values()]
    adjusted = holm([one.p for one in found])
    return [Along(*own) for own in zip(outcomes, found, adjusted, strict=True)]


def table(found: Sequence[Along]) -> pl.DataFrame:
    """The slopes as a table."""
    rows = [
        {
            "Outcome": one.outcome,
            **estimates.cells(one.slope, "Slope"),
            "p": one.slope.p,
            "p (Holm)": one.p_holm,
            "Spearman": one.slope.rho,
            "Evaluators": one.slope.used,
            "Dropped": one.slope.dropped,
            estimates.NOTE: estimates.note(one.slope),
        }
        for one in found
    ]
    return estimates.frame(rows)


def bands(ends: Sequence[float]) -> list[str]:
    """Names of bands of years between these ends: "up to 5", "over 5 to 10", "over 10"."""
    told = [f"{end:g}" for end in ends]
    middle = [f"over {low} to {high}" for low, high in pairwise(told)]
    return [f"up to {told[0]}", *middle, f"over {told[-1]}"]


def by_band(study: Study, profiles: Profiles, ends: Sequence[float]) -> pl.DataFrame:
    """Evaluators by specialty and band of years, with their mean leniency and agreement.

    An evaluator of several specialties counts in each. The last row is of all evaluators.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    profiles : Profiles
        Of all evaluators.
    ends : sequence of float
        Where bands end, rising.
    """
    names = [*bands(ends), "not given"]
    banded = _banded(study, profiles.people, ends)
    parts = {
        (specialty or "not given"): own
        for (specialty,), own in banded.explode("specialty").group_by(
            "specialty", maintain_order=True
        )
    }
    largest = sorted(parts.items(), key=lambda part: (-part[1].height, part[0]))
    rows = [
        {
            "Specialty": specialty,
            "Evaluators": own.height,
            **{f"{name} years": int((own["band"] == name).sum()) for name in names[:-1]},
            "Years not given": int((own["band"] == names[-1]).sum()),
            "Leniency": own["leniency"].mean(),
            "Agreement on ranks": own["ranks"].mean(),
        }
        for specialty, own in [*largest, ("All", banded)]
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _banded(study: Study, rated: pl.DataFrame, ends: Sequence[float]) -> pl.DataFrame:
    people = study["evaluators"].select("evaluator", "specialty")
    names = bands(ends)
    band = pl.lit(names[-1])
    for end, name in zip(reversed(ends), reversed(names[:-1]), strict=True):
        band = pl.when(pl.col("years") <= end).then(pl.lit(name)).otherwise(band)
    return rated.join(people, on="evaluator", how="left", maintain_order="left").with_columns(
        band=pl.when(pl.col("years").is_null()).then(pl.lit("not given")).otherwise(band)
    )


def sentence(found: Sequence[Along]) -> str:
    """What goes along with years."""
    known = [one for one in found if one.slope.p is not None]
    if not known:
        return f"Not estimable: {found[0].slope.reason}."
    clear = [one.outcome for one in known if one.p_holm is not None and one.p_holm < ALPHA]
    told = say.listing(list(map(show.escape, clear))) if clear else "Nothing"
    return (
        f"{told} {'goes' if len(clear) < 2 else 'go'} along with years in practice at 5 % after "
        f"Holm's adjustment over {say.count(len(known), 'outcome')}."
    )


def entries(found: Sequence[Along], anchor: str) -> tuple[Entry, ...]:
    """Leniency and agreement on ranks as lines of the ledger; no hypotheses, so without p."""
    told = {"Leniency": "leniency", "Agreement on ranks": "agreement with the other evaluators"}
    return tuple(
        Entry(
            question=f"Does {told[one.outcome]} go along with years in practice?",
            result=one.slope.text() + (f" per {PER} years" if one.slope.estimable else ""),
            decision=_decide(one),
            published="",
            explanation="A straight line over evaluators; no proof that nothing else is behind it.",
            anchor=anchor,
            topic="ARQ1",
            method="least squares over evaluators, HC3, Holm over outcomes",
            estimate=one.slope.value,
            low=one.slope.low,
            high=one.slope.high,
        )
        for one in found
        if one.outcome in told
    )


def _decide(one: Along) -> str:
    if one.p_holm is None:
        return "not tested" if one.slope.estimable else ABSENT
    return YES if one.p_holm < ALPHA else NO
