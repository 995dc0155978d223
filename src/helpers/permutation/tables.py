"""Tables and sentences of the chapter on emphasis; where nothing is estimable, the reason."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import polars as pl

from helpers import beside, estimates, say
from helpers.not_estimable import NotEstimableError
from helpers.permutation.against import Against, Permuted
from helpers.permutation.baselines import (
    agreement,
    any_ranking,
    displacement,
    leverage,
    random_share,
)
from helpers.permutation.curve import curve
from helpers.permutation.emphasis import Measure
from helpers.permutation.means import correlations, sides
from helpers.permutation.permuted import Level
from helpers.permutation.ranks import Floats, doubled_ranks
from helpers.permutation.settings import PERCEIVED
from helpers.ranking_weights import normalised
from helpers.refusal import ended, in_prose, in_table
from helpers.show import escape

NOTE = estimates.NOTE
PUBLISHED = "Published"
STEPS = 6  # thresholds in the table of the curve


def _optional(values: Iterable[float]) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def _joined(permuted: Permuted, tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Tables of benchmarks below each other; of a single one without its name in every row."""
    found = pl.concat(tables, how="diagonal")
    return found.drop("Benchmark") if len(permuted.usable) == 1 else found


@in_table
def data(permuted: Permuted) -> pl.DataFrame:
    """Scores, accuracies and ranks of the models of each benchmark, and who is left out."""
    rows: list[dict[str, object]] = []
    for name, one in permuted.all.items():
        if one.analysts and not one.benchmark.reason:
            by = {
                "Rank by score": doubled_ranks(one.scores @ one.shares) / 2,
                "Rank by mean rank": doubled_ranks(-one.mean_ranks) / 2,
                "Rank by accuracy": doubled_ranks(one.accuracies) / 2,
            }
            scores = one.scores @ one.shares
            rows += [
                {
                    "Benchmark": name,
                    "Model": model,
                    "Score": scores[place],
                    "Mean rank": one.mean_ranks[place],
                    "Accuracy (%)": one.accuracies[place],
                    **{head: float(ranks[place]) for head, ranks in by.items()},
                    NOTE: "",
                }
                for place, model in enumerate(one.analysts)
            ]
        rows += [
            {"Benchmark": name, "Model": model, NOTE: f"left out: {why}"}
            for model, why in one.left_out.items()
        ]
    if not rows:
        raise NotEstimableError("the projection is", "no model has an accuracy")
    columns = dict.fromkeys(column for row in rows for column in row if column != NOTE)
    return estimates.frame([{c: row.get(c) for c in (*columns, NOTE)} for row in rows])


DATA_DIGITS = {
    "Accuracy (%)": 1,
    "Rank by score": 1,
    "Rank by mean rank": 1,
    "Rank by accuracy": 1,
}


@in_prose
def data_sentence(permuted: Permuted) -> str:
    """How far apart both rankings are on each benchmark, or why they cannot be compared."""
    told = []
    for name, one in permuted.all.items():
        reason = permuted.refused.get(name)
        if reason:
            told.append(ended(escape(f"{name}: not estimable: {reason}")))
            continue
        found = one.counts
        told.append(
            escape(
                f"{name}: accuracies read as {one.benchmark.read}; over "
                f"{say.count(len(one.analysts), 'model')} the rankings of evaluators and benchmark "
                f"are {say.number(found.line.distance)} ranks apart."
            )
        )
        if found.exact:
            told.append(f"All {found.permutations:,} permutations of each dimension are made.")
        else:
            told.append(f"{found.permutations:,} random permutations of each dimension are made.")
    return " ".join(told)


@in_table
def counted(permuted: Permuted) -> pl.DataFrame:
    """Counts below the threshold by dimension: exact, random, and as printed."""
    made = {one.counts.permutations for one in permuted.usable if one.counts.exact}
    several = len(made) > 1
    head = "Exact" if several else f"Exact, of {next(iter(made), 0):,}"
    tables = []
    for one in permuted.usable:
        exact, random = one.counts, one.random
        own = exact if exact.exact else None
        table = pl.DataFrame(
            {
                "Benchmark": [one.name] * len(one.dimensions),
                "Dimension": one.dimensions,
                head: own and own.within,
                "Of": own and own.permutations,
                "Overshot": exact.overshot,
                "Too far past": exact.beyond,
                f"Random, of {random.permutations:,}": random.within,
                "MC SE": random.permutations * random.error,
                "Mean t": exact.line.share(exact.rankings).mean(axis=1),
                "Off the line": exact.line.off(exact.rankings).mean(axis=1),
                PUBLISHED: beside.dimensions("table06", "Count", one.dimensions),
            },
            schema_overrides={head: pl.Int64, "Of": pl.Int64},
        )
        tables.append(table)
    found = _joined(permuted, tables)
    gone = [] if made else [head]
    gone += [] if several else ["Of"]
    gone += [] if found[PUBLISHED].count() else [PUBLISHED]
    return found.drop(gone)


COUNT_DIGITS = {"MC SE": 1}


@in_prose
def counted_sentence(permuted: Permuted) -> str:
    """Dimensions whose permutations never change the ranking, and how far random counts are off."""
    told = []
    for one in permuted.usable:
        exact, random = one.counts, one.random
        idle = [n for n, moved in zip(one.dimensions, exact.moved, strict=True) if not moved]
        if idle:
            names = escape(say.listing(idle))
            told.append(f"Permuting {names} changes nothing, so that the count says nothing of it.")
        if exact.exact:
            known = exact.share * (1 - exact.share) > 0
            off = np.abs(random.share - exact.share)[known]
            sure = np.sqrt(exact.share * (1 - exact.share) / random.permutations)[known]
            if known.any():
                most = say.number(float((off / sure).max()), 1)
                told.append(
                    f"Random counts ({escape(one.name)}) are at most {most} Monte-Carlo standard "
                    "errors away from the exact ones."
                )
    return " ".join(told)


@in_table
def thresholds(permuted: Permuted) -> pl.DataFrame:
    """Share of permutations within some thresholds, by dimension, and of random rankings."""
    tables = []
    for one in permuted.usable:
        found = curve(one.counts, permuted.weighed.seed, STEPS).filter(pl.col("epsilon") > 0)
        wide = found.select(
            "dimension",
            pl.format("ε = {}", pl.col("epsilon")).alias("epsilon"),
            (100 * pl.col("share")).alias("share"),
        ).pivot("epsilon", index="dimension", values="share", maintain_order=True)
        tables.append(wide.select(pl.lit(one.name).alias("Benchmark"), pl.all()))
    return _joined(permuted, tables).rename({"dimension": "Dimension"})


@in_table
def baselines(permuted: Permuted) -> pl.DataFrame:
    """Counts beside what they would be without this benchmark, by dimension."""
    return _joined(permuted, beside_baselines(permuted))


def beside_baselines(permuted: Permuted) -> list[pl.DataFrame]:
    """The same, a table for each benchmark."""
    tables = []
    for one in permuted.usable:
        found = one.counts
        random = random_share(found, any_ranking(len(one.analysts), permuted.weighed.seed))
        tables.append(
            pl.DataFrame(
                {
                    "Benchmark": [one.name] * len(one.dimensions),
                    "Dimension": one.dimensions,
                    "Within (%)": 100 * found.share,
                    "Rankings as far (%)": 100 * np.nanmean(one.chance.within, axis=0),
                    "Random ranking (%)": 100 * random,
                    "Weight × spread (%)": 100 * leverage(one.scores, one.shares),
                    "Changes the ranking (%)": 100 * found.moved,
                    "Moves it by": displacement(found),
                }
            ).with_columns(pl.col(pl.Float64).fill_nan(None))
        )
    return tables


BASELINE_DIGITS = {
    name: 1
    for name in (
        "Within (%)",
        "Rankings as far (%)",
        "Random ranking (%)",
        "Weight × spread (%)",
        "Changes the ranking (%)",
    )
}


@in_prose
def baselines_sentence(permuted: Permuted) -> str:
    """How closely counts go with weight and spread, whatever the benchmark is."""
    told = []
    for one in permuted.usable:
        own = leverage(one.scores, one.shares)
        pairs = {
            "counts": one.counts.share,
            "their means over rankings as far": np.nanmean(one.chance.within, axis=0),
            "the distance by which permuting moves the ranking": displacement(one.counts),
        }
        known = {name: agreement(own, values) for name, values in pairs.items()}
        parts = [f"{name} {say.number(r)}" for name, r in known.items() if np.isfinite(r)]
        if parts:
            told.append(
                f"{escape(one.name)}: over dimensions, Spearman's ρ of weight × spread with "
                f"{say.listing(parts)}."
            )
    return " ".join(told) or "Counts do not differ, so that they cannot go with weight and spread."


@in_table
def emphases(permuted: Permuted) -> pl.DataFrame:
    """Emphasis of each dimension by both measures, with intervals over evaluators."""
    tables = []
    for one in permuted.usable:
        along, count = one.part("emphasis along"), one.part("emphasis count")
        table = pl.DataFrame(
            {
                "Benchmark": [one.name] * len(one.dimensions),
                "Dimension": one.dimensions,
                "H7": ["more" if own else "" for own in one.declared],
                "Weight (%)": 100 * one.shares,
                "Along the line": along["value"],
                "along low": along["low"],
                "along high": along["high"],
                "By counts": count["value"],
                "count low": count["low"],
                "count high": count["high"],
            }
        )
        tables.append(table if one.declared.any() else table.drop("H7"))
    return _joined(permuted, tables)


def emphasis_intervals(permuted: Permuted) -> dict[str, tuple[str, str]]:
    """What `show.table` needs for the intervals of `emphases`."""
    level = say.percent(permuted.weighed.confidence)
    return {
        f"{level} CI, along": ("along low", "along high"),
        f"{level} CI, counts": ("count low", "count high"),
    }


@in_table
def ways(permuted: Permuted) -> pl.DataFrame:
    """The difference of emphasis and its p in all the ways that the paper leaves open."""
    rows = []
    for one in permuted.usable:
        for perceived, level in product(PERCEIVED, get_args(Level)):
            own = replace(one, settings=replace(one.settings, perceived=perceived, level=level))
            rows += [_way(own, measure) for measure in get_args(Measure)]
    return _joined(permuted, [estimates.frame(rows)])


def _way(one: Against, measure: Measure) -> dict[str, object]:
    row: dict[str, object] = {
        "Benchmark": one.name,
        "Evaluators' ranking by": one.settings.perceived,
        "Permuted by": one.settings.level,
        "Measure": measure,
        "Difference": None,
        "p": None,
        NOTE: "",
    }
    try:
        found = one.emphasis(measure)
    except NotEstimableError as error:
        return row | {NOTE: f"not estimable: {error.reason}"}
    return row | {"Difference": found.value, "p": found.p}


@in_table
def means(permuted: Permuted) -> pl.DataFrame:
    """Mean scores of the better and the other half by accuracy, and their difference."""
    tables = []
    for one in permuted.usable:
        above, below = sides(one.accuracies)
        if not above.any() or not below.any():
            continue
        found = one.part("halves")
        tables.append(
            pl.DataFrame(
                {
                    "Benchmark": [one.name] * len(one.dimensions),
                    "Dimension": one.dimensions,
                    "Better half": one.scores[above].mean(axis=0),
                    "Other half": one.scores[below].mean(axis=0),
                    "Difference": found["value"],
                    "low": found["low"],
                    "high": found["high"],
                }
            )
        )
    if not tables:
        reason = "no benchmark has models on both sides of its median accuracy"
        raise NotEstimableError("the comparison is", reason)
    return _joined(permuted, tables)


@in_table
def weights(permuted: Permuted) -> pl.DataFrame:
    """How closely each dimension goes with scores and with accuracies, and as shares."""
    tables = []
    for one in permuted.usable:
        with_scores = correlations(one.scores, one.scores @ one.shares)
        found, apart = one.part("correlation"), one.part("apart")
        tables.append(
            pl.DataFrame(
                {
                    "Benchmark": [one.name] * len(one.dimensions),
                    "Dimension": one.dimensions,
                    "Weight (%)": 100 * one.shares,
                    "r with scores": _optional(with_scores),
                    "r with accuracies": found["value"],
                    "Δr": apart["value"],
                    "low": apart["low"],
                    "high": apart["high"],
                    "r share, scores (%)": _shares(with_scores),
                    "r share, accuracies (%)": _shares(correlations(one.scores, one.accuracies)),
                },
                schema_overrides={"r with scores": pl.Float64},
            )
        )
    return _joined(permuted, tables)


EMPHASIS_DIGITS = {"Weight (%)": 1}
WEIGHT_DIGITS = {
    "Weight (%)": 1,
    "r share, scores (%)": 1,
    "r share, accuracies (%)": 1,
}


def _shares(values: Floats) -> pl.Series:
    """Values divided by their sum, in per cent; empty where that says nothing."""
    try:
        found: list[float] | None = (100 * normalised(values)).tolist()
    except NotEstimableError:
        found = None
    return pl.Series(found or [None] * len(values), dtype=pl.Float64)
