"""A study's evaluators against each of its benchmarks: what the permutations show.

Everything is computed when it is first asked for, and refused with a reason where it cannot be.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from helpers.benchmark.join import Benchmark, benchmarks
from helpers.choice.resampled import Resampled, resampled
from helpers.errors import HelpersError, did_you_mean
from helpers.not_estimable import NotEstimableError
from helpers.permutation.alike import Alike, alike
from helpers.permutation.by_chance import Chance, by_chance
from helpers.permutation.counts import Counts, counts
from helpers.permutation.emphasis import Emphasis, Measure, emphasis, measured
from helpers.permutation.permuted import Rows
from helpers.permutation.ranks import Floats
from helpers.permutation.replicates import Judgements, Replicates
from helpers.permutation.settings import MEAN_RANK, Settings
from helpers.ranking_weights import Weighing, normalised
from helpers.weighing.weighed import Weighed

UNSCORED = "nobody gave it a rank and all scores"


@dataclass(frozen=True)
class Against:
    """Evaluators against one benchmark.

    Attributes
    ----------
    weighed : Weighed
        The study, and weights of its dimensions.
    settings : Settings
        How to permute and decide.
    benchmark : Benchmark
        Accuracies of its models.
    """

    weighed: Weighed
    settings: Settings
    benchmark: Benchmark

    @property
    def name(self) -> str:
        """The benchmark's."""
        return self.benchmark.name

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Labels of the dimensions."""
        return self.weighed.rankings.dimensions

    @cached_property
    def declared(self) -> NDArray[np.bool_]:
        """Shape (dimensions,): those that H7 says benchmarks make more of."""
        return declared(self.weighed, self.settings)

    @cached_property
    def analysts(self) -> tuple[str, ...]:
        """Models with an accuracy and with scores."""
        return tuple(n for n in self.benchmark.accuracies if n in self.weighed.rankings.items)

    @property
    def left_out(self) -> dict[str, str]:
        """Why other analysts are not compared."""
        known = self.weighed.rankings.items
        unscored = {n: UNSCORED for n in self.benchmark.accuracies if n not in known}
        return {**self.benchmark.left_out, **unscored}

    @cached_property
    def accuracies(self) -> Floats:
        """Shape (analysts,), in per cent.

        Raises
        ------
        NotEstimableError
            If they cannot be used.
        """
        if self.benchmark.reason:
            raise NotEstimableError("the projection is", self.benchmark.reason)
        return np.array([self.benchmark.accuracies[n] for n in self.analysts], dtype=float)

    @cached_property
    def shares(self) -> Floats:
        """Weights of the dimensions that add up to one; refused where signs are mixed."""
        estimate = self.weighed.fit.estimate[: len(self.dimensions)]
        return normalised(estimate, self.dimensions)

    @cached_property
    def judgements(self) -> Judgements:
        """The scores and ranks of these analysts."""
        return Judgements.of(self.weighed.rankings, self.analysts)

    @cached_property
    def rows(self) -> Rows:
        """The same row by row."""
        return self.judgements.rows

    @cached_property
    def scores(self) -> Floats:
        """Mean scores, shape (analysts, dimensions); each case counts the same."""
        return self.rows.means

    @cached_property
    def mean_ranks(self) -> Floats:
        """Mean ranks among all analysts, shape (analysts,); each case counts the same."""
        return self.judgements.mean_ranks

    def counted(self, exact: bool) -> Counts:
        """Counts by all permutations, if that is asked for and they are no more, or random ones."""
        own = self.settings
        return counts(
            self.scores,
            self.shares,
            self.accuracies,
            epsilon=own.epsilon,
            bound=own.bound,
            mean_ranks=self.mean_ranks if own.perceived == MEAN_RANK else None,
            rows=self.rows if own.level == "row" else None,
            permutations=own.permutations,
            exact=exact,
            seed=self.weighed.seed,
            dimensions=self.dimensions,
        )

    @cached_property
    def counts(self) -> Counts:
        """The counts, exact if they can be."""
        return self.counted(exact=True)

    @cached_property
    def random(self) -> Counts:
        """The counts by random permutations."""
        return self.counted(exact=False) if self.counts.exact else self.counts

    @cached_property
    def alike(self) -> Alike:
        """Other rankings as far from the evaluators'."""
        line = self.counts.line
        return alike(line.evaluators, line.benchmark, self.weighed.seed)

    @cached_property
    def chance(self) -> Chance:
        """What permutations show for these."""
        own, setting = self.counts, self.settings
        rankings = self.alike.rankings
        return by_chance(
            own.line.evaluators, rankings, own.rankings, setting.epsilon, setting.bound
        )

    @cached_property
    def own(self) -> Chance:
        """What they show for the benchmark itself."""
        found, setting = self.counts, self.settings
        line = found.line
        return by_chance(
            line.evaluators,
            line.benchmark[None, :],
            found.rankings,
            setting.epsilon,
            setting.bound,
        )

    def emphasis(self, measure: Measure | None = None) -> Emphasis:
        """Emphasis by a measure, or by the one that decides."""
        chosen = measure or self.settings.measure
        return emphasis(
            measured(self.own, chosen)[0],
            measured(self.chance, chosen),
            self.alike.whole,
            self.declared,
            self.counts.moved,
        )

    @cached_property
    def found(self) -> Resampled:
        """Values, emphases and comparisons of means with evaluators and cases resampled."""
        weighed = self.weighed
        rankings = weighed.rankings
        self.counts  # noqa: B018  (refuse before much is computed)
        statistic = Replicates(
            Weighing(weighed.fit, rankings),
            self.judgements,
            self.accuracies,
            self.declared,
            self.settings,
            weighed.seed,
        )
        return resampled(statistic, rankings, weighed.resamples, weighed.seed, weighed.confidence)

    def part(self, name: str) -> pl.DataFrame:
        """One of `Replicates.parts` with its intervals."""
        return self.found.table(Replicates.parts(len(self.dimensions))[name], "value")


def declared(weighed: Weighed, settings: Settings) -> NDArray[np.bool_]:
    """Which dimensions of the regression are declared, by the codes in `study.yml`.

    Raises
    ------
    HelpersError
        If a code is none of the study's.
    """
    labels = {d.code: d.label for d in weighed.study.config.dimensions}
    for code in settings.emphasised:
        if code not in labels:
            near = did_you_mean(code, labels) or f"; there are: {', '.join(labels)}"
            raise HelpersError(f"emphasised: no dimension has the code '{code}'{near}")
    chosen = {labels[code] for code in settings.emphasised}
    return np.array([name in chosen for name in weighed.rankings.dimensions], dtype=bool)


@dataclass(frozen=True)
class Permuted:
    """Evaluators of a study against all its benchmarks.

    Attributes
    ----------
    weighed : Weighed
        The study, and weights of its dimensions.
    settings : Settings
        How to permute and decide.
    """

    weighed: Weighed
    settings: Settings

    @cached_property
    def all(self) -> dict[str, Against]:
        """By benchmark; refused where the study has none, or no model."""
        found = benchmarks(self.weighed.study, self.settings.scale)
        return {one.name: Against(self.weighed, self.settings, one) for one in found}

    @cached_property
    def refused(self) -> dict[str, str]:
        """Why some benchmarks cannot be compared."""
        reasons = {}
        for name, one in self.all.items():
            try:
                one.counts  # noqa: B018
            except NotEstimableError as error:
                reasons[name] = error.reason
        return reasons

    @property
    def usable(self) -> list[Against]:
        """Those that can be compared.

        Raises
        ------
        NotEstimableError
            If there are none, with the reasons.
        """
        usable = [one for name, one in self.all.items() if name not in self.refused]
        if not usable:
            told = list(dict.fromkeys(self.refused.values()))
            raise NotEstimableError("the projection is", "; ".join(told) or "no benchmark has rows")
        return usable
