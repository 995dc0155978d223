"""Where to start: the model without random terms, whose likelihood (as a rule) has one maximum."""

import numpy as np

from helpers.clmm.arrays import Floats
from helpers.clmm.laplace import Laplace
from helpers.clmm.links import LINKS, RESIDUAL_VARIANCE
from helpers.clmm.optimise import Climb, climb, made_definite, negative_hessian
from helpers.clmm.problem import QUANTILES, Problem

SD = 0.3  # of every random term at the start, in standard deviations of the latent residual


def without_random_terms(problem: Problem) -> Climb:
    """Fit the cumulative link model that ignores the random terms; its curvature is exact."""
    n = len(problem.y)
    weights = problem.laplace.weights
    link = LINKS[problem.laplace.link]
    plain = Problem(
        Laplace(link, [], np.empty((n, 0)), weights),
        problem.y, problem.matrix, problem.x, problem.nominal,
    )  # fmt: skip
    counts = np.bincount(problem.y, weights, minlength=len(problem.matrix) + 1)
    shares = np.cumsum(counts + 0.5)[:-1] / (counts + 0.5).sum()  # never 0 or 1
    alpha = np.linalg.lstsq(problem.matrix, QUANTILES[link](shares), rcond=None)[0]
    parameters = np.concatenate([alpha, np.zeros(problem.fixed - len(alpha))])
    everything = np.ones(problem.fixed, dtype=bool)
    start = plain.evaluate(parameters, np.empty(0))
    rough = np.full(problem.fixed, 0.1 * weights.sum())
    curvature = negative_hessian(plain.evaluate, start, rough, everything)
    # Cauchy's log-likelihood is not concave everywhere.
    found = climb(plain.evaluate, start, made_definite(curvature), everything)
    exact = negative_hessian(plain.evaluate, found.point, np.diag(found.curvature), everything)
    return Climb(found.point, exact, found.decrement)


def with_random_terms(problem: Problem, plain: Climb, sd: float = SD) -> tuple[Floats, Floats]:
    """Parameters and a first guess at the negative Hessian to start from.

    Random effects spread the latent variable, and what is fixed must grow with it to leave the
    categories as frequent as they are.
    """
    sizes = np.array(problem.laplace.sizes, dtype=float)
    variance = RESIDUAL_VARIANCE[LINKS[problem.laplace.link]]
    unit = np.sqrt(variance) if variance > 0 else 1.0
    growth = np.sqrt(1 + len(sizes) * sd**2)
    total = problem.laplace.weights.sum()
    # A level whose effect is seen without error has information 2/σ² on σ; one that is known with
    # reliability ρ has 2ρ²/σ².
    signal = total / sizes * sd**2
    information = 2 * sizes * (signal / (1 + signal)) ** 2 / (sd * unit) ** 2
    curvature = np.zeros((problem.fixed + len(sizes),) * 2)
    curvature[: problem.fixed, : problem.fixed] = made_definite(plain.curvature) / growth**2
    curvature[problem.fixed :, problem.fixed :] = np.diag(information)
    parameters = np.concatenate([plain.point.parameters * growth, np.full(len(sizes), sd * unit)])
    return parameters, curvature
