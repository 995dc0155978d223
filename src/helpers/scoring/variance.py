"""Whose variance it is: each dimension's scores split between cases, evaluators and analysts.

    score = mean + case + evaluator + analyst + their three pairs + residual

A case:analyst combination is one text, so its variance is that of texts beyond what case and
analyst have on average. The spread of nine cases' means, which a picture of means shows, also holds
a ninth of that and of the residual; the model takes them apart.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl
from plotnine import (
    aes,
    coord_flip,
    element_blank,
    geom_col,
    ggplot,
    guide_legend,
    guides,
    labs,
    scale_fill_manual,
    scale_x_discrete,
    theme,
)

from helpers import look, mixed, say
from helpers.estimates import frame, note
from helpers.scoring.table import Scored, wrapped
from helpers.show import Markdown

TERMS = ("case", "evaluator", "analyst", "case:analyst", "evaluator:case", "evaluator:analyst")
PARTS = (*TERMS, mixed.RESIDUAL)


def split(scores: Scored, confidence: float = 0.95) -> dict[str, mixed.Mixed]:
    """Fit the model to each dimension; by label."""
    groups = {term: scores.groups(term) for term in TERMS}
    ones = np.ones((scores.frame.height, 1))
    return {
        label: mixed.fit(scores.array(label), ones, groups, confidence=confidence)
        for label in scores.labels
    }


def components(models: Mapping[str, mixed.Mixed]) -> pl.DataFrame:
    """Every variance of every dimension with its interval and its share of the total."""
    rows = []
    for label, model in models.items():
        for part in PARTS:
            estimate = model.variances.get(part)
            share = model.share(part)
            reason = model.reason or model.left_out.get(part, "")
            rows.append(
                {
                    "Dimension": label,
                    "Part": _name(part),
                    "Levels": model.terms.get(part),
                    "Variance": estimate and estimate.value,
                    "Variance low": estimate and estimate.low,
                    "Variance high": estimate and estimate.high,
                    "Share (%)": None if share is None else 100 * share,
                    "Note": note(estimate) if estimate else f"not estimable: {reason}",
                }
            )
    return frame(rows)


def _name(part: str) -> str:
    return part.replace(":", " × ")


def shares(models: Mapping[str, mixed.Mixed]) -> pl.DataFrame:
    """Shares of the total variance in per cent, a row for each dimension."""
    rows = [
        {"Dimension": label}
        | {
            _name(part): None if (share := model.share(part)) is None else 100 * share
            for part in PARTS
        }
        for label, model in models.items()
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def ratios(models: Mapping[str, mixed.Mixed], confidence: float = 0.95) -> pl.DataFrame:
    """Variance of cases over that of evaluators, by dimension."""
    rows = []
    for label, model in models.items():
        found = mixed.ratio(model, "case", "evaluator", confidence)
        rows.append(
            {
                "Dimension": label,
                "Case / evaluator": found.value,
                "Case / evaluator low": found.low,
                "Case / evaluator high": found.high,
                "Note": note(found),
            }
        )
    return frame(rows)


def known_ratios(models: Mapping[str, mixed.Mixed]) -> list[float]:
    """Ratios of the variance of cases to that of evaluators, where they can be had."""
    found = [mixed.ratio(model, "case", "evaluator") for model in models.values()]
    return [float(ratio) for ratio in found if ratio.value is not None]


def short(models: Mapping[str, mixed.Mixed]) -> str:
    """On how many dimensions cases vary more than evaluators, in a few words."""
    known = known_ratios(models)
    if not known:
        reasons = [mixed.ratio(model, "case", "evaluator").reason for model in models.values()]
        return f"not estimable: {next(iter(reasons), 'no dimensions')}"
    larger = sum(ratio > 1 for ratio in known)
    return f"on {larger} of {say.count(len(known), 'dimension')}, by the estimates"


def sentence(models: Mapping[str, mixed.Mixed]) -> str:
    """The same in a sentence, with how sure it is."""
    if not known_ratios(models):
        return "By the models the variances of cases and evaluators cannot be compared."
    found = [mixed.ratio(model, "case", "evaluator") for model in models.values()]
    sure = sum(ratio.low is not None and ratio.low > 1 for ratio in found)
    return (
        f"By the models, cases vary more than evaluators {short(models)}; the interval of the "
        f"ratio of their variances lies above 1 on {sure}."
    )


def picture(models: Mapping[str, mixed.Mixed]) -> ggplot | Markdown:
    """Stacked bars of the shares, a bar for each dimension."""
    drawn_parts = [_name(part) for part in PARTS]
    drawn = (
        shares(models)
        .unpivot(index="Dimension", variable_name="Part", value_name="share")
        .drop_nulls("share")
        .with_columns(
            pl.col("Part").cast(pl.Enum(drawn_parts[::-1])),
            pl.col("Dimension").cast(pl.Enum(list(models)[::-1])),
        )
        .sort("Dimension", "Part")
    )
    names = wrapped([str(name) for name in list(models)[::-1]], 28)
    if drawn.is_empty():
        return Markdown("Nothing to draw: nothing is estimable.")
    return (
        ggplot(drawn.to_pandas(), aes("Dimension", "share", fill="Part"))
        + geom_col(width=0.7)
        + scale_x_discrete(labels=dict(zip(list(models)[::-1], names, strict=True)))
        + coord_flip()
        + scale_fill_manual(
            values=dict(zip(drawn_parts, look.PALETTE, strict=True)), breaks=drawn_parts
        )
        + guides(fill=guide_legend(nrow=2))
        + labs(x="", y="Share of the variance (%)")
        + look.plot_theme(height=1.6 + 0.34 * len(models))
        + theme(panel_grid_major_y=element_blank())
    )
