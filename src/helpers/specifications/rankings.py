"""H4 under other choices: how cases are compared, what is read, and whose rankings."""

from collections.abc import Iterator, Mapping, Sequence

from helpers.ranking import agreement, ranks
from helpers.ranking.decisions import UNRANKED
from helpers.results import Entry
from helpers.specifications import samples
from helpers.specifications.pairs import BY, DIFFERS, FALLS, PAIRS, TOGETHER, two_by_two
from helpers.specifications.specification import READING, Curve, Specification
from helpers.study import Study


def curve(study: Study, main: Entry | None, most: int, words: Sequence[str]) -> Curve:
    """Test H4 in every way.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    main : Entry or None
        H4's line of the ledger.
    most : int
        Evaluators to leave out in turn.
    words : sequence of str
        Words for difficulty, from easy to hard.
    """
    found: list[Specification] = []
    for chosen, own in samples.samples(study, most):
        found += _all(chosen, own, words)
    return Curve("H4", main, tuple(found), "p", "p")


def _all(chosen: Mapping[str, str], study: Study, words: Sequence[str]) -> Iterator[Specification]:
    first = {READING: DIFFERS, BY: TOGETHER, **chosen}
    ranked = ranks(study)
    if not ranked.cases:
        for choices in (first, first | {BY: PAIRS}, first | {READING: FALLS}):
            yield Specification(choices, reason=UNRANKED)
        return
    compared = agreement.agreement(ranked, study, words).found
    yield from two_by_two(first, compared, ranked.cases, study, words)
