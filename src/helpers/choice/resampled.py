"""Quantities of rankings with intervals: evaluators resampled, and cases left out one by one."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from helpers import resample
from helpers.choice.logit import Floats
from helpers.choice.rankings import Rankings
from helpers.not_estimable import NotEstimableError


@dataclass(frozen=True)
class Resampled:
    """Quantities and what resampling makes of them.

    Attributes
    ----------
    estimate : ndarray
        Shape (quantities,), of the data as they are.
    draws : ndarray
        Shape (resamples, quantities), of resamples of evaluators; no rows where that is impossible.
    without : ndarray
        Shape (cases, quantities), without each case in turn; likewise.
    evaluators, cases : Interval or None
        Percentiles of the draws, and the jackknife over cases.
    notes : tuple of str
        What could not be had, and why.
    """

    estimate: Floats
    draws: Floats
    without: Floats
    evaluators: resample.Interval | None
    cases: resample.Interval | None
    notes: tuple[str, ...]

    def table(self, part: slice, name: str, prefix: str = "") -> pl.DataFrame:
        """Lay some of the quantities out: estimate, `low`, `high`, `case_low`, `case_high`."""
        nothing = np.full(len(self.estimate), np.nan)
        boot, jack = self.evaluators, self.cases
        columns = {
            name: self.estimate,
            "low": boot.low if boot else nothing,
            "high": boot.high if boot else nothing,
            "case_low": jack.low if jack else nothing,
            "case_high": jack.high if jack else nothing,
        }
        frame = pl.DataFrame({prefix + key: value[part] for key, value in columns.items()})
        return frame.with_columns(pl.all().fill_nan(None))


def resampled(
    statistic: Callable[[Floats], Floats],
    rankings: Rankings,
    resamples: int,
    seed: int,
    level: float,
) -> Resampled:
    """Bootstrap a statistic over evaluators and jackknife it over cases, as far as can be.

    Parameters
    ----------
    statistic : callable
        Takes how often each ranking counts, shape (replicates, rankings), and gives quantities of
        shape (replicates, quantities), nan where there is no estimate.
    rankings : Rankings
        Whose evaluators and cases are resampled.
    resamples, seed, level
        Of the bootstrap; the jackknife has the same level.

    Returns
    -------
    Resampled
        With a note in place of intervals that are not estimable.
    """
    estimate = statistic(np.ones((1, len(rankings))))[0]
    draws = without = np.empty((0, len(estimate)))
    evaluators = cases = None
    notes = []
    try:
        draws = statistic(resample.bootstrap(rankings.evaluator, resamples, seed))
        evaluators = resample.percentile(draws, level)
        notes += _lost(estimate, draws, "resamples of evaluators")
    except NotEstimableError as error:
        notes.append(f"intervals over evaluators not estimable: {error.reason}")
    try:
        without = statistic(resample.leave_one_out(rankings.case).weights)
        cases = resample.jackknife(estimate, without, level)
        notes += _lost(estimate, without, "samples without a case")
    except NotEstimableError as error:
        notes.append(f"intervals over cases not estimable: {error.reason}")
    return Resampled(estimate, draws, without, evaluators, cases, tuple(notes))


def _lost(estimate: Floats, draws: Floats, what: str) -> list[str]:
    lost = int(np.isnan(draws).all(axis=1).sum()) if np.isfinite(estimate).any() else 0
    return [f"{lost} of {len(draws)} {what} have no estimate"] if lost else []
