"""From a maximum to a result in the data's own units, with an account of how good it is."""

import numpy as np
import pandas as pd

from helpers.clmm import boundary
from helpers.clmm.arrays import Floats
from helpers.clmm.design import Design
from helpers.clmm.problem import Point, Problem, to_reported
from helpers.clmm.result import Clmm, sd_name
from helpers.clmm.thresholds import structure

HUGE = 20.0  # a standard deviation, in the link's units, that means that there is no finite one


def describe(
    read: Design,
    likelihood: Problem,
    link: str,
    threshold: str,
    engine: str,
    point: Point,
    hessian: Floats,
    arrived: bool,
    said: tuple[str, ...] = (),
) -> Clmm:
    """Describe the maximum at `point`.

    Parameters
    ----------
    read : Design
        The data.
    likelihood : Problem
        Their likelihood.
    link, threshold, engine : str
        What was asked for.
    point : Point
        Where the engine ended; a standard deviation of 0 is one at the boundary.
    hessian : ndarray of float
        Negative Hessian in the likelihood's own parameters, rows and columns of boundary terms 0.
    arrived : bool
        Whether the engine found no way up from there.
    said : tuple of str
        What R said.
    """
    free = point.parameters != 0
    free[: likelihood.fixed] = True
    inner = np.ix_(free, free)
    eigenvalues = np.linalg.eigvalsh(hessian[inner])
    definite = bool(eigenvalues[0] > 0)
    change = to_reported(read, likelihood.matrix)
    root = np.full(hessian[inner].shape, np.nan)
    if definite:  # with H = LLᵀ the inverse is L⁻ᵀL⁻¹
        root = change[inner] @ np.linalg.inv(np.linalg.cholesky(hessian[inner])).T
    slopes = dict(zip(read.terms, boundary.variance_slopes(likelihood, point), strict=True))
    at_zero = {term: float(slope) for term, slope in slopes.items() if not np.isnan(slope)}
    rising = [term for term, slope in at_zero.items() if slope > boundary.UPHILL]
    sd = point.parameters[likelihood.fixed :]
    unbounded = [term for term, size in zip(read.terms, sd, strict=True) if size > HUGE]
    doubts = [
        *([] if arrived else ["stopped before it reached a maximum"]),
        *([] if definite else ["no standard errors: the Hessian is not positive definite"]),
        *(f"the variance of {term} has no finite estimate" for term in unbounded),
        *(f"stopped at a false boundary: the variance of {term} is not 0" for term in rising),
    ]
    alpha = structure(threshold, read.categories)[1]
    p = len(read.predictors)
    names = np.array([*alpha, *read.predictors, *map(sd_name, read.terms)], dtype=object)
    reported = pd.Series(change @ point.parameters, names, name="estimate")
    return Clmm(
        link=link,
        threshold=threshold,
        engine=engine,
        design=read,
        coefficients=reported[len(alpha) : len(alpha) + p].reindex(read.columns),
        threshold_parameters=reported[: len(alpha)],
        variances=pd.Series(
            reported[len(alpha) + p :].to_numpy() ** 2, read.terms, name="variance"
        ),
        root=pd.DataFrame(root, names[free]),
        loglik=point.loglik,
        converged=not doubts,
        gradient=float(np.abs(point.gradient[free]).max()),
        condition=float(eigenvalues[-1] / eigenvalues[0]) if definite else np.inf,
        boundary=at_zero,
        notes=(*read.notes, *doubts),
        said=said,
        problem=likelihood,
        parameters=point.parameters,
        curvature=hessian,
    )
