"""How well weights predict rankings that they were not fitted to."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from helpers.choice.fit import Fit
from helpers.choice.logit import Floats
from helpers.choice.prediction import Prediction, mean_ranks, predict
from helpers.choice.rankings import Rankings
from helpers.not_estimable import NotEstimableError

Masks = NDArray[np.bool_]

MEASURES = ("tau", "pairwise", "whole", "position")
"""Means of τ and of whole rankings predicted exactly over rankings, shares of pairs and items."""


@dataclass(frozen=True)
class Validation:
    """Predictions of rankings left out, by the weights of each of several splits.

    Attributes
    ----------
    rankings : Rankings
        What was predicted.
    prediction : Prediction
        Of all of them by each split's weights.
    tested : ndarray of bool
        Shape (splits, rankings), which of them count.
    """

    rankings: Rankings
    prediction: Prediction
    tested: Masks

    def by_ranking(self) -> pl.DataFrame:
        """One row for each split and ranking tested, null where the split has no estimate.

        Columns `split`, `evaluator`, `case`, `tau`, `whole`, `hits` of `pairs`, `exact` of `items`,
        as in `Prediction`.
        """
        at, ranking = np.nonzero(self.tested)
        found, sizes = self.prediction, self.rankings.sizes
        known = np.isfinite(found.hits)
        exact = np.where(known, self._exact(), np.nan)
        return pl.DataFrame(
            {
                "split": at,
                "evaluator": self.rankings.evaluator[ranking],
                "case": self.rankings.case[ranking],
                "tau": found.tau[at, ranking],
                "whole": found.whole[at, ranking],
                "hits": found.hits[at, ranking],
                "pairs": np.where(known, found.pairs, np.nan)[at, ranking],
                "exact": exact[at, ranking],
                "items": np.where(known, sizes, np.nan)[at, ranking],
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))

    def by_split(self) -> pl.DataFrame:
        """One row for each split.

        Columns: number of `rankings` tested, mean `tau`, `undefined` (rankings without τ), `whole`
        (share of rankings predicted exactly), `position` (share of items), `pairwise` (accuracy
        of pairs), `lost` (rankings not predicted, as the split has no estimate).
        """
        return self.by_ranking().group_by("split", maintain_order=True).agg(*_summary())

    def pooled(self) -> pl.DataFrame:
        """The same over all splits taken together, in one row."""
        return self.by_ranking().select(*_summary())

    def sums(self) -> tuple[Floats, Floats]:
        """What each of `MEASURES` adds up over the splits, and what it is divided by.

        Returns
        -------
        tuple of ndarray
            Both of shape (rankings, measures), so that the measures of any sample of rankings are
            a ratio of sums.
        """
        found = self.prediction
        known = self.tested & np.isfinite(found.hits)
        exact = self._exact()
        ones = np.ones_like(found.hits)
        parts = (
            (found.tau, ones, known & np.isfinite(found.tau)),
            (found.hits, found.pairs * ones, known),
            (found.whole, ones, known),
            (exact, self.rankings.sizes * ones, known),
        )
        above, below = (
            np.stack([np.where(use, part[side], 0).sum(axis=0) for *part, use in parts], axis=1)
            for side in (0, 1)
        )
        return above, below

    def by_rank(self) -> pl.DataFrame:
        """Share of items predicted exactly (`exact`, of `items`), by the `rank` they were given."""
        known = self.tested & np.isfinite(self.prediction.hits)
        rows = known[:, self.rankings.ranking]
        rank, exact = mean_ranks(self.rankings), self.prediction.exact
        return (
            pl.DataFrame({"rank": rank[np.nonzero(rows)[1]], "exact": exact[rows].astype(float)})
            .group_by("rank")
            .agg(pl.col("exact").mean(), pl.len().alias("items"))
            .sort("rank")
        )

    def _exact(self) -> Floats:
        """Items predicted exactly, shape (splits, rankings)."""
        counts = np.add.reduceat(self.prediction.exact, self.rankings.start, axis=1, dtype=np.int64)
        return counts.astype(float)


def split(rankings: Rankings, share: float, times: int, seed: int) -> Masks:
    """Divide whole rankings at random into training and test, again and again.

    Parameters
    ----------
    rankings : Rankings
        What is divided.
    share : float
        Share of the rankings to train on; 0.7 for 7:3.
    times : int
        Number of splits.
    seed : int
        Seed; the same seed gives the same splits.

    Returns
    -------
    ndarray of bool
        Shape (times, rankings), True for training.

    Raises
    ------
    NotEstimableError
        If one side would be empty.
    """
    count = len(rankings)
    train = round(share * count)
    if not 0 < train < count:
        told = f"{count} ranking{'s' * (count != 1)}"
        raise NotEstimableError(
            "predictions of new rankings are",
            f"of {told} none would be left to {'train' if train <= 0 else 'test'} on "
            f"with a share of {share:g} for training",
        )
    order = np.tile(np.arange(count) < train, (times, 1))
    return np.random.default_rng(seed).permuted(order, axis=1)


def validate(
    fit: Fit,
    rankings: Rankings,
    train: NDArray[np.generic],
    tested: Masks | None = None,
) -> Validation:
    """Refit on the training rankings of each split and predict the others.

    Parameters
    ----------
    fit : Fit
        A regression on these rankings.
    rankings : Rankings
        What it was fitted to.
    train : ndarray
        Shape (splits, rankings): from `split`, or, for cross-validation grouped by evaluator or
        case, the weights of `resample.leave_one_out`.
    tested : ndarray of bool, optional
        Shape (splits, rankings); by default all that are not trained on.

    Returns
    -------
    Validation
        By split and over all.
    """
    trained = np.asarray(train, dtype=float)
    coefficients: Floats = fit.refit(trained)[:, : len(rankings.dimensions)]
    left = trained == 0 if tested is None else tested
    return Validation(rankings, predict(rankings, coefficients), left)


def _summary() -> list[pl.Expr]:
    hits = pl.col("hits")
    return [
        pl.len().alias("rankings"),
        pl.col("tau").mean(),
        (pl.col("tau").is_null() & hits.is_not_null()).sum().alias("undefined"),
        pl.col("whole").mean(),
        (pl.col("exact").sum() / pl.col("items").sum()).fill_nan(None).alias("position"),
        (hits.sum() / pl.col("pairs").sum()).fill_nan(None).alias("pairwise"),
        hits.is_null().sum().alias("lost"),
    ]
