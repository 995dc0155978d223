"""How well weights predict rankings that they were not fitted to: tables of four measures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import factorial

import numpy as np
import polars as pl

from helpers import estimates, resample, say
from helpers.choice.logit import Floats
from helpers.choice.prediction import mean_ranks, predict
from helpers.choice.rankings import Rankings
from helpers.choice.resampled import Resampled, resampled
from helpers.choice.validation import MEASURES, Masks, Validation, split, validate
from helpers.not_estimable import NotEstimableError
from helpers.ranking_weights import METHODS, regression
from helpers.refusal import in_prose, in_table
from helpers.weighing import printed
from helpers.weighing.weighed import Weighed
from helpers.weighing.worth import ENDS

NAMES = {
    "tau": "Kendall's τ-b",
    "pairwise": "Pairs in the right order",
    "whole": "Whole rankings exactly right",
    "position": "Positions exactly right",
}
RANKINGS, EVALUATORS, CASES, BOTH = (
    "rankings, at random",
    "an evaluator",
    "a case",
    "an evaluator and a case",
)
UNPREDICTED = "no ranking left out is predicted, since there are no weights without it"
EQUAL = "equal weights"
MOST = 400  # rankings for each of which evaluator and case are left out; of more, as many at random


@dataclass(frozen=True)
class Predicted:
    """Rankings predicted by weights that were fitted without them.

    Attributes
    ----------
    weighed : Weighed
        The study and the method.
    share : float
        Share of the rankings that random splits train on.
    times : int
        Number of random splits.
    """

    weighed: Weighed
    share: float = 0.7
    times: int = 1000

    @cached_property
    def splits(self) -> Validation:
        """Random splits by whole rankings."""
        rankings, fit = self.weighed.rankings, self.weighed.fit
        masks = split(rankings, self.share, self.times, self.weighed.seed)
        return validate(fit, rankings, masks)

    @cached_property
    def evaluators(self) -> Validation:
        """Each evaluator left out in turn."""
        return self._without("evaluator", self.weighed.method)

    @cached_property
    def cases(self) -> Validation:
        """Each case left out in turn."""
        return self._without("case", self.weighed.method)

    @cached_property
    def both(self) -> Validation:
        """Each ranking predicted without any by its evaluator or of its case."""
        rankings, fit = self.weighed.rankings, self.weighed.fit
        chosen = np.arange(len(rankings))
        if len(chosen) > MOST:
            random = np.random.default_rng(self.weighed.seed)
            chosen = np.sort(random.choice(chosen, MOST, replace=False))
        for label in (rankings.evaluator, rankings.case):
            resample.leave_one_out(label)  # refuses one evaluator or one case
        other = [label[chosen, None] != label for label in (rankings.evaluator, rankings.case)]
        tested = chosen[:, None] == np.arange(len(rankings))
        return validate(fit, rankings, other[0] & other[1], tested)

    @property
    def schemes(self) -> Mapping[str, Callable[[], Validation]]:
        """All ways of leaving out, by what is left out."""
        return {
            RANKINGS: lambda: self.splits,
            EVALUATORS: lambda: self.evaluators,
            CASES: lambda: self.cases,
            BOTH: lambda: self.both,
        }

    def predictors(self) -> dict[str, Validation]:
        """Evaluators left out, by each method and by the plain mean of the dimensions.

        A method without weights is left out.
        """
        rankings = self.weighed.rankings
        found = {}
        for method in METHODS:
            try:
                found[method] = self._without("evaluator", method)
            except NotEstimableError:
                continue
        return found | {EQUAL: self.plain(np.ones(len(rankings), dtype=bool))}

    def plain(self, tested: Masks) -> Validation:
        """Predictions of some of the rankings by the plain mean of the dimensions."""
        rankings = self.weighed.rankings
        equal = predict(rankings, np.ones((1, len(rankings.dimensions))))
        return Validation(rankings, equal, tested[None])

    def resampled(self, *found: Validation) -> Resampled:
        """All measures of these predictions in a row, evaluators and cases resampled.

        Weights stay as they were fitted: an evaluator drawn twice must not be predicted from
        himself.
        """
        sums = [one.sums() for one in found]
        weighed = self.weighed

        def measures(counts: Floats) -> Floats:
            with np.errstate(invalid="ignore"):  # nothing tested in a resample
                return np.hstack([(counts @ above) / (counts @ below) for above, below in sums])

        return resampled(
            measures, weighed.rankings, weighed.resamples, weighed.seed, weighed.confidence
        )

    def _without(self, group: str, method: str) -> Validation:
        rankings = self.weighed.rankings
        fit = self.weighed.fit if method == self.weighed.method else regression(method)(rankings)
        left_out = resample.leave_one_out(getattr(rankings, group)).weights
        return validate(fit, rankings, left_out)


def by_chance(rankings: Rankings) -> dict[str, float]:
    """Measures that orders at random have on average."""
    sizes, tied = rankings.sizes, np.zeros(len(rankings), dtype=bool)
    tied[rankings.pairs.ranking[rankings.pairs.order == 0]] = True
    orders = np.array([1 / factorial(size) for size in sizes.tolist()])
    whole_ranks = mean_ranks(rankings) % 1 == 0
    return {
        "tau": 0.0,
        "pairwise": 0.5,
        "whole": float(np.where(tied, 0, orders).mean()),
        "position": float((whole_ranks / sizes[rankings.ranking]).mean()),
    }


def summary(predicted: Predicted) -> pl.DataFrame:
    """Each measure over random splits: mean, middle 95 %, the first, by chance, as printed.

    Printed figures stand beside a study that has the paper's dimensions.

    Raises
    ------
    NotEstimableError
        If no split has weights and anything to predict.
    """
    splits = predicted.splits.by_split().filter(pl.col("tau").is_not_null())
    if splits.is_empty():
        raise NotEstimableError("predictions are", "no split has weights and a test ranking with τ")
    chance = by_chance(predicted.weighed.rankings)
    beside = printed.slopes(predicted.weighed.rankings.dimensions) is not None
    rows = []
    for measure in MEASURES:
        values = splits[measure].to_numpy()
        low, high = np.quantile(values, [0.025, 0.975])
        rows.append(
            {
                "Measure": NAMES[measure],
                "Mean": float(values.mean()),
                "low": float(low),
                "high": float(high),
                "Lowest": float(values.min()),
                "Highest": float(values.max()),
                "First split": float(values[0]),
                "By chance": chance[measure],
                "Published": printed.measure(measure) if beside else None,
            }
        )
    return estimates.frame(rows, optional=["Published"])


@in_table
def over_splits(predicted: Predicted) -> pl.DataFrame:
    """Give `summary`, or why there is none."""
    return summary(predicted)


SPLITS = {"Middle 95 % of splits": ("low", "high")}


@in_prose
def sentence(predicted: Predicted) -> str:
    """How many rankings were predicted, and both readings of the exact match."""
    return f"{_counts(predicted)} {_exact(predicted)}"


def _counts(predicted: Predicted) -> str:
    count = predicted.splits.by_split()
    trained = len(predicted.weighed.rankings) - int(count["rankings"][0])
    lost = count.filter(pl.col("lost") > 0).height
    told = [
        f"{say.count(count.height, 'split')}, each with {say.count(trained, 'ranking')} to train "
        f"on and {say.count(int(count['rankings'][0]), 'other')} to test."
    ]
    if lost:
        told.append(f"{say.count(lost, 'split')} gave no weights, and no means.")
    if undefined := int(count["undefined"].sum()):
        told.append(f"τ is undefined for {say.count(undefined, 'prediction')}: all is tied.")
    return " ".join(told)


def _exact(predicted: Predicted) -> str:
    """The exact match by both readings, and whether the printed one is met by either."""
    table = {row["Measure"]: row for row in summary(predicted).to_dicts()}
    told = []
    for measure, reading in (("whole", "whole rankings"), ("position", "single positions")):
        row = table[NAMES[measure]]
        told.append(
            f"read as {reading}, it is {say.number(row['Mean'])} on average and "
            f"{say.span(row['Lowest'], row['Highest'])} over all splits"
        )
        if "Published" in row:
            inside = row["Lowest"] <= row["Published"] <= row["Highest"]
            place = "among them" if inside else "outside"
            told[-1] += f", the printed {say.number(row['Published'])} {place}"
    return f"The exact match has two readings: {'; '.join(told)}."


@in_table
def schemes(predicted: Predicted) -> pl.DataFrame:
    """Each measure with both intervals, by what is left out of the fit, measure by measure."""
    predicted.weighed.fit  # noqa: B018
    nothing = dict.fromkeys(("Measure", "Left out", "Rankings", "Value", *ENDS))
    rows: list[dict[str, object]] = []
    for name, validation in predicted.schemes.items():
        try:
            found = validation()
        except NotEstimableError as error:
            refused = {"Measure": "all", "Left out": name}
            rows.append(nothing | refused | {estimates.NOTE: f"not estimable: {error.reason}"})
            continue
        intervals = _within_range(predicted.resampled(found))
        pooled = found.pooled().row(0, named=True)
        rows += [
            {"Measure": NAMES[measure], "Left out": name, "Rankings": _tested(found)}
            | row
            | {estimates.NOTE: _lost(pooled)}
            for measure, row in zip(MEASURES, intervals.to_dicts(), strict=True)
        ]
    order = [*NAMES.values(), "all"]
    return estimates.frame(sorted(rows, key=lambda row: order.index(str(row["Measure"]))))


def _within_range(found: Resampled) -> pl.DataFrame:
    """Measures with intervals, these cut at the ends of what a measure can be."""
    table = found.table(slice(0, len(MEASURES)), "Value")
    least = pl.Series([-1.0 if measure == "tau" else 0.0 for measure in MEASURES])
    return table.with_columns(table[end].clip(least, 1.0) for end in ENDS)


def _tested(found: Validation) -> int:
    return int(found.tested.any(axis=0).sum())


def _lost(pooled: Mapping[str, int]) -> str:
    lost = pooled["lost"]
    return f"{lost} of {pooled['rankings']} predictions lack weights" if lost else ""


@in_table
def predictors(predicted: Predicted) -> pl.DataFrame:
    """Methods and the plain mean, evaluators left out, and how the pairs compare with the mean's.

    "Gain" is the share of pairs in the right order less that of equal weights, both of the rankings
    that the method predicts.
    """
    rows = []
    for name, found in predicted.predictors().items():
        pooled = found.pooled().row(0, named=True)
        gain = _gain(predicted, found)
        rows.append(
            {"Predicted by": name}
            | {NAMES[measure]: pooled[measure] for measure in MEASURES}
            | (dict.fromkeys(gain, None) if name == EQUAL else gain)
            | {estimates.NOTE: _lost(pooled)}
        )
    return estimates.frame(rows)


def gain(predicted: Predicted) -> dict[str, float | None]:
    """Pairs that the method orders rightly beyond equal weights: "Gain" and both intervals."""
    return _gain(predicted, predicted.evaluators)


def _gain(predicted: Predicted, found: Validation) -> dict[str, float | None]:
    same = np.any(found.tested & np.isfinite(found.prediction.hits), axis=0)
    both = predicted.resampled(found, predicted.plain(same))
    pair = MEASURES.index("pairwise")
    return _difference(both, pair, len(MEASURES) + pair, predicted.weighed.confidence)


def _difference(both: Resampled, one: int, other: int, level: float) -> dict[str, float | None]:
    """Estimate and both intervals of one quantity less another."""
    change = both.draws[:, one] - both.draws[:, other]
    value = both.estimate[one] - both.estimate[other]
    row: dict[str, float | None] = {"Gain": float(value)} | dict.fromkeys(
        ("low", "high", "case_low", "case_high")
    )
    if len(change):
        boot = resample.percentile(change[:, None], level)
        row |= {"low": float(boot.low[0]), "high": float(boot.high[0])}
    if len(both.without):
        change = both.without[:, one] - both.without[:, other]
        jack = resample.jackknife(np.array([value]), change[:, None], level)
        row |= {"case_low": float(jack.low[0]), "case_high": float(jack.high[0])}
    return {name: x if x is not None and np.isfinite(x) else None for name, x in row.items()}


@in_table
def by_case(predicted: Predicted) -> pl.DataFrame:
    """Measures of each case, predicted from the others."""
    rows = predicted.cases.by_ranking().group_by("case", maintain_order=True)
    table = rows.agg(
        pl.len().alias("Rankings"),
        pl.col("tau").mean().alias(NAMES["tau"]),
        (pl.col("hits").sum() / pl.col("pairs").sum()).alias(NAMES["pairwise"]),
        pl.col("whole").mean().alias(NAMES["whole"]),
        (pl.col("exact").sum() / pl.col("items").sum()).alias(NAMES["position"]),
    )
    order = {case: place for place, case in enumerate(predicted.weighed.study["cases"]["case"])}
    return (
        table.sort(pl.col("case").replace_strict(order, return_dtype=pl.Int64))
        .rename({"case": "Case"})
        .with_columns(pl.col(pl.Float64).fill_nan(None))
    )


@in_table
def by_rank(predicted: Predicted) -> pl.DataFrame:
    """Share of positions predicted exactly by the rank given, evaluators left out."""
    found = predicted.evaluators.by_rank()
    if found.is_empty():
        raise NotEstimableError("predictions are", UNPREDICTED)
    whole = pl.Int64 if (found["rank"] % 1 == 0).all() else pl.Float64
    return found.select(
        pl.col("rank").cast(whole).alias("Rank given"),
        pl.col("items").alias("Analyses"),
        (100 * pl.col("exact")).alias("Exactly right (%)"),
    )
