"""Two groups compared: Student's t, Welch's t, and the paired t, with Cohen's d.

| test | t | degrees of freedom | d |
|---|---|---|---|
| Student | (x̄₁ − x̄₂)/(s√(1/n₁ + 1/n₂)), s² pooled | n₁ + n₂ − 2 | (x̄₁ − x̄₂)/s |
| Welch | (x̄₁ − x̄₂)/√(s₁²/n₁ + s₂²/n₂) | Welch & Satterthwaite's | (x̄₁ − x̄₂)/s |
| paired | x̄/(s/√n) of the differences | n − 1 | x̄/s |

(Cohen 1988, *Statistical Power Analysis*, chapter 2; Welch 1947, *Biometrika* 34, 28–35).
"""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from helpers import say
from helpers.agreement import Estimate
from helpers.errors import HelpersError

Test = Literal["Student", "Welch", "paired"]
FEWEST = 2  # values in a group, or pairs


@dataclass(frozen=True, kw_only=True)
class Comparison(Estimate):
    """Mean of the first group less that of the second: `value`, with its interval.

    Attributes
    ----------
    means : tuple of float or None
        Of both groups.
    sizes : tuple of int
        Of both groups; of pairs, twice their number.
    t, df, p, d : float or None
        The two-sided test, and the standardised difference.
    """

    means: tuple[float | None, float | None] = (None, None)
    sizes: tuple[int, int] = (0, 0)
    t: float | None = None
    df: float | None = None
    p: float | None = None
    d: float | None = None


def compare(
    first: ArrayLike,
    second: ArrayLike,
    test: Test = "Student",
    confidence: float = 0.95,
    unit: str = "values",
) -> Comparison:
    """Compare the means of two groups.

    Parameters
    ----------
    first, second : array_like
        Values of each group. Gaps (nan) are dropped and counted; of pairs, with the partner.
    test : {"Student", "Welch", "paired"}
        Pairs stand at the same place in both.
    confidence : float
        Confidence level of the difference's interval.
    unit : str
        What is counted, in the plural.

    Returns
    -------
    Comparison
        The difference with its test, or the reason why there is none.

    Raises
    ------
    HelpersError
        If the test is unknown, or pairs are not.
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if test not in get_args(Test) or (test == "paired" and a.shape != b.shape):
        raise HelpersError(f"test '{test}' of {len(a)} and {len(b)} values")
    given = len(a) + len(b)
    known_a, known_b = ~np.isnan(a), ~np.isnan(b)
    if test == "paired":
        known_a = known_b = known_a & known_b
    a, b = a[known_a], b[known_b]
    result = partial(
        Comparison,
        confidence=confidence,
        used=len(a) + len(b),
        dropped=given - len(a) - len(b),
        unit=unit,
        means=(_mean(a), _mean(b)),
        sizes=(len(a), len(b)),
    )
    reason = _obstacle(a, b, test)
    if reason:
        return result(reason=reason)
    spread = (a - b).std(ddof=1) if test == "paired" else _pooled(a, b)
    found = _test(a, b, test)
    low, high = found.confidence_interval(confidence)
    difference = float(a.mean() - b.mean())
    return result(
        value=difference,
        low=float(low),
        high=float(high),
        t=float(found.statistic),
        df=float(found.df),
        p=float(found.pvalue),
        d=difference / float(spread),
    )


def _test(a: NDArray[np.float64], b: NDArray[np.float64], test: Test) -> Any:  # noqa: ANN401
    if test == "paired":
        return stats.ttest_rel(a, b)
    with warnings.catch_warnings():  # scipy warns where one group does not vary; the other does
        warnings.simplefilter("ignore", RuntimeWarning)
        return stats.ttest_ind(a, b, equal_var=test == "Student")


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None


def _pooled(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Standard deviation within the groups."""
    squares = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
    return float(np.sqrt(squares / (len(a) + len(b) - 2)))


def _obstacle(a: NDArray[np.float64], b: NDArray[np.float64], test: Test) -> str:
    """Why there is nothing to compare; empty if there is something."""
    fewest = min(len(a), len(b))
    if fewest < FEWEST:
        what = "complete pair" if test == "paired" else "value"
        where = "" if test == "paired" else " in a group"
        return f"{say.count(fewest, what)}{where}; at least {FEWEST} are needed"
    if test == "paired" and np.ptp(a - b) < 1e-12:
        return "every difference is the same"
    if max(np.ptp(a), np.ptp(b)) < 1e-12:
        return "neither group varies"
    return ""
