"""Whether an analyst's rank differs from case to case: Friedman's test over cases.

Evaluators are the blocks and cases the treatments, so only evaluators who ranked every case count.
The test rejects when an analyst's rank depends on the case. Not rejecting is no proof that it does
not: with few evaluators a large dependence goes unseen.
"""

from dataclasses import dataclass

import polars as pl

from helpers import beside, estimates, say, show
from helpers.agreement import Concordance, friedman
from helpers.direction import compared
from helpers.multiplicity import holm
from helpers.ranking.decisions import ABSENT, ALPHA, NO, PARTLY, UNRANKED, YES
from helpers.ranking.printed import PRINTED, with_printed
from helpers.ranking.table import Ranks
from helpers.results import Entry


@dataclass(frozen=True)
class Constancy:
    """Friedman's test of one analyst's ranks over cases; `p_holm` is adjusted over analysts."""

    analyst: str
    test: Concordance
    p_holm: float | None


def constancy(ranks: Ranks, confidence: float = 0.95) -> list[Constancy]:
    """Test for each analyst whether its rank differs between cases.

    Parameters
    ----------
    ranks : Ranks
        Whole rankings.
    confidence : float
        Confidence level of W's intervals.

    Returns
    -------
    list of Constancy
        In the order of the study's file. `test.kept` are positions of the evaluators used.
    """
    found = [friedman(ranks.values[:, :, i], confidence) for i in range(len(ranks.analysts))]
    adjusted = holm([test.p for test in found])
    return [Constancy(*own) for own in zip(ranks.analysts, found, adjusted, strict=True)]


def table(found: list[Constancy]) -> pl.DataFrame:
    """The tests as a table."""
    if not found:
        return estimates.absent("Analyst", UNRANKED)
    rows = [
        {
            "Analyst": one.analyst,
            "χ²": one.test.chi2,
            "df": one.test.df,
            "p": one.test.p,
            "p (Holm)": one.p_holm,
            **estimates.cells(one.test, "W"),
            "Evaluators": one.test.used,
            "Dropped": one.test.dropped,
            estimates.NOTE: estimates.note(one.test),
        }
        for one in found
    ]
    return estimates.frame(rows)


def beside_printed(found: list[Constancy]) -> pl.DataFrame:
    """The same tests beside those that the paper prints; of the analysts that it names."""
    names = [one.analyst for one in found]
    printed = {column: beside.analysts("table12", column, names) for column in PRINTED}
    return with_printed({"Analyst": names}, [one.test for one in found], printed)


def sentence(ranks: Ranks, found: list[Constancy]) -> str:
    """Which evaluators the tests rest on."""
    if not found:
        return f"Nothing is estimable here: {UNRANKED}."
    kept = sorted({place for one in found for place in one.test.kept})
    names = say.listing([show.escape(ranks.evaluators[place]) for place in kept])
    others = (
        " The rankings of the others do not count here."
        if len(kept) < len(ranks.evaluators)
        else ""
    )
    return (
        f"Of {say.count(len(ranks.evaluators), 'evaluator')} who ranked, {len(kept)} ranked every "
        f"case in which an analyst was to be ranked and {'is' if len(kept) == 1 else 'are'} used: "
        f"{names}.{others}"
    )


def entry(found: list[Constancy], anchor: str) -> Entry:
    """The tests as one line of the ledger, without p: they are not the test of H3."""
    tested = [one for one in found if one.p_holm is not None]
    question = "Does an analyst's rank depend on the case?"
    published = beside.paper().cells("table12", "p-value")
    below = sum(cell.value is not None and cell.value < ALPHA for cell in published)
    printed = f"for {below} of {len(published)} analysts, unadjusted"
    method = "Friedman over cases, Holm over analysts"
    if not tested:
        reason = found[0].test.reason if found else UNRANKED
        decision, result = ABSENT, f"not estimable: {reason}"
    else:
        different = sum((one.p_holm or 0) < ALPHA for one in tested)
        result = f"for {different} of {say.count(len(tested), 'analyst')}"
        decision = _decide(different, len(tested))
    return Entry(
        question=question,
        result=result,
        decision=decision,
        published=printed,
        explanation="A test that does not reject is no proof that ranks are the same.",
        anchor=anchor,
        topic="ARQ2",
        method=method,
        direction=compared(decision, _decide(below, len(published))),
    )


def _decide(different: int, of: int) -> str:
    return YES if 2 * different > of else PARTLY if different else NO
