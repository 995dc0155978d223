"""What choices cannot tell: columns without variation of their own, separation, lost contact.

A coefficient has no finite estimate where raising it without bound never contradicts a choice
(separation; Albert & Anderson 1984, "On the existence of maximum likelihood estimates in logistic
regression models"), and no single one where its column is a weighted sum of others. Of abilities
alone, only those can be compared that chains of wins connect both ways (Ford 1957, "Solution of a
ranking problem from binary comparisons").
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from helpers.choice.logit import Choices, Ints
from helpers.not_estimable import NotEstimableError

NOTHING = 1e-8  # of a column of unit length: what rounding leaves of a column explained by others


@dataclass(frozen=True)
class Free:
    """Which columns say something that no other says.

    Attributes
    ----------
    kept : ndarray of int
        Columns that determine all others.
    reasons : mapping of str to str
        Why a column, by name, has no coefficient of its own.
    """

    kept: Ints
    reasons: Mapping[str, str]


def free_columns(choices: Choices, names: Sequence[str]) -> Free:
    """Find columns that are constant within all choices, or weighted sums of others.

    Parameters
    ----------
    choices : Choices
        The choices.
    names : sequence of str
        Names of their columns.

    Returns
    -------
    Free
        Every member of a set of dependent columns has a reason; one of them is not kept.
    """
    rows, length = choices.rows / choices.length, choices.length
    gram = choices.cross(np.ones((1, len(rows))))[0] / len(rows) / np.outer(length, length)
    if np.linalg.eigvalsh(gram)[0] > 1e-6:  # the usual case, at little cost
        return Free(np.arange(len(names)), {})
    reasons = {
        n: "never differs between the items compared"
        for n, c in zip(names, rows.T, strict=True)
        if not c.any()
    }
    kept: list[int] = []
    for column in range(len(names)):
        if names[column] in reasons:
            continue
        share, *_ = np.linalg.lstsq(rows[:, kept], rows[:, column], rcond=None)
        left = rows[:, column] - rows[:, kept] @ share
        if np.sqrt((left**2).mean()) > NOTHING:
            kept.append(column)
            continue
        others = [names[k] for k, s in zip(kept, share, strict=True) if abs(s) > NOTHING]
        reason = f"'{names[column]}' is a weighted sum of {listed(others)}"
        for name in [names[column], *others]:
            reasons[name] = f"{reasons[name]}; {reason}" if name in reasons else reason
    return Free(np.array(kept, dtype=np.int64), reasons)


def separated(choices: Choices, names: Sequence[str]) -> list[str]:
    """Name the columns whose coefficients grow without bound, with their direction.

    Sought are directions δ with z·δ ≤ 0 for all rows z (what was passed over never gains) and < 0
    for some. Named are the columns that no such direction moves the other way, or, if there are
    none, all that some direction moves.

    Returns
    -------
    list of str
        Such as ``["accuracy (+)"]``, empty if the maximum is finite.
    """
    rows = np.unique(choices.rows / choices.length, axis=0)
    columns = rows.shape[1]
    limits = {"A_ub": rows, "b_ub": np.zeros(len(rows)), "bounds": [(-1, 1)] * columns}
    if -linprog(rows.sum(axis=0), **limits).fun < NOTHING:
        return []
    one_way, either_way = [], []
    for column, name in enumerate(names):
        goal = np.eye(columns)[column]
        up, down = (-linprog(sign * goal, **limits).fun > NOTHING for sign in (-1, 1))
        if up and down:
            either_way.append(f"{name} (+/−)")
        elif up or down:
            one_way.append(f"{name} ({'+' if up else '−'})")
    return one_way or either_way


@dataclass(frozen=True)
class Contact:
    """Which items' abilities can be compared.

    Attributes
    ----------
    items : tuple of str
        All items.
    main : ndarray of bool
        Which of them are in the largest group connected by wins both ways.
    reasons : mapping of str to str
        Why an item outside has no ability on the same scale.
    """

    items: tuple[str, ...]
    main: NDArray[np.bool_]
    reasons: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """Items that can be compared."""
        return [item for item, inside in zip(self.items, self.main, strict=True) if inside]


def contact(first: Ints, second: Ints, order: Ints, items: tuple[str, ...]) -> Contact:
    """Find the largest group of items of which each has beaten each, if through others.

    Parameters
    ----------
    first, second : ndarray of int
        Places in `items` of the two compared.
    order : ndarray of int
        1 where the first won, −1 where the second did, 0 for a tie, which counts both ways.
    items : tuple of str
        Names of the items.

    Returns
    -------
    Contact
        The group, and what keeps each other item out of it.

    Raises
    ------
    NotEstimableError
        If no group of at least two is larger than all others.
    """
    up, down = order >= 0, order <= 0
    better = np.concatenate([first[up], second[down]])
    worse = np.concatenate([second[up], first[down]])
    graph = coo_array((np.ones(len(better)), (better, worse)), shape=(len(items),) * 2).tocsr()
    count, group = connected_components(graph, directed=True, connection="strong")
    sizes = np.bincount(group)
    largest = int(sizes.argmax())
    if count == 1:
        return Contact(items, np.ones(len(items), dtype=bool), {})
    _, island = connected_components(graph, directed=False)
    main = group == largest
    if sizes[largest] == 1 or (sizes == sizes[largest]).sum() > 1:
        raise NotEstimableError("abilities are", _scattered(items, group, island))
    above = _reach(graph.T.tocsr(), main)
    below = _reach(graph, main)
    reasons = {}
    for index in np.flatnonzero(~main):
        if island[index] != island[main][0]:
            reasons[items[index]] = "never compared with the others, not even through third ones"
        elif above[index]:
            reasons[items[index]] = "lost to none of the others: no finite ability"
        elif below[index]:
            reasons[items[index]] = "beat none of the others: no finite ability"
        else:
            reasons[items[index]] = "no chain of wins and losses connects it with the others"
    return Contact(items, main, reasons)


def listed(names: Iterable[str], most: int = 5) -> str:
    """Quote names in a row, the first few of many."""
    names = list(names)
    told = [f"'{name}'" for name in names[:most]]
    if len(names) > most:
        told.append(f"{len(names) - most} more")
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


def _scattered(items: Sequence[str], group: Ints, island: Ints) -> str:
    """Say into what the comparisons fall apart."""
    if island.max() > 0:
        parts = [listed(np.array(items)[island == i]) for i in range(island.max() + 1)]
        return f"never compared with each other are {'; '.join(parts)}"
    parts = [listed(np.array(items)[group == g]) for g in dict.fromkeys(group.tolist())]
    return f"all comparisons between these groups went one way: {'; '.join(parts[:6])}"


def _reach(graph: coo_array, start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark all items that a walk along the graph's edges reaches."""
    reached = start
    while True:
        more = reached | (graph.T @ reached > 0)
        if (more == reached).all():
            return reached
        reached = more
