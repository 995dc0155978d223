"""H1 under other choices: the unit of the t-test, the test, what counts as a difference, and whom.

Single rows are left out: they count one evaluator's leniency for each of their scores, and are no
sample (see `helpers.scoring.readings`). The model of all rows takes as long as all the rest, so
that it is taken from its chapter and not fitted to fewer evaluators.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import polars as pl

from helpers.questions import TESTED
from helpers.ranking.decisions import PARTLY
from helpers.results import Entry
from helpers.scoring import alignment, readings, scored
from helpers.scoring.table import Scored
from helpers.specifications import samples
from helpers.specifications.specification import EVALUATORS, TEST, Curve, Specification, by_p
from helpers.study import Study
from helpers.two_groups import Comparison

DIFFERENCE = "Difference"
MODEL, MEAN = "model of all rows", "mean over dimensions"
JOINT = "any dimension, tested together"
ANY, ANY_PLAIN = "any dimension, after Holm", "any dimension, unadjusted"
USED = tuple(own for own in readings.READINGS if own.unit != readings.ROWS)


def curve(study: Study, main: Entry | None, most: int) -> Curve:
    """Test H1 in every way.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    main : Entry or None
        H1's line of the ledger.
    most : int
        Evaluators to leave out in turn.
    """
    first = {TEST: MODEL, DIFFERENCE: JOINT, EVALUATORS: samples.ALL}
    found = [_main(first, main)]
    for included, own in samples.evaluators(study, most).items():
        found += _readings(own, included)
    return Curve(
        "H1",
        main,
        tuple(found),
        "estimate",
        f"Specialists less others ({_unit(study)})",
        {TEST: (DIFFERENCE,)},
    )


def _main(choices: Mapping[str, str], main: Entry | None) -> Specification:
    if main is None or main.decision not in TESTED:
        return Specification(choices, reason="the model of all rows gives no decision")
    return Specification(choices, main.decision, main.estimate, main.low, main.high, main.p)


def _unit(study: Study) -> str:
    return scored(study).unit


def _readings(study: Study, included: str) -> Iterator[Specification]:
    scores, aligned = scored(study), alignment.alignment(study)
    by_dimension = readings.readings(scores, aligned)
    together = readings.readings(averaged(scores), aligned)
    for reading in USED:
        overall = together[reading][MEAN]
        p_values = {
            ANY: [p for p in readings.adjust(by_dimension[reading]) if p is not None],
            ANY_PLAIN: [one.p for one in by_dimension[reading].values() if one.p is not None],
            MEAN: [] if overall.p is None else [overall.p],
        }
        for difference, own in p_values.items():
            choices = {TEST: reading.name, DIFFERENCE: difference, EVALUATORS: included}
            yield _specification(choices, own, overall)


def _specification(
    choices: Mapping[str, str], p_values: list[float], overall: Comparison
) -> Specification:
    """Decided by the smallest p; partly at most, since emphasis is not tested."""
    if not p_values:
        return Specification(choices, reason=overall.reason or "no dimension can be compared")
    return Specification(
        choices,
        by_p(min(p_values), PARTLY),
        overall.value,
        overall.low,
        overall.high,
        min(p_values),
    )


def averaged(scores: Scored) -> Scored:
    """The same scores with their mean over the dimensions in place of these."""
    mean = pl.mean_horizontal(scores.labels).alias(MEAN)
    frame = scores.frame.select("evaluator", "case", "analyst", mean)
    return replace(scores, frame=frame, labels=(MEAN,))
