"""Levels of physicians, and whether their mean ranks follow the order in which they are stated.

Each case gives one number, how far the mean ranks of its levels follow the order, and these numbers
are tested by flipping their signs: cases are what repeats. The evaluators of a case judge the same
texts, so that their rankings of it do not repeat the comparison of levels, however many they are;
and where one physician fills a level in several cases, even cases are not quite independent.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import polars as pl

from helpers import beside, estimates, say, show
from helpers.agreement import Page, SignFlip, ordered_contrast, pages_l
from helpers.agreement.order import ALL_SIGNS
from helpers.not_estimable import NotEstimableError
from helpers.ranking.decisions import ABSENT, ALPHA, NO, PARTLY, UNTESTED, YES
from helpers.ranking.table import Floats, Ranks
from helpers.results import Entry
from helpers.study import Study


@dataclass(frozen=True)
class Alignment:
    """Whether mean ranks follow an order of levels.

    Attributes
    ----------
    levels : tuple of str
        From the expected best to the expected worst, as the study calls them; none where they have
        no order.
    by_case : ndarray
        Shape (cases, levels), mean ranks.
    contrast : SignFlip
        Mean rise in rank from one level to the next, over cases; or why there is none.
    pairs : dict
        The same for each pair of levels: how much higher the rank of the second is.
    page : Page
        Page's test, each ranking a block.
    """

    levels: tuple[str, ...]
    by_case: Floats
    contrast: SignFlip
    pairs: dict[tuple[str, str], SignFlip]
    page: Page


def ordered(ranks: Ranks, stated: Sequence[str]) -> tuple[str, ...]:
    """The study's levels of physicians in the stated order.

    Parameters
    ----------
    ranks : Ranks
        Whole rankings.
    stated : sequence of str
        Levels from the expected best to the expected worst; upper or lower case does not matter,
        and levels that the study lacks are passed over.

    Raises
    ------
    NotEstimableError
        If the study has a level that is not among them, or fewer than two that are.
    """
    known = {level.casefold(): level for level in ranks.known_levels()}
    strange = [level for key, level in known.items() if key not in map(str.casefold, stated)]
    if strange:
        raise NotEstimableError(
            "the order of levels is",
            f"no place is stated for level '{strange[0]}'; name it in the parameter `levels`",
        )
    found = tuple(known[level.casefold()] for level in stated if level.casefold() in known)
    if len(found) < 2:
        have = say.count(len(found), "ranked level") + " of physicians"
        raise NotEstimableError("the order of levels is", f"{have}; at least 2 are needed")
    return found


def align(ranks: Ranks, stated: Sequence[str], confidence: float = 0.95) -> Alignment:
    """Test whether levels of physicians are ranked in a stated order.

    Parameters
    ----------
    ranks : Ranks
        Whole rankings.
    stated : sequence of str
        Levels from the expected best to the expected worst.
    confidence : float
        Confidence level of each interval.

    Returns
    -------
    Alignment
        Its parts say why they are not estimable, where they are not.
    """
    try:
        levels = ordered(ranks, stated)
    except NotEstimableError as error:
        absent = SignFlip(reason=error.reason, unit="cases")
        empty = np.empty((len(ranks.cases), 0))
        return Alignment((), empty, absent, {}, Page(reason=error.reason))
    by_case = ranks.levels_by_case(levels)
    blocks = np.stack([_mean_of(ranks, level) for level in levels], axis=2)
    ranked = blocks.reshape(-1, len(levels))[ranks.given.any(axis=2).ravel()]
    return Alignment(
        levels=levels,
        by_case=by_case,
        contrast=ordered_contrast(by_case, confidence=confidence),
        pairs={
            (levels[i], levels[j]): ordered_contrast(by_case[:, [i, j]], confidence=confidence)
            for i, j in combinations(range(len(levels)), 2)
        },
        page=pages_l(ranked),
    )


def cases(ranks: Ranks, found: Alignment, study: Study) -> pl.DataFrame:
    """Mean ranks of the levels in each case, how far they follow the order, and who filled them.

    A row that says why, where the levels have no order.
    """
    if not found.levels:
        return estimates.absent("Case", found.contrast.reason)
    steps = np.arange(len(found.levels)) - (len(found.levels) - 1) / 2
    rises = found.by_case @ (steps / (steps @ steps))
    people = persons_by_case(study, ranks, found.levels)
    rows = [
        {
            "Case": case,
            **{f"Rank of {level}": _known(x) for level, x in zip(found.levels, own, strict=True)},
            "Rise per level": _known(rise),
            "In order": "–" if np.isnan(rise) else "yes" if (np.diff(own) > 0).all() else "no",
            "Rankings": int(ranks.given[:, place].any(axis=1).sum()),
            "Persons": people.get(case),
        }
        for place, (case, own, rise) in enumerate(
            zip(ranks.cases, found.by_case, rises, strict=True)
        )
    ]
    return estimates.frame(rows, optional=("Persons",))


def tests(found: Alignment) -> pl.DataFrame:
    """The tests of an order, the main one first."""
    order = " < ".join(found.levels) or "levels"
    rows = [
        _row(f"{order}, rise per level", found.contrast),
        *(_row(f"{first} < {second}", test) for (first, second), test in found.pairs.items()),
        {
            "Order": order,
            "Test": "Page's L, a block for each ranking",
            **dict.fromkeys(("Mean", "Mean low", "Mean high")),
            "Statistic": found.page.statistic,
            "p": found.page.p,
            "Used": _units(found.page.used, found.page.dropped, "rankings"),
            estimates.NOTE: f"not estimable: {found.page.reason}" if found.page.reason else "",
        },
    ]
    return estimates.frame(rows)


def persons_by_case(study: Study, ranks: Ranks, levels: Sequence[str]) -> dict[str, str]:
    """Who filled the levels in each case, in their order; empty where the study does not say."""
    if "assignments" not in study.tables:
        return {}
    person = {(case, analyst): who for case, analyst, who in study["assignments"].iter_rows()}
    members = [ranks.analysts[place] for level in levels for place in ranks.of_level(level)]
    return {
        case: ", ".join(person.get((case, analyst), "?") for analyst in members)
        for case in ranks.cases
    }


def persons(study: Study, ranks: Ranks, found: Alignment) -> pl.DataFrame:
    """Each person who filled a level: in how many cases, and the contrast without these cases.

    A row that says why, where the study has no assignments or its levels no order.
    """
    if not found.levels or "assignments" not in study.tables:
        reason = found.contrast.reason if not found.levels else "there is no assignments.csv"
        return estimates.absent("Person", reason)
    given = _filled(study, ranks, found)
    rows = []
    for who in sorted({who for _, _, who in given}):
        own = {case for case, _, person in given if person == who}
        rest = found.by_case[[case not in own for case in ranks.cases]]
        without = ordered_contrast(rest, confidence=found.contrast.confidence)
        filled = dict.fromkeys(level for _, level, person in given if person == who)
        rows.append(
            {
                "Person": who,
                "Levels filled": say.listing(list(filled)),
                "Cases": say.listing([case for case in ranks.cases if case in own]),
                "Rise without them": without.value,
                "p": without.p_two_sided,
                "Cases left": without.used,
                estimates.NOTE: "" if without.estimable else estimates.note(without),
            }
        )
    return estimates.frame(rows)


def _filled(study: Study, ranks: Ranks, found: Alignment) -> list[tuple[str, str, str]]:
    """Case, level and person of every assignment to one of the levels."""
    levels = dict(zip(ranks.analysts, ranks.levels, strict=True))
    return [
        (case, levels[analyst], who)
        for case, analyst, who in study["assignments"].iter_rows()
        if case in ranks.cases and levels.get(analyst) in found.levels
    ]


def sentence(study: Study, ranks: Ranks, found: Alignment) -> str:
    """Who filled the levels, as far as the study says."""
    if not found.levels:
        return f"Not estimable: {show.escape(found.contrast.reason)}."
    if "assignments" not in study.tables:
        return (
            "The study does not say who filled the levels in which case (assignments.csv); "
            "if the same physicians did in several cases, these are less independent than taken "
            "for here."
        )
    places = {(who, level) for _, level, who in _filled(study, ranks, found)}
    filled = Counter(who for who, _ in places)
    names = say.listing([show.escape(who) for who in sorted(filled) if filled[who] > 1])
    return (
        f"{say.count(len(filled), 'person', 'persons')} filled the levels; "
        f"{names} filled more than one of them. Cases that share a person are not "
        "independent, so that the table also leaves out all cases of a person at once."
    )


def decide(found: Alignment) -> tuple[str, str]:
    """The decision on H3, and why in plain words."""
    test = found.contrast
    if test.p_two_sided is None:
        return ABSENT, f"Levels of physicians cannot be compared: {test.reason}."
    least = 2 / test.patterns  # the p of values that all have the same sign
    if least >= ALPHA:
        return UNTESTED, (
            f"{say.count(test.used, 'case')} cannot show an order: the smallest possible p is "
            f"{say.p_value(least, '')}."
        )
    if test.p_two_sided >= ALPHA or (test.value or 0) <= 0:
        return NO, "Ranks are not seen to follow the stated order of levels over cases."
    steps = [found.pairs[pair].value for pair in pairwise(found.levels)]
    if all(step is not None and step > 0 for step in steps):
        return YES, "Over cases, mean ranks rise from each level of physicians to the next."
    return PARTLY, "Over cases, ranks follow the stated order as a trend, but not at every step."


def verdict(found: Alignment) -> str:
    """The decision on H3 in a sentence."""
    decision, explanation = decide(found)
    return f"**H3: {decision}.** {show.escape(explanation)}"


def entry(found: Alignment, anchor: str) -> Entry:
    """H3 as a line of the ledger."""
    test = found.contrast
    decision, explanation = decide(found)
    low, high = (test.low, test.high) if test.has_interval else (None, None)
    return Entry(
        question=f"Are physicians ranked by level, {' before '.join(found.levels)}?"
        if found.levels
        else "Are physicians ranked by level?",
        result=f"{test.text()}{' ranks per level' if test.estimable else ''}",
        decision=decision,
        published=beside.quote("verdict on H3"),
        explanation=explanation,
        anchor=anchor,
        topic="H3",
        method=f"{'exact' if test.used <= ALL_SIGNS else 'random'} sign flips over "
        f"{say.count(test.used, 'case')}",
        estimate=test.value,
        low=low,
        high=high,
        p=test.p_two_sided,
        used=test.used,
        dropped=test.dropped,
        unit=test.unit,
    )


def _row(order: str, test: SignFlip) -> dict[str, object]:
    return {
        "Order": order,
        "Test": f"sign flips, {test.patterns:,} patterns" if test.patterns else "sign flips",
        **estimates.cells(test, "Mean"),
        "Statistic": None,
        "p": test.p_two_sided,
        "Used": _units(test.used, test.dropped, "cases"),
        estimates.NOTE: estimates.note(test),
    }


def _units(used: int, dropped: int, unit: str) -> str:
    return f"{used} {unit}" + (f", {dropped} dropped" if dropped else "")


def _mean_of(ranks: Ranks, level: str) -> Floats:
    """Mean rank of a level's physicians in each ranking, shape (evaluators, cases)."""
    own = ranks.values[:, :, ranks.of_level(level)]
    given = np.isfinite(own)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(given, own, 0.0).sum(axis=2) / given.sum(axis=2))


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
