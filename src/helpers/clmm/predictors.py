"""The fixed part of a formula: its columns, their names, and what can be said about them."""

import re

import formulaic
import numpy as np
import pandas as pd
import polars as pl
from formulaic.errors import FormulaicError

from helpers.clmm.arrays import Floats, Ints
from helpers.clmm.formula import Formula
from helpers.errors import HelpersError

COLLINEAR = 1e-9  # share of a standardised column that earlier ones must leave for it to count
_COLOURS = re.compile(r"\x1b\[[\d;]*m|[⧛⧚]")  # formulaic marks the place of a fault for a terminal
CONSTANT = 1e-12  # standard deviation, relative to the largest value, that is only rounding


def fixed_part(
    formula: Formula, table: pl.DataFrame, numbers: Ints
) -> tuple[Floats, list[str], list[str]]:
    """Columns of the fixed part without an intercept.

    Parameters
    ----------
    formula : Formula
        The parsed formula.
    table : polars.DataFrame
        The columns that it names, none missing.
    numbers : ndarray of int
        Numbers of these rows in the reader's data, from 1.

    Returns
    -------
    tuple
        The columns, their names as R forms them, and the formula's term that each belongs to.

    Raises
    ------
    HelpersError
        If the formula makes no sense to formulaic, or a column is not finite.
    """
    if formula.fixed == "1":
        return np.empty((len(numbers), 0)), [], []
    frame = pd.DataFrame({name: _for_formulaic(table[name]) for name in table.columns})
    try:
        matrix = formulaic.model_matrix("1 + " + formula.fixed, frame, na_action="ignore")
    except (FormulaicError, SyntaxError, ValueError, TypeError) as error:
        told = " ".join(_COLOURS.sub("", str(error)).split())
        raise HelpersError(f"formula '{formula.text}': {told}") from error
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


def estimable(x: Floats) -> list[int]:
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


def remarks_on(names: list[str], kept: list[int]) -> list[str]:
    """Say which columns cannot be estimated."""
    left = [name for j, name in enumerate(names) if j not in kept]
    return [
        f"{name} is not estimable: it does not vary, or follows from the predictors before it"
        for name in left
    ]
