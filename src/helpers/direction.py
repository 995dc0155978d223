"""Whether a decision points the same way as a printed one, for the ledger."""

from collections.abc import Iterable
from typing import Literal

Direction = Literal[
    "agrees", "agrees in part", "differs", "mixed", "not comparable", "nothing printed"
]
"""How a result stands to the printed one; "mixed" is of several that do not stand alike."""

_SIZE = {"supported": 2, "partly supported": 1, "partially supported": 1, "not supported": 0}


def compared(decision: str, printed: str) -> Direction:
    """Hold a decision against a printed verdict.

    Parameters
    ----------
    decision, printed : str
        "supported", "partly supported" (or "partially supported") and "not supported" can be
        compared, anything else cannot; where nothing is printed, `printed` is empty.

    Returns
    -------
    str
        "agrees in part" where one is supported wholly and the other partly.
    """
    if not printed:
        return "nothing printed"
    own, other = _SIZE.get(decision), _SIZE.get(printed)
    if own is None or other is None:
        return "not comparable"
    if own == other:
        return "agrees"
    return "agrees in part" if own and other else "differs"


def together(directions: Iterable[Direction]) -> Direction:
    """What several directions come to: the one that all have, or "mixed"."""
    known = set(directions) - {"nothing printed"}
    if not known:
        return "nothing printed"
    return known.pop() if len(known) == 1 else "mixed"
