"""What a check says: its verdict and why, in plain words."""

from dataclasses import dataclass
from enum import StrEnum

from helpers import say
from helpers.printed import EDGE, Interval, Printed


class Verdict(StrEnum):
    """How a printed figure stands to what the other printed figures imply, mildest first."""

    CONSISTENT = "consistent"
    ROUNDING = "rounding"
    UNCHECKABLE = "not checkable"
    INCONSISTENT = "inconsistent"
    DECISION = "decision-changing"

    @property
    def meaning(self) -> str:
        """One line for the reader."""
        return _MEANINGS[self]


_MEANINGS = {
    Verdict.CONSISTENT: "the printed figures reproduce each other as they stand",
    Verdict.ROUNDING: "they differ as printed, by no more than rounding can explain",
    Verdict.UNCHECKABLE: "the paper prints too little to decide",
    Verdict.INCONSISTENT: "no values behind the printed digits satisfy the relation",
    Verdict.DECISION: "inconsistent, and a test’s decision turns on which figure is right",
}


@dataclass(frozen=True)
class Finding:
    """One check of one printed figure.

    Attributes
    ----------
    table : str
        Name of the table checked, or "text".
    item : str
        The row, or what the figure is about.
    relation : str
        What was checked, in a few words.
    printed : str
        What the paper prints.
    expected : str
        What the other printed figures imply.
    verdict : Verdict
        The class.
    explanation : str
        One line in plain words.
    """

    table: str
    item: str
    relation: str
    printed: str
    expected: str
    verdict: Verdict
    explanation: str


def judge(printed: Printed, face: float, possible: Interval) -> tuple[Verdict, str]:
    """Compare a printed figure with what its inputs imply.

    Parameters
    ----------
    printed : Printed
        The figure; "<", ">" and "≈" are taken at their word, "≈" allowing one unit of its last
        digit more.
    face : float
        The figure recomputed from the inputs exactly as printed.
    possible : Interval
        All values that the inputs can give once their rounding is allowed for.

    Returns
    -------
    Verdict, str
        `CONSISTENT`, `ROUNDING` or `INCONSISTENT`, and why.
    """
    if printed.comparison in "<>":
        return _judge_bound(printed, face, possible)
    shown = say.number(face, min(printed.decimals + 1, 6))
    if printed.shows(face):
        return Verdict.CONSISTENT, f"The printed inputs give {shown}."
    reach = say.span(possible.low, possible.high, min(printed.decimals + 1, 6))
    if printed.interval.meets(possible):
        return (
            Verdict.ROUNDING,
            f"The printed inputs give {shown}; their rounding allows {reach}.",
        )
    if printed.comparison == "≈" and _widened(printed).meets(possible):
        return Verdict.ROUNDING, f"Quoted as approximate, one unit from {shown}."
    return (
        Verdict.INCONSISTENT,
        f"The printed inputs give {shown}; rounding allows only {reach}.{_slip(printed, possible)}",
    )


def _slip(printed: Printed, possible: Interval) -> str:
    """Name the commonest misprint: the decimal point in another place."""
    for power in (10.0, 100.0):
        for moved in (printed.number / power, printed.number * power):
            if moved and possible.meets(Interval(moved - EDGE, moved + EDGE)):
                return " The decimal point may have slipped."
    return ""


def _widened(printed: Printed) -> Interval:
    around = printed.interval
    return Interval(around.low - printed.unit, around.high + printed.unit)


def _judge_bound(printed: Printed, face: float, possible: Interval) -> tuple[Verdict, str]:
    below = printed.comparison == "<"
    bound = printed.number

    def holds(value: float) -> bool:
        return value < bound if below else value > bound

    shown = say.number(face, printed.decimals + 1)
    if holds(face):
        return Verdict.CONSISTENT, "The printed inputs agree with the bound."
    if holds(possible.low if below else possible.high):
        return Verdict.ROUNDING, f"The printed inputs give {shown}; rounding allows the bound."
    return Verdict.INCONSISTENT, f"The printed inputs give {shown}, beyond the bound."


def judge_claim(
    face: bool, possible: bool, holds: str, edge: str, fails: str
) -> tuple[Verdict, str]:
    """Verdict on a claim that is true or false: as printed, within rounding, or not at all."""
    if face:
        return Verdict.CONSISTENT, holds
    return (Verdict.ROUNDING, edge) if possible else (Verdict.INCONSISTENT, fails)
