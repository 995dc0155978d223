"""How far evaluators agree on the ranking of a case, and whether on one case more than on another.

Kendall's W of a case counts how many evaluators it had; r̄, the mean rank correlation of two of its
evaluators, does not, and is what is compared. See `helpers.agreement.cases` for the test: cases
share evaluators, so that their agreements move together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from helpers import beside, estimates, say, show
from helpers.agreement import CaseComparison, compare_cases
from helpers.difficulty import Trend, difficulties, trend
from helpers.not_estimable import NotEstimableError
from helpers.ranking.decisions import ABSENT, ALPHA, NO, PARTLY, UNRANKED, YES
from helpers.ranking.printed import PRINTED, with_printed
from helpers.ranking.table import Ranks
from helpers.results import Entry
from helpers.study import Study

MOST_PAIRS = 60  # of cases in the table of differences; beyond that, those furthest from chance


@dataclass(frozen=True)
class Agreement:
    """Agreement on rankings by case.

    Attributes
    ----------
    cases : tuple of str
        Cases that were ranked.
    found : CaseComparison
        W by case, and the comparison of cases.
    difficulty : dict of str to float
        By case, larger is more difficult; empty where the study does not say.
    trend : Trend
        Correlation of r̄ with difficulty.
    """

    cases: tuple[str, ...]
    found: CaseComparison
    difficulty: Mapping[str, float]
    trend: Trend


def agreement(
    ranks: Ranks, study: Study, words: Sequence[str] = (), confidence: float = 0.95, seed: int = 0
) -> Agreement:
    """Measure and compare agreement on the rankings of all cases.

    Parameters
    ----------
    ranks : Ranks
        Whole rankings.
    study : Study
        Where they are from.
    words : sequence of str
        Words for difficulty in `cases.csv`, from easy to hard.
    confidence : float
        Confidence level of each interval.
    seed : int
        Of the trend's permutations.
    """
    found = compare_cases([ranks.values[:, i] for i in range(len(ranks.cases))], confidence)
    shared = dict(zip(ranks.cases, (case.mean_correlation for case in found.cases), strict=True))
    try:
        known = difficulties(study, words)
    except NotEstimableError as error:
        absent = Trend(reason=error.reason, unit="cases")
        return Agreement(ranks.cases, found, {}, absent)
    return Agreement(ranks.cases, found, known, trend(shared, known, confidence, seed))


def table(one: Agreement, study: Study) -> pl.DataFrame:
    """W, χ², p and r̄ by case."""
    if not one.cases:
        return estimates.absent("Case", UNRANKED)
    specialty = dict(study["cases"].select("case", "specialty").iter_rows())
    rows = [
        {
            "Case": case,
            "Specialty": specialty[case],
            "Difficulty": one.difficulty.get(case),
            **estimates.cells(test, "W"),
            "χ²": test.chi2,
            "df": test.df,
            "p": test.p,
            "r̄": test.mean_correlation,
            "Evaluators": test.used,
            estimates.NOTE: estimates.note(test),
        }
        for case, test in zip(one.cases, one.found.cases, strict=True)
    ]
    return estimates.frame(rows, optional=("Specialty", "Difficulty", estimates.NOTE))


def beside_printed(one: Agreement, study: Study) -> pl.DataFrame:
    """W, χ² and p beside those that the paper prints, of cases of the same number and specialty."""
    printed = {column: beside.cases("table13", column, study, one.cases) for column in PRINTED}
    return with_printed({"Case": one.cases}, one.found.cases, printed)


def tests(one: Agreement) -> pl.DataFrame:
    """Whether agreement is the same in all cases, and whether it falls with difficulty."""
    found = one.found
    rows = [
        {
            "Question": "Is agreement the same in all cases?",
            "Method": "ANOVA-type statistic of r̄, evaluators jackknifed",
            "Statistic": found.statistic,
            "Statistic low": None,
            "Statistic high": None,
            "df": found.df,
            "p": found.p,
            "Cases": len(found.compared),
            estimates.NOTE: f"not estimable: {found.reason}" if found.reason else "",
        },
        {
            "Question": "Does agreement rise or fall with difficulty?",
            "Method": "Spearman's correlation of r̄ with difficulty"
            + (f", {one.trend.orders:,} orders of the cases" if one.trend.orders else ""),
            **estimates.cells(one.trend, "Statistic"),
            "df": None,
            "p": one.trend.p,
            "Cases": one.trend.used,
            estimates.NOTE: estimates.note(one.trend),
        },
    ]
    return estimates.frame(rows)


def differences(one: Agreement) -> pl.DataFrame:
    """Differences of r̄ between pairs of cases, smallest p first; not more than `MOST_PAIRS`."""
    if not one.found.differences:
        return estimates.absent("Case", one.found.reason)
    pairs = sorted(one.found.differences, key=lambda pair: 2.0 if pair.p is None else pair.p)
    rows = [
        {
            "Case": one.cases[pair.first],
            "less case": one.cases[pair.second],
            **estimates.cells(pair, "Difference"),
            "p": pair.p,
            "p (Holm)": pair.p_holm,
            "Evaluators": pair.used,
            estimates.NOTE: estimates.note(pair),
        }
        for pair in pairs[:MOST_PAIRS]
    ]
    return estimates.frame(rows)


def sentence(one: Agreement) -> str:
    """How many pairs of cases differ."""
    pairs = one.found.differences
    if not pairs:
        return f"Pairs of cases cannot be compared: {one.found.reason}."
    different = sum(pair.p_holm is not None and pair.p_holm < ALPHA for pair in pairs)
    shown = (
        f" The table shows the {MOST_PAIRS} with the smallest p." if len(pairs) > MOST_PAIRS else ""
    )
    return (
        f"{different} of {say.count(len(pairs), 'pair')} of cases differ at 5 % after Holm's "
        f"adjustment.{shown}"
    )


def entry(one: Agreement, anchor: str) -> Entry:
    """H4 as a line of the ledger."""
    values = [case.value for case in one.found.cases if case.value is not None]
    spread = (
        [f"W {say.span(min(values), max(values))} in {say.count(len(values), 'case')}"]
        if values
        else []
    )
    absent = [f"comparison not estimable: {one.found.reason}"] if one.found.reason else []
    decision, explanation = decide(one)
    return Entry(
        question="Do evaluators agree less on some rankings, and least on difficult cases?",
        result="; ".join([*spread, *absent]),
        decision=decision,
        published=f"W {beside.quote('lowest W of rankings')} to "
        f"{beside.quote('highest W of rankings')}; {beside.quote('verdict on H4')}",
        explanation=explanation,
        anchor=anchor,
        topic="H4",
        method="ANOVA-type test of r̄ between cases",
        p=one.found.p,
        used=len(one.found.compared),
        dropped=len(one.cases) - len(one.found.compared),
        unit="cases",
    )


def decide(one: Agreement) -> tuple[str, str]:
    """The decision on H4, and why in plain words."""
    if one.found.p is None:
        return ABSENT, f"Agreement cannot be compared between cases: {one.found.reason}."
    if one.found.p >= ALPHA:
        return NO, "Evaluators agree about as much on one case as on another, as far as seen."
    if not one.trend.estimable:
        return PARTLY, (
            f"Agreement differs between cases. Difficulty is not tested: {one.trend.reason}."
        )
    falls = (one.trend.value or 0) < 0 and one.trend.p is not None and one.trend.p < ALPHA
    if falls:
        return YES, "Agreement differs between cases and falls with their difficulty."
    return PARTLY, "Agreement differs between cases, but is not seen to fall with their difficulty."


def verdict(one: Agreement) -> str:
    """The decision on H4 in a sentence."""
    decision, explanation = decide(one)
    return f"**H4: {decision}.** {show.escape(explanation)}"
