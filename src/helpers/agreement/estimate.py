"""An estimate that says how many ratings it rests on, or why there is none."""

import math
from dataclasses import dataclass

from helpers import say
from helpers.errors import HelpersError


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with its interval, or the reason why it cannot be estimated.

    Attributes
    ----------
    value : float or None
        The estimate; None where it cannot be estimated.
    low, high : float or None
        Limits of its confidence interval; None where there is none.
    confidence : float
        Confidence level of the interval.
    used, dropped : int
        How many units the estimate rests on, and how many were left out for their gaps.
    unit : str
        What is counted, in the plural: "raters", "items", "rows", …
    reason : str
        Why the value or, where there is a value, its interval is missing.

    Raises
    ------
    ValueError
        If a number is not finite, or something is missing without a reason.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float = 0.95
    used: int = 0
    dropped: int = 0
    unit: str = "rows"
    reason: str = ""

    def __post_init__(self) -> None:
        if not all(math.isfinite(x) for x in (self.value, self.low, self.high) if x is not None):
            raise ValueError(f"an estimate must be finite: {self.value}, {self.low}, {self.high}")
        if not (self.reason or self.has_interval):
            raise ValueError("an estimate without value or interval needs a reason")

    @property
    def estimable(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    @property
    def has_interval(self) -> bool:
        """Whether there is a value with both limits."""
        return None not in (self.value, self.low, self.high)

    def __float__(self) -> float:
        """Return the value, or raise a HelpersError with the reason why there is none."""
        if self.value is None:
            raise HelpersError(f"not estimable: {self.reason}")
        return float(self.value)

    def text(self, digits: int = 2) -> str:
        """The estimate in words: "0.43 (95 % CI 0.21 to 0.66)" or "not estimable: one rater"."""
        if self.value is None:
            return f"not estimable: {self.reason}"
        value = say.number(self.value, digits)
        if self.low is None or self.high is None:
            return f"{value} (no interval: {self.reason})"
        return f"{value} ({100 * self.confidence:.3g} % CI {say.span(self.low, self.high, digits)})"
