"""Figures of the mapping. Each returns Markdown instead where there is nothing to draw."""

import polars as pl
from plotnine import (
    aes,
    coord_flip,
    element_blank,
    facet_wrap,
    geom_hline,
    geom_linerange,
    geom_point,
    ggplot,
    labs,
    scale_color_manual,
    scale_shape_manual,
    scale_y_continuous,
    theme,
)

from helpers import look, show
from helpers.mapping import varying
from helpers.ranking.picture import minus

PANELS = 3


def weights(table: pl.DataFrame) -> ggplot | show.Markdown:
    """Weights by case and by kind, a panel for each dimension."""
    if "Weight" not in table.columns or not table["Weight"].count():
        return show.prose("Not drawn: no weights are estimable.")
    names = table["Rankings of"].unique(maintain_order=True).to_list()
    drawn = table.drop_nulls("Weight").to_pandas()
    drawn["Rankings of"] = drawn["Rankings of"].astype("category").cat.set_categories(names[::-1])
    order = table["Dimension"].unique(maintain_order=True).to_list()
    drawn["Dimension"] = drawn["Dimension"].astype("category").cat.set_categories(order)
    rows = -(-len(order) // PANELS)
    factors = ["all", varying.CASE, varying.KIND]
    drawn["By"] = drawn["By"].astype("category").cat.set_categories(factors)
    plot: ggplot = (
        ggplot(drawn, aes("Rankings of", "Weight", color="By", shape="By"))
        + geom_hline(yintercept=0, color=look.SOFT, linetype="dashed", size=0.5)
        + geom_point(size=1.6)
        + facet_wrap("Dimension", ncol=PANELS)
        + coord_flip()
        + scale_color_manual(dict(zip(factors, look.PALETTE, strict=False)))
        + scale_shape_manual(dict(zip(factors, "osD", strict=True)))
        + scale_y_continuous(labels=minus)
        + labs(x="", y="Weight for a point of the scale")
        + look.plot_theme(height=0.8 + rows * (0.4 + 0.16 * len(names)))
    )
    bars = drawn.dropna(subset=["Weight low"])
    if len(bars):
        plot = plot + geom_linerange(aes(ymin="Weight low", ymax="Weight high"), bars)
    return plot


def caterpillar(table: pl.DataFrame) -> ggplot | show.Markdown:
    """Conditional modes in order, a panel for each random term."""
    if "Mode" not in table.columns:
        return show.prose("Not drawn: no conditional modes are estimable.")
    drawn = table.with_columns(
        pl.int_range(1, pl.len() + 1).over("Term").alias("place")
    ).to_pandas()
    plot: ggplot = (
        ggplot(drawn, aes("place", "Mode"))
        + geom_hline(yintercept=0, color=look.SOFT, linetype="dashed", size=0.5)
        + geom_linerange(aes(ymin="low", ymax="high"), color=look.BLUE)
        + geom_point(color=look.BLUE, size=1.4)
        + facet_wrap("Term", scales="free_x", ncol=PANELS)
        + scale_y_continuous(labels=minus)
        + labs(x="Levels, lowest first", y="Conditional mode (logits)")
        + look.plot_theme(height=3.2)
        + theme(axis_text_x=element_blank(), panel_grid_major_x=element_blank())
    )
    return plot
