"""The audit at a glance: how many checks of each table fell into each class."""

from collections.abc import Sequence

import polars as pl
from plotnine import (
    aes,
    coord_flip,
    element_blank,
    geom_col,
    ggplot,
    labs,
    scale_fill_manual,
    theme,
)

from helpers import look
from helpers.audit.finding import Finding, Verdict
from helpers.audit.report import title

COLOURS = {
    Verdict.CONSISTENT: look.PALE,
    Verdict.ROUNDING: look.BLUE,
    Verdict.UNCHECKABLE: look.GREY,
    Verdict.INCONSISTENT: look.ORANGE,
    Verdict.DECISION: "#8c1d18",
}


def by_table(findings: Sequence[Finding]) -> ggplot:
    """Stacked bars, one for each table: number of checks by class.

    Parameters
    ----------
    findings : sequence of Finding
        Of one paper.

    Returns
    -------
    plotnine.ggplot
        Tables from top to bottom in the paper's order, the text last.
    """
    tables = [title(name) for name in dict.fromkeys(finding.table for finding in findings)]
    frame = (
        pl.DataFrame(
            {
                "table": [title(finding.table) for finding in findings],
                "verdict": [finding.verdict.value for finding in findings],
            }
        )
        .group_by("table", "verdict")
        .len("checks")
    )
    order = [verdict.value for verdict in Verdict]
    counted = frame.with_columns(
        pl.col("table").cast(pl.Enum(tables[::-1])),
        pl.col("verdict").cast(pl.Enum(order[::-1])),
    ).sort("table", "verdict")
    return (
        ggplot(counted.to_pandas(), aes("table", "checks", fill="verdict"))
        + geom_col(width=0.7)
        + coord_flip()
        + scale_fill_manual(
            values={verdict.value: colour for verdict, colour in COLOURS.items()},
            breaks=order,
        )
        + labs(x="", y="Number of checks")
        + look.plot_theme()
        + theme(panel_grid_major_y=element_blank())
    )
