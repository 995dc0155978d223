"""What the paper says of rankings in three sentences, each as a rule that data can fail.

The rules are stated before the results. They need what the sentences leave open: how many language
models are the top ones, and how close two analysts are when they are comparable.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from helpers import beside, estimates, say
from helpers.agreement import Estimate
from helpers.direction import compared
from helpers.not_estimable import NotEstimableError
from helpers.ranking.compare import ABOVE, NO_PAIR, Pair, verdict
from helpers.ranking.decisions import ABSENT, ALPHA, NO, PARTLY, YES
from helpers.ranking.levels import ordered
from helpers.ranking.stability import Contrast, against_llms
from helpers.ranking.stability import table as stability_rows
from helpers.ranking.table import Ranks
from helpers.results import Entry

ANCHOR = "tbl-rankings-headlines"


@dataclass(frozen=True)
class Setting:
    """What the sentences leave open.

    Attributes
    ----------
    levels : tuple of str
        Levels of physicians from the expected best to the expected worst.
    top : int
        How many of the best-ranked language models are the top ones.
    margin : float
        Ranks within which two analysts are comparable.
    """

    levels: tuple[str, ...]
    top: int = 2
    margin: float = 1.0


@dataclass(frozen=True)
class Claim:
    """One claim and what became of it.

    Attributes
    ----------
    claim, found : str
        What is claimed, and what the comparisons say of it.
    here, decision : str
        The decision for these cases, empty where it cannot be had, and for others like them.
    """

    claim: str
    found: str
    here: str
    decision: str


CLAIMS = (
    "Top LLMs rank above most physicians",
    "The senior level is comparable to the top LLMs",
    "The senior level is less stable than the top LLMs",
    "Nearly all LLMs rank above the lowest level",
)


QUESTIONS = (
    "Do top LLMs rank above most physicians?",
    "Is the senior level comparable to the top LLMs?",
    "Is the senior level less stable than the top LLMs?",
    "Do nearly all LLMs rank above the lowest level?",
)
QUOTES = (  # what the paper's text says of each
    "rank of top LLMs beside most physicians",
    "rank of senior specialists beside top LLMs",
    "stability of senior specialists beside top LLMs",
    "LLMs ranked above Non-Specialists",
)


def rules(setting: Setting) -> pl.DataFrame:
    """The claims and the rules by which they are decided."""
    margin = f"{setting.margin:g} rank" + ("" if setting.margin == 1 else "s")
    told = (
        f"Top: the {setting.top} LLMs of best mean rank. Each must lie above more than half of the "
        "levels of physicians; partly, if some of them do.",
        f"The interval of the difference must lie within {margin} of zero for each top LLM; "
        "partly, if for some of them.",
        "The mean ranks of the level must vary more over cases than those of each top LLM "
        "(Pitman and Morgan, Holm-adjusted, 5 %); partly, if than those of some.",
        "All LLMs but one at most, and more than half, must lie above the level; partly, if more "
        "than half of them do.",
    )
    return pl.DataFrame({"Claim": CLAIMS, "Supported if": told})


def top_llms(pairs: Sequence[Pair], top: int) -> list[str]:
    """The best-ranked language models, the best first."""
    return list(dict.fromkeys(pair.llm for pair in pairs))[:top]


def stability(ranks: Ranks, pairs: Sequence[Pair], setting: Setting) -> list[Contrast]:
    """How much more the mean ranks of the highest level vary than those of the top LLMs.

    Raises
    ------
    NotEstimableError
        If levels have no order (see `levels.ordered`).
    """
    best = ordered(ranks, setting.levels)[0]
    return against_llms(ranks, best, top_llms(pairs, setting.top))


def stability_table(ranks: Ranks, pairs: Sequence[Pair], setting: Setting) -> pl.DataFrame:
    """The comparison of stability as a table, or why there is none."""
    try:
        return stability_rows(stability(ranks, pairs, setting), ordered(ranks, setting.levels)[0])
    except NotEstimableError as error:
        return estimates.absent("LLM", error.reason)


def judge(ranks: Ranks, pairs: Sequence[Pair], setting: Setting) -> list[Claim]:
    """Decide the claims.

    Parameters
    ----------
    ranks : Ranks
        Whole rankings.
    pairs : sequence of Pair
        As `compare.compare` gives them.
    setting : Setting
        What the sentences leave open.

    Returns
    -------
    list of Claim
        In the order of `CLAIMS`; "not estimable" where a claim cannot be tested.
    """
    judges = (_above_most, _comparable, _less_stable, _above_lowest)
    claims = []
    for claim, decide in zip(CLAIMS, judges, strict=True):
        try:
            if not pairs:
                raise NotEstimableError(claim, NO_PAIR)
            claims.append(Claim(claim, *decide(ranks, pairs, setting)))
        except NotEstimableError as error:
            claims.append(Claim(claim, f"not estimable: {error.reason}", "", ABSENT))
    return claims


def table(claims: Sequence[Claim]) -> pl.DataFrame:
    """The claims as a table."""
    rows = [
        {
            "Claim": claim.claim,
            "Published": _published(claim),
            "Found": claim.found,
            "In these cases": claim.here,
            "In cases like these": claim.decision,
        }
        for claim in claims
    ]
    return pl.DataFrame(rows)


def entries(claims: Sequence[Claim]) -> tuple[Entry, ...]:
    """The claims as lines of the ledger, without p-values: they are no hypotheses of the paper."""
    return tuple(
        Entry(
            question=QUESTIONS[CLAIMS.index(claim.claim)],
            result=claim.found,
            decision=claim.decision,
            published=_published(claim),
            explanation=f"In these cases by themselves: {claim.here}." if claim.here else "",
            anchor=ANCHOR,
            topic="ARQ2",
            method="intervals that hold together, evaluators and cases resampled",
            direction=compared(claim.decision, YES),
        )
        for claim in claims
    )


def _published(claim: Claim) -> str:
    """What the paper says, which tests none of these claims."""
    return f"{beside.quote(QUOTES[CLAIMS.index(claim.claim)])}, no test"


Judged = tuple[str, str, str]  # what was found, decision for these cases, decision for others


def _above_most(ranks: Ranks, pairs: Sequence[Pair], setting: Setting) -> Judged:
    top = top_llms(pairs, setting.top)
    levels = len({pair.level for pair in pairs})

    def share(estimate: Callable[[Pair], Estimate]) -> tuple[list[int], str]:
        above = [
            sum(pair.llm == llm and verdict(estimate(pair)) == ABOVE for pair in pairs)
            for llm in top
        ]
        return above, _decide(sum(2 * n > levels for n in above), len(top))

    above, decision = share(lambda pair: pair.difference)
    above_here, here = share(lambda pair: pair.here)
    told = [
        f"{llm} above {n} of {levels} (in these cases {m})"
        for llm, n, m in zip(top, above, above_here, strict=True)
    ]
    return "; ".join(told), here, decision


def _comparable(ranks: Ranks, pairs: Sequence[Pair], setting: Setting) -> Judged:
    best = ordered(ranks, setting.levels)[0]
    top = top_llms(pairs, setting.top)
    own = [pair for pair in pairs if pair.level == best and pair.llm in top]

    def decide(estimate: Callable[[Pair], Estimate]) -> str:
        inside = [_within(estimate(pair), setting.margin) for pair in own]
        return _decide(sum(inside), len(own))

    told = "; ".join(f"{pair.llm} {_signed(pair.difference)}" for pair in own)
    return told, decide(lambda pair: pair.here), decide(lambda pair: pair.difference)


def _less_stable(ranks: Ranks, pairs: Sequence[Pair], setting: Setting) -> Judged:
    found = stability(ranks, pairs, setting)
    if not any(contrast.ratio.estimable for contrast in found):
        raise NotEstimableError("stability is", found[0].ratio.reason)
    more = [
        (contrast.ratio.value or 0) > 1 and contrast.p_holm is not None and contrast.p_holm < ALPHA
        for contrast in found
    ]
    told = "; ".join(
        f"variance {say.number(contrast.ratio.value)} times that of {contrast.llm}"
        for contrast in found
        if contrast.ratio.value is not None
    )
    return told, "", _decide(sum(more), len(found))


def _above_lowest(ranks: Ranks, pairs: Sequence[Pair], setting: Setting) -> Judged:
    lowest = ordered(ranks, setting.levels)[-1]
    own = [pair for pair in pairs if pair.level == lowest]

    def decide(estimate: Callable[[Pair], Estimate]) -> tuple[int, str]:
        above = sum(verdict(estimate(pair)) == ABOVE for pair in own)
        if 2 * above <= len(own):
            return above, NO
        return above, YES if above >= len(own) - 1 else PARTLY

    (above, decision), (above_here, here) = (
        decide(lambda pair: pair.difference),
        decide(lambda pair: pair.here),
    )
    told = f"{above} of {say.count(len(own), 'LLM')} above {lowest} (in these cases {above_here})"
    return told, here, decision


def _decide(held: int, of: int) -> str:
    return YES if held == of else PARTLY if held else NO


def _within(difference: Estimate, margin: float) -> bool:
    low, high = difference.low, difference.high
    return low is not None and high is not None and -margin < low and high < margin


def _signed(difference: Estimate) -> str:
    if difference.value is None:
        return estimates.note(difference)
    sign = "+" if difference.value > 0 else ""
    ends = (
        f" ({say.span(difference.low, difference.high)})"
        if difference.low is not None and difference.high is not None
        else ""
    )
    return f"{sign}{say.number(difference.value)}{ends}"
