"""How many specifications agree, by hypothesis and by choice, and which choices flip a decision."""

from collections.abc import Sequence

import polars as pl

from helpers import say
from helpers.direction import compared
from helpers.estimates import absent, frame
from helpers.show import escape
from helpers.specifications.specification import Curve, Specification, reasons

NOT_TRIED, MAIN, OPEN = "–", "as decided", "not estimable"
FLIPS, SOME, STAYS = "flips it", "flips it in part", "keeps it"


def overview(curves: Sequence[Curve]) -> pl.DataFrame:
    """A row for each hypothesis: how many specifications there are, and how many agree."""
    rows = []
    for curve in curves:
        decided = [] if curve.untested else curve.decided
        agree = sum(curve.agrees(one) for one in decided)
        same = sum(compared(one.decision, _decision(curve)) == "agrees" for one in decided)
        rows.append(
            {
                "Hypothesis": curve.name,
                "Main decision": "not tested" if curve.untested else _decision(curve),
                "With a decision": f"{len(curve.decided)} of {len(curve.specifications)}",
                "Agree": None if curve.untested else agree,
                "Agree (%)": 100 * agree / len(decided) if decided else None,
                "Same words": None if curve.untested else same,
                "Alone flip it": f"Not tested: {curve.untested}."
                if curve.untested
                else say.listing(flips(curve)),
            }
        )
    return frame(rows)


def by_choice(curve: Curve) -> pl.DataFrame:
    """A row for each level of each choice: share that agrees, and what it does by itself.

    Parameters
    ----------
    curve : Curve
        The specifications of a hypothesis.

    Returns
    -------
    DataFrame
        "Changes sides" counts, among pairs of specifications that differ in this choice alone, one
        with the main level and one with this, those of which one supports the hypothesis and the
        other does not. "Changed alone" says what becomes of the main decision if this level alone
        is taken: "flips it", "keeps it", "flips it in part" where it forces other choices and that
        depends on them, "not estimable", "as decided" for the main level, and "–" where no
        specification differs from the main one in this alone.
    """
    rows = []
    for choice in curve.names():
        for level in curve.levels(choice):
            own = [one for one in curve.specifications if one.choices.get(choice) == level]
            decided = [one for one in own if one.decision]
            agree = sum(curve.agrees(one) for one in decided)
            rows.append(
                {
                    "Choice": choice,
                    "Level": level,
                    "With a decision": f"{len(decided)} of {len(own)}",
                    "Agree (%)": 100 * agree / len(decided)
                    if decided and not curve.untested
                    else None,
                    "Changes sides": _sides(curve, choice, level),
                    "Changed alone": NOT_TRIED if curve.untested else _alone(curve, choice, level),
                }
            )
    return frame(rows)


def listed(curve: Curve) -> pl.DataFrame:
    """Every specification with a decision: its choices, and what came of it, as in the picture."""
    found = [one for one in ordered(curve) if one.decision]
    if not found:
        return absent("Specification", curve.untested or "no specification gives a decision")
    rows = [
        {"No.": number}
        | {name: one.choices.get(name) for name in curve.names()}
        | {"Estimate": one.estimate, "Estimate low": one.low, "Estimate high": one.high, "p": one.p}
        | {"Decision": one.decision, "Agrees": _agrees(curve, one)}
        for number, one in enumerate(found, 1)
    ]
    return frame(rows, optional=("Estimate", "Estimate low", "Estimate high", "Agrees"))


def lost(curves: Sequence[Curve]) -> pl.DataFrame:
    """Specifications without a decision, counted by hypothesis and reason."""
    rows = [
        {"Hypothesis": curve.name, "Specifications": count, "Reason": reason}
        for curve in curves
        for reason, count in reasons(curve.specifications)
    ]
    schema = {"Hypothesis": pl.String, "Specifications": pl.Int64, "Reason": pl.String}
    return pl.DataFrame(rows, schema=schema)


def ordered(curve: Curve) -> list[Specification]:
    """Specifications in the order of the picture: by what is drawn; what has none comes last."""

    def place(one: Specification) -> tuple[bool, float]:
        value = one.estimate if curve.drawn == "estimate" else one.p
        return value is None or not one.decision, value or 0.0

    return sorted(curve.specifications, key=place)


def sentence(curve: Curve) -> str:
    """What a reader takes from the curve, in words."""
    if curve.untested:
        return f"{curve.name} is not tested here: {escape(curve.untested)}."
    decided = curve.decided
    if not decided:
        return f"No specification of {curve.name} gives a decision."
    agree = sum(curve.agrees(one) for one in decided)
    side = "supports it, wholly or in part" if curve.shown else "does not support it"
    told = (
        f"Of {say.count(len(decided), 'specification')} with a decision, {agree} "
        f"({say.percent(agree / len(decided))}) agree with the main one, which {side}."
    )
    flipped = flips(curve)
    if not flipped:
        return f"{told} No choice flips it by itself."
    return f"{told} Changed alone, these flip it: {escape(say.listing(flipped))}."


def _decision(curve: Curve) -> str:
    return curve.main.decision if curve.main else ""


def _agrees(curve: Curve, one: Specification) -> str | None:
    if curve.untested:
        return None
    return "yes" if curve.agrees(one) else "no"


def flips(curve: Curve) -> list[str]:
    """Levels that flip the main decision, or may, when they alone are changed."""
    found = [
        (f"{level} ({choice.lower()})", _alone(curve, choice, level))
        for choice in curve.names()
        for level in curve.levels(choice)
    ]
    return [
        f"{level}, in part" if alone == SOME else level
        for level, alone in found
        if alone in (FLIPS, SOME)
    ]


def _alone(curve: Curve, choice: str, level: str) -> str:
    if curve.specifications[0].choices.get(choice) == level:
        return MAIN
    own = curve.alone(choice, level)
    sides = {curve.agrees(one) for one in own if one.decision}
    if not sides:
        return OPEN if own else NOT_TRIED
    return SOME if len(sides) > 1 else STAYS if sides == {True} else FLIPS


def _sides(curve: Curve, choice: str, level: str) -> str:
    """In how many pairs that differ in this choice alone the other side is taken."""
    if level == curve.levels(choice)[0]:
        return NOT_TRIED
    pairs = curve.pairs(choice, level)
    changed = sum(first.shown != second.shown for first, second in pairs)
    return f"{changed} of {len(pairs)}" if pairs else NOT_TRIED
