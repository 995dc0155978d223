"""All rankings of a study in one table, and mean ranks made of it.

A mean rank is a mean of means: over the evaluators of a case first, over cases then. So each case
counts the same, however many evaluators it had. Analysts that share a rank get the mean of the
places that they share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from helpers.study import Study

Floats = NDArray[np.float64]

CELLS = 4_000_000  # of replicates × cases × things that are held at a time


@dataclass(frozen=True)
class Ranks:
    """Whole rankings; rank 1 is the best.

    Attributes
    ----------
    evaluators, cases, analysts : tuple of str
        Those in any ranking, in the order of the study's files.
    kinds, levels : tuple of str
        Of each analyst, "" where the study does not say.
    values : ndarray
        Shape (evaluators, cases, analysts); nan where there is no rank.
    """

    evaluators: tuple[str, ...]
    cases: tuple[str, ...]
    analysts: tuple[str, ...]
    kinds: tuple[str, ...]
    levels: tuple[str, ...]
    values: Floats

    @cached_property
    def given(self) -> NDArray[np.bool_]:
        """Which ranks there are."""
        return np.isfinite(self.values)

    @cached_property
    def rankings(self) -> int:
        """How many rankings there are, one for each evaluator and case."""
        return int(self.given.any(axis=2).sum())

    @cached_property
    def by_case(self) -> Floats:
        """Mean rank by case and analyst, shape (cases, analysts)."""
        return np.asarray(case_means(self.values, np.ones((1, len(self.evaluators))))[0])

    def of_level(self, level: str) -> list[int]:
        """Positions of the physicians of a level."""
        return [
            place
            for place, (kind, own) in enumerate(zip(self.kinds, self.levels, strict=True))
            if kind == "physician" and own == level
        ]

    def levels_by_case(self, levels: Sequence[str]) -> Floats:
        """Mean rank by case and level, over the physicians of the level."""
        columns = []
        for level in levels:
            own = self.by_case[:, self.of_level(level)]
            given = np.isfinite(own)
            with np.errstate(invalid="ignore"):
                columns.append(np.where(given, own, 0.0).sum(axis=1) / given.sum(axis=1))
        return np.stack(columns, axis=1)

    def known_levels(self) -> list[str]:
        """Levels of physicians in the order of the file."""
        pairs = zip(self.kinds, self.levels, strict=True)
        return list(dict.fromkeys(level for kind, level in pairs if kind == "physician" and level))


def ranks(study: Study) -> Ranks:
    """Lay out the rankings of a study; without any, a table of no evaluators.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    """
    given = (
        study["ratings"]
        .drop_nulls("rank")
        .with_columns(pl.col("rank").rank("average").over("evaluator", "case"))
    )
    names = {
        key: [name for name in study[f"{key}s"][key] if name in set(given[key])]
        for key in ("evaluator", "case", "analyst")
    }
    places = [
        given[key]
        .replace_strict(own, range(len(own)), return_dtype=pl.Int64)
        .to_numpy()
        .astype(int)
        for key, own in names.items()
    ]
    values = np.full([len(own) for own in names.values()], np.nan)
    values[tuple(places)] = given["rank"].to_numpy()
    about = {analyst: rest for analyst, *rest in study["analysts"].iter_rows()}
    kinds, levels = (
        tuple(about[analyst][place] or "" for analyst in names["analyst"]) for place in (0, 1)
    )
    evaluators, cases, analysts = (tuple(own) for own in names.values())
    return Ranks(evaluators, cases, analysts, kinds, levels, values)


def case_means(values: Floats, weights: Floats) -> Floats:
    """Weighted means over evaluators.

    Parameters
    ----------
    values : ndarray
        Shape (evaluators, cases, things); a gap is nan.
    weights : ndarray
        Shape (replicates, evaluators): how much each evaluator counts.

    Returns
    -------
    ndarray
        Shape (replicates, cases, things); nan where no evaluator counts.
    """
    given = np.isfinite(values)
    flat = np.where(given, values, 0.0).reshape(len(values), -1)
    counts = weights @ given.reshape(len(values), -1).astype(float)
    with np.errstate(invalid="ignore"):
        means = (weights @ flat) / counts
    return np.asarray(means.reshape(len(weights), *values.shape[1:]))


def means(values: Floats, evaluators: Floats, cases: Floats) -> Floats:
    """Weighted means over evaluators within cases, then over cases.

    A thing that nobody judged in a case has its mean over the other cases. In a case in which it
    was judged, a replicate without any of its evaluators has no mean, and so none over cases.

    Parameters
    ----------
    values : ndarray
        Shape (evaluators, cases, things); a gap is nan.
    evaluators, cases : ndarray
        Shapes (replicates, evaluators) and (replicates, cases): how much each counts.

    Returns
    -------
    ndarray
        Shape (replicates, things).
    """
    ever = np.isfinite(values).any(axis=0)
    size = max(1, CELLS // max(1, ever.size))
    parts = []
    for start in range(0, len(evaluators), size):
        by_case = case_means(values, evaluators[start : start + size])
        counts = np.where(ever, cases[start : start + size, :, None], 0.0)
        with np.errstate(invalid="ignore"):
            total = (counts * np.where(counts > 0, by_case, 0.0)).sum(axis=1)
            parts.append(total / counts.sum(axis=1))
    return np.concatenate(parts)
