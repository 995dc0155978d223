"""Cumulative link mixed models beside R's ordinal::clmm at the study's size, and as data grow.

Seconds are those of the processor; compiled code is loaded and R started beforehand. Both must
find the same likelihood, or nothing is compared.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.by_r import SAME, clmm_by_r
from benchmarks.comparison import Comparison, processor_seconds
from helpers.clmm import bootstrap, clmm, warm_up

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from clmm_data import RANKS, STUDY

REFITS = 500
GROWTH = ((160, 9, 5), (640, 9, 5), (320, 40, 10))  # evaluators, cases, cases that each rates
SLOPES = (-0.44, -0.36, -0.23, -0.33, -0.18, -0.26, -0.58)
CUTS = (-10.5, -9.4, -8.5, -7.6, -6.7, -5.7, -4.6, -3.2)
SD = {
    ("evaluator",): 0.69,
    ("case",): 0.56,
    ("analyst",): 0.59,
    ("evaluator", "case"): 0.2,
    ("case", "analyst"): 0.68,
    ("evaluator", "analyst"): 0.35,
}


def bench() -> Iterator[Comparison]:
    """Time fits with standard errors, refits of the bootstrap, and growing data."""
    warm_up()
    clmm(RANKS, STUDY)
    ours, fit = processor_seconds(lambda: clmm(RANKS, STUDY), 5)
    theirs, loglik = clmm_by_r(STUDY, RANKS)
    if abs(fit.loglik - loglik) > SAME:
        raise AssertionError(f"log-likelihoods are {fit.loglik} here and {loglik} in R")
    what = f"cumulative link mixed model, {len(STUDY):,} rows, six terms"
    yield Comparison(what, ours, "ordinal::clmm", theirs)
    ours, drawn = processor_seconds(lambda: bootstrap(fit, REFITS))
    what = f"the same, {REFITS} refits, of which {drawn.failed} failed"
    yield Comparison(what, ours, "as many fits in R (one timed)", theirs * REFITS)
    for size in GROWTH:
        data = grown(*size)
        ours, found = processor_seconds(lambda data=data: clmm(RANKS, data))
        effects = found.problem.laplace.count
        state = "" if found.converged else ", NOT CONVERGED"
        yield Comparison(f"the same, {len(data):,} rows, {effects:,} effects{state}", ours)


def grown(evaluators, cases, rated, seed=1):
    """Ranks by the published model: each evaluator rates some of the cases, nine analysts each."""
    rng = np.random.default_rng(seed)
    chosen = np.array([rng.choice(cases, rated, replace=False) for _ in range(evaluators)])
    code = {
        "evaluator": np.repeat(np.arange(evaluators), rated * 9),
        "case": np.repeat(chosen.ravel(), 9),
        "analyst": np.tile(np.arange(9), evaluators * rated),
    }
    scores = rng.integers(1, 6, (evaluators * rated * 9, 7))
    latent = scores @ np.array(SLOPES) + rng.logistic(size=len(scores))
    for factors, sd in SD.items():
        levels = np.unique([code[f] for f in factors], axis=1, return_inverse=True)[1]
        latent += sd * rng.normal(size=levels.max() + 1)[levels]
    dimensions = STUDY.columns[3:-1]
    columns = code | dict(zip(dimensions, scores.T, strict=True))
    return pl.DataFrame(columns | {"rank": np.searchsorted(CUTS, latent) + 1})
