"""H6 under other choices: weights, evaluators, correlation, and how its form is judged.

Whether the relation is straight decides only between wholly and in part. So what that rests on,
which of the two is predicted and the span of the smoother, is changed by itself, and not in every
combination.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from helpers import say
from helpers.benchmark.comparison import OUTCOMES, Comparison, Settings
from helpers.benchmark.join import Benchmark, Points, benchmarks
from helpers.benchmark.verdict import STRAIGHT, form_of
from helpers.capability import scores_by
from helpers.choice.logit import Floats
from helpers.choice.rankings import Rankings
from helpers.not_estimable import NotEstimableError
from helpers.ranking.decisions import ALPHA, NO, PARTLY, YES
from helpers.results import Entry
from helpers.specifications import samples
from helpers.specifications.against import against
from helpers.specifications.specification import EVALUATORS, Curve, Specification, attempt
from helpers.specifications.weightings import WEIGHTS, Ways, weightings
from helpers.study import Study
from helpers.weighing.weighed import Weighed

CORRELATION, FORM = "Correlation", "Form judged by"
PEARSON, SPEARMAN = CORRELATIONS = "Pearson's r", "Spearman's ρ"


def curve(
    study: Study,
    main: Entry | None,
    most: int,
    ways: Ways,
    settings: Settings,
    spans: Sequence[float],
) -> Curve:
    """Test H6 in every way.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    main : Entry or None
        H6's line of the ledger.
    most : int
        Evaluators to leave out in turn.
    ways : Ways
        What weights are tried.
    settings : Settings
        Of the main decision.
    spans : sequence of float
        Other spans of the smoother.
    """
    first = {
        WEIGHTS: ways.method,
        EVALUATORS: samples.ALL,
        CORRELATION: PEARSON,
        FORM: _form(settings),
    }
    tests = [({CORRELATION: one}, partial(tested, settings=settings)) for one in CORRELATIONS]
    found: list[Specification] = []
    try:
        known = benchmarks(study, settings.scale)
        for chosen, own in samples.samples(study, most):
            found += against(first | dict(chosen), own, known, ways, tests)
        found += _forms(found, study, known, ways, settings, spans)
    except NotEstimableError as error:
        found = [Specification(first, reason=error.reason)]
    return Curve("H6", main, tuple(found), "estimate", "Correlation with benchmark accuracy")


def _forms(
    found: Sequence[Specification],
    study: Study,
    known: Sequence[Benchmark],
    ways: Ways,
    settings: Settings,
    spans: Sequence[float],
) -> Iterator[Specification]:
    """The first specification with its form judged otherwise."""
    weighted = weightings(study, replace(ways, splits=0), mixed=False)
    shares = weighted.shares[ways.method]
    if isinstance(shares, str):
        return
    other = OUTCOMES[1 - OUTCOMES.index(settings.outcome)]
    for changed in (
        replace(settings, outcome=other),
        *(replace(settings, span=span) for span in spans if span != settings.span),
    ):
        choices = {**found[0].choices, FORM: _form(changed)}
        yield tested(choices, weighted.weighed, shares, known[0], changed)


def _form(settings: Settings) -> str:
    given = OUTCOMES[1 - OUTCOMES.index(settings.outcome)]
    return f"{settings.outcome} from {given}, span {settings.span:g}"


def tested(
    choices: Mapping[str, str],
    weighed: Weighed,
    shares: Floats,
    benchmark: Benchmark,
    settings: Settings,
) -> Specification:
    """One specification: positive by the permutation test, and of which form.

    The interval of r over evaluators, which the main decision asks for too, is not made anew: the
    evaluators are one of the choices here.

    Parameters
    ----------
    choices : mapping of str to str
        What is chosen.
    weighed : Weighed
        The study.
    shares : ndarray
        Shape (dimensions,), weights that add up to one.
    benchmark : Benchmark
        Accuracies.
    settings : Settings
        How form is judged.
    """

    def make() -> Specification:
        comparison = Comparison(
            benchmark.name, _points(weighed.rankings, shares, benchmark), settings
        )
        comparison.refuse()
        spearman = choices[CORRELATION] == SPEARMAN
        own = comparison.ranked if spearman else comparison.association
        if own.r is None or own.p is None:
            raise NotEstimableError("the correlation is", own.reason)
        if own.least is not None and own.least >= ALPHA:
            reason = f"no order of {own.n} accuracies can have p below {say.percent(ALPHA)}"
            raise NotEstimableError("the correlation is", reason)
        straight = form_of(comparison.bend, comparison.left_out) == STRAIGHT
        positive = own.r > 0 and own.p < ALPHA
        decision = NO if not positive else YES if straight else PARTLY
        return Specification(choices, decision, own.r, own.low, own.high, own.p)

    return attempt(choices, make)


def _points(rankings: Rankings, shares: Floats, benchmark: Benchmark) -> Points:
    """Scores by these weights beside accuracies, of the models that have both."""
    if benchmark.reason:
        raise NotEstimableError("the comparison is", benchmark.reason)
    scores = dict(zip(rankings.items, scores_by(rankings, shares[None, :])[0], strict=True))
    names = tuple(name for name in benchmark.accuracies if name in scores)
    nothing = np.empty((0, len(names)))
    return Points(
        names,
        np.array([scores[name] for name in names], dtype=float),
        np.array([benchmark.accuracies[name] for name in names], dtype=float),
        nothing,
        nothing,
        benchmark.left_out,
    )
