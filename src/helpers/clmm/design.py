"""From a formula and a table to numbers, and every complaint about either.

Rows without a value in any column that the formula names are left out and counted, as R does;
what cannot be estimated from the rest is refused or named here, before anything is fitted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
from numpy.typing import ArrayLike

from helpers.clmm.arrays import Floats, Ints
from helpers.clmm.formula import Formula, Term
from helpers.clmm.predictors import estimable, fixed_part, remarks_on
from helpers.clmm.ratings import categories
from helpers.errors import HelpersError, did_you_mean

LARGEST = 1e150  # numbers whose squares, and their inverses, can still be written
_LEVEL = " level"  # a column name that nobody has


@dataclass(frozen=True)
class Design:
    """What a model is fitted to.

    Attributes
    ----------
    formula : Formula
        What was asked for.
    categories : list of str
        The K categories in order.
    y : ndarray of int
        Category of each row, from 0.
    x : ndarray of float
        Shape (rows, predictors): the estimable columns of the fixed part, without an intercept.
    predictors : list of str
        Their names, as R forms them ("tempwarm").
    assign : list of str
        The formula's term that each of these columns belongs to.
    columns : list of str
        Names of all columns, those among them that nothing can be said about, given the others.
    levels : list of ndarray of int
        Level of each row, from 0, by random term.
    labels : list of list of str
        Names of these levels.
    covariates : ndarray of float
        Shape (rows, terms): 1 for an intercept, the column's value for a slope.
    weights : ndarray of float
        Weight of each row.
    dropped : int
        Number of rows left out.
    notes : list of str
        What a reader of the results must know about the data.
    """

    formula: Formula
    categories: list[str]
    y: Ints
    x: Floats
    predictors: list[str]
    assign: list[str]
    columns: list[str]
    levels: list[Ints]
    labels: list[list[str]]
    covariates: Floats
    weights: Floats
    dropped: int
    notes: list[str]

    @property
    def terms(self) -> list[str]:
        """Names of the random terms."""
        return [term.name for term in self.formula.terms]


Table = pl.DataFrame | pd.DataFrame | Mapping[str, Sequence[object]]


def design(formula: Formula, data: Table, weights: str | ArrayLike | None, spaced: bool) -> Design:
    """Read what `formula` names from `data`.

    Parameters
    ----------
    formula : Formula
        The parsed formula.
    data : polars or pandas DataFrame, or mapping of columns
        A row per rating.
    weights : str, array_like or None
        Column, or a number per row.
    spaced : bool
        Whether thresholds are tied, so that a category that nobody used still has its room.

    Raises
    ------
    HelpersError
        For data that this model cannot be fitted to, naming column, row or level.
    """
    try:
        table = data if isinstance(data, pl.DataFrame) else pl.DataFrame(data)
    except pl.exceptions.ShapeError as error:
        raise HelpersError(f"the data are no table: {error}") from None
    named = formula.names
    grouping = set().union(*(term.columns for term in formula.terms))
    for column in [formula.response, *sorted(named | grouping)]:
        if column not in table.columns:
            raise HelpersError(
                f"formula '{formula.text}': no column '{column}' in the data"
                + did_you_mean(column, table.columns)
            )
    needed = sorted(named | grouping | {formula.response})
    if formula.response in named:
        raise HelpersError(f"formula '{formula.text}': '{formula.response}' on both sides of the ~")
    weight = _weights(table, weights)
    keep, notes = _complete(table.select(needed), weight)
    rows = table.select(needed).filter(keep)
    numbers = np.flatnonzero(keep.to_numpy()) + 1
    scale, y, remarks = categories(rows[formula.response], spaced)
    x, names, assign = fixed_part(formula, rows.select(sorted(named)), numbers)
    kept = estimable(x)
    levels, labels = _levels(formula.terms, rows)
    return Design(
        formula, scale, y, x[:, kept], [names[j] for j in kept],
        [assign[j] for j in kept], names, levels, labels,
        _covariates(formula.terms, rows, numbers), weight[keep.to_numpy()],
        len(table) - len(rows), notes + remarks + remarks_on(names, kept),
    )  # fmt: skip


def _weights(table: pl.DataFrame, weights: str | ArrayLike | None) -> Floats:
    if weights is None:
        return np.ones(len(table))
    if isinstance(weights, str):
        if weights not in table.columns:
            raise HelpersError(
                f"weights: no column '{weights}' in the data" + did_you_mean(weights, table.columns)
            )
        if not table[weights].dtype.is_numeric():
            raise HelpersError(f"weights: {weights} is not numeric")
        weights = table[weights].to_numpy()
    values = np.asarray(weights, dtype=float)
    if values.shape != (len(table),):
        raise HelpersError(f"weights: {values.size} for {len(table)} rows; expected one for each")
    bad = np.flatnonzero(np.isinf(values) | (values < 0))
    if len(bad):
        raise HelpersError(
            f"weights: row {bad[0] + 1} has {values[bad[0]]}; expected finite numbers, 0 or more"
        )
    return values


def _complete(table: pl.DataFrame, weight: Floats) -> tuple[pl.Series, list[str]]:
    """Rows with a value everywhere and a weight that counts, and remarks on the others."""
    missing = table.select(
        pl.col(name).is_null() | (pl.col(name).is_nan() if dtype.is_float() else False)
        for name, dtype in table.schema.items()
    )
    notes = [
        f"{count} rows left out: no {name}"
        for name in table.columns
        if (count := int(missing[name].sum()))
    ]
    weightless = ~(weight > 0)  # nan too
    if weightless.any():
        notes.append(f"{int(weightless.sum())} rows left out: no weight")
    keep = ~np.any([weightless, *(missing[name].to_numpy() for name in table.columns)], axis=0)
    if not keep.any():
        raise HelpersError("no row has a value in every column that the formula names")
    return pl.Series(keep), notes


def _levels(terms: Sequence[Term], table: pl.DataFrame) -> tuple[list[Ints], list[list[str]]]:
    levels: list[Ints] = []
    labels: list[list[str]] = []
    for term in terms:
        order = table.select(term.factors).unique().sort(term.factors).with_row_index(_LEVEL)
        label = [":".join(map(str, row[1:])) for row in order.iter_rows()]
        joined = table.join(order, on=term.factors, how="left", maintain_order="left")
        level = joined[_LEVEL].to_numpy().astype(np.int64)
        if len(label) < 2:
            raise HelpersError(
                f"random term '{term.name}' has one level only, {label[0]}: "
                "no variance can be estimated from it, leave it out"
            )
        if len(label) >= len(table):
            raise HelpersError(
                f"random term '{term.name}' has as many levels as there are rows "
                f"({len(table)}): nothing tells it from the residual, leave it out"
            )
        for other, before in zip(terms, levels, strict=False):
            pairs = np.unique(np.column_stack([before, level]), axis=0)
            if term.slope == other.slope and len(pairs) == len(label) == before.max() + 1:
                raise HelpersError(
                    f"random terms '{other.name}' and '{term.name}' divide the rows in the same "
                    "way: nothing tells them apart, leave one out"
                )
        levels.append(level)
        labels.append(label)
    return levels, labels


def _covariates(terms: Sequence[Term], table: pl.DataFrame, numbers: Ints) -> Floats:
    columns = np.ones((len(table), len(terms)))
    for t, term in enumerate(terms):
        if term.slope is None:
            continue
        if not table[term.slope].dtype.is_numeric():
            raise HelpersError(f"random term '{term.name}': {term.slope} is not numeric")
        columns[:, t] = table[term.slope].to_numpy()
        bad = np.flatnonzero(~np.isfinite(columns[:, t]))
        if len(bad):
            raise HelpersError(f"{term.slope}: row {numbers[bad[0]]} is not a finite number")
        largest = np.abs(columns[:, t]).max()
        if largest == 0:
            raise HelpersError(f"random term '{term.name}': {term.slope} is 0 throughout")
        if not 1 / LARGEST < largest < LARGEST:
            raise HelpersError(
                f"random term '{term.name}': {term.slope} reaches {largest:.0e}, and the variance "
                "of its slopes is out of the computer's range: use another unit"
            )
    return columns
