"""How fast the native engine is: beside R at the study's size, in refits, and as data grow.

Run from the project's root: python benchmarks/bench_clmm.py [--refits 500] [--without-r]
CPU seconds of one process; compiled code is loaded beforehand, and R is started.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

from helpers import r
from helpers.clmm import bootstrap, clmm, warm_up

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from clmm_data import RANKS, STUDY

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

R_FIT = """
function(data, formula) {
  for (name in c("evaluator", "case", "analyst")) data[[name]] <- factor(data[[name]])
  data$rank <- ordered(data$rank)
  formula <- stats::as.formula(formula)
  spent <- system.time(fit <- ordinal::clmm(formula, data = data, Hess = TRUE))
  list(seconds = sum(spent[1:2]), loglik = as.numeric(stats::logLik(fit)))
}
"""


def seconds(work, times):
    """Median CPU time of some calls, and the last result."""
    spent = []
    for _ in range(times):
        begin = time.process_time()
        result = work()
        spent.append(time.process_time() - begin)
    return statistics.median(spent), result


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refits", type=int, default=500)
    parser.add_argument("--without-r", action="store_true")
    options = parser.parse_args()

    warm_up()
    clmm(RANKS, STUDY)
    cold, fit = seconds(lambda: clmm(RANKS, STUDY), 5)
    print(f"study ({len(STUDY):,} rows, six terms): {cold:.2f} s, logLik {fit.loglik:.4f}")
    if not options.without_r:
        answer = r.call(R_FIT, data=STUDY, formula=RANKS).value
        by_r, loglik = answer["seconds"][0], answer["loglik"][0]
        print(f"  ordinal::clmm(Hess = TRUE): {by_r:.1f} s, logLik {loglik:.4f}")
        print(f"  {by_r / cold:.0f} times as fast")
    refits, drawn = seconds(lambda: bootstrap(fit, options.refits), 1)
    print(f"  {options.refits} refits: {refits:.1f} s, {refits / cold:.0f} fits; ", end="")
    print(f"{drawn.failed} failed")

    print("growth, standard errors included")
    for evaluators, cases, rated in [
        (36, 9, 5), (80, 9, 5), (160, 9, 5), (320, 9, 5), (640, 9, 5), (320, 40, 10),
    ]:  # fmt: skip
        data = grown(evaluators, cases, rated)
        spent, found = seconds(lambda data=data: clmm(RANKS, data), 1)
        effects = found.problem.laplace.count
        state = "converged" if found.converged else "NOT CONVERGED"
        print(
            f"  {len(data):6,} rows, {cases:2} cases, {effects:5,} effects: {spent:6.2f} s, "
            f"{1e3 * spent / len(data):.2f} ms a row, {state}"
        )


if __name__ == "__main__":
    main()
