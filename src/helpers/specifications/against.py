"""Weightings of the dimensions against benchmarks, every one with every other."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from helpers.benchmark.join import Benchmark
from helpers.choice.logit import Floats
from helpers.not_estimable import NotEstimableError
from helpers.specifications import samples
from helpers.specifications.specification import EVALUATORS, Specification
from helpers.specifications.weightings import WEIGHTS, Ways, weightings
from helpers.study import Study
from helpers.weighing.weighed import Weighed

BENCHMARK = "Benchmark"

Choices = Mapping[str, str]
Test = Callable[[Choices, Weighed, Floats, Benchmark], Specification]
"""One specification, from its choices, a weighed study, weights that add up to one, accuracies."""


def against(
    choices: Choices,
    study: Study,
    known: Sequence[Benchmark],
    ways: Ways,
    tests: Sequence[tuple[Choices, Test]],
) -> Iterator[Specification]:
    """Make each test of each weighting and benchmark, or say why there are no weights.

    Parameters
    ----------
    choices : mapping of str to str
        What all specifications have in common.
    study : Study
        A study of the perception kind.
    known : sequence of Benchmark
        Its benchmarks; of several, which one is a choice too.
    ways : Ways
        What weights are tried; those of the mixed model for all evaluators alone.
    tests : sequence of (mapping of str to str, callable)
        What is tested, with the choices that it stands for.
    """
    try:
        given = weightings(study, ways, mixed=choices[EVALUATORS] == samples.ALL)
    except NotEstimableError as error:
        yield Specification(choices, reason=error.reason)
        return
    for weights, shares in given.shares.items():
        for benchmark in known:
            named = {BENCHMARK: benchmark.name} if len(known) > 1 else {}
            for chosen, test in tests:
                own = {**choices, WEIGHTS: weights, **chosen, **named}
                if isinstance(shares, str):
                    yield Specification(own, reason=shares)
                else:
                    yield test(own, given.weighed, shares, benchmark)
