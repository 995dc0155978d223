"""Does the fit of a mixed model miss a higher maximum? Climb again from elsewhere and see.

A likelihood with variance components may have several maxima. One start cannot tell; so each study
is fitted again from starts that differ in the standard deviations of the random terms, all small,
all large and each drawn by itself, and in slopes and thresholds.
"""

import numpy as np

from helpers.clmm import boundary, clmm, start
from helpers.clmm.arrays import Floats
from helpers.clmm.fit import maximise
from helpers.clmm.optimise import CLOSE, Climb, climb
from helpers.clmm.problem import Problem
from helpers.recovery.scenarios import FORMULA, PLAIN, truth
from helpers.runs import Result, Task
from helpers.simulate.cumulative import simulate_cumulative
from helpers.simulate.design import perception_design
from helpers.simulate.settings import PERCEPTION
from helpers.simulate.utility import simulate

SEED = 73_000
GENERATORS = ("clmm", "utility", "shipped")
SAME = (0.05, 1.0, 2.0)  # standard deviations that all terms share at a start
DRAWN = 5  # starts with standard deviations of their own
MISSED = 1e-4  # of log-likelihood


def study(task: Task) -> Result:
    """Fit one simulated study from several starts.

    Parameters
    ----------
    task : mapping
        `generator`, one of `GENERATORS`, and `seed`.

    Returns
    -------
    dict
        `loglik` of the fit as readers get it, whether it `converged`, `best` of the other starts
        that reached a maximum, how many `reached` one, and number of `starts`.
    """
    generator, seed = task["generator"], task["seed"]
    design = perception_design(seed)
    if generator == "clmm":
        sample = simulate_cumulative(design, PERCEPTION, truth(), seed)
    else:
        sample = simulate(design, PLAIN if generator == "utility" else PERCEPTION, seed)
    fit = clmm(FORMULA, sample.ratings())
    plain = start.without_random_terms(fit.problem)
    climbs = [maximise(fit.problem, plain, sd) for sd in SAME]
    rng = np.random.default_rng(seed)
    climbs += [_from_elsewhere(fit.problem, plain, rng) for _ in range(DRAWN)]
    reached = [found.point.loglik for found in climbs if found.decrement < CLOSE]
    return {
        "loglik": fit.loglik,
        "converged": fit.converged,
        "best": max(reached, default=None),
        "reached": len(reached),
        "starts": len(climbs),
    }


def _from_elsewhere(problem: Problem, plain: Climb, rng: np.random.Generator) -> Climb:
    """Climb from standard deviations from a twentieth to twice the residual's, drawn one by one.

    Slopes and thresholds are off by some standard errors.
    """
    parameters, curvature = start.with_random_terms(problem, plain, 1.0)
    fixed = problem.fixed
    parameters[fixed:] *= np.exp(rng.uniform(np.log(0.05), np.log(2.0), len(parameters) - fixed))
    moved = _moved(parameters[:fixed], plain, problem.matrix.shape[1], rng)
    first = problem.evaluate(
        np.concatenate([moved, parameters[fixed:]]), np.zeros(problem.laplace.count)
    )
    found = climb(problem.evaluate, first, curvature, np.ones(len(parameters), dtype=bool))
    return boundary.positive(problem, boundary.settle(problem, found, curvature))


def _moved(psi: Floats, plain: Climb, thresholds: int, rng: np.random.Generator) -> Floats:
    """Slopes moved by three standard errors on average, thresholds all by the same amount."""
    errors = np.sqrt(np.diag(np.linalg.inv(plain.curvature)))
    shift = rng.normal(0, 3, len(psi)) * errors
    shift[:thresholds] = shift[0]  # so that they stay in order
    return np.asarray(psi + shift)


def gap(result: Result) -> float:
    """How far the fit stays below the best maximum of the other starts; negative if above it."""
    return float("-inf") if result["best"] is None else result["best"] - result["loglik"]
