"""H6, that scores rise with accuracies along a straight line: the rule, the decision, the ledger.

Two things are claimed, and each needs evidence of its own. *Positive* is decided by the permutation
test and by the interval of r over evaluators. *Straight* is never decided by how closely a curve
follows the points it was fitted to: any smoother comes closer than a line. A bend must be seen by
the test of a parabola and predict points that were left out; and a line is taken for straight only
if the test would have seen a bend.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from helpers import beside, say
from helpers.benchmark.bend import ENOUGH, Bend
from helpers.benchmark.comparison import Compared, Comparison
from helpers.benchmark.left_out import CURVES, LINE, LeftOut
from helpers.benchmark.several import lead, overall
from helpers.multiplicity import holm
from helpers.not_estimable import NotEstimableError
from helpers.ranking.decisions import ABSENT, ALPHA, NO, PARTLY, YES
from helpers.results import Entry

STRAIGHT, BENT, OPEN = "straight", "bent", "cannot be told"
QUESTION = "Do perceived scores rise with benchmark accuracy, along a straight line?"
ANCHOR = "tbl-benchmark-decision"


@dataclass(frozen=True)
class Judged:
    """What became of H6 on one benchmark.

    Attributes
    ----------
    benchmark : str
        Its name; empty where the study has none.
    decision : str
        "supported", "partly supported", "not supported" or "not estimable".
    positive : bool or None
        Whether a positive association was shown; None where it could not be tested.
    form : str
        `STRAIGHT`, `BENT` or `OPEN`.
    reason : str
        Why nothing was decided.
    comparison : Comparison or None
        What it rests on.
    p_holm : float or None
        The permutation p, adjusted over benchmarks.
    """

    benchmark: str
    decision: str
    positive: bool | None = None
    form: str = OPEN
    reason: str = ""
    comparison: Comparison | None = None
    p_holm: float | None = None

    @property
    def analysts(self) -> int:
        """How many were compared."""
        return self.comparison.association.n if self.comparison else 0


def judge(compared: Compared) -> list[Judged]:
    """Decide H6 on each benchmark, "not estimable" with the reason where it cannot be tested."""
    try:
        found = compared.comparisons
    except NotEstimableError as error:
        return [Judged("", ABSENT, reason=error.reason)]
    p_values = [
        None if isinstance(one, str) or _untestable(one) else one.association.p
        for one in found.values()
    ]
    judged = []
    for (name, one), p in zip(found.items(), holm(p_values), strict=True):
        if isinstance(one, str):
            judged.append(Judged(name, ABSENT, reason=one))
        elif p is None:
            judged.append(Judged(name, ABSENT, reason=_untestable(one), comparison=one))
        else:
            judged.append(_judged(one, p))
    return judged


def _judged(one: Comparison, p: float) -> Judged:
    ends = one.over_evaluators
    positive = (one.association.r or 0.0) > 0 and p < ALPHA and (ends is None or ends[0] > 0)
    form = form_of(one.bend, one.left_out)
    sure = ends is not None and form == STRAIGHT
    decision = NO if not positive else YES if sure else PARTLY
    return Judged(one.name, decision, positive, form, comparison=one, p_holm=p)


def form_of(bend: Bend, left_out: LeftOut) -> str:
    """Whether points are straight or bent, or whether that cannot be told.

    Parameters
    ----------
    bend : Bend
        Test of a parabola.
    left_out : LeftOut
        Predictions of points left out.

    Returns
    -------
    str
        `BENT` if the parabola is significant and some curve predicts points left out better than
        the line does; `STRAIGHT` if it is not, though its power is enough; else `OPEN`.
    """
    if bend.straight:
        return STRAIGHT
    if bend.p is None:
        return OPEN
    if bend.p < ALPHA:
        return BENT if better(left_out) else OPEN
    return STRAIGHT if (bend.power or 0.0) >= ENOUGH else OPEN


def better(left_out: LeftOut) -> list[str]:
    """Curves that predict points left out better than the line, on the points that all predict."""
    errors = left_out.on_common()
    if LINE not in errors:
        return []
    return [name for name in CURVES if name in errors and errors[name] < errors[LINE]]


def h6(judged: Sequence[Judged]) -> Entry:
    """H6's line of the ledger.

    Parameters
    ----------
    judged : sequence of Judged
        As `judge` gives them.

    Returns
    -------
    Entry
        Its figures are of one benchmark, that with the smallest p after Holm's adjustment over
        benchmarks, and of these that with most models. Its interval is Fisher's.
    """
    first = lead(judged)
    compared = first.comparison if first else None
    own = compared.association if compared else None
    gone = len(compared.points.left_out) if compared else None
    return Entry(
        question=QUESTION,
        result="; ".join(_short(one, len(judged) > 1) for one in judged),
        decision=overall(judged),
        published=beside.quote("verdict on H6"),
        explanation=plain(judged),
        anchor=ANCHOR,
        topic="H6",
        method="Pearson's r by permutation of accuracies; parabola against line, and points left "
        "out, for its form",
        estimate=own.r if own else None,
        low=own.low if own else None,
        high=own.high if own else None,
        p=first.p_holm if first else None,
        used=own.n if own else None,
        dropped=gone,
        unit="models" if own else "",
    )


def plain(judged: Sequence[Judged]) -> str:
    """The decision in plain words."""
    made = [one for one in judged if one.decision != ABSENT]
    if not made:
        return "Whether scores and accuracies go together could not be tested."
    if not any(one.positive for one in made):
        return "That better models on a benchmark are seen as more capable was not shown."
    forms = {one.form for one in made if one.positive}
    if forms == {STRAIGHT}:
        return "Better models on a benchmark are seen as more capable, in step with it."
    if forms == {BENT}:
        return "Better models on a benchmark are seen as more capable, but not in step with it."
    return (
        "Better models on a benchmark are seen as more capable; for whether in step with it, the "
        "models are too few or too scattered."
    )


def rules(compared: Compared) -> pl.DataFrame:
    """The rule of H6 and what supports each of its parts."""
    level, flat = compared.level, say.percent(compared.settings.flat)
    power = say.percent(ENOUGH)
    told = {
        "Positive": "r is above zero, its p by permutation of the accuracies is below five per "
        "cent, after Holm's adjustment where there are several benchmarks, and the "
        f"{level} interval of r with scores resampled over evaluators lies above zero.",
        "Straight": "A parabola is not significantly closer than a line, although the test has a "
        f"power of at least {power} against a bend so strong that the slope at the flat end is "
        f"{flat} of that at the steep end.",
        "Bent": "A parabola is significantly closer than a line, and some curve predicts models "
        "left out better than the line does.",
        "H6": "Supported if positive and straight; partly supported if positive and bent, or if "
        "positive and its form cannot be told, or if there is no interval over evaluators; not "
        "supported otherwise. Over several benchmarks: supported if so on all, partly if on some "
        "in whole or part.",
    }
    return pl.DataFrame({"What": list(told), "Holds if": list(told.values())})


def _untestable(one: Comparison) -> str:
    """Why no data of this kind could show an association; empty where some could."""
    least, n = one.association.least, one.association.n
    if least is None or least < ALPHA:
        return ""
    return (
        f"no order of the accuracies of {n} models can have p below {say.percent(ALPHA)}; the "
        f"least is {say.p_value(least, '')}"
    )


def _short(one: Judged, named: bool) -> str:
    head = f"{one.benchmark}: " if named and one.benchmark else ""
    if one.comparison is None:
        return f"{head}not estimable: {one.reason}"
    own = one.comparison.association
    ends = "" if own.low is None or own.high is None else f" ({say.span(own.low, own.high)})"
    told = f"{head}r {say.number(own.r or 0.0)}{ends} over {own.n} models"
    if one.reason:
        return f"{told}; not estimable: {one.reason}"
    p = "" if own.p is None else f", {say.p_value(own.p)}"
    form = {STRAIGHT: "straight", BENT: "bent", OPEN: "form cannot be told"}[one.form]
    return f"{told}{p}; {form}" if one.positive else f"{told}{p}"
