"""Whether it matters at which place an analysis is shown to an evaluator.

Each evaluator sees the analyses of a case in an order of its own, so that the same analysis stands
early for one and late for another. The slope on the place is taken within analyses and within
evaluators' cases at once: both are fixed effects, and neither how good an analysis is nor how an
evaluator judges a case can pass for an effect of the place. Errors are clustered by evaluator.
"""

from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse, stats

from helpers import estimates
from helpers.evaluators.years import Slope
from helpers.study import Study

Floats = NDArray[np.float64]
COLUMN = "position"
ABSENT = "ratings.csv has no positions, so that their effect is not tested"


def effects(study: Study, confidence: float = 0.95) -> pl.DataFrame:
    """Slopes of rank and of each score on position, by place.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    confidence : float
        Confidence level of each interval.

    Returns
    -------
    DataFrame
        A row for the rank and one for each dimension; "not estimable: …" where there are no
        positions, or the same for everyone.
    """
    if not given(study):
        return estimates.absent("Outcome", ABSENT)
    outcomes = {"rank": "Rank"} | {d.code: d.label for d in study.config.dimensions}
    rows = [
        _row(label, slope(study["ratings"], column, confidence))
        for column, label in outcomes.items()
    ]
    return estimates.frame(rows)


def slope(ratings: pl.DataFrame, outcome: str, confidence: float = 0.95) -> Slope:
    """How much an outcome rises from one place to the next.

    Parameters
    ----------
    ratings : DataFrame
        With `evaluator`, `case`, `analyst`, `position` and the outcome.
    outcome : str
        A column of ratings.
    confidence : float
        Confidence level.

    Returns
    -------
    Slope
        Per place; `used` counts rows.
    """
    rows = ratings.drop_nulls([COLUMN, outcome])
    result = partial(
        Slope, confidence=confidence, used=rows.height, dropped=ratings.height - rows.height
    )
    evaluators = rows["evaluator"].rank("dense").to_numpy().astype(int) - 1
    groups = len(set(evaluators))
    if groups < 3:
        return result(reason=f"{groups} evaluators with positions; at least 3 are needed")
    fixed = [_codes(rows, "evaluator", "case"), _codes(rows, "case", "analyst")]
    place, value = (
        _within(rows[name].to_numpy().astype(float), fixed) for name in (COLUMN, outcome)
    )
    weight = float(place @ place)
    if weight < 1e-6 * rows.height:
        return result(reason="each analysis stood at one place for all evaluators")
    estimate = float(place @ value / weight)
    scores = np.bincount(evaluators, place * (value - estimate * place))
    error = float(np.sqrt(groups / (groups - 1) * (scores**2).sum()) / weight)
    if error < 1e-12:
        return result(value=estimate, reason="the slope is without error")
    margin = error * float(stats.t.ppf((1 + confidence) / 2, groups - 1))
    p = float(2 * stats.t.sf(abs(estimate) / error, groups - 1))
    return result(value=estimate, low=estimate - margin, high=estimate + margin, p=p)


def given(study: Study) -> bool:
    """Whether the study says at which place analyses stood."""
    ratings = study["ratings"]
    return COLUMN in ratings.columns and ratings[COLUMN].count() > 0


def _row(label: str, found: Slope) -> dict[str, object]:
    return {
        "Outcome": label,
        **estimates.cells(found, "Slope"),
        "p": found.p,
        "Rows": found.used,
        "Dropped": found.dropped,
        estimates.NOTE: estimates.note(found),
    }


def _codes(rows: pl.DataFrame, *columns: str) -> NDArray[np.int64]:
    together = rows.select(pl.struct(columns).rank("dense")).to_series()
    return together.to_numpy().astype(np.int64) - 1


def _within(values: Floats, fixed: list[NDArray[np.int64]]) -> Floats:
    """What is left of values when the means of both groupings are fitted at once."""
    place = np.arange(len(values))
    design = sparse.hstack(
        [sparse.coo_array((np.ones(len(values)), (place, codes))) for codes in fixed]
    ).tocsr()
    fitted = sparse.linalg.lsqr(design, values - values.mean(), atol=1e-12, btol=1e-12)[0]
    return np.asarray(values - values.mean() - design @ fitted)
