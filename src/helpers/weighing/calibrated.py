"""Predicted against observed preference of pairs, by weights fitted without the evaluator."""

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from helpers import resample, say
from helpers.choice.calibration import calibration, slope
from helpers.choice.resampled import Resampled
from helpers.not_estimable import NotEstimableError
from helpers.refusal import in_prose, in_table
from helpers.weighing.prediction import UNPREDICTED
from helpers.weighing.weighed import Weighed


@dataclass(frozen=True)
class Calibrated:
    """Pairs sorted by how sure the weights are of them.

    Attributes
    ----------
    weighed : Weighed
        The study and the method.
    groups : int
        Number of groups of the same size.
    """

    weighed: Weighed
    groups: int = 10

    @cached_property
    def frame(self) -> pl.DataFrame:
        """See `choice.calibration`; each evaluator is left out in turn."""
        own = self.weighed
        found = calibration(
            own.fit,
            own.rankings,
            resample.leave_one_out(own.rankings.evaluator).weights,
            self.groups,
            own.resamples,
            own.seed,
            own.confidence,
        )
        if found.is_empty():
            raise NotEstimableError("calibration is", UNPREDICTED)
        return found

    @cached_property
    def slope(self) -> Resampled:
        """See `choice.calibration.slope`."""
        own = self.weighed
        return slope(
            own.fit,
            own.rankings,
            resample.leave_one_out(own.rankings.evaluator).weights,
            own.resamples,
            own.seed,
            own.confidence,
        )


@in_table
def table(calibrated: Calibrated) -> pl.DataFrame:
    """Group by group: probability predicted for the favourite, and how often it won."""
    return calibrated.frame.select(
        pl.col("pairs").alias("Pairs"),
        (100 * pl.col("predicted")).alias("Predicted (%)"),
        (100 * pl.col("observed")).alias("Observed (%)"),
        (100 * pl.col("low")).alias("low"),
        (100 * pl.col("high")).alias("high"),
    )


@in_prose
def sentence(calibrated: Calibrated) -> str:
    """The calibration slope with its intervals, and in how many groups the prediction is met."""
    frame, found = calibrated.frame, calibrated.slope
    boot, jack = found.evaluators, found.cases
    level = say.percent(calibrated.weighed.confidence)
    ends = [
        f"{name} {say.span(float(one.low[0]), float(one.high[0]))}"
        for name, one in (("evaluators resampled", boot), ("cases left out", jack))
        if one is not None
    ]
    told = f" ({level} CI, {'; '.join(ends)})" if ends else ""
    known = frame.drop_nulls("low")
    inside = known.filter(pl.col("predicted").is_between(pl.col("low"), pl.col("high"))).height
    sentences = [
        f"The calibration slope is {say.number(float(found.estimate[0]))}{told}; at one, "
        "predictions are as sure as they should be."
    ]
    if known.height:
        sentences.append(
            "The probability predicted lies within the interval of what was observed in "
            f"{inside} of {say.count(known.height, 'group')}."
        )
    return " ".join(sentences)
