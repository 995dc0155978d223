"""A study's rankings with their scores, and the regression that weighs the dimensions.

Everything is computed when it is first asked for. What the study cannot answer is refused with a
reason by whatever asks for it; see `helpers.refusal` for what tables and figures make of that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from helpers import bradley_terry, say, show
from helpers.choice.fit import ChoiceFit, Fit
from helpers.choice.rankings import Rankings, read_rankings
from helpers.choice.resampled import Resampled, resampled
from helpers.not_estimable import NotEstimableError
from helpers.ranking_weights import METHODS, Weighing, compare_weights, regression, weight_table
from helpers.refusal import ended
from helpers.study import Study
from helpers.weighing import printed

UNSCORED = "nobody who ranked gave a score on it"


@dataclass(frozen=True)
class Weighed:
    """Weights of the dimensions of a study.

    Attributes
    ----------
    study : Study
        A study of the perception kind.
    method : str
        One of `ranking_weights.METHODS`.
    resamples, seed, confidence
        Of the bootstrap over evaluators; the jackknife over cases has the same level.
    """

    study: Study
    method: str = "Bradley–Terry"
    resamples: int = 2000
    seed: int = 1
    confidence: float = 0.95

    @cached_property
    def scored(self) -> tuple[str, ...]:
        """Codes of the dimensions on which anything that was ranked was scored."""
        ranked = self.study["ratings"].drop_nulls("rank")
        codes = [d.code for d in self.study.config.dimensions]
        return tuple(code for code in codes if ranked[code].count())

    @cached_property
    def percent(self) -> bool:
        """Whether scores are taken in per cent of their scales, as these are not alike."""
        return len({(d.min, d.max) for d in self.study.config.dimensions}) > 1

    @property
    def unit(self) -> str:
        """What a weight is for, and a score is in."""
        return "% of the scale" if self.percent else "points"

    @property
    def unscored(self) -> dict[str, str]:
        """Why some dimensions, by label, are not even in the regression."""
        dimensions = self.study.config.dimensions
        return {d.label: UNSCORED for d in dimensions if d.code not in self.scored}

    @cached_property
    def rankings(self) -> Rankings:
        """Whole rankings of all analyses that have every score.

        Raises
        ------
        NotEstimableError
            If nobody ranked, nobody scored, or nothing has both.
        """
        ranked = self.study["ratings"].drop_nulls("rank")
        if not ranked.height:
            raise NotEstimableError("weights are", "no evaluator ranked a case")
        dimensions = [d for d in self.study.config.dimensions if d.code in self.scored]
        if not dimensions:
            raise NotEstimableError("weights are", "nobody who ranked gave a score")
        shares = [
            (100 * (pl.col(d.code) - d.min) / (d.max - d.min)).alias(d.code) for d in dimensions
        ]
        table = ranked.with_columns(shares if self.percent else [])
        found = read_rankings(table, [d.code for d in dimensions])
        labels = {d.code: d.label for d in dimensions}
        left_out = {_named(reason, labels): n for reason, n in found.left_out.items()}
        return replace(found, dimensions=tuple(labels.values()), left_out=left_out)

    @cached_property
    def fit(self) -> Fit:
        """The regression of rankings on scores; refused as `bradley_terry.regression` says."""
        return regression(self.method)(self.rankings)

    @cached_property
    def found(self) -> Resampled:
        """Weights, and weights divided by their sum, with intervals."""
        weighing = Weighing(self.fit, self.rankings)
        return resampled(weighing, self.rankings, self.resamples, self.seed, self.confidence)

    @cached_property
    def weights(self) -> pl.DataFrame:
        """The same in the columns of `ranking_weights.weights`."""
        return weight_table(self.rankings.dimensions, self.found, self.fit.reasons)

    @cached_property
    def compared(self) -> pl.DataFrame:
        """Weights by all methods, and those that the paper prints if it has the same dimensions."""
        others = printed.slopes(self.rankings.dimensions)
        return compare_weights(
            self.rankings,
            resamples=self.resamples,
            seed=self.seed,
            level=self.confidence,
            others={printed.CLMM: others} if others else None,
        )

    @property
    def intervals(self) -> Mapping[str, tuple[str, str]]:
        """What `show.table` needs to show both intervals of a table of this package."""
        level = say.percent(self.confidence)
        return {
            f"{level} CI, evaluators": ("low", "high"),
            f"{level} CI, cases": ("case_low", "case_high"),
        }


def _named(reason: str, labels: Mapping[str, str]) -> str:
    for code, label in labels.items():
        reason = reason.replace(f"'{code}'", label) if f"'{code}'" in reason else reason
    return reason


def material(weighed: Weighed) -> pl.DataFrame:
    """What each model was fitted to, and whether it converged: a row for each method."""
    found = {method: _fitted(weighed, method) for method in METHODS}
    rows = []
    for method, fit in found.items():
        row: dict[str, object] = {"Model": method[0].upper() + method[1:]}
        if isinstance(fit, Fit):
            rankings = weighed.rankings
            row |= {
                "Rankings": len(rankings),
                "Evaluators": len(set(rankings.evaluator)),
                "Cases": len(set(rankings.case)),
                "Rows": len(rankings.item),
                "Rows left out": sum(rankings.left_out.values()),
                "Tied pairs": rankings.ties,
                "Units of the likelihood": _units(fit, rankings),
            }
        rows.append(row | {"Converged": "yes" if isinstance(fit, Fit) else "not estimable"})
    columns = dict.fromkeys(name for row in rows for name in row if name != "Converged")
    order = [*columns, "Converged"]
    return pl.DataFrame(
        [{name: row.get(name) for name in order} for row in rows], infer_schema_length=None
    )


def refusals(weighed: Weighed) -> str:
    """Which models cannot be fitted, which weights they lack, and why, in sentences."""
    reasons: dict[str, list[str]] = {}
    for method in METHODS:
        fit = _fitted(weighed, method)
        told = [f"not estimable: {fit}"] if isinstance(fit, str) else _lacking(fit)
        for reason in told:
            reasons.setdefault(reason, []).append(method)
    told = [
        ended(f"{say.listing(methods)}: {show.escape(reason)}")
        for reason, methods in reasons.items()
    ]
    return " ".join(told) or "All three models have one best fit, and weights for all scores."


def _fitted(weighed: Weighed, method: str) -> Fit | str:
    """A method's fit, or why there is none."""
    try:
        return regression(method)(weighed.rankings)
    except NotEstimableError as error:
        return error.reason


def _lacking(fit: Fit) -> list[str]:
    return [f"no weight of {name}: {reason}" for name, reason in fit.reasons.items()]


def _units(fit: Fit, rankings: Rankings) -> str:
    if not isinstance(fit, ChoiceFit):
        return say.count(len(rankings.item), "rank")
    noun = "pair" if fit.model == bradley_terry.MODEL else "choice"
    return say.count(len(fit.choices.start), noun)
