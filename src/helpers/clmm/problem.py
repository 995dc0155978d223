"""The model as a function of its parameters, in units in which they are all alike.

Inside, predictors have mean 0 and standard deviation 1, so that neither units nor origins matter
to the optimiser; parameters are the thresholds' α, the slopes, and the random terms' standard
deviations σ, in this order. σ enters through σ² alone, so that its sign is free and the likelihood
has no edge at σ = 0: it is smooth and symmetric there.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import stats

from helpers.clmm.arrays import Floats, Ints
from helpers.clmm.design import Design
from helpers.clmm.laplace import Laplace
from helpers.clmm.predictors import standardise
from helpers.clmm.thresholds import location, structure

QUANTILES = {
    "logit": stats.logistic.ppf,
    "probit": stats.norm.ppf,
    "cauchit": stats.cauchy.ppf,
    "cloglog": stats.gumbel_l.ppf,
    "loglog": stats.gumbel_r.ppf,
}


@dataclass(frozen=True)
class Point:
    """Parameters and what was found there.

    Attributes
    ----------
    parameters : ndarray of float
        α, slopes and σ in the problem's own units.
    loglik : float
        Log-likelihood, −∞ where the parameters are not allowed.
    gradient : ndarray of float
        Its derivative by the parameters.
    mode : ndarray of float
        Conditional modes of the standardised random effects, in order of elimination.
    """

    parameters: Floats
    loglik: float
    gradient: Floats
    mode: Floats


@dataclass(frozen=True)
class Problem:
    """Log-likelihood of one set of ratings.

    Attributes
    ----------
    laplace : Laplace
        The random part, the same whatever the ratings are.
    y : ndarray of int
        Category of each row.
    matrix : ndarray of float
        The thresholds' structure J.
    x : ndarray of float
        Standardised predictors with proportional odds.
    nominal : ndarray of float
        Standardised predictors whose slope differs between thresholds.
    """

    laplace: Laplace
    y: Ints
    matrix: Floats
    x: Floats
    nominal: Floats

    @cached_property
    def edges(self) -> tuple[Floats, Floats]:
        """Matrices that turn α and slopes into each row's upper and lower edge."""
        count = len(self.matrix)
        blank = np.zeros((1, self.matrix.shape[1]))
        above = np.vstack([self.matrix, blank])[self.y]
        below = np.vstack([blank, self.matrix])[self.y]
        at = np.eye(count + 1)[self.y]
        sides = []
        for tied, used in ((above, at[:, :count]), (below, at[:, 1:])):
            special = -(used[:, :, None] * self.nominal[:, None, :]).reshape(len(self.y), -1)
            inside = used.sum(axis=1, keepdims=True)
            sides.append(np.hstack([tied, -self.x * inside, special]))
        return sides[0], sides[1]

    @property
    def fixed(self) -> int:
        """Number of parameters that are not standard deviations."""
        special = len(self.matrix) * self.nominal.shape[1]
        return int(self.matrix.shape[1] + self.x.shape[1] + special)

    def evaluate(self, parameters: Floats, mode: Floats) -> Point:
        """Log-likelihood and gradient at `parameters`, the search for the mode begun at `mode`."""
        psi, sd = parameters[: self.fixed], parameters[self.fixed :]
        upper, lower = self.edges
        a = np.where(self.y == len(self.matrix), np.inf, upper @ psi)
        b = np.where(self.y == 0, -np.inf, lower @ psi)
        found = self.laplace.evaluate(a, b, sd, mode)
        gradient = np.concatenate([upper.T @ found.upper + lower.T @ found.lower, found.sd])
        return Point(parameters, found.loglik, gradient, found.mode)

    def with_ratings(self, y: Ints) -> "Problem":
        """The same model of other ratings."""
        return replace(self, y=y)


def problem(design: Design, link: str, threshold: str) -> Problem:
    """Set up the likelihood of a design."""
    return Problem(
        Laplace(link, design.levels, scaled_covariates(design), design.weights),
        design.y,
        structure(threshold, design.categories)[0],
        standardise(design.x)[0],
        np.empty((len(design.y), 0)),
    )


def scaled_covariates(design: Design) -> Floats:
    """Covariates of the random terms with mean square 1."""
    return design.covariates / root_mean_square(design)


def root_mean_square(design: Design) -> Floats:
    """Root mean square of each random term's covariate."""
    return np.asarray(np.sqrt((design.covariates**2).mean(axis=0)), dtype=np.float64)


def to_reported(design: Design, matrix: Floats) -> Floats:
    """Matrix that turns a problem's parameters into the reported ones, in the data's units.

    With predictors (x − c)/s inside, a slope is the inner one over s, and the thresholds move by
    c times the slope; a random slope's σ is the inner one over its covariate's root mean square.
    """
    _, centre, scale = standardise(design.x)
    alpha, p = matrix.shape[1], len(scale)
    sizes = np.concatenate([np.ones(alpha), 1 / scale, 1 / root_mean_square(design)])
    change = np.diag(sizes)
    change[:alpha, alpha : alpha + p] = np.outer(location(matrix), centre / scale)
    return change
