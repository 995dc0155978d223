"""A study's Perceived Capability Scores beside each of its benchmarks, and how to compare them.

Everything is computed when it is first asked for, and refused with a reason where it cannot be.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from helpers import resample, say
from helpers.benchmark import accuracy_scale, fit, smoother
from helpers.benchmark.association import Association, correlations, lacking, pearson, spearman
from helpers.benchmark.band import band
from helpers.benchmark.bend import Bend, quadratic
from helpers.benchmark.fit import Fit, line
from helpers.benchmark.join import Benchmark, Points, benchmarks, points
from helpers.benchmark.left_out import LeftOut, leave_one_out
from helpers.benchmark.smoother import loess
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.weighing.scores import Perceived

Floats = NDArray[np.float64]

ACCURACY, SCORE = "accuracy", "score"
OUTCOMES = (ACCURACY, SCORE)


@dataclass(frozen=True)
class Settings:
    """What the paper leaves open.

    Attributes
    ----------
    outcome : str
        Which of the two a curve predicts from the other: "accuracy" or "score".
    scale : str
        One of `accuracy_scale.SCALES`.
    span, degree, robust
        Of the smoother; see `smoother.loess`.
    divisor : str
        Of the residual variance; one of `fit.DIVISORS`.
    flat : float
        Slope at the flat end as a share of that at the steep end, of the bend that must have been
        visible before points are called straight.
    seed, confidence
        Of random orders of more than nine models; level of intervals.

    Raises
    ------
    HelpersError
        If a setting has no meaning.
    """

    outcome: str = ACCURACY
    scale: str = accuracy_scale.DETECT
    span: float = 0.7
    degree: int = 1
    robust: int = 0
    divisor: str = fit.FREEDOM
    flat: float = 0.0
    seed: int = 1
    confidence: float = 0.95

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if self.outcome not in OUTCOMES:
            raise HelpersError(f"outcome '{self.outcome}': expected 'accuracy' or 'score'")
        if not 0 <= self.flat < 1:
            raise HelpersError(f"flat {self.flat:g}: expected a share from 0 to below 1")
        accuracy_scale.check(self.scale)
        fit.check(self.divisor)
        smoother.check(self.span, self.degree, self.robust)


@dataclass(frozen=True)
class Comparison:
    """Scores and accuracies on one benchmark.

    Attributes
    ----------
    name : str
        The benchmark's.
    points : Points
        Models with both.
    settings : Settings
        How to compare.
    """

    name: str
    points: Points
    settings: Settings

    def sides(self, outcome: str = "") -> tuple[Floats, Floats]:
        """What lies across and what upwards, where `outcome`, or the one set, is upwards."""
        own = self.points
        if (outcome or self.settings.outcome) == SCORE:
            return own.accuracies, own.scores
        return own.scores, own.accuracies

    @cached_property
    def association(self) -> Association:
        """Pearson's correlation."""
        own, setting = self.points, self.settings
        return pearson(own.scores, own.accuracies, setting.confidence, setting.seed)

    @cached_property
    def ranked(self) -> Association:
        """Spearman's correlation."""
        own, setting = self.points, self.settings
        return spearman(own.scores, own.accuracies, setting.confidence, setting.seed)

    @cached_property
    def over_evaluators(self) -> tuple[float, float] | None:
        """Interval of Pearson's r with scores in resamples of evaluators; None where none."""
        own = self.points
        if self.association.r is None or not len(own.draws):
            return None
        drawn = correlations(own.draws, own.accuracies)[:, None]
        return _ends(resample.percentile(drawn, self.settings.confidence))

    @cached_property
    def over_cases(self) -> tuple[float, float] | None:
        """Interval of Pearson's r with each case left out of the scores in turn; None where none.

        The jackknife is of Fisher's z and turned back, so that it ends within −1 and 1.
        """
        own, r = self.points, self.association.r
        if r is None or not len(own.without):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.arctanh(correlations(own.without, own.accuracies))[:, None]
            ends = _ends(resample.jackknife(np.arctanh(np.array([r])), z, self.settings.confidence))
        return ends and (float(np.tanh(ends[0])), float(np.tanh(ends[1])))

    @cached_property
    def bend(self) -> Bend:
        """Parabola against line."""
        return quadratic(*self.sides(), share=self.settings.flat)

    @cached_property
    def left_out(self) -> LeftOut:
        """Each model predicted from the others."""
        setting = self.settings
        return leave_one_out(*self.sides(), setting.span, setting.degree, setting.robust)

    def refuse(self) -> None:
        """Raise NotEstimableError where there is no correlation, and nothing to fit."""
        if reason := lacking(self.points.scores, self.points.accuracies):
            raise NotEstimableError("the comparison is", reason)

    def line(self, outcome: str = "") -> Fit:
        """The straight line; see `sides`."""
        return line(*self.sides(outcome))

    def smooth(self, outcome: str = "") -> Fit:
        """The smoother; see `sides`."""
        return self._loess(*self.sides(outcome))

    def _loess(self, x: Floats, y: Floats) -> Fit:
        setting = self.settings
        return loess(x, y, setting.span, setting.degree, setting.robust)

    def bands(self, at: Floats) -> dict[str, tuple[Floats, Floats]]:
        """Ends of line and smoother in resamples of evaluators at places on the axis across."""
        own, setting = self.points, self.settings
        makers: dict[str, Callable[[Floats, Floats], Fit]] = {
            "line": line,
            "smooth": self._loess,
        }
        return {
            name: band(make, own.draws, own.accuracies, at, setting.outcome, setting.confidence)
            for name, make in makers.items()
        }


@dataclass(frozen=True)
class Compared:
    """A study beside all its benchmarks.

    Attributes
    ----------
    perceived : Perceived
        Its scores.
    settings : Settings
        How to compare.
    """

    perceived: Perceived
    settings: Settings = Settings()

    @cached_property
    def benchmarks(self) -> list[Benchmark]:
        """The study's benchmarks; refused where it has none."""
        return benchmarks(self.perceived.weighed.study, self.settings.scale)

    @cached_property
    def comparisons(self) -> dict[str, Comparison | str]:
        """By benchmark, the comparison or the reason why there is none.

        Raises
        ------
        NotEstimableError
            If the study has no benchmarks, or no scores.
        """
        found: dict[str, Comparison | str] = {}
        own = self.benchmarks
        capability = self.perceived.capability
        for benchmark in own:
            try:
                joined = points(benchmark, capability)
                comparison = Comparison(benchmark.name, joined, self.settings)
                comparison.refuse()
                found[benchmark.name] = comparison
            except NotEstimableError as error:
                found[benchmark.name] = error.reason
        return found

    @property
    def usable(self) -> list[Comparison]:
        """The comparisons that can be made.

        Raises
        ------
        NotEstimableError
            If there are none, with the reasons.
        """
        found = self.comparisons
        usable = [one for one in found.values() if isinstance(one, Comparison)]
        if not usable:
            told = [f"{name}: {why}" for name, why in found.items() if isinstance(why, str)]
            reason = told[0].split(": ", 1)[1] if len(told) == 1 else "; ".join(told)
            raise NotEstimableError("the comparison is", reason)
        return usable

    @property
    def unit(self) -> str:
        """What scores are in."""
        return self.perceived.weighed.unit

    @property
    def level(self) -> str:
        """The level of intervals, "95 %"."""
        return say.percent(self.settings.confidence)


def _ends(interval: resample.Interval) -> tuple[float, float] | None:
    low, high = float(interval.low[0]), float(interval.high[0])
    return (low, high) if np.isfinite([low, high]).all() else None
