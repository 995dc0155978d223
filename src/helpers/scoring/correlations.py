"""Whether dimensions can be told apart: their correlations, in three parts of the ratings.

Intervals leave out one evaluator at a time, with all that they wrote (delete-one jackknife on the
scale of Fisher's z); the analyses are taken as they are.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from matplotlib import rc_context
from matplotlib.figure import Figure

from helpers import beside, look, say
from helpers.agreement import Estimate
from helpers.agreement.jackknife import CORRELATION, limits
from helpers.audit.quotes import normalise
from helpers.estimates import cells, frame, note
from helpers.scoring.parts import MEANING, UNIT, Part, groups, part_of
from helpers.scoring.table import Floats, Scored, wrapped
from helpers.show import escape

METHODS = ("pearson", "spearman")
FEWEST = 3  # values that a correlation needs
MOST_WRITTEN = 12  # columns of tiles into which their values fit
NEGATIVE, PALEST, POSITIVE = "#e0a368", "#eef1f4", "#7ba3d0"  # all light enough for dark text
PRINTED = {  # quotes of the paper's text, by the pair that each is about
    ("Diagnostic Accuracy", "Reasoning Soundness"): (
        "correlation, diagnostic accuracy and reasoning"
    ),
    ("Treatment Appropriateness", "Treatment Coverage"): (
        "correlation, treatment appropriateness and coverage"
    ),
}
BOUND = "bound on most correlations"

Pair = tuple[str, str]
Correlations = Mapping[str, Mapping[Pair, Estimate]]


def correlations(scores: Scored, part: Part = "pooled", confidence: float = 0.95) -> Correlations:
    """Correlations of every two dimensions.

    Parameters
    ----------
    scores : Scored
        Of a study. A pair uses the rows that have both its scores.
    part : {"pooled", "within", "between"}
        See `helpers.scoring.parts`.
    confidence : float
        Confidence level.

    Returns
    -------
    mapping of str to mapping
        By method, "pearson" and "spearman", then by pair.
    """
    values, group = scores.array(), groups(scores, part)
    evaluator = scores.frame["evaluator"].to_numpy()
    rests = [evaluator != one for one in np.unique(evaluator)]
    rows = part_of(values, group, part)
    without = [
        part_of(values[rest], None if group is None else list(np.array(group)[rest]), part)
        for rest in rests
    ]
    found: dict[str, dict[Pair, Estimate]] = {}
    for method in METHODS:
        whole = _matrix(rows, method)
        parts = np.array([_matrix(table, method) for table in without])
        found[method] = {
            (scores.labels[i], scores.labels[j]): _estimate(
                rows[:, [i, j]], float(whole[i, j]), parts[:, i, j], part, confidence
            )
            for i, j in combinations(range(len(scores.labels)), 2)
        }
    return found


def _matrix(values: Floats, method: str) -> Floats:
    """Pairwise correlations; nan where a dimension does not vary."""
    flat = np.nanmax(values, axis=0, initial=-np.inf) - np.nanmin(values, axis=0, initial=np.inf)
    varied = np.where(flat < 1e-12, np.nan, values)
    with np.errstate(invalid="ignore", divide="ignore"):
        table: Any = pd.DataFrame(varied).corr(method=method, min_periods=FEWEST)  # type: ignore[arg-type]
    return np.asarray(table, dtype=float)


def _estimate(
    pair: Floats, value: float, without: Floats, part: Part, confidence: float
) -> Estimate:
    complete = pair[~np.isnan(pair).any(axis=1)]
    told: dict[str, Any] = {
        "used": len(complete),
        "dropped": len(pair) - len(complete),
        "unit": UNIT[part],
        "confidence": confidence,
    }
    if np.isnan(value):
        few = len(complete) < FEWEST
        reason = f"{len(complete)} {UNIT[part]} with both scores" if few else "no variance"
        return Estimate(reason=reason, **told)
    low, high, reason = limits(value, without, CORRELATION, confidence, "evaluator")
    return Estimate(value=value, low=low, high=high, reason=reason, **told)


def table(found: Correlations, part: Part = "pooled") -> pl.DataFrame:
    """A row for each pair of dimensions, with what the paper's text prints of it."""
    rows = []
    for pair in found["pearson"]:
        pearson, spearman = (found[method][pair] for method in METHODS)
        rows.append(
            {"First": pair[0], "Second": pair[1], "n": pearson.used}
            | cells(pearson, "Pearson")
            | cells(spearman, "Spearman")
            | {
                "Published": printed(pair) if part == "pooled" else None,
                "Note": "; ".join(dict.fromkeys(filter(None, map(note, (pearson, spearman))))),
            }
        )
    schema = {"First": pl.String, "Second": pl.String}
    return frame(rows, optional=("Published", "Note")) if rows else pl.DataFrame(schema=schema)


def printed(pair: Pair) -> str | None:
    """What the paper's text prints for this pair."""
    names = {normalise(label) for label in pair}
    about = next((q for own, q in PRINTED.items() if set(map(normalise, own)) == names), None)
    return about and beside.quote(about)


def bound() -> float:
    """The correlation below which the paper calls two dimensions distinct."""
    return float(beside.quote(BOUND))


def bounds(found: Mapping[Part, Correlations]) -> pl.DataFrame:
    """How many pairs of dimensions stay below the paper's bound, by part of the ratings."""
    limit = bound()
    rows = []
    for part, own in found.items():
        known = {pair: e for pair, e in own["pearson"].items() if e.value is not None}
        top = max(known, key=lambda pair: float(known[pair]), default=None)
        rows.append(
            {
                "Part": MEANING[part],
                "Pairs": len(known),
                f"Below {limit}": sum(float(e) < limit for e in known.values()),
                "Whole interval below": sum(
                    e.high is not None and e.high < limit for e in known.values()
                ),
                "Whole interval above": sum(
                    e.low is not None and e.low > limit for e in known.values()
                ),
                "Highest": top and f"{top[0]} with {top[1]}, {say.number(float(known[top]))}",
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def discriminant(found: Correlations) -> tuple[str, ...]:
    """What Pearson's correlations of all rows say of the paper's bound, in sentences."""
    known = {pair: e for pair, e in found["pearson"].items() if e.value is not None}
    if not known:
        return ("No two dimensions have a correlation to judge.",)
    limit = bound()
    above = {pair: e for pair, e in known.items() if float(e) >= limit}
    sure = sum(e.high is not None and e.high < limit for e in known.values())
    told = [
        f"{len(known) - len(above)} of {say.count(len(known), 'pair')} correlate below "
        f"{say.number(limit)}, the bound that the paper calls adequate; on {sure} the whole "
        "interval lies below it."
    ]
    if above:
        named = [escape(f"{a} with {b}, {e.text()}") for (a, b), e in above.items()]
        told.append(f"At or above it: {'; '.join(named)}.")
    return tuple(told)


def picture(found: Correlations, labels: tuple[str, ...]) -> Figure:
    """Heat map with the values: Pearson below the diagonal, Spearman above.

    Parameters
    ----------
    found : mapping
        As `correlations` gives it.
    labels : tuple of str
        The dimensions in order.
    """
    values = np.full((len(labels), len(labels)), np.nan)
    for method in METHODS:
        for (first, second), estimate in found[method].items():
            row, column = labels.index(second), labels.index(first)
            place = (row, column) if method == "pearson" else (column, row)
            values[place] = np.nan if estimate.value is None else estimate.value
    names = wrapped(labels)
    return heat_map(pd.DataFrame(values, names, names), "Correlation")


def heat_map(values: pd.DataFrame, meaning: str) -> Figure:
    """Tiles between 0 and 1, or −1 and 1 where some are negative, with their values.

    Parameters
    ----------
    values : pandas.DataFrame
        Its index and columns name the tiles; nan tiles stay empty.
    meaning : str
        What is drawn, beside the colours' key.
    """
    import seaborn as sns
    from matplotlib.colors import LinearSegmentedColormap

    negative = bool((values < 0).any(axis=None))
    ends = [NEGATIVE, PALEST, POSITIVE] if negative else [PALEST, POSITIVE]
    with rc_context(look.RC):
        canvas = Figure(figsize=(look.WIDTH, 1.3 + 0.5 * len(values)), layout="constrained")
        axes = canvas.subplots()
        sns.heatmap(
            values,
            ax=axes,
            vmin=-1 if negative else 0,
            vmax=1,
            cmap=LinearSegmentedColormap.from_list("", ends),
            annot=values.shape[1] <= MOST_WRITTEN,
            fmt=".2f",
            linewidths=1,
            annot_kws={"size": 9, "color": look.INK},
            cbar_kws={"label": meaning},
        )
        axes.set(xlabel="", ylabel="")
        axes.tick_params(length=0, labelsize=8)
        turn = 35 if values.shape[1] <= MOST_WRITTEN else 90
        axes.set_xticklabels(
            axes.get_xticklabels(),
            rotation=turn,
            ha="right",
            va="top" if turn < 90 else "center",
            rotation_mode="anchor",
        )
        axes.tick_params(axis="y", rotation=0)
    return canvas
