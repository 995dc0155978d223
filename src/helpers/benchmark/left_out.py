"""How far curves miss a point that they have not seen: each point left out and predicted in turn.

A smoother has no value beyond its points, so that neither end can be predicted by it, and a curve
through few points may have none at all. What is not estimable is counted, and curves are compared
on the points that all of them predict.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize

from helpers.benchmark.association import flat
from helpers.benchmark.fit import line
from helpers.benchmark.smoother import loess
from helpers.not_estimable import NotEstimableError

Floats = NDArray[np.float64]
Predictor = Callable[[Floats, Floats, float], float]
"""From the other points' x and y, and the place of the one left out, to its prediction."""

MEAN, LINE, LOG = "Mean alone", "Straight line", "Line in the logarithm"
PARABOLA, MONOTONE, LOESS = "Parabola", "Monotone", "LOESS"
CURVES = (LOG, PARABOLA, MONOTONE, LOESS)
"""Models that bend."""


@dataclass(frozen=True)
class LeftOut:
    """Predictions of points left out.

    Attributes
    ----------
    outcome : ndarray
        Shape (n,).
    predicted : mapping of str to ndarray
        By model, shape (n,); nan where it has no prediction.
    reasons : mapping of str to str
        By model, why it lacks predictions.
    """

    outcome: Floats
    predicted: Mapping[str, Floats]
    reasons: Mapping[str, str]

    def errors(self, model: str) -> Floats:
        """Prediction less outcome; nan where there is none."""
        return np.asarray(self.predicted[model] - self.outcome)

    def common(self) -> NDArray[np.bool_]:
        """Points that every model predicts which predicts any."""
        known = [np.isfinite(own) for own in self.predicted.values() if np.isfinite(own).any()]
        return np.asarray(np.all(known, axis=0)) if known else np.zeros(len(self.outcome), bool)

    def on_common(self) -> dict[str, float]:
        """Root mean square error on `common`, by model; empty where there is no such point."""
        points = self.common()
        if not points.any():
            return {}
        found = {name: rms(self.errors(name)[points]) for name in self.predicted}
        return {name: error for name, error in found.items() if error is not None}


def leave_one_out(
    x: ArrayLike, y: ArrayLike, span: float = 0.7, degree: int = 1, robust: int = 0
) -> LeftOut:
    """Leave out each point once and predict it from the others.

    Parameters
    ----------
    x, y : array_like
        Shape (n,).
    span, degree, robust
        Of the smoother; see `smoother.loess`.

    Returns
    -------
    LeftOut
        By mean, line, line in the logarithm of x, parabola, monotone curve and LOESS. The monotone
        curve rises or falls as the correlation of the other points has it, is straight between
        points and keeps its last value beyond them.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)

    def smooth(a: Floats, b: Floats, new: float) -> float:
        if not a.min() <= new <= a.max():
            raise NotEstimableError("a prediction is", "an end point has no neighbours beyond it")
        return float(loess(a, b, span, degree, robust).predict(np.array([new]))[0])

    models: dict[str, Predictor] = {
        MEAN: lambda a, b, new: float(b.mean()),
        LINE: lambda a, b, new: float(line(a, b).predict(np.array([new]))[0]),
        LOG: _logarithm,
        PARABOLA: _parabola,
        MONOTONE: monotone,
        LOESS: smooth,
    }
    predicted, reasons = {}, {}
    for name, model in models.items():
        values, told = np.full(len(x), np.nan), []
        for own in range(len(x)):
            others = np.arange(len(x)) != own
            try:
                if not others.any():
                    raise NotEstimableError("a prediction is", "there is no other point")
                values[own] = model(x[others], y[others], float(x[own]))
            except NotEstimableError as error:
                told.append(error.reason)
        predicted[name] = values
        reasons[name] = "; ".join(dict.fromkeys(told))
    return LeftOut(y, predicted, reasons)


def rms(errors: Floats) -> float | None:
    """Root mean square of those errors that there are; None where there is none."""
    known = errors[np.isfinite(errors)]
    return float(np.sqrt((known**2).mean())) if len(known) else None


def monotone(x: Floats, y: Floats, new: float) -> float:
    """Value at a place of the closest curve that only rises, or only falls.

    Notes
    -----
    Isotonic regression by pooling adjacent violators: Barlow, Bartholomew, Bremner and Brunk
    (1972), *Statistical Inference under Order Restrictions*. Points at one place are averaged.
    """
    places, at = np.unique(x, return_inverse=True)
    count = np.bincount(at)
    means = np.bincount(at, weights=y) / count
    rising = float((x - x.mean()) @ (y - y.mean())) >= 0
    fitted = optimize.isotonic_regression(means, weights=count, increasing=rising).x
    return float(np.interp(new, places, fitted))


def _logarithm(x: Floats, y: Floats, new: float) -> float:
    if min(x.min(), new) <= 0:
        raise NotEstimableError("a line is", "a value of zero or less has no logarithm")
    return float(line(np.log(x), y).predict(np.log([new]))[0])


def _parabola(x: Floats, y: Floats, new: float) -> float:
    if len(np.unique(x)) < 3 or flat(x):
        raise NotEstimableError("a parabola is", "fewer than three other places")
    low, wide = x.min(), np.ptp(x)
    polynomial = np.polynomial.polynomial
    terms = polynomial.polyfit((x - low) / wide, y, 2)
    return float(polynomial.polyval((new - low) / wide, terms))
