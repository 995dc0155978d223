"""How difficult cases are, where a study says so, and what goes along with it.

Difficulty is what `cases.csv` says in its column `difficulty`: numbers, or words in an order that
is stated. It is never derived from the ratings that it is to explain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import stats

from helpers import say
from helpers.agreement import Estimate
from helpers.not_estimable import NotEstimableError
from helpers.orders import orders
from helpers.study import Study


@dataclass(frozen=True, kw_only=True)
class Trend(Estimate):
    """Spearman's correlation of a quantity of cases with their difficulty.

    Attributes
    ----------
    p : float or None
        Two-sided, by permutation: the share of orders of the cases with a correlation as far from
        0; of all orders, or of as many random ones as `orders` says.
    orders : int
        Orders tried.
    """

    p: float | None = None
    orders: int = 0


def difficulties(study: Study, words: Sequence[str] = ()) -> dict[str, float]:
    """How difficult each case is, as a number: larger is more difficult.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    words : sequence of str
        What `cases.csv` may say instead of numbers, from easy to hard.

    Returns
    -------
    dict
        By case; cases without difficulty are left out.

    Raises
    ------
    NotEstimableError
        If the study says nothing of difficulty, or says it in other words.
    """
    cases = study["cases"]
    if "difficulty" not in cases.columns or not cases["difficulty"].count():
        raise NotEstimableError("difficulty is", "cases.csv says nothing of difficulty")
    told = dict(cases.select("case", "difficulty").drop_nulls().iter_rows())
    numbers = {case: number for case, text in told.items() if (number := _number(text)) is not None}
    if len(numbers) == len(told):
        return numbers
    places = {word.casefold(): float(place) for place, word in enumerate(words, 1)}
    strange = [text for text in told.values() if text.casefold() not in places]
    if strange:
        strange.sort(key=lambda text: _number(text) is not None)
        reason = (
            f"cases.csv calls a case '{strange[0]}', which is neither a number nor among "
            f"{say.listing(list(words), 'or')}"
        )
        raise NotEstimableError("difficulty is", reason)
    return {case: places[text.casefold()] for case, text in told.items()}


def _number(text: str) -> float | None:
    """The number that a text says, unless it is without end."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def trend(
    quantity: Mapping[str, float | None],
    difficulty: Mapping[str, float],
    confidence: float = 0.95,
    seed: int = 0,
) -> Trend:
    """Whether a quantity of cases rises or falls with their difficulty.

    Parameters
    ----------
    quantity : mapping of str to float or None
        By case.
    difficulty : mapping of str to float
        By case, as `difficulties` gives it.
    confidence : float
        Confidence level of the interval, by Fisher's z with Bonett and Wright's standard error.
    seed : int
        Of the random orders that stand in for all of them above nine cases.

    Returns
    -------
    Trend
        `used` counts cases with both, `dropped` the others.

    Notes
    -----
    Bonett & Wright (2000), *Psychometrika* 65, 23–28.
    """
    both = [
        (value, difficulty[case])
        for case, value in quantity.items()
        if value is not None and case in difficulty
    ]
    n = len(both)
    result = partial(Trend, confidence=confidence, used=n, dropped=len(quantity) - n, unit="cases")
    if n < 3:
        return result(reason=f"{say.count(n, 'case')} with difficulty; at least 3 are needed")
    x, y = (stats.rankdata(side) - (n + 1) / 2 for side in zip(*both, strict=True))
    size = float(np.sqrt((x @ x) * (y @ y)))
    if size == 0:
        which = "the cases are alike in difficulty" if y @ y == 0 else "the quantity does not vary"
        return result(reason=which)
    rho = float(x @ y) / size
    tried = orders(n, seed)
    p = float((np.abs(y[tried] @ x) >= abs(x @ y) - 1e-9).mean())
    if n < 4 or abs(rho) > 1 - 1e-9:
        reason = f"too few cases for an interval: {n}" if n < 4 else "the orders are the same"
        return result(value=rho, p=p, orders=len(tried), reason=reason)
    margin = stats.norm.ppf((1 + confidence) / 2) * np.sqrt((1 + rho**2 / 2) / (n - 3))
    low, high = np.tanh(np.arctanh(rho) + np.array([-margin, margin]))
    return result(value=rho, low=float(low), high=float(high), p=p, orders=len(tried))
