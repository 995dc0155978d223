"""Whether evaluators agree more on some cases than on others, and less on difficult ones (H2).

A case's agreement is r̄, the mean rank correlation of two of its evaluators over the analysts,
averaged over the dimensions. Unlike Kendall's W it does not depend on how many evaluators a case
has. Evaluators of several cases move these together: the covariance of two r̄ sums the products of
each evaluator's influences by the delete-one jackknife, and equality is tested with the ANOVA-type
statistic (see `helpers.agreement.cases`). The jackknife errs towards too large a variance: where
all is equal, the test rejects in two per cent of studies with 20 evaluators a case, not in five.
Permuting case labels would test equal distributions of the scores instead.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from helpers import difficulty, say
from helpers.agreement import Concordance, Equality, Estimate, equality, rater_influences
from helpers.agreement.jackknife import CORRELATION
from helpers.difficulty import Trend
from helpers.estimates import cells, frame, note
from helpers.multiplicity import holm
from helpers.not_estimable import NotEstimableError
from helpers.scoring.analyst_agreement import Place
from helpers.scoring.table import Floats
from helpers.show import escape
from helpers.study import Study

FEWEST = 2  # cases to compare


@dataclass(frozen=True)
class Heterogeneity:
    """Agreement by case, and whether it is the same.

    Attributes
    ----------
    cases : mapping of str to Estimate
        Mean r̄ of each case over `dimensions`; `used` counts evaluators.
    dimensions, left_out : tuple of str
        Those that count, with an interval in every case that is compared; and the others.
    test : Equality or None
        Of equal mean r̄.
    by_dimension : mapping of str to Equality or None
        The same for each dimension by itself, over the cases that have it.
    reason : str
        Why there is no test; empty where there is one.
    """

    cases: Mapping[str, Estimate]
    dimensions: tuple[str, ...] = ()
    test: Equality | None = None
    by_dimension: Mapping[str, Equality | None] = field(default_factory=dict)
    reason: str = ""
    left_out: tuple[str, ...] = ()


def compare(
    found: Mapping[Place, Concordance], raters: int, confidence: float = 0.95
) -> Heterogeneity:
    """Compare cases.

    Parameters
    ----------
    found : mapping
        W of the analysts by case and dimension, all from tables of the same `raters`.
    raters : int
        Number of all evaluators.
    confidence : float
        Confidence level of the cases' intervals.
    """
    known = {place: one for place, one in found.items() if one.has_interval}
    all_cases = list(dict.fromkeys(case for case, _ in found))
    labels = list(dict.fromkeys(label for _, label in found))
    cases, common = _block(known, all_cases, labels)
    moves = {place: rater_influences(one, raters) for place, one in known.items()}
    estimates = {
        case: _mean(case, common, known, moves, confidence)
        if case in cases
        else Estimate(reason=_lacking([lab for lab in labels if (case, lab) not in known], labels))
        for case in all_cases
    }
    by_dimension = {label: _dimension(label, known, moves) for label in labels}
    left_out = tuple(label for label in labels if label not in common)
    if len(cases) < FEWEST:
        have = say.count(len(cases), "case")
        reason = f"{have} with an interval; at least {FEWEST} are needed"
        return Heterogeneity(estimates, common, None, by_dimension, reason, left_out)
    values = np.array([float(estimates[case]) for case in cases])
    means = np.column_stack([_means(case, common, moves) for case in cases])
    test = equality(values, means.T @ means)
    reason = "" if test else "the cases move together whichever evaluator is left out"
    return Heterogeneity(estimates, common, test, by_dimension, reason, left_out)


def _block(
    known: Collection[Place], cases: Sequence[str], labels: Sequence[str]
) -> tuple[list[str], tuple[str, ...]]:
    """Cases and dimensions of which every pair is known.

    These are all cases with anything known, and the dimensions known in each of them. Where fewer
    than half of the dimensions are left so, cases go too: whichever case or dimension lacks the
    largest part, until nothing is lacking.
    """
    rows = [case for case in cases if any((case, label) in known for label in labels)]
    columns = [label for label in labels if all((case, label) in known for case in rows)]
    if not rows or 2 * len(columns) >= len(labels):
        return rows, tuple(columns) if rows else ()
    columns = list(labels)
    while True:
        lack = {
            ("case", row): sum((row, c) not in known for c in columns) / len(columns)
            for row in rows
        } | {
            ("label", column): sum((r, column) not in known for r in rows) / len(rows)
            for column in columns
        }
        (kind, worst), most = max(lack.items(), key=lambda item: item[1])
        if not most:
            return rows, tuple(columns)
        (rows if kind == "case" else columns).remove(worst)


def _lacking(lacking: Sequence[str], labels: Sequence[str]) -> str:
    if len(lacking) == len(labels):
        return "W has no interval on any dimension"
    return f"W has no interval on {say.listing(list(lacking))}"


def _means(case: str, labels: Sequence[str], moves: Mapping[Place, Floats]) -> Floats:
    """Influence of each evaluator on the case's mean r̄."""
    return np.asarray(np.mean([moves[case, label] for label in labels], axis=0))


def _mean(
    case: str,
    labels: Sequence[str],
    known: Mapping[Place, Concordance],
    moves: Mapping[Place, Floats],
    confidence: float,
) -> Estimate:
    """Mean r̄ of a case, its interval symmetric in Fisher's z."""
    correlations = [known[case, label].mean_correlation or 0.0 for label in labels]
    value, raters = float(np.mean(correlations)), min(known[case, lab].used for lab in labels)
    error = float(np.sqrt((_means(case, labels, moves) ** 2).sum()))
    told: dict[str, Any] = {"used": raters, "unit": "evaluators", "confidence": confidence}
    if not CORRELATION.low < value < CORRELATION.high or error < 1e-12:
        return Estimate(value=value, reason="leaving out any one evaluator changes nothing", **told)
    margin = stats.t.ppf((1 + confidence) / 2, raters - 1) * error * CORRELATION.slope(value)
    centre = CORRELATION.forward(value)
    low, high = CORRELATION.back(centre - margin), CORRELATION.back(centre + margin)
    return Estimate(value=value, low=low, high=high, **told)


def _dimension(
    label: str, known: Mapping[Place, Concordance], moves: Mapping[Place, Floats]
) -> Equality | None:
    """The test on one dimension; None with fewer than two cases."""
    own = [place for place in known if place[1] == label]
    if len(own) < FEWEST:
        return None
    table = np.column_stack([moves[place] for place in own])
    values = np.array([known[place].mean_correlation for place in own], dtype=float)
    return equality(values, table.T @ table)


def trend(
    study: Study, found: Heterogeneity, words: Sequence[str], confidence: float = 0.95
) -> Trend:
    """Agreement against difficulty, where the study states it."""
    try:
        known = difficulty.difficulties(study, words)
    except NotEstimableError as error:
        return Trend(reason=error.reason, unit="cases")
    quantity = {case: one.value for case, one in found.cases.items()}
    return difficulty.trend(quantity, known, confidence)


def by_case(study: Study, found: Heterogeneity) -> pl.DataFrame:
    """Mean r̄ of each case, with its difficulty where the study states it."""
    told = study["cases"]
    stated = (
        dict(told.select("case", "difficulty").iter_rows()) if "difficulty" in told.columns else {}
    )
    rows = [
        {"Case": case, "Difficulty": stated.get(case), "Evaluators": one.used}
        | cells(one, "Mean r̄")
        | {"Note": note(one)}
        for case, one in found.cases.items()
    ]
    return frame(rows, optional=("Difficulty", "Note"))


def tests(found: Heterogeneity) -> pl.DataFrame:
    """The tests that agreement is the same in all cases: on average, then by dimension."""
    adjusted = holm([one and one.p for one in found.by_dimension.values()])
    lines = [("mean over dimensions", found.test, None, found.reason)] + [
        (label, one, p, "fewer than two cases can be compared")
        for (label, one), p in zip(found.by_dimension.items(), adjusted, strict=True)
    ]
    rows = [
        {
            "Agreement on": name,
            "Statistic": one and one.statistic,
            "df": one and one.df,
            "p": one and one.p,
            "p (Holm)": p,
            "Note": "" if one else f"not estimable: {reason}",
        }
        for name, one, p, reason in lines
    ]
    return frame(rows)


def decision(found: Heterogeneity, slope: Trend, alpha: float = 0.05) -> str:
    """Whether H2 is supported, partly supported, not supported, or not tested.

    It is supported if agreement differs between cases and falls with difficulty, and partly if it
    differs but difficulty is not given, or shows no fall.
    """
    if found.test is None:
        return "not tested"
    if found.test.p >= alpha:
        return "not supported"
    falls = slope.p is not None and slope.p < alpha and float(slope) < 0
    return "supported" if falls else "partly supported"


def sentence(found: Heterogeneity, slope: Trend, alpha: float = 0.05) -> str:
    """The result in words."""
    known = {case: float(one) for case, one in found.cases.items() if one.value is not None}
    if found.test is None or not known:
        told = f"Whether agreement differs between cases is not estimable: {escape(found.reason)}."
    else:
        low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
        told = (
            f"**{decision(found, slope, alpha).capitalize()}.** Mean agreement lies between "
            f"r̄ = {say.number(known[low])} (case {escape(low)}) and r̄ = {say.number(known[high])} "
            f"(case {escape(high)}); equal agreement: {say.p_value(found.test.p)}."
        )
        if found.left_out:
            missing = say.listing([escape(label) for label in found.left_out])
            told += f" Left out of the mean, for want of an interval in every case: {missing}."
    if slope.value is None or slope.p is None:
        return f"{told} Difficulty: not tested ({escape(slope.reason)})."
    return (
        f"{told} Agreement and difficulty over {slope.used} cases: Spearman's correlation "
        f"{slope.text()}, {say.p_value(slope.p)}."
    )


def short(found: Heterogeneity) -> str:
    """The range of agreement, in a few words."""
    known = [float(one) for one in found.cases.values() if one.value is not None]
    if found.test is None or not known:
        return f"not estimable: {found.reason}"
    ends = say.span(min(known), max(known))
    return f"mean r̄ of {say.count(len(known), 'case')}: {ends}"


def plain(found: Heterogeneity, slope: Trend, alpha: float = 0.05) -> str:
    """The decision for readers who do not know the tests."""
    if found.test is None:
        differ = f"Whether agreement differs between cases is not tested: {found.reason}."
    elif found.test.p < alpha:
        differ = "Evaluators agree on the analyses more in some cases than in others."
    else:
        differ = "No difference in agreement between cases is shown."
    if slope.p is None:
        return f"{differ} Difficulty: not tested, {slope.reason}."
    falls = slope.p < alpha and float(slope) < 0
    return f"{differ} Less agreement on difficult cases is {'' if falls else 'not '}shown."
