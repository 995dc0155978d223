"""Agreement on categories beyond chance: Cohen's κ for two raters, Fleiss' κ for several.

κ = (p_o − p_e)/(1 − p_e), with p_o the observed (weighted) agreement and p_e the agreement of
raters who use the categories as often but independently of the item.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from helpers import say
from helpers.agreement.estimate import Estimate
from helpers.agreement.jackknife import CORRELATION, limits
from helpers.agreement.tables import Floats, coded, name
from helpers.errors import HelpersError

Weights = Literal["unweighted", "linear", "quadratic"]


@dataclass(frozen=True, kw_only=True)
class Kappa(Estimate):
    """A κ coefficient.

    Attributes
    ----------
    se : float or None
        Standard error of the estimate.
    z, p : float or None
        Test of κ = 0: κ over its standard error under that hypothesis, and the two-sided p-value.
    categories : tuple
        The categories, in order.
    """

    se: float | None = None
    z: float | None = None
    p: float | None = None
    categories: tuple[Any, ...] = ()


def weighted_kappa(
    first: ArrayLike,
    second: ArrayLike,
    weights: Weights | ArrayLike = "unweighted",
    categories: Sequence[Any] | None = None,
    confidence: float = 0.95,
) -> Kappa:
    """Cohen's κ of two raters, with weights for how far apart two categories are.

    Parameters
    ----------
    first, second : array_like
        The categories each rater gave to the same items, in the same order. Items with a gap
        (nan or None) in either are left out and counted as dropped.
    weights : {"unweighted", "linear", "quadratic"} or array_like
        Disagreement of two categories: 1 for any two, their distance, its square, or a table of
        shape (categories, categories) with 0 on the diagonal. The distance of numbers is their
        difference, so that unused categories in between count; of others, that of their places.
    categories : sequence, optional
        All categories in order; those that occur, sorted, if not given.
    confidence : float
        Confidence level of the interval, normal in large samples and cut at 1.

    Returns
    -------
    Kappa
        κ with its interval, or the reason why there is none; `used` counts items.

    Raises
    ------
    HelpersError
        If the raters have different numbers of items, a category is not listed, or the weights do
        not fit the categories.

    Notes
    -----
    Cohen (1968), *Psychological Bulletin* 70, 213–220; standard errors: Fleiss, Cohen & Everitt
    (1969), *Psychological Bulletin* 72, 323–327.
    """
    if np.shape(first) != np.shape(second) or np.ndim(first) != 1:
        raise HelpersError(
            "κ compares two lists of as many items: "
            f"got shapes {np.shape(first)} and {np.shape(second)}"
        )
    codes, known = _in_order(np.array([first, second], dtype=object), categories)
    both = codes[:, (codes >= 0).all(axis=0)]
    n = both.shape[1]
    result = partial(
        Kappa,
        confidence=confidence,
        used=n,
        dropped=codes.shape[1] - n,
        unit="items",
        categories=tuple(known),
    )
    if n == 0:
        return result(reason="no item was rated by both raters")
    table = np.zeros((len(known), len(known)))
    np.add.at(table, tuple(both), 1 / n)
    agreement = _agreement(weights, known)
    chance = np.outer(table.sum(axis=1), table.sum(axis=0))
    p_o, p_e = float((agreement * table).sum()), float((agreement * chance).sum())
    if p_e > 1 - 1e-12:
        return result(reason=f"both raters always give {name(known[both[0, 0]])}")
    kappa = (p_o - p_e) / (1 - p_e)
    se, se_null = _errors(table, chance, agreement, p_o, p_e, n)
    if se < 1e-9:
        constant = (np.ptp(both, axis=1) == 0).any()
        why = "one rater always gives the same" if constant else "the items are all alike"
        return result(value=kappa, reason=f"{why}: no standard error")
    margin = float(stats.norm.ppf((1 + confidence) / 2)) * se
    result = partial(result, value=kappa, low=kappa - margin, high=min(1.0, kappa + margin), se=se)
    if se_null < 1e-9:
        return result()
    z = kappa / se_null
    return result(z=z, p=float(2 * stats.norm.sf(abs(z))))


def fleiss_kappa(ratings: ArrayLike, exact: bool = False, confidence: float = 0.95) -> Kappa:
    """Fleiss' κ of several raters on unordered categories.

    Parameters
    ----------
    ratings : array_like
        Shape (raters, items), categories of any kind. Items with a gap (nan or None) are left out
        and counted as dropped.
    exact : bool
        Whether chance agreement is that of two different raters, each with its own use of the
        categories (Conger 1980), instead of the use of all raters taken together. Only sensible
        if a row is one person.
    confidence : float
        Confidence level of the interval (delete-one jackknife over items).

    Returns
    -------
    Kappa
        κ with its interval, or the reason why there is none; z and p only if not `exact`.

    Notes
    -----
    Fleiss (1971), *Psychological Bulletin* 76, 378–382; Fleiss, Nee & Landis (1979),
    *Psychological Bulletin* 86, 974–977 (z); Conger (1980), *Psychological Bulletin* 88, 322–328.
    """
    codes, known = _in_order(np.asarray(ratings, dtype=object), None)
    if codes.ndim != 2:
        raise HelpersError(f"expected a table of raters × items, got shape {codes.shape}")
    complete = codes[:, (codes >= 0).all(axis=0)]
    m, n = complete.shape
    result = partial(
        Kappa,
        confidence=confidence,
        used=n,
        dropped=codes.shape[1] - n,
        unit="items",
        categories=tuple(known),
    )
    if m < 2:
        return result(reason=f"{say.count(m, 'rater')}; at least 2 are needed")
    if n == 0:
        return result(reason="no item was rated by all raters")
    use = (complete[:, :, None] == np.arange(len(known))).astype(float)
    value = _several(use, exact)
    if np.isnan(value):
        return result(reason=f"every rating is {name(known[complete[0, 0]])}")
    without = np.array([_several(np.delete(use, item, axis=1), exact) for item in range(n)])
    low, high, reason = limits(value, without, CORRELATION, confidence, "item")
    if exact:
        return result(value=value, low=low, high=high, reason=reason)
    z = value / _fleiss_error(use)
    p = float(2 * stats.norm.sf(abs(z)))
    return result(value=value, low=low, high=high, reason=reason, z=z, p=p)


def _in_order(
    labels: NDArray[Any], categories: Sequence[Any] | None
) -> tuple[NDArray[np.int64], list[Any]]:
    """Labels as positions among the categories (gaps −1), and the categories."""
    codes, found = coded(labels)
    if categories is None:
        return codes, found
    known = list(categories)
    strange = [label for label in found if label not in known]
    if strange:
        raise HelpersError(f"{strange[0]!r} is none of the categories {known}")
    places = np.array([*(known.index(label) for label in found), -1])
    return places[codes], known


def _agreement(weights: Weights | ArrayLike, categories: list[Any]) -> Floats:
    """Agreement of each pair of categories, 1 on the diagonal and 0 for the farthest."""
    numeric = all(isinstance(c, int | float | np.number) for c in categories)
    places = np.asarray(categories if numeric else range(len(categories)), dtype=float)
    distance = np.abs(places[:, None] - places)
    if isinstance(weights, str):
        powers = {"unweighted": 0, "linear": 1, "quadratic": 2}
        if weights not in powers:
            raise HelpersError(f"no weights '{weights}': expected {', '.join(powers)} or a table")
        apart = np.where(distance > 0, distance ** powers[weights], 0)
    else:
        apart = np.asarray(weights, dtype=float)
        if apart.shape != distance.shape or np.diag(apart).any() or not (apart >= 0).all():
            raise HelpersError(
                f"weights for {say.count(len(categories), 'category', 'categories')} need as many "
                "rows and columns, 0 on the diagonal and no number below 0"
            )
    return np.asarray(1 - apart / max(apart.max(), 1e-300))


def _errors(
    table: Floats, chance: Floats, agreement: Floats, p_o: float, p_e: float, n: int
) -> tuple[float, float]:
    """Standard errors of κ, of the estimate and under independence."""
    by_row = agreement @ table.sum(axis=0)
    by_column = agreement.T @ table.sum(axis=1)
    means = by_row[:, None] + by_column
    spread = (table * (agreement * (1 - p_e) - means * (1 - p_o)) ** 2).sum()
    variance = (spread - (p_o * p_e - 2 * p_e + p_o) ** 2) / (n * (1 - p_e) ** 4)
    null = ((chance * (agreement - means) ** 2).sum() - p_e**2) / (n * (1 - p_e) ** 2)
    return float(np.sqrt(max(variance, 0))), float(np.sqrt(max(null, 0)))


def _several(use: Floats, exact: bool) -> float:
    """κ of several raters from a raters × items × categories table of 0 and 1; may be nan."""
    m, n, _ = use.shape
    if n == 0:
        return float("nan")
    by_item, by_rater = use.sum(axis=0), use.mean(axis=1)
    p_o = ((by_item**2).sum() / n - m) / (m * (m - 1))
    share = by_rater.mean(axis=0)
    p_e = (share**2).sum()
    if exact:
        p_e -= by_rater.var(axis=0).sum() / (m - 1)
    return float((p_o - p_e) / (1 - p_e)) if p_e < 1 - 1e-12 else float("nan")


def _fleiss_error(use: Floats) -> float:
    """Standard error of Fleiss' κ if the raters judge at random."""
    m, n, _ = use.shape
    p = use.mean(axis=(0, 1))
    spread = (p * (1 - p)).sum()
    skew = (p * (1 - p) * (1 - 2 * p)).sum()
    return float(np.sqrt(2 * (spread**2 - skew) / (n * m * (m - 1))) / spread)
