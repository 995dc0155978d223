"""Rankings taken apart into choices: pair by pair, or place by place.

Pair by pair (Bradley–Terry), each pair of items is a choice of its own. Place by place
(Plackett–Luce), the first item is chosen out of all, the second out of what remains, and so on.
Without ties the rows are the same, winner against loser, and only their grouping differs.

Tied items are chosen together. They form an alternative of their own, with the mean of their
covariates and a parameter for how readily so many are tied:

    strength of {i, j, …} = δ_n (α_i α_j …)^(1/n),   α = exp(β·x),  log δ_n a further coefficient

for pairs Davidson (1970, "On extending the Bradley–Terry model to accommodate ties in paired
comparison experiments"), for more Firth, Kosmidis & Turner (2019, "Davidson–Luce model for
multi-item choice with ties", arXiv 1909.07123). Sizes of ties that never occur get no parameter and
no alternative.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from helpers.choice.logit import Choices, Floats, Ints
from helpers.choice.rankings import Rankings
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError

Ties = Literal["davidson", "half", "drop"]
MOST_ROWS = 5_000_000


def pairwise(
    rankings: Rankings, covariates: Floats, ties: Ties = "davidson"
) -> tuple[Choices, list[str]]:
    """Make a choice of every pair within a ranking.

    Parameters
    ----------
    rankings : Rankings
        What was ranked.
    covariates : ndarray
        Shape (rows of the rankings, columns).
    ties : str
        See `pairs_as_choices`.

    Returns
    -------
    Choices, list of str
        Units are the rankings; the names are those of columns added for ties.
    """
    first, second, ranking, order = rankings.pairs
    difference = _differences(covariates, first, second)
    once = np.ones(len(order))
    return pairs_as_choices(difference, order, once, ranking, len(rankings), ties)


def pairs_as_choices(
    difference: Floats, order: Ints, weight: Floats, unit: Ints, units: int, ties: Ties
) -> tuple[Choices, list[str]]:
    """Make choices of results between two items.

    Parameters
    ----------
    difference : ndarray
        Shape (pairs, columns), covariates of the first less those of the second.
    order : ndarray of int
        1 where the first won, −1 where the second did, 0 where they tied.
    weight : ndarray
        How often it happened.
    unit, units
        As for `Choices`.
    ties : str
        `davidson`: an outcome of its own; `half`: half a win for each; `drop`: no result.

    Returns
    -------
    Choices, list of str
        The names are those of columns added for ties.

    Raises
    ------
    HelpersError
        If `ties` is none of these.
    """
    require_ties(ties)
    tied = order == 0
    if ties == "davidson" and tied.any():
        return _davidson(difference, order, weight, unit, units), ["tie"]
    if ties == "half":
        difference = np.concatenate([difference, difference[tied]])
        weight = np.concatenate([np.where(tied, weight / 2, weight), weight[tied] / 2])
        unit = np.concatenate([unit, unit[tied]])
        order = np.concatenate([np.where(tied, 1, order), np.full(tied.sum(), -1)])
    rows = (-order * difference.T).T
    if tied.any():
        use = np.flatnonzero(order)
        use = use[np.argsort(unit[use], kind="stable")]
        rows, unit, weight = rows[use], unit[use], weight[use]
    return Choices(rows, np.arange(len(rows)), unit, weight, units), []


def require_ties(ties: str) -> None:
    """Refuse what is no way to treat ties."""
    if ties not in get_args(Ties):
        raise HelpersError(f"ties: '{ties}' is none of {', '.join(get_args(Ties))}")


def _differences(covariates: Floats, first: Ints, second: Ints) -> Floats:
    """Covariates of some rows less those of others, column by column in memory."""
    columns = np.ascontiguousarray(covariates.T)
    return (columns.take(first, axis=1) - columns.take(second, axis=1)).T


def _davidson(difference: Floats, order: Ints, weight: Floats, unit: Ints, units: int) -> Choices:
    """Choices among win, tie and loss, a last column being that of log δ.

    On a ladder on which the second, a tie and the first stand at −½, 0 and ½ of the difference,
    each outcome is compared with the two others.
    """
    ladder = {
        place: np.column_stack([place / 2 * difference, np.full(len(unit), place == 0)])
        for place in (-1, 0, 1)
    }
    chosen = np.choose((order + 1)[:, None], list(ladder.values()))
    others = [np.where(order == -1, 0, -1), np.where(order == 1, 0, 1)]
    rows = [np.choose((other + 1)[:, None], list(ladder.values())) - chosen for other in others]
    return Choices(
        np.stack(rows, axis=1).reshape(2 * len(order), -1),
        np.arange(0, 2 * len(order), 2),
        unit,
        weight,
        units,
    )


def placewise(rankings: Rankings, covariates: Floats) -> tuple[Choices, list[str]]:
    """Make a choice of every place of a ranking, out of the items not placed before.

    Parameters
    ----------
    rankings : Rankings
        What was ranked.
    covariates : ndarray
        Shape (rows of the rankings, columns).

    Returns
    -------
    Choices, list of str
        Units are the rankings; the names are those of columns added for ties.

    Raises
    ------
    NotEstimableError
        If large ties among many items make more sets than can be held.
    """
    if rankings.ties:
        return _placewise_with_ties(rankings, covariates)
    first, second, ranking, order = rankings.pairs
    winner, loser = np.where(order > 0, first, second), np.where(order > 0, second, first)
    sort = np.lexsort((rankings.rank[winner], ranking))
    winner, loser, ranking = winner[sort], loser[sort], ranking[sort]
    start = np.flatnonzero(np.append(True, winner[1:] != winner[:-1]))
    rows = _differences(covariates, loser, winner)
    return Choices(rows, start, ranking[start], np.ones(len(start)), len(rankings)), []


def _placewise_with_ties(rankings: Rankings, covariates: Floats) -> tuple[Choices, list[str]]:
    places = list(_places(rankings))
    sizes = tuple(sorted({1} | {len(chosen) for _, chosen, _ in places}))
    total = sum(comb(len(chosen) + len(rest), n) for _, chosen, rest in places for n in sizes)
    if total > MOST_ROWS:
        raise NotEstimableError(
            "Plackett–Luce models are",
            f"ties of up to {sizes[-1]} items need {total:,} sets, more than {MOST_ROWS:,}: break "
            "the largest ties or leave those rankings out",
        )
    rows, start, unit, at = [], [], [], 0
    for ranking, chosen, rest in places:
        member = _subsets(len(chosen) + len(rest), sizes)
        count = member.sum(axis=1)
        x = (member / count[:, None]) @ covariates[[*chosen, *rest]]
        x = np.column_stack([x, count[:, None] == np.array(sizes[1:])])
        own = member[:, : len(chosen)].all(axis=1) & (count == len(chosen))
        if len(member) > 1:
            rows.append(x[~own] - x[own])
            start.append(at)
            unit.append(ranking)
            at += len(member) - 1
    names = ["tie"] if sizes == (1, 2) else [f"tie of {size}" for size in sizes[1:]]
    differences = without_rounding(np.concatenate(rows), np.abs(covariates).max(axis=0))
    once = np.ones(len(start))
    return Choices(differences, np.array(start), np.array(unit), once, len(rankings)), names


def ties_by_unit(choices: Choices, columns: Ints) -> Floats:
    """How often each unit chose a tie of each size, shape (units, columns).

    Parameters
    ----------
    choices : Choices
        The choices.
    columns : ndarray of int
        Which of their columns stand for ties of some size.
    """
    count = np.zeros((choices.units, len(columns)))
    np.add.at(count, choices.unit, _chosen(choices, columns) * choices.weight[:, None])
    return count


def without_ties(choices: Choices, columns: Ints) -> Choices:
    """Give the choices of a model that knows no ties of some sizes.

    Parameters
    ----------
    choices, columns
        As for `ties_by_unit`.

    Returns
    -------
    Choices
        Without these columns, without the sets out of which such a tie was chosen, and without
        such ties among the alternatives of the others.
    """
    sets = ~_chosen(choices, columns).any(axis=1)
    rows = sets.repeat(choices.sizes) & ~(choices.rows[:, columns] > 0).any(axis=1)
    sizes = np.add.reduceat(rows, choices.start, dtype=np.int64)[sets]
    return Choices(
        np.delete(choices.rows[rows], columns, axis=1),
        np.cumsum(sizes) - sizes,
        choices.unit[sets],
        choices.weight[sets],
        choices.units,
    )


def _chosen(choices: Choices, columns: Ints) -> NDArray[np.bool_]:
    """Whether a tie of each size was chosen out of each set: single items, less it, have −1."""
    return np.asarray(np.minimum.reduceat(choices.rows[:, columns], choices.start) < 0)


def without_rounding(differences: Floats, size: Floats) -> Floats:
    """Set to zero what is left of equal numbers after their mean was taken.

    Parameters
    ----------
    differences : ndarray
        Shape (rows, columns), differences from means; further columns stay as they are.
    size : ndarray
        Size of the numbers in each of the first columns.
    """
    own = differences[:, : len(size)]
    own[np.abs(own) < 1e-12 * size] = 0
    return differences


def _places(rankings: Rankings) -> Iterator[tuple[int, list[int], list[int]]]:
    """Give, for each place of each ranking, its rows and those ranked after it."""
    for ranking, (start, size) in enumerate(zip(rankings.start, rankings.sizes, strict=True)):
        own = np.arange(start, start + size)
        ranks = rankings.rank[own]
        for rank in np.unique(ranks):
            yield ranking, own[ranks == rank].tolist(), own[ranks > rank].tolist()


@cache
def _subsets(items: int, sizes: tuple[int, ...]) -> Floats:
    """All subsets of these sizes, as rows of zeros and ones."""
    sets = [np.isin(range(items), c) for n in sizes for c in combinations(range(items), n)]
    return np.array(sets, dtype=float)
