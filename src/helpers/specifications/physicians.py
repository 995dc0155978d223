"""H3 under other choices: how the order of levels is tested, what is read, and whose rankings.

The paper's reading, whether an analyst's rank is the same in every case, stands beside the order of
levels. There a test that rejects speaks against the hypothesis, and one that does not is no proof.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from helpers.multiplicity import holm
from helpers.ranking import constancy, levels, ranks
from helpers.ranking.decisions import ALPHA, NO, PARTLY, UNRANKED, YES
from helpers.ranking.levels import Alignment
from helpers.ranking.table import Ranks
from helpers.results import Entry
from helpers.specifications import samples
from helpers.specifications.specification import READING, TEST, Curve, Specification, by_p
from helpers.study import Study

ORDER, SAME = "physicians in the order of their levels", "the same rank in every case"
FLIPS, STEPS, PAGE = "sign flips over cases", "each step by itself, after Holm", "Page's L"
FRIEDMAN, PLAIN = "Friedman, after Holm", "Friedman, unadjusted"


def curve(study: Study, main: Entry | None, most: int, stated: Sequence[str]) -> Curve:
    """Test H3 in every way.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    main : Entry or None
        H3's line of the ledger.
    most : int
        Evaluators to leave out in turn.
    stated : sequence of str
        Levels of physicians, the expected best first.
    """
    found: list[Specification] = []
    for chosen, own in samples.samples(study, most):
        ranked = ranks(own)
        found += _order(chosen, levels.align(ranked, stated))
        found += _constancy(chosen, ranked)
    return Curve(
        "H3", main, tuple(found), "estimate", "Rise in rank from level to level", {READING: (TEST,)}
    )


def _order(chosen: Mapping[str, str], found: Alignment) -> Iterator[Specification]:
    choices, test = {READING: ORDER, TEST: FLIPS, **chosen}, found.contrast
    if test.p_two_sided is None:
        for name in (FLIPS, STEPS, PAGE):
            yield Specification(choices | {TEST: name}, reason=test.reason)
        return
    yield Specification(
        choices, levels.decide(found)[0], test.value, test.low, test.high, test.p_two_sided
    )
    yield _steps(choices | {TEST: STEPS}, found)
    page = found.page
    yield Specification(choices | {TEST: PAGE}, by_p(page.p), p=page.p, reason=page.reason)


def _steps(choices: Mapping[str, str], found: Alignment) -> Specification:
    """Each level ranked before the next, by a test of its own; told by the weakest step."""
    steps = [found.pairs[pair] for pair in pairwise(found.levels)]
    adjusted = holm([step.p_two_sided for step in steps])
    rises = [
        p is not None and p < ALPHA and (step.value or 0) > 0
        for step, p in zip(steps, adjusted, strict=True)
    ]
    known = [p for p in adjusted if p is not None]
    if not known:
        return Specification(choices, reason=steps[0].reason)
    decision = YES if all(rises) else PARTLY if any(rises) else NO
    weakest = min(steps, key=lambda step: step.value if step.value is not None else 0.0)
    return Specification(choices, decision, weakest.value, weakest.low, weakest.high, max(known))


def _constancy(chosen: Mapping[str, str], ranked: Ranks) -> Iterator[Specification]:
    """Supported if no analyst's rank is seen to differ, partly if that of less than half."""
    found = constancy.constancy(ranked)
    p_values = {
        FRIEDMAN: [one.p_holm for one in found if one.p_holm is not None],
        PLAIN: [one.test.p for one in found if one.test.p is not None],
    }
    for name, own in p_values.items():
        choices = {READING: SAME, TEST: name, **chosen}
        if not own:
            reason = found[0].test.reason if found else UNRANKED
            yield Specification(choices, reason=reason)
            continue
        different = sum(p < ALPHA for p in own)
        decision = YES if not different else PARTLY if 2 * different < len(own) else NO
        yield Specification(choices, decision, p=min(own))
