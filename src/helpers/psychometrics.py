"""How far several scores measure one thing: Cronbach's α and McDonald's ω.

α is k/(k − 1) · (1 − Σ variances / variance of the sum) (Cronbach 1951). ω (total) is the share of
the sum's variance that common factors account for, 1 − Σ unique variances / variance of the sum,
of standardised items (McDonald 1999; Revelle & Zinbarg 2009), as R's psych reports it.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from statsmodels.multivariate.factor import Factor

from helpers.errors import HelpersError


def cronbach_alpha(items: ArrayLike) -> float:
    """Cronbach's α of raw scores.

    Parameters
    ----------
    items : array_like
        Shape (rows, items), complete. All items must point the same way.

    Returns
    -------
    float
        At most 1; negative when the items contradict each other.

    Raises
    ------
    HelpersError
        If there are fewer than two items or rows, a gap, or an item that never varies.
    """
    covariance = np.cov(_checked(items), rowvar=False)
    k = len(covariance)
    return float(k / (k - 1) * (1 - np.trace(covariance) / covariance.sum()))


def omega_total(items: ArrayLike, factors: int = 1) -> float:
    """McDonald's ω (total) of the items' correlations.

    The factors are fitted by maximum likelihood; their rotation does not change ω.

    Parameters
    ----------
    items : array_like
        Shape (rows, items), complete.
    factors : int
        Number of common factors; one for "the" ω that papers report beside α.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    HelpersError
        As for `cronbach_alpha`, or if the items are too few for the factors.
    """
    correlations = np.atleast_2d(np.corrcoef(_checked(items), rowvar=False))
    k = len(correlations)
    if (k - factors) ** 2 < k + factors:
        raise HelpersError(
            f"ω with {factors} factor{'s'[: factors > 1]} needs more than {k} items: the model "
            "would have more unknowns than there are correlations"
        )
    # The library asks for the number of rows, but the criterion does not depend on it.
    fit = Factor(corr=correlations, n_factor=factors, method="ml", nobs=1000).fit()
    return float(1 - fit.uniqueness.sum() / correlations.sum())


def _checked(items: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(items, dtype=float)
    if table.ndim != 2 or min(table.shape) < 2:
        shape = " × ".join(map(str, table.shape))
        raise HelpersError(f"reliability needs at least 2 rows × 2 items, got {shape}")
    if not np.isfinite(table).all():
        row, item = np.argwhere(~np.isfinite(table))[0] + 1
        raise HelpersError(f"reliability needs complete scores; row {row} has none for item {item}")
    constant = np.flatnonzero(np.ptp(table, axis=0) == 0)
    if constant.size:
        raise HelpersError(
            f"reliability is not estimable: item {constant[0] + 1} is always "
            f"{table[0, constant[0]]:g}"
        )
    return table
