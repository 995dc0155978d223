"""How far several scores measure one thing: Cronbach's α and McDonald's ω.

With C the covariances of k items and R their correlations,

    α = k/(k − 1) · (1 − trace C/ΣC)              (Cronbach 1951, *Psychometrika* 16, 297–334)
    ω total = 1 − Σ uniquenesses/ΣR,   ω hierarchical = (Σ general loadings)²/ΣR

(McDonald 1999, *Test Theory*; Zinbarg et al. 2005, *Psychometrika* 70, 123–133), the factors by
minimum residuals and the general factor by Schmid & Leiman, as R's psych has it. ω total is the
share of the sum's variance due to all common factors, ω hierarchical that due to the one general.

Rows that belong together (an evaluator's ratings) make a cluster. The interval leaves out one
cluster at a time, on the scale of log(1 − α), and so needs no assumption about what goes on within.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from helpers import say
from helpers.agreement.estimate import Estimate
from helpers.agreement.factors import general_loadings, minres
from helpers.agreement.jackknife import SHARE, UP_TO_ONE, Scale, limits
from helpers.agreement.tables import Floats, coded, numbers
from helpers.errors import HelpersError

Kind = Literal["total", "hierarchical"]
Part = Literal["all", "within", "between"]


def alpha_of(covariance: ArrayLike) -> float:
    """Cronbach's α of a covariance (or correlation) matrix.

    Parameters
    ----------
    covariance : array_like
        Shape (items, items), of items that all point the same way; the sum must vary.
    """
    c = np.asarray(covariance, dtype=float)
    k = len(c)
    return float(k / (k - 1) * (1 - np.trace(c) / c.sum()))


def omega_of(correlations: ArrayLike, factors: int = 1, kind: Kind = "total") -> float:
    """McDonald's ω of a correlation (or covariance) matrix.

    Parameters
    ----------
    correlations : array_like
        Shape (items, items), of items that all point the same way.
    factors : int
        Number of common factors; ω hierarchical needs at least 2, and is determined from 3 on
        (two factors are taken to load equally on the general one).
    kind : {"total", "hierarchical"}
        Which share.

    Raises
    ------
    HelpersError
        If there are too few items for the factors.
    """
    k = len(np.asarray(correlations))
    obstacle = _too_few(k, factors, kind)
    if obstacle:
        raise HelpersError(obstacle)
    return _omega(np.asarray(correlations, dtype=float), factors, kind)[0]


def cronbach_alpha(
    scores: ArrayLike,
    clusters: ArrayLike | None = None,
    part: Part = "all",
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Cronbach's α of a rows × items table of scores.

    Parameters
    ----------
    scores : array_like
        Shape (rows, items), all items pointing the same way. Rows with a gap are dropped and
        counted. A data frame's column names serve the messages.
    clusters : array_like, optional
        A label for each row; the interval leaves out all rows with the same label together.
        Without, each row is a cluster of its own.
    part : {"all", "within", "between"}
        What is analysed: the rows as they are, their deviations from the means of their group, or
        the groups' means.
    groups : array_like, optional
        A label for each row, for the parts "within" and "between".
    confidence : float
        Confidence level of the interval (delete-one-cluster jackknife).

    Returns
    -------
    Estimate
        α with its interval, or the reason why there is none; `used` and `dropped` count rows.

    Raises
    ------
    HelpersError
        If `scores` is no table of numbers, or labels are missing.
    """
    return _reliability(
        scores, lambda c: (alpha_of(c), ""), UP_TO_ONE, clusters, part, groups, confidence
    )


def mcdonald_omega(
    scores: ArrayLike,
    factors: int = 1,
    kind: Kind = "total",
    clusters: ArrayLike | None = None,
    part: Part = "all",
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """McDonald's ω of a rows × items table of scores.

    Parameters
    ----------
    scores, clusters, part, groups, confidence
        As for `cronbach_alpha`.
    factors : int
        Number of common factors: 1 for "the" ω that papers report beside α.
    kind : {"total", "hierarchical"}
        The share of all common factors, or of the general factor alone (2 factors or more).

    Returns
    -------
    Estimate
        ω with its interval, or the reason why there is none. Where an item has no variance of
        its own left (a Heywood case) there is no interval.

    Raises
    ------
    HelpersError
        As for `cronbach_alpha`, or if `kind` or `factors` is impossible.
    """
    if kind not in get_args(Kind) or factors < 1:
        raise HelpersError(f"no ω {kind} with {say.count(factors, 'factor')}")

    def coefficient(covariance: Floats) -> tuple[float, str]:
        obstacle = _too_few(len(covariance), factors, kind)
        return (np.nan, obstacle) if obstacle else _omega(covariance, factors, kind)

    scale = SHARE if kind == "hierarchical" else UP_TO_ONE
    return _reliability(scores, coefficient, scale, clusters, part, groups, confidence)


def _too_few(items: int, factors: int, kind: Kind) -> str:
    """Why the items do not determine ω; empty if they do."""
    if kind == "hierarchical" and factors < 2:
        return "ω hierarchical needs at least 2 factors"
    if (items - factors) ** 2 < items + factors:
        have = say.count(items, "item")
        return f"ω with {say.count(factors, 'factor')} needs more than {have}"
    return ""


def _omega(covariance: Floats, factors: int, kind: Kind) -> tuple[float, str]:
    """ω, and a caution where the solution is improper."""
    scale = np.sqrt(np.diag(covariance))
    correlations = covariance / np.outer(scale, scale)
    if correlations.sum() < 1e-9:
        return np.nan, "the sum of the standardised items does not vary"
    solution = minres(correlations, factors)
    caution = "an item has no variance of its own left" if solution.improper else ""
    if kind == "total":
        return float(1 - solution.uniqueness.sum() / correlations.sum()), caution
    return float(general_loadings(solution).sum() ** 2 / correlations.sum()), caution


def _reliability(
    scores: ArrayLike,
    coefficient: Callable[[Floats], tuple[float, str]],
    scale: Scale,
    clusters: ArrayLike | None,
    part: Part,
    groups: ArrayLike | None,
    confidence: float,
) -> Estimate:
    """A coefficient of the items' covariances; it returns its value, or nan, and a caution."""
    table = numbers(scores, "row", "item")
    complete = ~np.isnan(table).any(axis=1)
    rows = table[complete]
    cluster = _labels(clusters, "clusters", len(table))[complete]
    if part not in get_args(Part) or (part == "all") != (groups is None):
        raise HelpersError(f"part '{part}' {'with' if groups is not None else 'without'} groups")
    group = _labels(groups, "groups", len(table))[complete]
    result = partial(
        Estimate, confidence=confidence, used=len(rows), dropped=len(table) - len(rows), unit="rows"
    )
    values = _values(rows, group, part)
    names = [str(name) for name in getattr(scores, "columns", range(1, table.shape[1] + 1))]
    obstacle = _obstacle(values, names)
    if obstacle:
        return result(reason=obstacle)
    value, caution = coefficient(np.cov(values, rowvar=False))
    if np.isnan(value):
        return result(reason=caution)
    if caution:
        return result(value=value, reason=caution)
    without = [
        _without(_values(rows[rest], group[rest], part), coefficient)
        for rest in (cluster != one for one in np.unique(cluster))
    ]
    unit = "row" if clusters is None else "cluster"
    low, high, reason = limits(value, np.array(without), scale, confidence, unit)
    return result(value=value, low=low, high=high, reason=reason)


def _labels(labels: ArrayLike | None, what: str, rows: int) -> NDArray[np.int64]:
    """Labels as numbers; without labels each row has its own."""
    if labels is None:
        return np.arange(rows)
    codes = coded(labels)[0]
    if codes.shape != (rows,) or (codes < 0).any():
        raise HelpersError(f"{what}: expected a label for each of {say.count(rows, 'row')}")
    return codes


def _values(rows: Floats, group: NDArray[np.int64], part: Part) -> Floats:
    """The rows, their deviations from their groups' means, or these means."""
    if part == "all":
        return rows
    present, member = np.unique(group, return_inverse=True)
    sums = np.zeros((len(present), rows.shape[1]))
    np.add.at(sums, member, rows)
    means = sums / np.bincount(member, minlength=len(present))[:, None]
    return means if part == "between" else rows - means[member]


def _obstacle(values: Floats, names: list[str]) -> str:
    """Why the values have no reliability; empty if they have."""
    if values.shape[1] < 2:
        return f"{say.count(values.shape[1], 'item')}; at least 2 are needed"
    if len(values) < 2:
        return f"{say.count(len(values), 'row or group', 'rows or groups')}; at least 2 are needed"
    constant = np.flatnonzero(np.ptp(values, axis=0) < 1e-12)
    if constant.size:
        return f"item {names[constant[0]]} does not vary"
    if np.ptp(values.sum(axis=1)) < 1e-12:
        return "the sum of the items does not vary"
    return ""


def _without(values: Floats, coefficient: Callable[[Floats], tuple[float, str]]) -> float:
    """The coefficient of the remaining values; nan where there is none."""
    if _obstacle(values, [""] * values.shape[1]):
        return float("nan")
    return coefficient(np.cov(values, rowvar=False))[0]
