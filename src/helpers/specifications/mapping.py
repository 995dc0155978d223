"""H5 under other choices: what may vary, beside what it is tested, and whose rankings.

The paper's reading, that random intercepts of a mixed model are not zero, stands beside that the
weights of the scores vary; see `helpers.mapping` for why these are two things.
"""

from collections.abc import Iterator, Mapping

from helpers.clmm import random_term_tests
from helpers.mapping import mixed_model, varying, verdict
from helpers.mapping.data import Mapped, mapped
from helpers.multiplicity import holm
from helpers.not_estimable import NotEstimableError
from helpers.ranking.decisions import ALPHA, NO, PARTLY, YES
from helpers.results import Entry
from helpers.specifications import samples
from helpers.specifications.specification import (
    EVALUATORS,
    READING,
    Curve,
    Specification,
    attempt,
)
from helpers.study import Study

BESIDE = "Beside the weights"
WEIGHTS, INTERCEPTS = "weights of the scores vary", "random intercepts are not zero"
EACH, KINDS = "intercept of each analysis", "intercept of each kind of analyst"
MIXED = "random intercepts alone"
FACTORS = ("evaluator", "case", "analyst")


def curve(study: Study, main: Entry | None, most: int, draws: int, seed: int) -> Curve:
    """Test H5 in every way.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    main : Entry or None
        H5's line of the ledger.
    most : int
        Evaluators to leave out in turn.
    draws, seed : int
        Draws of signs for each test of whether weights vary.
    """
    found: list[Specification] = []
    for chosen, own in samples.samples(study, most):
        found += _weights(chosen, mapped(own), draws, seed)
        if chosen[EVALUATORS] == samples.ALL:
            choices = {READING: INTERCEPTS, BESIDE: MIXED, **chosen}
            found.append(attempt(choices, _Intercepts(choices, mapped(own))))
    return Curve("H5", main, tuple(found), "p", "p", {READING: (BESIDE,)})


def _weights(
    chosen: Mapping[str, str], own: Mapped, draws: int, seed: int
) -> Iterator[Specification]:
    for beside, each in {EACH: True, KINDS: False}.items():
        choices = {READING: WEIGHTS, BESIDE: beside, **chosen}
        tests = varying.tests(own, draws, seed, each)
        known = [p for p in varying.adjusted(tests) if p is not None]
        if not known or (each and not tests[0].intercepts):
            yield Specification(choices, reason=tests[0].reason)
        else:
            yield Specification(choices, verdict.decide(tests), p=min(known))


class _Intercepts:
    """Likelihood ratios of the random intercepts, by the mixture of χ²."""

    def __init__(self, choices: Mapping[str, str], own: Mapped) -> None:
        self.choices, self.own = choices, own

    def __call__(self) -> Specification:
        """Supported if a term of each of `FACTORS` is not zero, alone or in a pair."""
        found = mixed_model.Decomposed(self.own)
        whole = found.settled
        # Without terms at zero, where the mixture would not hold (see `mixed_model.random_slopes`).
        inside = [term for term in found.terms if term not in whole.boundary]
        fit = found.fitted(inside) if whole.boundary else whole
        if not fit.converged:
            raise NotEstimableError("random intercepts are", "the model did not converge")
        tests = random_term_tests(fit, inside, 0)
        p_values = dict(zip(tests["term"], holm(tests["p_mixture"].to_list()), strict=True))
        known = {term: p for term, p in p_values.items() if p is not None}
        if not known:
            raise NotEstimableError("random intercepts are", "no likelihood ratio can be judged")
        seen = [
            any(p < ALPHA and factor in term.split(":") for term, p in known.items())
            for factor in FACTORS
        ]
        decision = YES if all(seen) else PARTLY if any(seen) else NO
        return Specification(self.choices, decision, p=min(known.values()))
