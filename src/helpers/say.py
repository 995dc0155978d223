"""How numbers read: one way to write each kind, for tables and for sentences."""

import math

MINUS = "\N{MINUS SIGN}"
CONSTANTS = {".05": "level of tests", ".95": "level of intervals"}
"""Decimals that prose may hold as typed, and why; all others are computed, or stand in maths."""

NBSP = "\N{NO-BREAK SPACE}"  # a symbol, its relation and its figure stay on one line


def number(value: float, digits: int = 2) -> str:
    """Fixed decimals, a true minus sign, thousands set off by commas.

    Parameters
    ----------
    value : float
        The number; not finite values read "not estimable" and "∞".
    digits : int
        Decimals to show.

    Returns
    -------
    str
        For example "−1,234.50"; never "−0.00".
    """
    if math.isnan(value):
        return "not estimable"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{value:,.{digits}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def p_value(p: float, symbol: str = "p") -> str:
    """A p-value in the journals' way: three decimals, no leading zero, "p < .001" below that.

    Parameters
    ----------
    p : float
        Between 0 and 1; nan reads "p not estimable".
    symbol : str
        What stands before it; empty for a bare figure such as "< .001".

    Raises
    ------
    ValueError
        If `p` is outside 0 to 1.
    """
    if math.isnan(p):
        return f"{symbol} not estimable".strip()
    if not 0 <= p <= 1:
        raise ValueError(f"a p-value lies between 0 and 1, not at {p}")
    if p < 0.001:
        return f"{symbol}{NBSP}<{NBSP}.001" if symbol else f"<{NBSP}.001"
    text = f"{p:.3f}"
    if p > 0.9995:
        text = "1.000"
    text = text if text.startswith("1") else text[1:]
    return f"{symbol}{NBSP}={NBSP}{text}" if symbol else text


def p_span(low: float, high: float) -> str:
    """A range of p-values, "p = .037 to .047"; a single figure when both ends read the same."""
    ends = p_value(low), p_value(high, "")
    return ends[0] if ends[0] == p_value(high) else f"{ends[0]} to {ends[1]}"


def span(low: float, high: float, digits: int = 2) -> str:
    """An interval in words, "0.42 to 0.51"; a single figure when both ends read the same."""
    ends = number(low, digits), number(high, digits)
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def interval(low: float, high: float, digits: int = 2) -> str:
    """An interval in brackets, "[0.42, 0.51]", as it stands in tables."""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def estimate(
    value: float, low: float, high: float, digits: int = 2, unit: str = "", level: float = 0.95
) -> str:
    """An estimate with its interval, "0.47 (95 % CI 0.42 to 0.51)".

    Parameters
    ----------
    value, low, high : float
        The estimate and the ends of its interval.
    digits : int
        Decimals of all three.
    unit : str
        What follows the estimate, such as "points" or "%".
    level : float
        Confidence level of the interval.
    """
    told = f"{number(value, digits)}{NBSP}{unit}" if unit else number(value, digits)
    ends = f"{number(low, digits)} to {number(high, digits)}"
    return f"{told} ({percent(level)}{NBSP}CI {ends})"


def percent(share: float, digits: int = 0) -> str:
    """A share between 0 and 1 in per cent, "66 %"."""
    return (
        number(100 * share, digits)
        if math.isnan(share)
        else f"{number(100 * share, digits)}{NBSP}%"
    )


def count(n: int, singular: str, plural: str | None = None) -> str:
    """A number of things, "1 check", "12 checks"; `plural` where an s does not make it."""
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def listing(items: list[str], joiner: str = "and") -> str:
    """Words in a row: "a", "a and b", "a, b and c"; "none" when there are none."""
    if not items:
        return "none"
    head, last = items[:-1], items[-1]
    return f"{', '.join(head)} {joiner} {last}" if head else last
