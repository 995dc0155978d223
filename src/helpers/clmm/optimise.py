"""Climb to the maximum of a log-likelihood with a known gradient.

Quasi-Newton steps (BFGS) from a good first guess at the curvature, cut back until the likelihood
rises (Nocedal & Wright, *Numerical Optimization*, 2nd ed., chapters 3 and 6). What remains is
measured by the Newton decrement gᵀB⁻¹g, with B the negative Hessian: its half is what the
log-likelihood could still gain, its root the distance from the maximum in standard errors.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from helpers.clmm.arrays import Floats
from helpers.clmm.problem import Point

Evaluate = Callable[[Floats, Floats], Point]

DECREMENT = 1e-8  # where climbing ends
CLOSE = 1e-5  # what counts as arrived: 0.003 standard errors
STEPS = 300
SHRINK = 0.3
SMALLEST = 1e-9


@dataclass(frozen=True)
class Climb:
    """Where a climb ended.

    Attributes
    ----------
    point : Point
        The best point found.
    curvature : ndarray of float
        Approximate negative Hessian there, positive definite.
    decrement : float
        Newton decrement, squared standard errors left to go.
    """

    point: Point
    curvature: Floats
    decrement: float


def climb(evaluate: Evaluate, start: Point, curvature: Floats, free: Floats) -> Climb:
    """Climb from `start` along the `free` parameters.

    Parameters
    ----------
    evaluate : callable
        Takes parameters and a first guess at the mode.
    start : Point
        A point with a finite log-likelihood.
    curvature : ndarray of float
        First guess at the negative Hessian, positive definite.
    free : ndarray of bool
        Which parameters may move.
    """
    point, b = start, curvature.copy()
    fresh = True
    decrement = np.inf
    for _ in range(STEPS):
        step = np.zeros(len(free))
        step[free] = np.linalg.solve(b[np.ix_(free, free)], point.gradient[free])
        decrement = float(step @ point.gradient)
        if decrement < DECREMENT:
            break
        following = _cut_back(evaluate, point, step, decrement)
        if following is None:
            if fresh:
                break
            b, fresh = curvature.copy(), True
            continue
        moved = following.parameters - point.parameters
        b = _updated(b, moved, point.gradient - following.gradient)
        point, fresh = following, False
    return Climb(point, b, decrement)


def _cut_back(evaluate: Evaluate, point: Point, step: Floats, rise: float) -> Point | None:
    """First point along `step` that gains a share of what its slope promises."""
    rounding = 1e-12 * (1 + abs(point.loglik))
    size = 1.0
    while size > SMALLEST:
        trial = evaluate(point.parameters + size * step, point.mode)
        if trial.loglik >= point.loglik + 1e-4 * size * rise - rounding:
            return trial
        size *= SHRINK
    return None


def _updated(b: Floats, step: Floats, change: Floats) -> Floats:
    """BFGS update of a negative Hessian; none where curvature along the step is not positive."""
    along = float(step @ change)
    if along <= 1e-10 * np.linalg.norm(step) * np.linalg.norm(change):
        return b
    bs = b @ step
    return b - np.outer(bs, bs) / (step @ bs) + np.outer(change, change) / along


def made_definite(b: Floats) -> Floats:
    """The symmetric matrix b with its eigenvalues made positive, and none of them tiny."""
    values, vectors = np.linalg.eigh(b)
    size = np.maximum(np.abs(values), 1e-3 * np.abs(values).max())
    return np.asarray((vectors * size) @ vectors.T, dtype=np.float64)


def negative_hessian(evaluate: Evaluate, point: Point, scale: Floats, free: Floats) -> Floats:
    """Negative Hessian by central differences of the exact gradient.

    Parameters
    ----------
    evaluate : callable
        Takes parameters and a first guess at the mode.
    point : Point
        Where.
    scale : ndarray of float
        Rough curvature by parameter; the steps are a thousandth of its inverse root, a thousandth
        of a conditional standard error.
    free : ndarray of bool
        Parameters to include; rows and columns of the others are 0.
    """
    hessian = np.zeros((len(free), len(free)))
    for j in np.flatnonzero(free):
        step = np.zeros(len(free))
        step[j] = 1e-3 / np.sqrt(scale[j])
        right = evaluate(point.parameters + step, point.mode)
        left = evaluate(point.parameters - step, point.mode)
        hessian[j] = (left.gradient - right.gradient) / (2 * step[j])
    return (hessian + hessian.T) / 2 * np.outer(free, free)
