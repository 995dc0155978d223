"""Figures of counts, of counts against the threshold, and of emphasis by dimension."""

from collections.abc import Sequence

import pandas as pd
import polars as pl
from plotnine import (
    aes,
    coord_flip,
    element_blank,
    element_text,
    facet_wrap,
    geom_col,
    geom_errorbar,
    geom_hline,
    geom_point,
    geom_step,
    geom_vline,
    ggplot,
    labs,
    scale_color_manual,
    scale_fill_manual,
    scale_linetype_manual,
    scale_shape_manual,
    scale_x_continuous,
    scale_x_discrete,
    scale_y_continuous,
    theme,
)

from helpers import look
from helpers.permutation.against import Against, Permuted
from helpers.permutation.curve import RANDOM, as_ratio, curve
from helpers.permutation.tables import beside_baselines
from helpers.refusal import in_figure
from helpers.scoring.table import wrapped
from helpers.weighing.picture import marks

MOST = 6  # benchmarks that are drawn, those with most models
STEPS = 126  # thresholds of a curve
BETWEEN, PAST = "between both rankings", "past the benchmark's"
FAR, ANY = "mean of rankings as far off", RANDOM
PERMUTED = "the dimension permuted"
DECLARED, OTHER = "declared", "others"


def _drawn(permuted: Permuted) -> list[Against]:
    """The benchmarks that are drawn, in the study's order."""
    own = permuted.usable
    most = sorted(own, key=lambda one: -len(one.analysts))[:MOST]
    return [one for one in own if one in most]


def _names(labels: Sequence[str]) -> dict[str, str]:
    return dict(zip(labels, wrapped(labels, 26), strict=True))


def _rows(frame: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """Dimensions as an axis that begins on top."""
    frame["dimension"] = pd.Categorical(frame["dimension"], list(labels)[::-1])
    return frame


def _size(count: int, panels: int, row: float = 0.34) -> "theme":
    return look.plot_theme(height=min(9.0, (1.0 + row * count) * panels + 0.5))


@in_figure
def counts(permuted: Permuted) -> ggplot:
    """Share of permutations within the threshold, and what it would be for other rankings."""
    own = _drawn(permuted)
    table = pl.concat(beside_baselines(permuted)).filter(
        pl.col("Benchmark").is_in([one.name for one in own])
    )
    bars, points = [], []
    for one in own:
        found = one.counts
        past = found.overshot / found.permutations
        for name, share, over in zip(one.dimensions, found.share, past, strict=True):
            common = {"benchmark": one.name, "dimension": name}
            bars.append(common | {"part": BETWEEN, "share": 100 * (share - over)})
            bars.append(common | {"part": PAST, "share": 100 * over})
    for row in table.to_dicts():
        common = {"benchmark": row["Benchmark"], "dimension": row["Dimension"]}
        points.append(common | {"mark": FAR, "share": row["Rankings as far (%)"]})
        points.append(common | {"mark": ANY, "share": row["Random ranking (%)"]})
    labels = own[0].dimensions
    frame = _rows(pd.DataFrame(bars), labels)
    frame["part"] = pd.Categorical(frame["part"], [PAST, BETWEEN])
    return (
        ggplot(frame, aes("dimension", "share"))
        + geom_col(aes(fill="part"), width=0.7)
        + geom_point(aes(shape="mark", color="mark"), _rows(pd.DataFrame(points), labels), size=2.4)
        + facet_wrap("benchmark", ncol=1)
        + scale_fill_manual(values={BETWEEN: look.PALE, PAST: look.ORANGE}, breaks=[BETWEEN, PAST])
        + scale_color_manual(values={FAR: look.INK, ANY: look.PURPLE}, breaks=[FAR, ANY])
        + scale_shape_manual(values={FAR: "D", ANY: "x"}, breaks=[FAR, ANY])
        + scale_x_discrete(labels=_names(labels))
        + coord_flip()
        + scale_y_continuous(labels=marks)
        + labs(x="", y="Permutations below the threshold (%)")
        + _size(len(labels), len(own))
        + theme(panel_grid_major_y=element_blank(), legend_box="vertical")
    )


@in_figure
def thresholds(permuted: Permuted) -> ggplot:
    """Share of permutations within every threshold, a panel for each dimension."""
    own = _drawn(permuted)
    frames = [
        curve(one.counts, permuted.weighed.seed, STEPS).with_columns(benchmark=pl.lit(one.name))
        for one in own
    ]
    table = pl.concat(frames).with_columns((100 * pl.col("share")).alias("share"))
    labels = own[0].dimensions
    random = table.filter(pl.col("dimension") == RANDOM).drop("dimension")
    spread = random.join(pl.DataFrame({"dimension": labels}), how="cross")
    lines = [
        (table.filter(pl.col("dimension") != RANDOM), PERMUTED),
        (spread, RANDOM),
    ]
    frame = pl.concat(
        part.select("epsilon", "share", "benchmark", "dimension", line=pl.lit(line))
        for part, line in lines
    ).to_pandas()
    names = _names(labels)
    frame["panel"] = pd.Categorical(frame["dimension"].map(names), list(names.values()))
    frame["group"] = frame["benchmark"] + "\x1f" + frame["line"]
    benches = [one.name for one in own]
    frame["benchmark"] = pd.Categorical(frame["benchmark"], benches)
    lines_at = pd.DataFrame(
        {"epsilon": [as_ratio(one.counts) for one in own], "benchmark": benches}
    )
    lines_at["benchmark"] = pd.Categorical(benches, benches)
    columns = 3
    return (
        ggplot(frame, aes("epsilon", "share", group="group", color="benchmark", linetype="line"))
        + geom_vline(aes(xintercept="epsilon", color="benchmark"), lines_at, size=0.4)
        + geom_step(size=0.9)
        + facet_wrap("panel", ncol=columns)
        + scale_color_manual(values=dict(zip(benches, look.PALETTE, strict=False)))
        + scale_linetype_manual(values={PERMUTED: "solid", RANDOM: "dotted"})
        + scale_x_continuous(labels=marks)
        + scale_y_continuous(labels=marks)
        + labs(x="Threshold ε of the ratio", y="Permutations below it (%)")
        + look.plot_theme(height=min(9.0, 1.1 + 1.6 * -(-len(labels) // columns)))
        + theme(legend_box="vertical", strip_text=element_text(size=8))
    )


@in_figure
def emphases(permuted: Permuted) -> ggplot:
    """Emphasis of each dimension along the line, with its interval over evaluators."""
    own = _drawn(permuted)
    labels = own[0].dimensions
    frame = pd.concat(
        one.part("emphasis along")
        .with_columns(
            benchmark=pl.lit(one.name),
            dimension=pl.Series(labels),
            of=pl.Series([DECLARED if yes else OTHER for yes in one.declared]),
        )
        .to_pandas()
        for one in own
    )
    frame = _rows(frame, labels)
    bars = frame.dropna(subset=["low", "high"])
    drawn = ggplot(frame, aes("dimension", "value", color="of", shape="of")) + geom_hline(
        yintercept=0, color=look.SOFT, linetype="dashed", size=0.5
    )
    if len(bars):
        drawn += geom_errorbar(aes(ymin="low", ymax="high"), bars, width=0.3, size=0.7)
    drawn += geom_point(size=2.6)
    if not own[0].declared.any():
        drawn += theme(legend_position="none")
    return (
        drawn
        + facet_wrap("benchmark", ncol=1)
        + scale_color_manual(values={DECLARED: look.ORANGE, OTHER: look.BLUE})
        + scale_shape_manual(values={DECLARED: "D", OTHER: "o"})
        + scale_x_discrete(labels=_names(labels))
        + coord_flip()
        + scale_y_continuous(labels=marks)
        + labs(x="", y="Emphasis of the benchmark less the evaluators' (share of the line)")
        + _size(len(labels), len(own))
        + theme(panel_grid_major_y=element_blank())
    )
