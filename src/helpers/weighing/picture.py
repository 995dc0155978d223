"""Figures of weights, predictions and scores; where there is nothing to draw, they say why."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import polars as pl
from matplotlib import rc_context
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from plotnine import (
    aes,
    coord_fixed,
    coord_flip,
    element_blank,
    element_text,
    facet_wrap,
    geom_abline,
    geom_errorbar,
    geom_errorbarh,
    geom_histogram,
    geom_point,
    geom_segment,
    geom_vline,
    ggplot,
    labs,
    position_dodge,
    scale_color_manual,
    scale_linetype_manual,
    scale_shape_manual,
    scale_x_continuous,
    scale_y_continuous,
    theme,
)
from scipy import stats

from helpers import look, say
from helpers.choice.validation import MEASURES
from helpers.not_estimable import NotEstimableError
from helpers.ranking_weights import METHODS
from helpers.refusal import in_figure
from helpers.scoring.table import wrapped
from helpers.weighing import abilities as able_tables
from helpers.weighing import printed, worth
from helpers.weighing.abilities import CASES, EVALUATORS, INDEPENDENT, Able
from helpers.weighing.calibrated import Calibrated
from helpers.weighing.prediction import NAMES, Predicted, summary
from helpers.weighing.scores import KINDS, Perceived, wide
from helpers.weighing.weighed import Weighed

PEOPLE, TEXTS = "evaluators resampled", "cases left out in turn"
MEAN, PRINTED = "mean of the splits", "the paper"
BEST, WORST = "#7ba3d0", "#eef1f4"  # light enough for dark text
BESIDE = 0.7  # of the way to the next dimension is taken by the methods' points
MOST_WRITTEN = 12  # columns of tiles into which their values fit


def marks(values: Sequence[float] | Sequence[str]) -> list[str]:
    """Labels of an axis, with as many decimals as its marks have, three at most."""
    marks = np.asarray(values, dtype=float)
    digits = next((n for n in range(3) if np.allclose(marks, marks.round(n), atol=1e-9)), 3)
    return [say.number(mark, digits) for mark in marks.tolist()]


@in_figure
def weights(weighed: Weighed) -> ggplot:
    """Weight of each dimension with both intervals, in the study's order."""
    table = weighed.weights.drop_nulls("weight")
    names = wrapped(table["dimension"].to_list(), 28)
    return _intervals(
        table.with_columns(pl.Series("name", names)).to_pandas(),
        "weight",
        f"Weight ({_per(weighed)})",
    ) + geom_vline(xintercept=0, color=look.SOFT, linetype="dashed", size=0.5)


def _per(weighed: Weighed) -> str:
    unit = "point" if weighed.unit == "points" else "per cent of the scale"
    return (
        f"log odds for a {unit} more" if weighed.method in worth.LOGITS else f"ranks for a {unit}"
    )


def _intervals(frame: pd.DataFrame, value: str, axis: str) -> ggplot:
    """Points in rows, from the first on top, each with a thick and a thin interval."""
    frame["name"] = pd.Categorical(frame["name"], list(dict.fromkeys(frame["name"]))[::-1])
    people = frame.dropna(subset=["low", "high"]).assign(interval=PEOPLE)
    texts = frame.dropna(subset=["case_low", "case_high"]).assign(interval=TEXTS)
    drawn = ggplot(frame, aes(value, "name"))
    if len(texts):
        drawn += geom_errorbarh(
            aes(xmin="case_low", xmax="case_high", color="interval"), texts, height=0.3, size=0.6
        )
    if len(people):
        drawn += geom_segment(
            aes(x="low", xend="high", yend="name", color="interval"), people, size=2.2
        )
    if breaks := [name for name, own in ((PEOPLE, people), (TEXTS, texts)) if len(own)]:
        drawn += scale_color_manual(values={PEOPLE: look.BLUE, TEXTS: look.ORANGE}, breaks=breaks)
    return (
        drawn
        + geom_point(size=2.2, color=look.INK)
        + scale_x_continuous(labels=marks)
        + labs(x=axis, y="")
        + look.plot_theme(height=min(9.0, 1.3 + 0.32 * len(frame)))
    )


@in_figure
def methods(weighed: Weighed) -> ggplot:
    """Shares by each method side by side, with those that the paper's mixed model implies."""
    frame = weighed.compared.drop_nulls("share_weight").to_pandas()
    if frame.empty:
        reason = weighed.compared["reason"][0].split("; ")[0]
        raise NotEstimableError("shares are", reason.removeprefix("share not estimable: "))
    labels = weighed.rankings.dimensions
    order = [name for name in (*METHODS, printed.CLMM) if name in set(frame["method"])]
    step = BESIDE / len(order)
    frame["place"] = frame["dimension"].map({label: i for i, label in enumerate(labels)}) + [
        step * (order.index(method) - (len(order) - 1) / 2) for method in frame["method"]
    ]
    frame["method"] = pd.Categorical(frame["method"], order)
    for column in ("share_weight", "share_low", "share_high"):
        frame[column] *= 100
    bars = frame.dropna(subset=["share_low", "share_high"])
    drawn = ggplot(frame, aes("place", "share_weight", color="method", shape="method"))
    if len(bars):
        drawn += geom_errorbar(
            aes(ymin="share_low", ymax="share_high"), bars, width=step / 2, size=0.6
        )
    return (
        drawn
        + geom_point(size=2.4)
        + scale_color_manual(values=dict(zip(order, look.PALETTE, strict=False)))
        + scale_shape_manual(values=dict(zip(order, ("o", "s", "^", "D"), strict=False)))
        + scale_x_continuous(
            breaks=list(range(len(labels))), labels=wrapped(labels, 14), minor_breaks=[]
        )
        + scale_y_continuous(labels=marks)
        + labs(x="", y="Share of all weights (%)")
        + look.plot_theme()
        + theme(axis_text_x=element_text(size=8), panel_grid_major_x=element_blank())
    )


@in_figure
def splits(predicted: Predicted) -> ggplot:
    """How each measure spreads over random splits, with its mean and the printed figure."""
    table = summary(predicted)
    values = predicted.splits.by_split().drop_nulls("tau")
    names = [NAMES[measure] for measure in MEASURES]
    frame = pd.concat(
        pd.DataFrame({"measure": NAMES[measure], "value": values[measure].to_numpy()})
        for measure in MEASURES
    )
    rows = [
        {"measure": row["Measure"], "value": row[column], "line": line}
        for row in table.to_dicts()
        for column, line in (("Mean", MEAN), ("Published", PRINTED))
        if row.get(column) is not None
    ]
    lines = pd.DataFrame(rows)
    for one in (frame, lines):
        one["measure"] = pd.Categorical(one["measure"], names)
    return (
        ggplot(frame, aes("value"))
        + geom_histogram(bins=30, fill=look.PALE, color="white", size=0.2)
        + geom_vline(aes(xintercept="value", color="line", linetype="line"), lines, size=0.9)
        + facet_wrap("measure", ncol=2, scales="free")
        + scale_color_manual(values={MEAN: look.BLUE, PRINTED: look.ORANGE})
        + scale_linetype_manual(values={MEAN: "solid", PRINTED: "dashed"})
        + scale_x_continuous(labels=marks)
        + labs(x="", y="Splits")
        + look.plot_theme(height=4.6)
        + theme(panel_spacing_y=0.07)
    )


@in_figure
def calibration(calibrated: Calibrated) -> ggplot:
    """Share of pairs that the favourite won against the probability predicted for it."""
    frame = calibrated.frame.to_pandas()
    for column in ("predicted", "observed", "low", "high"):
        frame[column] = 100 * frame[column].astype(float)
    bars = frame.dropna(subset=["low", "high"])
    drawn = ggplot(frame, aes("predicted", "observed")) + geom_abline(
        slope=1, intercept=0, color=look.SOFT, linetype="dashed", size=0.5
    )
    if len(bars):
        drawn += geom_errorbar(aes(ymin="low", ymax="high"), bars, width=0.8, color=look.BLUE)
    return (
        drawn
        + geom_point(size=2.2, color=look.BLUE)
        + coord_fixed()
        + labs(x="Predicted: the favourite is ranked above (%)", y="Observed (%)")
        + look.plot_theme(height=4.6)
    )


@in_figure
def abilities(able: Able) -> ggplot:
    """Abilities with comparison intervals by what is taken for a sample, best on top."""
    table = able_tables.summary(able).drop_nulls("Ability")
    tail = (1 + able.weighed.confidence) / 2
    quantile = {name: float(stats.norm.ppf(tail)) for name in (INDEPENDENT, EVALUATORS)}
    quantile[CASES] = float(stats.t.ppf(tail, max(1, len(able.found.without) - 1)))
    told = {INDEPENDENT: "choices independent", EVALUATORS: PEOPLE, CASES: TEXTS}
    rows = [
        {
            "name": row["Analyst"],
            "ability": row["Ability"],
            "sample": told[name],
            "low": row["Ability"] - quantile[name] * row[column],
            "high": row["Ability"] + quantile[name] * row[column],
        }
        for row in table.to_dicts()
        for name in told
        if row.get(column := f"Quasi-SE, {name}") is not None
    ]
    points = table.select(name="Analyst", ability="Ability").to_pandas()
    names = points["name"].tolist()[::-1]
    points["name"] = pd.Categorical(points["name"], names)
    drawn = ggplot(points, aes("name", "ability"))
    if rows:
        frame = pd.DataFrame(rows)
        frame["name"] = pd.Categorical(frame["name"], names)
        samples = [name for name in told.values() if name in set(frame["sample"])]
        frame["sample"] = pd.Categorical(frame["sample"], samples[::-1])
        drawn += geom_errorbar(
            aes(ymin="low", ymax="high", color="sample", group="sample"),
            frame,
            position=position_dodge(width=0.6),
            width=0.4,
            size=0.7,
        )
        colours = zip(told.values(), (look.GREY, look.BLUE, look.ORANGE), strict=True)
        drawn += scale_color_manual(values=dict(colours), breaks=samples)
    return (
        drawn
        + geom_point(size=2.2, color=look.INK)
        + coord_flip()
        + scale_y_continuous(labels=marks)
        + labs(x="", y="Ability (log odds)")
        + look.plot_theme(height=min(9.0, 1.4 + 0.36 * len(names)))
    )


@in_figure
def scores(perceived: Perceived) -> ggplot:
    """Score of each analyst with both intervals, highest on top; the kind stands with the name."""
    found = perceived.capability.scores[perceived.order]
    kinds = dict(perceived.weighed.study["analysts"].select("analyst", "kind").iter_rows())
    names = [
        f"{name} ({KINDS[kinds[name]]})" if kinds[name] in KINDS else name
        for name in found["analyst"]
    ]
    frame = found.with_columns(pl.Series("name", names)).to_pandas()
    return _intervals(frame, "score", f"Perceived Capability Score ({perceived.weighed.unit})")


@in_figure
def by_case(perceived: Perceived) -> Figure:
    """Score by case and analyst, highest score at the left; darker is higher."""
    import seaborn as sns

    table = wide(perceived)
    names = table.columns[1:]
    values = pd.DataFrame(
        table.select(names).to_numpy().astype(float), table["Case"].to_list(), names
    )
    written = len(names) <= MOST_WRITTEN
    with rc_context(look.RC):
        height = min(9.0, 1.7 + (0.34 if len(values) <= 20 else 0.12) * len(values))
        canvas = Figure(figsize=(look.WIDTH, height), layout="constrained")
        axes = canvas.subplots()
        sns.heatmap(
            values,
            ax=axes,
            cmap=LinearSegmentedColormap.from_list("", [WORST, BEST]),
            annot=written,
            fmt=".1f" if np.nanmax(values.to_numpy()) < 100 else ".0f",
            linewidths=1 if written else 0,
            annot_kws={"size": 9, "color": look.INK},
            cbar_kws={"label": f"Score ({perceived.weighed.unit})"},
        )
        axes.set(xlabel="", ylabel="Case")
        axes.tick_params(length=0, labelsize=8)
        axes.tick_params(axis="y", rotation=0)
        axes.set_xticklabels(
            axes.get_xticklabels(), rotation=35, ha="right", rotation_mode="anchor"
        )
    return canvas
