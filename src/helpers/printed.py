"""A number as a paper prints it: its digits, and the interval of values that rounding hides."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

EDGE = 1e-9  # a tie at the rounding edge counts as inside, whatever the binary fraction says

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = {word: number for number, word in enumerate(_UNITS)}
WORDS |= {ten: 10 * i for i, ten in enumerate(_TENS, start=2)}
WORDS |= {f"{ten}-{_UNITS[n]}": WORDS[ten] + n for ten in _TENS for n in range(1, 10)}

DecimalSign = Literal[".", ","]
"""What parts the decimals from the whole; the other one sets off thousands."""

_OTHER: dict[DecimalSign, DecimalSign] = {".": ",", ",": "."}


def _number(decimal: DecimalSign) -> re.Pattern[str]:
    point, thousands = re.escape(decimal), re.escape(_OTHER[decimal])
    digits = rf"(?:[1-9]\d{{0,2}}(?:{thousands}\d{{3}})+|\d+)?(?:{point}\d+)?"
    return re.compile(
        rf"(?P<comparison>[<>≤≥≈=]?)\s*(?P<digits>[-−]?{digits})"
        r"\s*(?P<unit>%?)\s*(?P<stars>\**)"
    )


_NUMBER: dict[DecimalSign, re.Pattern[str]] = {sign: _number(sign) for sign in _OTHER}


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
            return Interval(-math.inf, math.inf)
        return self * Interval(1 / other.high, 1 / other.low)

    def map(self, function: Callable[[float], float]) -> "Interval":
        """Image under a monotone function, rising or falling."""
        return Interval(*sorted((function(self.low), function(self.high))))

    @property
    def bounded(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def overlap(self, other: "Interval") -> float:
        """Length of the common part: 0 when they touch, negative when they are apart."""
        return min(self.high, other.high) - max(self.low, other.low)

    def meets(self, other: "Interval") -> bool:
        """Whether the two have a value in common, an edge included."""
        scale = max((abs(x) for x in (self.high, other.high) if math.isfinite(x)), default=1.0)
        return self.overlap(other) >= -EDGE * max(1.0, scale)


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
    percent : bool
        Whether a per cent sign follows.
    """

    text: str
    value: float | None
    decimals: int = 0
    comparison: str = "="
    stars: int = 0
    percent: bool = False

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
        """Values that would be printed like this.

        A number stands for all that round to its digits, either way at a tie; "<" and ">" for all
        on that side of the bound.

        Raises
        ------
        ValueError
            If the cell holds no number.
        """
        if self.comparison == "<":
            return Interval(-math.inf, self.number)
        if self.comparison == ">":
            return Interval(self.number, math.inf)
        return Interval(self.number - self.unit / 2, self.number + self.unit / 2)

    def shows(self, value: float) -> bool:
        """Whether `value`, rounded to the printed digits, reads as this cell does."""
        return self.interval.meets(exactly(value))


def parse(text: str, decimal: DecimalSign = ".") -> Printed:
    """Read a printed cell.

    Parameters
    ----------
    text : str
        For example "-0.44", "9.6%", "<0.001***", "≈0.64", "10,000", "thirty-seven" or plain text.
    decimal : {".", ","}
        The decimal sign. The other one may set off thousands: groups of three digits behind one to
        three, of which the first is no zero. So "0,263" is no number unless its sign is ",".

    Returns
    -------
    Printed
        With `value` None when the cell is not a number.
    """
    stripped = text.strip()
    if stripped.lower() in WORDS:
        return Printed(text, float(WORDS[stripped.lower()]))
    match = _NUMBER[decimal].fullmatch(stripped)
    if not match:
        return Printed(text, None)
    digits = match["digits"].replace(_OTHER[decimal], "").replace(decimal, ".").replace("−", "-")
    return Printed(
        text,
        value=float(digits) if digits.strip("-") else None,
        decimals=len(digits.partition(".")[2]),
        comparison={"": "=", "≤": "<", "≥": ">"}.get(match["comparison"], match["comparison"]),
        stars=len(match["stars"]),
        percent=bool(match["unit"]),
    )


def ambiguous(text: str) -> bool:
    """Whether a cell is a number with a comma, whose meaning the decimal sign must tell."""
    return "," in text and any(parse(text, sign).value is not None for sign in _OTHER)
