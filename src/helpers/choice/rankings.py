"""Rankings: who put which items in what order, with what is known of each item.

A ranking is what one evaluator made of one case: at least two items, each with a rank (1 the best,
equal ranks are ties) and, where the model asks for them, with scores. Rankings may be of different
items and of different length.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from helpers.errors import HelpersError, did_you_mean
from helpers.not_estimable import NotEstimableError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = NDArray[np.str_]


class Pairs(NamedTuple):
    """All pairs of items within rankings, as rows of the rankings.

    Attributes
    ----------
    first, second : ndarray of int
        Rows of the two items.
    ranking : ndarray of int
        The ranking they are in, never decreasing.
    order : ndarray of int
        1 where the first is ranked better, −1 where the second is, 0 where they are tied.
    """

    first: Ints
    second: Ints
    ranking: Ints
    order: Ints


@dataclass(frozen=True)
class Rankings:
    """Whole rankings, row by row; rows of a ranking stand together.

    Attributes
    ----------
    item : ndarray of str
        What each row ranks.
    rank : ndarray
        Its rank, smaller is better.
    scores : ndarray
        Shape (rows, dimensions), covariates of the row.
    dimensions : tuple of str
        Names of the covariates.
    start : ndarray of int
        First row of each ranking.
    evaluator, case : ndarray of str
        Who ranked, and what the items were made for, by ranking.
    left_out : mapping of str to int
        Rows that were given but could not be used, by reason.
    """

    item: Labels
    rank: Floats
    scores: Floats
    dimensions: tuple[str, ...]
    start: Ints
    evaluator: Labels
    case: Labels
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        """Number of rankings."""
        return len(self.start)

    @property
    def sizes(self) -> Ints:
        """Items in each ranking."""
        return np.diff(self.start, append=len(self.item))

    @cached_property
    def ranking(self) -> Ints:
        """The ranking each row belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """All items that are ranked, in the order in which they are first met."""
        names, first = np.unique(self.item, return_index=True)
        return tuple(names[np.argsort(first)].tolist())

    @cached_property
    def code(self) -> Ints:
        """Place of each row's item in `items`."""
        return codes(self.item, self.items)

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs within rankings, ranking by ranking."""
        parts = []
        for size in np.unique(self.sizes):
            which = np.flatnonzero(self.sizes == size)
            pair = np.array(np.triu_indices(size, 1))
            rows = self.start[which][:, None] + pair[:, None, :]
            parts.append([*rows.reshape(2, -1), which.repeat(pair.shape[1])])
        first, second, ranking = np.concatenate(parts, axis=1)
        by_ranking = np.argsort(ranking, kind="stable")
        first, second, ranking = first[by_ranking], second[by_ranking], ranking[by_ranking]
        order = np.sign(self.rank[second] - self.rank[first]).astype(np.int64)
        return Pairs(first, second, ranking, order)

    @property
    def ties(self) -> int:
        """Number of tied pairs."""
        return int((self.pairs.order == 0).sum())

    def dimension(self, name: str) -> int:
        """Column of a dimension in `scores`."""
        if name not in self.dimensions:
            near = did_you_mean(name, self.dimensions)
            raise HelpersError(f"the rankings have no scores called '{name}'{near}")
        return self.dimensions.index(name)

    def left(self, kept: NDArray[np.bool_]) -> Ints:
        """Places of the rankings of which at least two rows are kept."""
        return np.flatnonzero(np.bincount(self.ranking[kept], minlength=len(self)) > 1)

    def only(self, kept: NDArray[np.bool_]) -> "Rankings":
        """Give the rankings of some rows, but for rankings with fewer than two of them."""
        count = np.bincount(self.ranking[kept], minlength=len(self))
        used = self.left(kept)
        rows = kept & (count > 1)[self.ranking]
        return replace(
            self,
            item=self.item[rows],
            rank=self.rank[rows],
            scores=self.scores[rows],
            start=np.cumsum(count[used]) - count[used],
            evaluator=self.evaluator[used],
            case=self.case[used],
        )


def read_rankings(
    ratings: pl.DataFrame,
    dimensions: Sequence[str] = (),
    *,
    evaluator: str = "evaluator",
    case: str = "case",
    item: str = "analyst",
    rank: str = "rank",
) -> Rankings:
    """Read rankings from a table with a row for each evaluator, case and item.

    Rows without a rank or with a missing score are left out and counted: what remains of a ranking
    is still a ranking of its items. So are rankings of which fewer than two items remain.

    Parameters
    ----------
    ratings : DataFrame
        The table.
    dimensions : sequence of str
        Columns to take as scores; none for models of the items' abilities alone.
    evaluator, case, item, rank : str
        Names of the other columns. `rank` counts from the best.

    Returns
    -------
    Rankings
        Ordered by evaluator and case as they first appear.

    Raises
    ------
    HelpersError
        If a column is missing or no number, or an item stands twice in a ranking.
    NotEstimableError
        If nothing is left.
    """
    keys = [evaluator, case, item]
    for column in [*keys, rank, *dimensions]:
        if column not in ratings.columns:
            near = did_you_mean(column, ratings.columns)
            raise HelpersError(f"rankings: there is no column '{column}'{near}")
    numbers = [rank, *dimensions]
    for column in numbers:
        kind = ratings[column].dtype
        if not (kind.is_numeric() or kind == pl.Null):
            raise HelpersError(f"rankings: column '{column}' holds no numbers")
    table = ratings.select(
        *(pl.col(key).cast(pl.String) for key in keys),
        *(pl.col(column).cast(pl.Float64).fill_nan(None) for column in numbers),
    )
    for column in numbers:
        if table[column].is_infinite().any():
            raise HelpersError(f"rankings: column '{column}' has an infinite number")
    for key in keys:
        if table[key].null_count():
            raise HelpersError(f"rankings: column '{key}' has empty cells")
    double = table.filter(table.select(keys).is_duplicated())
    if double.height:
        who, what, which = double.select(keys).row(0)
        raise HelpersError(f"rankings: {who} ranked '{which}' twice in case {what}")
    used, left_out = _usable(table, rank, dimensions, [evaluator, case])
    if not used.height:
        told = "; ".join(f"{count} rows {reason}" for reason, count in left_out.items())
        reason = f"none is left of {ratings.height} rows ({told or 'no rows'})"
        raise NotEstimableError("models of rankings are", reason)
    return _assembled(
        used[item], used[rank], used.select(dimensions), used[evaluator], used[case], left_out
    )


def rankings_from_orders(
    orders: Iterable[Sequence[Hashable | Sequence[Hashable]]],
    evaluator: Sequence[Hashable] | None = None,
    covariates: Mapping[str, Mapping[Hashable, float]] | None = None,
) -> Rankings:
    """Make rankings of lists of items, the best first; items tied stand in a list or tuple.

    Parameters
    ----------
    orders : iterable of sequences
        For example ``[["A", "B", "C"], ["B", ("A", "C")]]``: the second ties A and C.
    evaluator : sequence, optional
        Who made each ranking; by default each is somebody else's.
    covariates : mapping, optional
        By name, the value of each item.

    Returns
    -------
    Rankings
        In the order given, each its own case.

    Raises
    ------
    HelpersError
        If evaluators and rankings differ in number, or an item stands twice in a ranking.
    NotEstimableError
        If nothing is ranked.
    """
    orders, rows = list(orders), []
    if evaluator is not None and len(evaluator) != len(orders):
        raise HelpersError(f"rankings: {len(orders)} of them, but {len(evaluator)} evaluators")
    for number, order in enumerate(orders):
        who = number if evaluator is None else evaluator[number]
        for rank, place in enumerate(order):
            tied = place if isinstance(place, tuple | list) else [place]
            for item in tied:
                known = {name: value.get(item) for name, value in (covariates or {}).items()}
                rows.append(
                    {"evaluator": str(who), "case": str(number), "analyst": str(item)}
                    | {"rank": rank}
                    | known
                )
    if not rows:
        raise NotEstimableError("models of rankings are", "nothing is ranked")
    return read_rankings(pl.DataFrame(rows, infer_schema_length=None), tuple(covariates or ()))


def codes(labels: ArrayLike, names: Sequence[str]) -> Ints:
    """Give each label its place in `names`."""
    place = {name: index for index, name in enumerate(names)}
    return np.array([place[label] for label in np.asarray(labels).tolist()], dtype=np.int64)


def _usable(
    table: pl.DataFrame, rank: str, dimensions: Sequence[str], ranking: list[str]
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Drop rows and rankings that say nothing, and count the rows by reason."""
    left_out = {}
    for column, reason in [(rank, "without a rank"), *((d, f"without '{d}'") for d in dimensions)]:
        present = table.filter(pl.col(column).is_not_null())
        left_out[reason] = table.height - present.height
        table = present
    whole = table.filter(pl.len().over(ranking) > 1) if table.height else table
    left_out["alone in their ranking"] = table.height - whole.height
    return whole, {reason: count for reason, count in left_out.items() if count}


def _assembled(
    item: pl.Series,
    rank: pl.Series,
    scores: pl.DataFrame,
    evaluator: pl.Series,
    case: pl.Series,
    left_out: Mapping[str, int],
) -> Rankings:
    """Put rows of a ranking together; rankings come in the order of their first rows."""
    key = pl.DataFrame({"evaluator": evaluator, "case": case}).with_row_index("row")
    key = key.with_columns(place=pl.col("row").min().over("evaluator", "case")).sort(
        "place", maintain_order=True
    )
    order = key["row"].to_numpy()
    start = np.unique(key["place"].to_numpy(), return_index=True)[1].astype(np.int64)
    return Rankings(
        item=np.array(item.to_list(), dtype=np.str_)[order],
        rank=rank.to_numpy()[order],
        scores=np.column_stack([np.empty((len(order), 0)), *scores.get_columns()])[order],
        dimensions=tuple(scores.columns),
        start=start,
        evaluator=np.array(evaluator.to_list(), dtype=np.str_)[order[start]],
        case=np.array(case.to_list(), dtype=np.str_)[order[start]],
        left_out=left_out,
    )
