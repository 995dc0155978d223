"""Lines of the ledger on how far decisions hang on choices."""

from collections.abc import Sequence

from helpers import say
from helpers.results import Entry
from helpers.specifications.counts import flips
from helpers.specifications.specification import Curve

DESCRIBED, MISSING = "described", "not tested"


def entries(curves: Sequence[Curve], anchor: str) -> tuple[Entry, ...]:
    """A line for each hypothesis; no test, and so without p.

    Parameters
    ----------
    curves : sequence of Curve
        The specifications of each hypothesis.
    anchor : str
        Label of the table that shows all of them.
    """
    return tuple(_entry(curve, anchor) for curve in curves)


def _entry(curve: Curve, anchor: str) -> Entry:
    decided = [] if curve.untested else curve.decided
    agree = sum(curve.agrees(one) for one in decided)
    share = agree / len(decided) if decided else None
    result = "" if share is None else f"{agree} of {len(decided)} ({say.percent(share)})"
    told = say.listing(flips(curve)) if decided else ""
    missing = curve.untested or "no specification gives a decision"
    return Entry(
        question=f"Would another reasonable analyst conclude the same on {curve.name}?",
        result=result,
        decision=MISSING if share is None else DESCRIBED,
        published="",
        explanation=f"Not tested: {missing}."
        if share is None
        else f"Choices that flip the decision by themselves: {told}.",
        anchor=anchor,
        topic="Specifications",
        method="share of specifications that come to the same side",
        estimate=share,
        used=len(decided),
        dropped=len(curve.specifications) - len(decided),
        unit="specifications",
    )
