"""Variances of zero: found as such, and shown to be maxima.

In σ the likelihood is symmetric, so its slope at σ = 0 is always 0 and proves nothing. What counts
is the slope in the variance, which at a maximum on the boundary must not be positive (the
Karush–Kuhn–Tucker condition). From dℓ/dσ = 2σ dℓ/dσ² it is dℓ/dσ at a small σ = h over 2h.
"""

from dataclasses import replace

import numpy as np

from helpers.clmm.arrays import Floats
from helpers.clmm.optimise import Climb, climb
from helpers.clmm.problem import Point, Problem

SMALL = 0.1  # standard deviations below this are tried at zero
STEP = 3e-3
UPHILL = 1e-3  # slopes below this are rounding
RELEASED = 0.3
ROUNDS = 5


def variance_slopes(problem: Problem, point: Point) -> Floats:
    """Slope of the log-likelihood in each variance that is zero at `point`; nan for the others."""
    sd = point.parameters[problem.fixed :]
    slopes = np.full(len(sd), np.nan)
    for t in np.flatnonzero(sd == 0):
        nearby = point.parameters.copy()
        nearby[problem.fixed + t] = STEP
        slopes[t] = problem.evaluate(nearby, point.mode).gradient[problem.fixed + t] / (2 * STEP)
    return slopes


def settle(problem: Problem, found: Climb, first_curvature: Floats) -> Climb:
    """Decide which variances are zero, and climb on until that decision stands.

    Parameters
    ----------
    problem : Problem
        The likelihood.
    found : Climb
        Where the first climb ended.
    first_curvature : ndarray of float
        The guess that it began with, for terms that are set free again.
    """
    for _ in range(ROUNDS):
        zeroed = _with_zeros(problem, found.point)
        released = np.flatnonzero(variance_slopes(problem, zeroed) > UPHILL)
        if len(released) == 0 and zeroed is found.point:
            return found
        parameters = zeroed.parameters.copy()
        parameters[problem.fixed + released] = RELEASED
        start = problem.evaluate(parameters, zeroed.mode)
        curvature = first_curvature if len(released) else found.curvature
        free = parameters != 0
        free[: problem.fixed] = True
        found = climb(problem.evaluate, start, curvature, free)
    return found


def _with_zeros(problem: Problem, point: Point) -> Point:
    """The point with each small standard deviation at zero, where that is a maximum."""
    for t in np.flatnonzero(np.abs(point.parameters[problem.fixed :]) < SMALL):
        parameters = point.parameters.copy()
        parameters[problem.fixed + t] = 0.0
        trial = problem.evaluate(parameters, point.mode)
        loses = trial.loglik < point.loglik - 1e-9 * (1 + abs(point.loglik))
        if point.parameters[problem.fixed + t] and not loses:
            point = point if variance_slopes(problem, trial)[t] > UPHILL else trial
    return point


def positive(problem: Problem, found: Climb) -> Climb:
    """The same with every standard deviation positive, as their signs do not matter."""
    signs = np.ones(len(found.point.parameters))
    signs[problem.fixed :] = np.where(found.point.parameters[problem.fixed :] < 0, -1.0, 1.0)
    mode_signs = np.repeat(signs[problem.fixed :], problem.laplace.sizes)
    mode = found.point.mode.copy()
    mode[problem.laplace.order] *= mode_signs
    point = replace(
        found.point,
        parameters=found.point.parameters * signs,
        gradient=found.point.gradient * signs,
        mode=mode,
    )
    return Climb(point, found.curvature * np.outer(signs, signs), found.decrement)
