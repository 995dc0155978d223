"""Simulated studies per minute, beside a loop over R's ordinal::clmm.

A study is drawn and its mixed model fitted, as power simulations do many times over; the same
studies, a few of them, are drawn here and fitted by R, whose time is multiplied. Seconds are those
of the processor, for a hundred studies. Beside it stands a whole study of `make power`, with the
tests of H1 to H6.
"""

from collections.abc import Iterator
from dataclasses import asdict

from benchmarks.by_r import SAME, clmm_by_r
from benchmarks.comparison import Comparison, processor_seconds
from helpers.clmm import clmm, warm_up
from helpers.power import measures
from helpers.simulate import Plan, simulate_planned

PLAN = Plan()
TIMED, IN_R = 10, 1
HUNDRED = 100


def bench() -> Iterator[Comparison]:
    """Time simulated studies; both must find the same likelihood, or nothing is compared."""
    warm_up()
    formula = measures.formula(PLAN.dimensions)
    drawn = [simulate_planned(PLAN, seed).ratings() for seed in range(IN_R)]
    clmm(formula, drawn[0])
    ours, fits = processor_seconds(lambda: [fitted(seed, formula) for seed in range(TIMED)])
    answers = [clmm_by_r(data, formula) for data in drawn]
    for fit, (_, loglik) in zip(fits, answers, strict=False):
        if loglik - fit.loglik > SAME:
            raise AssertionError(f"{fit.loglik} here and {loglik} in R")
    theirs = sum(seconds for seconds, _ in answers) / IN_R
    each = ours / TIMED
    what = f"{HUNDRED} simulated studies with a mixed model each ({60 / each:,.0f} a minute)"
    peer = f"as many by ordinal::clmm ({IN_R} timed; {60 / theirs:,.1f} a minute)"
    yield Comparison(what, HUNDRED * each, peer, HUNDRED * theirs)
    measures.study({"plan": asdict(PLAN), "seed": 0})
    each, _ = processor_seconds(lambda: measures.study({"plan": asdict(PLAN), "seed": 1}), 3)
    what = f"{HUNDRED} studies of make power, H1 to H6 and precision ({60 / each:,.0f} a minute)"
    yield Comparison(what, HUNDRED * each)


def fitted(seed: int, formula: str) -> object:
    """Draw a study and fit it."""
    return clmm(formula, simulate_planned(PLAN, seed).ratings())
