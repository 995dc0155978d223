"""H2 under other choices: on what evaluators agree, how cases are compared, and whose scores.

The paper's reading, agreement on which dimension scores high, stands beside agreement on the
analyses; see `helpers.scoring.dimension_agreement` for why these are two things.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from helpers.agreement import compare_cases, kendalls_w
from helpers.difficulty import Trend
from helpers.multiplicity import holm
from helpers.ranking.decisions import PARTLY, YES
from helpers.results import Entry
from helpers.scoring import analyst_agreement, heterogeneity, scored
from helpers.scoring.table import Floats, Scored, by_evaluator_case
from helpers.specifications import samples
from helpers.specifications.pairs import BY, DIFFERS, FALLS, TOGETHER, falling, two_by_two
from helpers.specifications.specialty import averaged
from helpers.specifications.specification import (
    EVALUATORS,
    READING,
    Curve,
    Specification,
    by_p,
)
from helpers.study import Study

ON = "Agreement on"
MEAN, EACH = "analyses, mean over dimensions", "analyses, each dimension (Holm)"
SCORE, DIMENSIONS = "analyses, by their mean score", "dimensions, as in the paper"


def curve(study: Study, main: Entry | None, most: int, words: Sequence[str]) -> Curve:
    """Test H2 in every way.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    main : Entry or None
        H2's line of the ledger.
    most : int
        Evaluators to leave out in turn.
    words : sequence of str
        Words for difficulty, from easy to hard.
    """
    found: list[Specification] = []
    for included, own in samples.evaluators(study, most).items():
        found += _all(own, included, words)
    return Curve("H2", main, tuple(found), "p", "p")


def _all(study: Study, included: str, words: Sequence[str]) -> Iterator[Specification]:
    scores = scored(study)
    tables = analyst_agreement.tables(scores)
    ordered = {place: kendalls_w(table) for place, table in tables.items()}
    compared = heterogeneity.compare(ordered, scores.frame["evaluator"].n_unique())
    slope = heterogeneity.trend(study, compared, words)
    first = {ON: MEAN, READING: DIFFERS, BY: TOGETHER, EVALUATORS: included}
    yield _mean(first, compared, slope)
    yield falling(first | {READING: FALLS}, slope)
    yield _each(first | {ON: EACH}, compared, slope)
    by_analyses = list(analyst_agreement.tables(averaged(scores)).values())
    by_dimensions = list(on_dimensions(scores).values())
    for on, own in ((SCORE, by_analyses), (DIMENSIONS, by_dimensions)):
        yield from two_by_two(first | {ON: on}, compare_cases(own), scores.cases, study, words)


def _mean(
    choices: Mapping[str, str], found: heterogeneity.Heterogeneity, slope: Trend
) -> Specification:
    if found.test is None:
        return Specification(choices, reason=found.reason)
    decision = heterogeneity.decision(found, slope)
    return Specification(choices, decision, p=found.test.p)


def _each(
    choices: Mapping[str, str], found: heterogeneity.Heterogeneity, slope: Trend
) -> Specification:
    """Agreement differs between cases on any dimension, after Holm."""
    made = [one and one.p for one in found.by_dimension.values()]
    adjusted = [p for p in holm(made) if p is not None]
    if not adjusted:
        return Specification(choices, reason="on no dimension can two cases be compared")
    decision = by_p(min(adjusted), _whole(slope))
    return Specification(choices, decision, p=min(adjusted))


def _whole(slope: Trend) -> str:
    falls = slope.p is not None and by_p(slope.p) == YES and float(slope) < 0
    return YES if falls else PARTLY


def on_dimensions(scores: Scored) -> dict[str, Floats]:
    """Mean scores of each case, all evaluators × dimensions, nan where one did not judge it."""
    means = by_evaluator_case(scores)
    everyone = scores.frame.select("evaluator").unique(maintain_order=True)
    return {
        case: everyone.join(
            means.filter(pl.col("case") == case), on="evaluator", how="left", maintain_order="left"
        )
        .select(pl.col(scores.labels).cast(pl.Float64).fill_null(np.nan))
        .to_numpy()
        for case in scores.cases
    }
