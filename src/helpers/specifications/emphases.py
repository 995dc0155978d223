"""H7 under other choices: weights, evaluators, measure and threshold, and what ranks analysts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from helpers import say
from helpers.benchmark.join import Benchmark, benchmarks
from helpers.choice.logit import Floats
from helpers.not_estimable import NotEstimableError
from helpers.permutation.against import Against
from helpers.permutation.settings import PERCEIVED, Settings
from helpers.ranking.decisions import ALPHA, PARTLY
from helpers.results import Entry
from helpers.specifications import samples
from helpers.specifications.against import against
from helpers.specifications.specification import (
    EVALUATORS,
    Curve,
    Specification,
    attempt,
    by_p,
)
from helpers.specifications.weightings import WEIGHTS, Ways
from helpers.study import Study
from helpers.weighing.weighed import Weighed

MEASURE, RANKED = "Measure", "Evaluators' ranking by"
ALONG = "mean share along the line"


@dataclass(frozen=True)
class Reweighed(Against):
    """Evaluators against a benchmark, by weights that were found otherwise.

    Attributes
    ----------
    given : ndarray
        Shape (dimensions,), weights that add up to one.
    """

    given: Floats

    @property
    def shares(self) -> Floats:
        """The weights."""
        return self.given


def curve(
    study: Study,
    main: Entry | None,
    most: int,
    ways: Ways,
    settings: Settings,
    epsilons: Sequence[float],
) -> Curve:
    """Test H7 in every way.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    main : Entry or None
        H7's line of the ledger.
    most : int
        Evaluators to leave out in turn.
    ways : Ways
        What weights are tried.
    settings : Settings
        Of the main decision.
    epsilons : sequence of float
        Thresholds of the counts, beside the main one.
    """
    first = {
        WEIGHTS: ways.method,
        EVALUATORS: samples.ALL,
        MEASURE: _measure(settings),
        RANKED: settings.perceived,
    }
    tests = [
        ({MEASURE: _measure(own), RANKED: own.perceived}, partial(tested, settings=own))
        for own in _settings(settings, epsilons)
    ]
    found: list[Specification] = []
    try:
        known = benchmarks(study, settings.scale)
        for chosen, own in samples.samples(study, most):
            found += against(first | dict(chosen), own, known, ways, tests)
    except NotEstimableError as error:
        found = [Specification(first, reason=error.reason)]
    return Curve("H7", main, tuple(found), "p", "p")


def _settings(settings: Settings, epsilons: Sequence[float]) -> Iterator[Settings]:
    """What is measured, with the evaluators' ranking by scores and by mean ranks."""
    measures = [
        settings,
        replace(settings, measure="along"),
        *(
            replace(settings, measure="count", epsilon=epsilon)
            for epsilon in dict.fromkeys([settings.epsilon, *epsilons])
        ),
    ]
    for perceived in dict.fromkeys([settings.perceived, *PERCEIVED]):
        tried = {_measure(own): replace(own, perceived=perceived) for own in measures}
        yield from tried.values()


def _measure(settings: Settings) -> str:
    if settings.measure == "along":
        return ALONG
    return f"count, {settings.bound} below {settings.epsilon:g}"


def tested(
    choices: Mapping[str, str],
    weighed: Weighed,
    shares: Floats,
    benchmark: Benchmark,
    settings: Settings,
) -> Specification:
    """One specification, decided by p; partly at most, as no interval over evaluators is made.

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
        What is permuted, and what is measured.
    """

    def make() -> Specification:
        found = Reweighed(weighed, settings, benchmark, shares).emphasis()
        if found.least >= ALPHA:
            reason = f"no ranking as far from the evaluators' can have p below {say.percent(ALPHA)}"
            raise NotEstimableError("the difference is", reason)
        return Specification(choices, by_p(found.p, PARTLY), found.value, p=found.p)

    return attempt(choices, make)
