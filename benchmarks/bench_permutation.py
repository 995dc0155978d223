"""Permutation of dimensions beside scikit-learn's permutation_importance, on the same arrays.

10,000 permutations of each of seven dimensions, of the mean scores of six models and of 1,080
scores of 180 judgements. Seconds are those of the processor. scikit-learn permutes a column of the
array, calls the weighted sum and a scorer that ranks and projects; it is timed on a part of the
permutations and multiplied. Counts of both must agree within their Monte-Carlo error, or nothing is
compared; for that, rows are permuted over all judgements here too, as scikit-learn does.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import rankdata
from sklearn.inspection import permutation_importance

from benchmarks.comparison import Comparison, processor_seconds
from helpers.permutation.counts import Counts, counts
from helpers.permutation.permuted import Rows

MODELS, JUDGEMENTS, DIMENSIONS = 6, 180, 7
PERMUTATIONS, TIMED = 10_000, 500
EPSILON = 0.5


class Weighted:
    """An estimator for scikit-learn that predicts by the weighted sum."""

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights

    def fit(self, scores: np.ndarray, target: np.ndarray) -> "Weighted":
        """Nothing is left to fit."""
        return self

    def predict(self, scores: np.ndarray) -> np.ndarray:
        return scores @ self.weights


class Near:
    """A scorer: 0 where the ranking of models' mean predictions is near the benchmark's, else 1."""

    def __init__(self, evaluators: np.ndarray, benchmark: np.ndarray) -> None:
        self.direction = evaluators - benchmark
        self.benchmark = benchmark
        self.squared = self.direction @ self.direction

    def __call__(self, estimator: Weighted, scores: np.ndarray, target: np.ndarray) -> float:
        sums = estimator.predict(scores).reshape(-1, MODELS).sum(axis=0)
        ranks = rankdata(-sums.round(9))
        share = (ranks - self.benchmark) @ self.direction / self.squared
        return float(abs(share) >= EPSILON - 1e-9)


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, shape (judgements, models, dimensions), weights and accuracies."""
    random = np.random.default_rng(7)
    quality = random.normal(0, 0.6, (1, MODELS, DIMENSIONS))
    noise = random.normal(size=(JUDGEMENTS, MODELS, DIMENSIONS))
    scores = np.clip(np.rint(3 + quality + noise), 1, 5)
    return scores, np.linspace(0.2, 0.5, DIMENSIONS), quality[0, :, 1]


def bench() -> Iterator[Comparison]:
    """Time both on both arrays; a first call does not count."""
    scores, weights, accuracies = arrays()
    shares = weights / weights.sum()
    means = scores.mean(axis=0)
    what = f"{PERMUTATIONS:,} permutations of {DIMENSIONS} dimensions"

    def random() -> Counts:
        return table(counts(means, weights, accuracies, exact=False, permutations=PERMUTATIONS))

    def rows(start: np.ndarray) -> Counts:
        own = Rows(
            scores.reshape(-1, DIMENSIONS),
            start,
            np.tile(np.arange(MODELS), JUDGEMENTS),
            np.full(JUDGEMENTS * MODELS, 1 / JUDGEMENTS),
        )
        found = counts([], weights, accuracies, rows=own, permutations=PERMUTATIONS)
        return table(found)

    exact, every = timed(lambda: table(counts(means, weights, accuracies)))
    ours, found = timed(random)
    theirs = peer(means, shares, found)
    name = f"scikit-learn ({TIMED} of {PERMUTATIONS:,} timed)"
    size = f"{MODELS} models"
    yield Comparison(f"{what}, {size}", ours, name, theirs, aim="10 times as fast")
    yield Comparison(f"all {every.permutations} permutations of each, {size}", exact)
    ours, found = timed(lambda: rows(np.array([0])))
    theirs = peer(scores.reshape(-1, DIMENSIONS), shares, found)
    size = f"{JUDGEMENTS * MODELS:,} rows"
    yield Comparison(f"{what}, {size}", ours, name, theirs, aim="10 times as fast")
    ours, _ = timed(lambda: rows(MODELS * np.arange(JUDGEMENTS)))
    yield Comparison(f"the same within {JUDGEMENTS} judgements", ours)


def table(found: Counts) -> Counts:
    """The counts, so that they are made; not the rest of what could be asked for."""
    found.within  # noqa: B018
    return found


def timed(work: Callable[[], Counts]) -> tuple[float, Counts]:
    work()
    return processor_seconds(work, 3)


def peer(scores: np.ndarray, shares: np.ndarray, ours: Counts) -> float:
    """Seconds of scikit-learn for as many permutations; its counts must be ours."""
    near = Near(ours.line.evaluators / 2, ours.line.benchmark / 2)
    estimator, target = Weighted(shares), np.zeros(len(scores))
    seconds, found = processor_seconds(
        lambda: permutation_importance(
            estimator, scores, target, scoring=near, n_repeats=TIMED, random_state=1
        )
    )
    outside = near(estimator, scores, target)
    share = 1 - (outside - found.importances).mean(axis=1)
    error = np.sqrt(np.maximum(ours.share * (1 - ours.share), 1 / TIMED) / TIMED)
    if (np.abs(share - ours.share) > 4 * error).any():
        raise AssertionError(f"counts differ: {share} there, {ours.share} here")
    return seconds * PERMUTATIONS / TIMED
