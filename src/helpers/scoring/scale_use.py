"""How evaluators use the scales: floor, ceiling, and points that nobody chose."""

import numpy as np
import polars as pl
from plotnine import (
    aes,
    coord_flip,
    element_blank,
    geom_col,
    ggplot,
    labs,
    position_stack,
    scale_fill_manual,
    scale_x_discrete,
    theme,
)

from helpers import look, say
from helpers.scoring.table import wrapped
from helpers.show import Markdown, escape
from helpers.study import Study

LIGHT = "#c9d6e4"
MOST_POINTS = 12  # of a scale, to be shown one by one
RANGES = 10  # into which a longer scale is cut


def use(study: Study) -> pl.DataFrame:
    """How often each point of each scale was given.

    Parameters
    ----------
    study : Study
        Scales of more than a dozen points are cut into ten ranges of whole points.

    Returns
    -------
    polars.DataFrame
        `Dimension`, `Place` (1 at the low end), `Point` or range, `Scores` (0 where nobody gave
        it), `Share (%)`. A dimension without scores is left out.
    """
    rows = []
    for dimension in study.config.dimensions:
        scores = study["ratings"][dimension.code].drop_nulls()
        if scores.is_empty():
            continue
        points = np.arange(dimension.min, dimension.max + 1)
        ranges = np.array_split(points, RANGES) if len(points) > MOST_POINTS else points[:, None]
        for place, own in enumerate(ranges, 1):
            count = scores.is_between(own[0], own[-1]).sum()
            name = str(own[0]) if len(own) == 1 else f"{own[0]} to {own[-1]}"
            rows.append((dimension.label, place, name, count, 100 * count / scores.len()))
    schema = {"Dimension": pl.String, "Place": pl.Int64, "Point": pl.String, "Scores": pl.Int64}
    return pl.DataFrame(rows, schema={**schema, "Share (%)": pl.Float64}, orient="row")


def by_point(table: pl.DataFrame) -> pl.DataFrame:
    """Shares in per cent: a row for each dimension and a column for each point.

    The table is given back as it is where dimensions have different points.
    """
    if table.select("Place", "Point").n_unique() > table["Place"].n_unique():
        return table.drop("Place")
    wide = table.pivot("Point", index="Dimension", values="Share (%)")
    return wide


def sentence(study: Study) -> str:
    """Which dimension has most scores at either end, and which points nobody gave."""
    table = use(study)
    if table.is_empty():
        return "There are no scores."
    told = []
    for end, pick in (("lowest", pl.first), ("highest", pl.last)):
        ends = table.group_by("Dimension", maintain_order=True).agg(pick("Share (%)", "Point"))
        most = ends.sort("Share (%)", descending=True).row(0, named=True)
        share = say.percent(most["Share (%)"] / 100)
        told.append(
            f"the {end} end ({most['Point']}) of {escape(most['Dimension'])}, {share} of its scores"
        )
    unused = table.filter(pl.col("Scores") == 0)
    named = [
        f"{escape(str(label))} ({say.listing(own['Point'].to_list())})"
        for (label,), own in unused.group_by("Dimension", maintain_order=True)
    ]
    return (
        f"The most crowded ends of scales are {say.listing(told)}. "
        f"Points that nobody gave: {say.listing(named)}."
    )


def shades(n: int) -> list[str]:
    """So many colours from light to dark."""
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    colours = LinearSegmentedColormap.from_list("", [LIGHT, look.BLUE])
    return [to_hex(colours(place / max(n - 1, 1))) for place in range(n)]


def _names(table: pl.DataFrame) -> list[str]:
    """Names of the places: the points, where all scales have the same."""
    pairs = table.select("Place", "Point").unique().sort("Place")
    same = pairs.height == table["Place"].n_unique()
    return pairs["Point"].to_list() if same else [str(p) for p in sorted(set(table["Place"]))]


def picture(study: Study) -> ggplot | Markdown:
    """Stacked bars: how the scores of each dimension are shared out over the points."""
    table = use(study)
    labels = list(dict.fromkeys(table["Dimension"]))
    drawn = table.filter(pl.col("Scores") > 0).with_columns(
        pl.col("Dimension").cast(pl.Enum(labels[::-1]))
    )
    names = dict(zip(labels, wrapped(labels, 28), strict=True))
    places = sorted(table["Place"].unique().to_list())
    drawn = drawn.with_columns(pl.col("Place").cast(pl.String).cast(pl.Enum(map(str, places))))
    if drawn.is_empty():
        return Markdown("Nothing to draw: nothing is estimable.")
    return (
        ggplot(drawn.to_pandas(), aes("Dimension", "Share (%)", fill="Place"))
        + geom_col(width=0.7, position=position_stack(reverse=True))
        + scale_x_discrete(labels=names)
        + coord_flip()
        + scale_fill_manual(values=shades(len(places)), labels=_names(table), drop=False)
        + labs(x="", y="Share of the scores (%)", fill="Place")
        + look.plot_theme(height=1.4 + 0.34 * len(labels))
        + theme(panel_grid_major_y=element_blank())
    )
