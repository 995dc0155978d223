"""Agreement compared between cases, all at once or two by two, and against difficulty."""

from collections.abc import Iterator, Mapping, Sequence

from helpers import difficulty
from helpers.agreement import CaseComparison
from helpers.difficulty import Trend
from helpers.not_estimable import NotEstimableError
from helpers.ranking.decisions import ALPHA, NO, PARTLY, YES
from helpers.specifications.specification import READING, Specification, by_p
from helpers.study import Study

BY = "Cases compared"
TOGETHER, PAIRS = "all at once", "two by two, after Holm"
DIFFERS, FALLS = "agreement differs between cases", "agreement falls with difficulty"


def two_by_two(
    choices: Mapping[str, str],
    found: CaseComparison,
    cases: Sequence[str],
    study: Study,
    words: Sequence[str],
) -> Iterator[Specification]:
    """Both ways to compare cases, and the trend with difficulty.

    Parameters
    ----------
    choices : mapping of str to str
        All that is chosen otherwise.
    found : CaseComparison
        Agreement by case.
    cases : sequence of str
        Names of the cases, in the order of `found`.
    study : Study
        Which may say how difficult they are.
    words : sequence of str
        Words for difficulty, from easy to hard.
    """
    slope = trend(found, cases, study, words)
    whole = YES if _falls(slope) else PARTLY
    p_values = {
        TOGETHER: found.p,
        PAIRS: min(
            (one.p_holm for one in found.differences if one.p_holm is not None), default=None
        ),
    }
    for by, p in p_values.items():
        decision = by_p(p, whole)
        reason = "" if decision else found.reason or "no two cases can be compared"
        yield Specification({**choices, BY: by}, decision, p=p, reason=reason)
    yield falling({**choices, READING: FALLS}, slope)


def trend(found: CaseComparison, cases: Sequence[str], study: Study, words: Sequence[str]) -> Trend:
    """Agreement against difficulty, or why there is none."""
    try:
        known = difficulty.difficulties(study, words)
    except NotEstimableError as error:
        return Trend(reason=error.reason, unit="cases")
    shared = zip(cases, (case.mean_correlation for case in found.cases), strict=True)
    return difficulty.trend(dict(shared), known)


def falling(choices: Mapping[str, str], slope: Trend) -> Specification:
    """The hypothesis read as: agreement falls with difficulty."""
    if slope.p is None:
        return Specification(choices, reason=slope.reason)
    return Specification(choices, YES if _falls(slope) else NO, p=slope.p)


def _falls(slope: Trend) -> bool:
    return slope.p is not None and slope.p < ALPHA and float(slope) < 0
