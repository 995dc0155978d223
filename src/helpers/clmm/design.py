"""From a formula and a table to numbers, and every complaint about either.

Rows without a value in any column that the formula names are left out and counted, as R does;
what cannot be estimated from the rest is refused or named here, before anything is fitted.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import formulaic
import numpy as np
import pandas as pd
import polars as pl
from formulaic.errors import FormulaicError
from numpy.typing import ArrayLike, NDArray

from helpers.clmm.formula import Formula, Term
from helpers.errors import HelpersError, did_you_mean

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LEVEL = " level"  # a column name that nobody has
COLLINEAR = 1e-9  # share of a standardised column that earlier ones must leave for it to count
CONSTANT = 1e-12  # standard deviation, relative to the largest value, that is only rounding


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
    table = data if isinstance(data, pl.DataFrame) else pl.DataFrame(data)
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
    categories, y, remarks = _categories(rows[formula.response], spaced)
    x, names, assign = _fixed(formula, rows.select(sorted(named)), numbers)
    estimable = _estimable(x)
    levels, labels = _levels(formula.terms, rows)
    return Design(
        formula, categories, y, x[:, estimable], [names[j] for j in estimable],
        [assign[j] for j in estimable], names, levels, labels,
        _covariates(formula.terms, rows, numbers), weight[keep.to_numpy()],
        len(table) - len(rows), notes + remarks + _not_estimable(names, estimable),
    )  # fmt: skip


def _weights(table: pl.DataFrame, weights: str | ArrayLike | None) -> Floats:
    if weights is None:
        return np.ones(len(table))
    if isinstance(weights, str):
        if weights not in table.columns:
            raise HelpersError(
                f"weights: no column '{weights}' in the data" + did_you_mean(weights, table.columns)
            )
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


def _categories(response: pl.Series, spaced: bool) -> tuple[list[str], Ints, list[str]]:
    """Categories in order, the rows' codes, and a remark where a category was never used."""
    name = response.name
    scale = _scale(response)
    codes = np.array([scale.index(value) for value in response.to_list()], dtype=np.int64)
    counts = np.bincount(codes, minlength=len(scale))
    used = np.flatnonzero(counts)
    if len(used) < 2:
        raise HelpersError(
            f"{name}: all {len(codes)} ratings are {scale[used[0]]}; "
            "expected at least two categories to be used"
        )
    unused = [str(scale[k]) for k in np.flatnonzero(counts == 0)]
    inner = [k for k in range(used[0], used[-1]) if counts[k] == 0]
    if spaced and unused:
        if len(inner) < len(unused):
            raise HelpersError(
                f"{name}: nobody used {' or '.join(unused)}, at an end of the scale; where the "
                "scale ends decides what tied thresholds mean: use flexible ones"
            )
        return (
            [str(value) for value in scale],
            codes,
            [f"nobody used {', '.join(unused)} of {name}; its thresholds follow from the others"],
        )
    remarks = [
        f"nobody used {', '.join(unused)} of {name}: left out, for no threshold beside an empty "
        "category can be estimated"
    ]
    kept = [str(scale[k]) for k in used]
    return kept, np.searchsorted(used, codes), remarks if unused else []


def _scale(response: pl.Series) -> list[object]:
    """All values that the response can take, in order."""
    kind = response.dtype
    if isinstance(kind, pl.Enum | pl.Categorical):
        return list(response.cat.get_categories())
    values = sorted(response.unique().to_list())
    if kind == pl.String:
        try:
            return sorted(values, key=float)
        except ValueError:
            raise HelpersError(
                f"{response.name} holds words ({', '.join(values[:3])}, …), whose order is not "
                "known: make it a polars Enum with the categories in order"
            ) from None
    if kind.is_integer() and values[-1] - values[0] < 2 * len(values):
        return list(range(values[0], values[-1] + 1))  # a gap is a category that nobody used
    if kind.is_float():
        if not np.isfinite(values).all():
            raise HelpersError(f"{response.name} holds an infinite rating")
        if len(values) > 50:
            raise HelpersError(
                f"{response.name} has {len(values)} different values; expected ordered categories"
            )
        return [int(v) if v == int(v) else v for v in values]
    return values


def _fixed(
    formula: Formula, table: pl.DataFrame, numbers: Ints
) -> tuple[Floats, list[str], list[str]]:
    """Columns of the fixed part with R's names, and the term of each."""
    if formula.fixed == "1":
        return np.empty((len(numbers), 0)), [], []
    frame = pd.DataFrame({name: _for_formulaic(table[name]) for name in table.columns})
    try:
        matrix = formulaic.model_matrix("1 + " + formula.fixed, frame, na_action="ignore")
    except (FormulaicError, ValueError, TypeError) as error:
        raise HelpersError(f"formula '{formula.text}': {error}") from error
    assign = [
        str(term) for term, columns in matrix.model_spec.term_indices.items() for _ in columns
    ]
    x = np.asarray(matrix, dtype=float)[:, 1:]
    names = [_r_name(column) for column in matrix.columns[1:]]
    bad = np.argwhere(~np.isfinite(x))
    if len(bad):
        row, column = bad[0]
        raise HelpersError(
            f"{names[column]}: row {numbers[row]} has {x[row, column]}; expected a finite number"
        )
    return x, names, assign[1:]


def _for_formulaic(column: pl.Series) -> pd.Series:
    if column.dtype == pl.Boolean:  # R's levels for logical columns
        return pd.Series(pd.Categorical(np.where(column.to_numpy(), "TRUE", "FALSE")))
    if isinstance(column.dtype, pl.Enum | pl.Categorical):
        used = set(column.unique())
        levels = [level for level in column.cat.get_categories() if level in used]
        return pd.Series(pd.Categorical(column.to_list(), levels))
    if column.dtype == pl.String:
        return pd.Series(pd.Categorical(column.to_list()))
    return pd.Series(column.to_numpy())


def _r_name(name: str) -> str:
    return re.sub(r"\[(?:T\.)?([^\]]*)\]", r"\1", name).replace(" ** ", "^")


def _estimable(x: Floats) -> list[int]:
    """Columns that neither are constant nor follow from those before them.

    Columns are compared after centring, which stands for the thresholds, and scaling, so that
    units do not matter.
    """
    basis = np.empty((len(x), 0))
    z = standardise(x)[0]
    kept = []
    for j in range(x.shape[1]):
        column = z[:, j]
        for _ in range(2):  # once more, for what rounding left behind
            column = column - basis @ (basis.T @ column)
        size = float(np.linalg.norm(column))
        if size > COLLINEAR * np.sqrt(len(x)):
            basis = np.column_stack([basis, column / size])
            kept.append(j)
    return kept


def standardise(x: Floats) -> tuple[Floats, Floats, Floats]:
    """Columns with mean 0 and standard deviation 1, and what turns them back.

    Returns
    -------
    tuple of ndarray
        (x − centre) / scale, centre and scale. A constant column has scale 1 and becomes 0.
    """
    largest = np.abs(x).max(axis=0, initial=0.0)
    largest[largest == 0] = 1.0
    moderate = x / largest  # squares of huge numbers would overflow, of tiny ones vanish
    centre = moderate.mean(axis=0)
    spread = moderate.std(axis=0)
    constant = spread < CONSTANT
    z = np.where(constant, 0.0, moderate - centre) / np.where(constant, 1.0, spread)
    return z, largest * centre, np.where(constant, 1.0, largest * spread)


def _not_estimable(names: list[str], estimable: list[int]) -> list[str]:
    left = [name for j, name in enumerate(names) if j not in estimable]
    return [
        f"{name} is not estimable: it does not vary, or follows from the predictors before it"
        for name in left
    ]


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
        if not columns[:, t].any():
            raise HelpersError(f"random term '{term.name}': {term.slope} is 0 throughout")
    return columns
