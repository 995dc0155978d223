"""A number as a paper prints it: its digits, and the interval of values that rounding hides."""

import re
from collections.abc import Callable
from dataclasses import dataclass

WORDS = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve".split(),
        range(13),
        strict=True,
    )
)
EDGE = 1e-9  # a tie at the rounding edge counts as inside, whatever the binary fraction says

_NUMBER = re.compile(
    r"(?P<comparison>[<>≤≥≈=]?)\s*(?P<digits>[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?)"
    r"\s*(?P<unit>%?)\s*(?P<stars>\**)"
)


@dataclass(frozen=True)
class Interval:
    """All values from `low` to `high`, both included."""

    low: float
    high: float

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low)

    def __abs__(self) -> "Interval":
        if self.low <= 0 <= self.high:
            return Interval(0.0, max(-self.low, self.high))
        return self if self.low > 0 else -self

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Interval") -> "Interval":
        products = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(products), max(products))

    def __truediv__(self, other: "Interval") -> "Interval":
        """Quotient; infinite both ways when `other` contains zero."""
        if other.low <= 0 <= other.high:
            return Interval(float("-inf"), float("inf"))
        return self * Interval(1 / other.high, 1 / other.low)

    def map(self, function: Callable[[float], float]) -> "Interval":
        """Image under a monotone function, rising or falling."""
        return Interval(*sorted((function(self.low), function(self.high))))

    def overlap(self, other: "Interval") -> float:
        """Length of the common part: 0 when they touch, negative when they are apart."""
        return min(self.high, other.high) - max(self.low, other.low)

    def meets(self, other: "Interval") -> bool:
        """Whether the two have a value in common, an edge included."""
        return self.overlap(other) >= -EDGE * max(1.0, abs(self.high), abs(other.high))


def exactly(value: float) -> Interval:
    """Interval that holds one value."""
    return Interval(value, value)


@dataclass(frozen=True)
class Printed:
    """A printed cell.

    Attributes
    ----------
    text : str
        The cell as printed.
    value : float or None
        The number it shows; None for text and for a cell of stars alone. Per cent stay per cent.
    decimals : int
        Digits after the point.
    comparison : str
        One of "=", "<", ">", "≈"; "≤" and "≥" are read as "<" and ">".
    stars : int
        Number of asterisks behind the number.
    """

    text: str
    value: float | None
    decimals: int
    comparison: str
    stars: int

    @property
    def unit(self) -> float:
        """Size of the last printed digit."""
        return float(10.0**-self.decimals)

    @property
    def number(self) -> float:
        """The value, for cells known to hold one.

        Raises
        ------
        ValueError
            If the cell holds no number.
        """
        if self.value is None:
            raise ValueError(f"“{self.text}” is not a number")
        return self.value

    @property
    def interval(self) -> Interval:
        """Values that rounding to the printed digits, either way at a tie, would print like this.

        Raises
        ------
        ValueError
            If the cell holds no number.
        """
        return Interval(self.number - self.unit / 2, self.number + self.unit / 2)

    def shows(self, value: float) -> bool:
        """Whether `value`, rounded to the printed digits, reads as this cell does."""
        return self.interval.meets(exactly(value))


def parse(text: str) -> Printed:
    """Read a printed cell.

    Parameters
    ----------
    text : str
        For example "-0.44", "9.6%", "<0.001***", "≈0.64", "10,000", "nine" or plain text.

    Returns
    -------
    Printed
        With `value` None when the cell is not a number.
    """
    stripped = text.strip()
    if stripped.lower() in WORDS:
        return Printed(text, float(WORDS[stripped.lower()]), 0, "=", 0)
    match = _NUMBER.fullmatch(stripped)
    if not match:
        return Printed(text, None, 0, "=", 0)
    digits = match["digits"].replace(",", "").replace("−", "-")
    comparison = {"": "=", "≤": "<", "≥": ">"}.get(match["comparison"], match["comparison"])
    value = float(digits) if digits.strip("-") else None
    decimals = len(digits.partition(".")[2])
    return Printed(text, value, decimals, comparison, len(match["stars"]))
