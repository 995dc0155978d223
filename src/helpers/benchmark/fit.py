"""A curve through points, and how closely it follows them, by measures named in full."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from helpers.benchmark.association import flat
from helpers.errors import HelpersError, did_you_mean
from helpers.not_estimable import NotEstimableError

Floats = NDArray[np.float64]

POINTS, LESS_ONE, LESS_TWO, FREEDOM = "n", "n - 1", "n - 2", "residual freedom"
DIVISORS = (POINTS, LESS_ONE, LESS_TWO, FREEDOM)
"""What the sum of squared residuals may be divided by; the last is n − 2 for a line, δ₁ for LOESS,
and differs between the two, as it should if one spends more of the data than the other."""


@dataclass(frozen=True)
class Fit:
    """A curve.

    Attributes
    ----------
    name : str
        What it is.
    outcome, fitted : ndarray
        Shape (n,).
    predict : callable
        From places of shape (m,) to values of shape (m,), nan where the curve has none.
    smooth : callable
        Gives the hat matrix H, shape (n, n), with fitted values H y; computed when first asked for.
    """

    name: str
    outcome: Floats
    fitted: Floats
    predict: Callable[[Floats], Floats]
    smooth: Callable[[], Floats]

    @cached_property
    def hat(self) -> Floats:
        """The hat matrix H, shape (n, n)."""
        return self.smooth()

    @property
    def trace(self) -> float:
        """Trace of H: effective degrees of freedom; 2 for a line."""
        return float(np.trace(self.hat))

    @property
    def equivalent(self) -> float:
        """Trace of HᵀH: R's "equivalent number of parameters"; 2 for a line."""
        return float((self.hat**2).sum())

    @property
    def freedom(self) -> float:
        """Trace of (I − H)ᵀ(I − H): δ₁, degrees of freedom of the residuals; n − 2 for a line."""
        return float(((np.eye(len(self.hat)) - self.hat) ** 2).sum())

    @property
    def residuals(self) -> Floats:
        """Outcome less fitted."""
        return np.asarray(self.outcome - self.fitted)

    @property
    def r2(self) -> float:
        """1 − sum of squared residuals / sum of squares about the mean."""
        total = self.outcome - self.outcome.mean()
        return float(1 - self.residuals @ self.residuals / (total @ total))

    @property
    def mae(self) -> float:
        """Mean absolute residual, divided by n."""
        return float(np.abs(self.residuals).mean())

    def residual_sd(self, divisor: str) -> float | None:
        """Root of the sum of squared residuals over a divisor; None where that is not positive.

        Parameters
        ----------
        divisor : str
            One of `DIVISORS`.

        Raises
        ------
        HelpersError
            If there is no such divisor.
        """
        check(divisor)
        n = len(self.outcome)
        by = {POINTS: n, LESS_ONE: n - 1, LESS_TWO: n - 2, FREEDOM: self.freedom}[divisor]
        if by <= 1e-9:
            return None
        return float(np.sqrt(self.residuals @ self.residuals / by))

    @property
    def aicc(self) -> float | None:
        """Corrected AIC; None where n − trace − 2 is not positive, or nothing is left over.

        Notes
        -----
        log (RSS/n) + 1 + 2 (trace + 1)/(n − trace − 2): Hurvich, Simonoff and Tsai (1998),
        *Journal of the Royal Statistical Society B* 60, 271–293.
        """
        n, left = len(self.outcome), self.residuals @ self.residuals
        spare = n - self.trace - 2
        if spare <= 1e-9 or left <= 1e-18:
            return None
        return float(np.log(left / n) + 1 + 2 * (self.trace + 1) / spare)


def check(divisor: str) -> None:
    """Refuse a divisor that is none.

    Raises
    ------
    HelpersError
        Naming those that there are.
    """
    if divisor not in DIVISORS:
        known = ", ".join(f"'{name}'" for name in DIVISORS)
        hint = did_you_mean(divisor, DIVISORS)
        raise HelpersError(f"divisor '{divisor}': expected one of {known}{hint}")


def line(x: ArrayLike, y: ArrayLike) -> Fit:
    """A straight line by least squares.

    Parameters
    ----------
    x, y : array_like
        Shape (n,).

    Raises
    ------
    NotEstimableError
        If there are fewer than two places.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(x) < 2 or flat(x):
        raise NotEstimableError("a line is", "there are no two points apart from each other")
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))

    def predict(new: Floats) -> Floats:
        return np.asarray(y.mean() + slope * (new - x.mean()))

    def smooth() -> Floats:
        return np.asarray(1 / len(x) + np.outer(centred, centred) / (centred @ centred))

    return Fit("Straight line", y, predict(x), predict, smooth)
