"""A study's scores in one unit, and their means by case and by evaluator.

An evaluator's value is the mean over their cases of their mean in each: each case counts the same,
however many of its analyses they scored.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from helpers.study import Study

Floats = NDArray[np.float64]

COLUMNS = ("evaluator", "case", "analyst", "cases", "specialist", "dimension", "value", "n")
"""Names that columns beside the dimensions have here, and in what is made of such tables."""

LONGEST = 26  # letters of a word on an axis
LINES = 3  # of a label on an axis
LINE = 0.16  # inches that a name on an axis takes


@dataclass(frozen=True)
class Scored:
    """Scores in one unit.

    Attributes
    ----------
    frame : polars.DataFrame
        `evaluator`, `case`, `analyst`, and a column of floats for each dimension's label.
    labels : tuple of str
        The dimensions in order. One that is called as another column is ("value") begins with a
        capital here.
    unit : str
        "points", or "% of the scale" where scales differ, so that dimensions can be compared.
    cases, analysts : tuple of str
        Those that were scored, in the order of the study's files.
    """

    frame: pl.DataFrame
    labels: tuple[str, ...]
    unit: str
    cases: tuple[str, ...]
    analysts: tuple[str, ...]

    def array(self, label: str | None = None) -> Floats:
        """Scores on one dimension, shape (rows,), or on all, shape (rows, dimensions)."""
        columns = self.frame.select(self.labels if label is None else [label])
        values = columns.to_numpy().astype(float)
        return values if label is None else values[:, 0]

    def groups(self, term: str) -> list[str]:
        """The group of each row for a term such as "case:analyst"."""
        joined = pl.concat_str(term.split(":"), separator="\x1f")
        return self.frame.select(joined).to_series().to_list()


def scored(study: Study) -> Scored:
    """Take a study's scores, in points where all scales are alike."""
    dimensions = study.config.dimensions
    alike = len({(d.min, d.max) for d in dimensions}) == 1
    columns = []
    for dimension in dimensions:
        points = pl.col(dimension.code).cast(pl.Float64)
        share = 100 * (points - dimension.min) / (dimension.max - dimension.min)
        columns.append((points if alike else share).alias(_shown(dimension.label)))
    ratings = study["ratings"]
    names = {
        key: tuple(name for name in study[f"{key}s"][key] if name in set(ratings[key]))
        for key in ("case", "analyst")
    }
    return Scored(
        ratings.select("evaluator", "case", "analyst", *columns),
        tuple(_shown(dimension.label) for dimension in dimensions),
        "points" if alike else "% of the scale",
        names["case"],
        names["analyst"],
    )


def _shown(label: str) -> str:
    return label.capitalize() if label in COLUMNS else label


def by_case(scores: Scored) -> pl.DataFrame:
    """Mean of each case: `case`, and a column for each dimension."""
    return scores.frame.group_by("case", maintain_order=True).agg(pl.col(scores.labels).mean())


def by_evaluator_case(scores: Scored) -> pl.DataFrame:
    """Mean over the analysts: `evaluator`, `case`, and a column for each dimension."""
    together = scores.frame.group_by("evaluator", "case", maintain_order=True)
    return together.agg(pl.col(scores.labels).mean())


def by_evaluator(scores: Scored) -> pl.DataFrame:
    """Each evaluator's mean over their cases: `evaluator`, `cases`, and the dimensions."""
    return (
        by_evaluator_case(scores)
        .group_by("evaluator", maintain_order=True)
        .agg(pl.len().alias("cases"), pl.col(scores.labels).mean())
    )


def wrapped(labels: Sequence[str], width: int = 14) -> list[str]:
    """Labels broken at spaces, for axes; what would take too much room ends in an ellipsis."""
    return [
        "\n".join(
            textwrap.wrap(
                " ".join(map(_short, label.split())),
                width,
                break_long_words=False,
                max_lines=LINES,
                placeholder=" …",
            )
        )
        for label in labels
    ]


def thinned(names: Sequence[str], inches: float) -> list[str]:
    """As many of the names, at equal steps, as fit on an axis of this height."""
    room = max(1, int(inches / LINE))
    return list(names[:: -(-len(names) // room)])


def _short(word: str) -> str:
    return word if len(word) <= LONGEST else f"{word[: LONGEST - 1]}…"
