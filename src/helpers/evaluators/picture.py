"""Figures of evaluators. Each returns Markdown instead where there is nothing to draw."""

import pandas as pd
import polars as pl
from plotnine import (
    aes,
    element_text,
    facet_wrap,
    geom_hline,
    geom_point,
    geom_smooth,
    geom_text,
    geom_vline,
    ggplot,
    labs,
    scale_size_continuous,
    scale_x_continuous,
    scale_y_continuous,
    theme,
)

from helpers import look, show
from helpers.evaluators.profile import Profiles
from helpers.ranking.picture import minus

NAMED = 4  # of the most influential evaluators stand with their names, and the extreme ones


def profile(profiles: Profiles, influence: pl.DataFrame) -> ggplot | show.Markdown:
    """Leniency against agreement; larger points move mean ranks more when left out."""
    frame = (
        profiles.people.join(
            influence.with_columns(pl.col("evaluator").cast(pl.String)), on="evaluator", how="left"
        )
        .drop_nulls(["leniency", "ranks"])
        .sort("shift", descending=True, nulls_last=True)
        .to_pandas()
    )
    if frame.empty:
        return show.prose("Not drawn: no evaluator has both leniency and agreement on ranks.")
    frame["shift"] = frame["shift"].astype(float).fillna(0)
    extreme = [frame[c].agg(end) for c in ("leniency", "ranks") for end in ("idxmin", "idxmax")]
    named = frame.loc[sorted({*range(min(NAMED, len(frame))), *extreme})]
    return (
        ggplot(frame, aes("leniency", "ranks"))
        + geom_vline(xintercept=0, color=look.SOFT, linetype="dashed", size=0.5)
        + geom_point(aes(size="shift"), color=look.BLUE, alpha=0.65)
        + geom_text(
            aes(label="evaluator"),
            named,
            size=8,
            color=look.INK,
            va="bottom",
            nudge_y=0.008,
        )
        + scale_x_continuous(labels=minus)
        + scale_size_continuous(range=(1, 6), name="Largest shift of a mean rank")
        + labs(x=f"Leniency ({profiles.unit})", y="Agreement on ranks with the others")
        + look.plot_theme()
        + theme(legend_title=element_text(size=9))
    )


def years(profiles: Profiles) -> ggplot | show.Markdown:
    """Leniency and agreement against years in practice, with straight lines."""
    names = {
        "leniency": f"Leniency ({profiles.unit})",
        "ranks": "Agreement on ranks",
        "scores": "Agreement on scores",
    }
    frame = (
        profiles.people.unpivot(list(names), index=["evaluator", "years"])
        .drop_nulls(["years", "value"])
        .to_pandas()
    )
    if frame.empty:
        return show.prose("Not drawn: no evaluator has years in practice and someone beside.")
    frame["variable"] = pd.Categorical(frame["variable"].map(names), list(names.values()))
    leniency = pd.Categorical([names["leniency"]], frame["variable"].cat.categories)
    zero = pd.DataFrame({"zero": [0.0], "variable": leniency})
    drawn = (
        ggplot(frame, aes("years", "value"))
        + geom_hline(aes(yintercept="zero"), zero, color=look.SOFT, linetype="dashed", size=0.5)
        + geom_point(color=look.BLUE, size=1.8, alpha=0.7)
        + facet_wrap("variable", ncol=3, scales="free_y")
        + scale_y_continuous(labels=minus)
        + labs(x="Years in practice", y="")
        + look.plot_theme(height=2.8)
    )
    if frame["years"].nunique() < 3:
        return drawn
    return drawn + geom_smooth(method="lm", se=False, color=look.ORANGE, size=0.9)
