"""Rankings of analysts after the scores on one dimension were permuted among them.

Two levels: the analysts' mean scores are permuted, or the scores within each judgement, before
means are taken. Permuting within judgements all but levels a dimension's means; permuting means
hands an analyst the whole standing of another.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from helpers.permutation.ranks import Floats, Ints, doubled_ranks
from helpers.permutation.shuffle import shuffled_sums

Level = Literal["analyst", "row"]


@dataclass(frozen=True)
class Rows:
    """Scores row by row: what one evaluator gave one analyst in one case.

    Attributes
    ----------
    scores : ndarray
        Shape (rows, dimensions); rows of a judgement, an evaluator's of one case, stand together.
    start : ndarray of int
        First row of each judgement.
    analyst : ndarray of int
        Shape (rows,): whose analysis it is.
    factor : ndarray
        Shape (rows,): what a row counts in the mean of its analyst.
    """

    scores: Floats
    start: Ints
    analyst: Ints
    factor: Floats

    @property
    def means(self) -> Floats:
        """Mean scores, shape (analysts, dimensions)."""
        means = np.zeros((int(self.analyst.max(initial=-1)) + 1, self.scores.shape[1]))
        np.add.at(means, self.analyst, self.factor[:, None] * self.scores)
        return means


def by_analyst(scores: Floats, shares: Floats, orders: Ints) -> Ints:
    """Rank analysts after their mean scores on each dimension in turn were permuted.

    Parameters
    ----------
    scores : ndarray
        Shape (analysts, dimensions), mean scores.
    shares : ndarray
        Shape (dimensions,), weights.
    orders : ndarray of int
        Shape (permutations, analysts): whose score each analyst gets.

    Returns
    -------
    ndarray of int
        Shape (dimensions, permutations, analysts), doubled ranks by the weighted sum.
    """
    parts = scores * shares
    rest = parts.sum(axis=1)[:, None] - parts  # of the sum, without each dimension
    return doubled_ranks(rest.T[:, None, :] + parts.T[:, orders])


def by_row(rows: Rows, shares: Floats, draws: int, seed: int) -> Ints:
    """Rank analysts after scores on each dimension in turn were permuted within judgements.

    Parameters
    ----------
    rows : Rows
        The scores.
    shares : ndarray
        Shape (dimensions,), weights.
    draws, seed : int
        How often, and where chance begins.

    Returns
    -------
    ndarray of int
        Shape (dimensions, draws, analysts), doubled ranks by the weighted sum.
    """
    parts = rows.means * shares
    rest = parts.sum(axis=1)[:, None] - parts
    permuted = [
        shuffled_sums(own, rows.start, rows.analyst, rows.factor, draws, seed + number)
        for number, own in enumerate(rows.scores.T)
    ]
    return doubled_ranks(rest.T[:, None, :] + shares[:, None, None] * np.array(permuted))
