"""Common factors of correlations by minimum residuals, as R's psych extracts them.

Minres chooses loadings Λ (items × factors) that leave the smallest sum of squared correlations
unexplained. For given uniquenesses ψ the best Λ are the leading eigenvectors of R − diag(ψ), scaled
by the roots of their eigenvalues, so that the criterion is half the sum of squares of the other
eigenvalues θ_m, with derivative −Σ_m θ_m e²_im in ψ_i (Harman & Jones 1966, *Psychometrika* 31,
351–368; Jöreskog 2003, *Factor analysis by MINRES*).
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize
from statsmodels.multivariate.factor_rotation import rotate_factors

from helpers.agreement.tables import Floats

LEAST = 0.005  # uniqueness below which psych does not go either


@dataclass(frozen=True)
class Factors:
    """Loadings and uniquenesses of a factor solution.

    Attributes
    ----------
    loadings : numpy.ndarray
        Shape (items, factors), of orthogonal factors.
    uniqueness : numpy.ndarray
        Shape (items,), share of each item's variance that is its own.
    improper : bool
        Whether an item has no variance of its own left (a Heywood case).
    """

    loadings: Floats
    uniqueness: Floats
    improper: bool


def minres(correlations: Floats, factors: int) -> Factors:
    """Factors of a correlation matrix by minimum residuals.

    Parameters
    ----------
    correlations : numpy.ndarray
        Shape (items, items).
    factors : int
        How many, at least 1 and fewer than items.
    """

    def criterion(psi: Floats) -> tuple[float, Floats]:
        roots, vectors = np.linalg.eigh(correlations - np.diag(psi))
        rest = roots[:-factors]
        return float((rest**2).sum() / 2), -(vectors[:, :-factors] ** 2) @ rest

    smc = 1 - 1 / np.diag(np.linalg.pinv(correlations))  # squared multiple correlations
    found = optimize.minimize(
        criterion,
        np.clip(1 - smc, LEAST, 1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(LEAST, 1)] * len(correlations),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000},
    )
    roots, vectors = np.linalg.eigh(correlations - np.diag(found.x))
    loadings = vectors[:, -factors:] * np.sqrt(np.maximum(roots[-factors:], 0))
    return Factors(loadings, found.x, bool((found.x <= LEAST * 1.001).any()))


def general_loadings(factors: Factors) -> Floats:
    """Loadings on a general factor above the given ones (Schmid & Leiman 1957).

    The factors are rotated obliquely (oblimin), so that they correlate, and what their
    correlations have in common is the general factor; *Psychometrika* 22, 53–61.
    """
    with np.errstate(divide="ignore"):  # it takes the logarithm of a gradient that may be 0
        loadings, turn = rotate_factors(factors.loadings, "oblimin", 0, "oblique")
    between = turn.T @ turn
    signs = np.where(loadings.sum(axis=0) < 0, -1, 1)
    loadings, between = loadings * signs, between * np.outer(signs, signs)
    if len(between) == 2:  # one correlation does not tell two loadings: take them equal
        upper = np.full(2, np.sqrt(max(between[0, 1], 0)))
    else:
        upper = minres(between, 1).loadings[:, 0]
    general = np.asarray(loadings @ upper)
    return general if general.sum() >= 0 else -general
