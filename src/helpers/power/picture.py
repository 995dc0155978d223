"""Figures of power and precision over numbers of evaluators and cases."""

from typing import Literal

import polars as pl
from plotnine import (
    aes,
    facet_wrap,
    geom_hline,
    geom_line,
    geom_pointrange,
    ggplot,
    labs,
    position_dodge,
    scale_color_manual,
    scale_shape_manual,
    scale_x_discrete,
    theme,
)

from helpers import look, say
from helpers.not_estimable import NotEstimableError
from helpers.power import tables
from helpers.power.grid import Shown
from helpers.power.measures import SHARES, SLOPES, W
from helpers.refusal import in_figure

SHAPES = ("o", "s", "^", "D", "v", "P", "X")
HEIGHT = 1.9  # inches of a row of panels
PANELS = {
    W: "W of rankings\n(half width)",
    SHARES: "shares of weights\n(error, points of per cent)",
    SLOPES: "slopes of the mixed\nmodel (half width)",
}


@in_figure
def power(found: Shown, multiple: float) -> ggplot:
    """Share of studies that see each hypothesis, against the number of evaluators."""
    table = tables.power(found, multiple).drop_nulls("Seen (%)")
    names = {name: name.replace(", ", ",\n") for name in tables.SEEN}
    drawn = table.select(
        pl.col("Hypothesis").replace_strict(names, return_dtype=pl.String).alias("panel"),
        pl.col("Evaluators", "Cases"),
        pl.col("Seen (%)").alias("value"),
        pl.col("Seen low").alias("low"),
        pl.col("Seen high").alias("high"),
    )
    return (
        _drawn(drawn, list(names.values()), columns=4)
        + geom_hline(yintercept=100 * tables.ENOUGH, linetype="dashed", color=look.SOFT)
        + labs(x="Evaluators", y="Studies that see it (%)")
    )


@in_figure
def precision(found: Shown, multiple: float) -> ggplot:
    """Interval widths and errors against the number of evaluators."""
    table = tables.precision(found, multiple).drop_nulls("Value")
    drawn = table.select(
        pl.col("Quantity").replace_strict(PANELS, return_dtype=pl.String).alias("panel"),
        pl.col("Evaluators", "Cases"),
        pl.col("Value").alias("value"),
        pl.col("Value low").fill_null(pl.col("Value")).alias("low"),
        pl.col("Value high").fill_null(pl.col("Value")).alias("high"),
    )
    return _drawn(drawn, list(PANELS.values()), columns=3, scales="free_y") + labs(
        x="Evaluators", y=""
    )


def _drawn(
    drawn: pl.DataFrame,
    panels: list[str],
    columns: int,
    scales: Literal["fixed", "free_y"] = "fixed",
) -> ggplot:
    """Points with bars: a panel by quantity, a colour and a shape by number of cases."""
    if drawn.is_empty():
        raise NotEstimableError("the figure is", "there is nothing to draw")
    used = [panel for panel in panels if panel in set(drawn["panel"])]
    numbers = [str(number) for number in sorted(drawn["Evaluators"].unique().to_list())]
    cases = [say.count(number, "case") for number in sorted(drawn["Cases"].unique().to_list())]
    shown = drawn.with_columns(
        pl.col("panel").cast(pl.Enum(used)),
        pl.col("Evaluators").cast(pl.String).cast(pl.Enum(numbers)),
        pl.Series("Cases", [say.count(n, "case") for n in drawn["Cases"]], pl.Enum(cases)),
    )
    width = position_dodge(width=0.4)
    repeats = 1 + len(cases) // len(look.PALETTE)
    rows = -(-len(used) // columns)
    picture: ggplot = (
        ggplot(shown.to_pandas(), aes("Evaluators", "value", color="Cases", shape="Cases"))
        + (geom_line(aes(group="Cases"), position=width, alpha=0.5) if len(numbers) > 1 else [])
        + geom_pointrange(aes(ymin="low", ymax="high"), position=width, size=0.35)
        + facet_wrap("panel", ncol=columns, scales=scales)
        + scale_x_discrete(limits=numbers)
        + scale_color_manual(values=(look.PALETTE * repeats)[: len(cases)])
        + scale_shape_manual(values=(SHAPES * repeats)[: len(cases)])
        + look.plot_theme(height=1.0 + HEIGHT * max(1, rows))
        + theme(panel_spacing=0.02)
    )
    return picture
