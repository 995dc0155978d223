"""Cholesky factor of a sparse matrix whose pattern never changes, and part of its inverse.

The matrix is H = I + Σ_i w_i m_i m_iᵀ, where m_i touches one effect of each random term. Its
pattern is known once the design is, so that ordering and fill-in are settled once and every later
factorisation only fills in numbers. Effects are numbered in the order of their elimination.

Sources: Davis, *Direct Methods for Sparse Linear Systems* (2006), chapters 4 and 7; Takahashi,
Fagan & Chen (1973) for the entries of the inverse.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

from helpers.clmm.arrays import Floats, Ints
from helpers.clmm.compiled import compiled


class Pattern(NamedTuple):
    """Where a lower triangular factor L has entries, by columns and by rows.

    Attributes
    ----------
    starts : ndarray of int
        Column j holds the entries `starts[j]` to `starts[j + 1]`, its diagonal first.
    rows : ndarray of int
        Row of each entry, ascending within a column.
    row_starts : ndarray of int
        Row i holds, left of its diagonal, the entries of `row_entries` from `row_starts[i]` on.
    row_columns, row_entries : ndarray of int
        Their columns, and where they stand among the entries by columns.
    """

    starts: Ints
    rows: Ints
    row_starts: Ints
    row_columns: Ints
    row_entries: Ints


def elimination_order(effects: Ints, count: int) -> Ints:
    """Order of elimination that keeps the factor sparse (multiple minimum degree).

    Parameters
    ----------
    effects : ndarray of int
        Shape (rows, terms): the effects that each row of the data touches.
    count : int
        Number of effects.

    Returns
    -------
    ndarray of int
        New number of each effect.
    """
    n, terms = effects.shape
    touched = (np.ones(n * terms), (np.repeat(np.arange(n), terms), effects.ravel()))
    z = sp.csr_matrix(touched, shape=(n, count))
    # scipy offers this ordering only as a part of its LU factorisation; the large diagonal keeps
    # that from pivoting.
    matrix = (z.T @ z + 1e3 * n * sp.eye(count)).tocsc()
    lu = scipy.sparse.linalg.splu(
        matrix,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    return np.asarray(lu.perm_c, dtype=np.int64)


def pattern(effects: Ints, count: int) -> Pattern:
    """Pattern of the Cholesky factor of H, fill-in included.

    Eliminating an effect joins all its neighbours that are still there; it is enough to hand them
    on to the first of these, its parent in the elimination tree.

    Parameters
    ----------
    effects : ndarray of int
        Shape (rows, terms), numbered in order of elimination.
    count : int
        Number of effects.
    """
    below: list[set[int]] = [set() for _ in range(count)]
    for joined in np.unique(np.sort(effects, axis=1), axis=0).tolist():
        for position, effect in enumerate(joined):
            below[effect].update(joined[position + 1 :])
    for neighbours in below:
        if neighbours:
            parent = min(neighbours)
            below[parent] |= neighbours
            below[parent].discard(parent)
    columns = [[j, *sorted(neighbours)] for j, neighbours in enumerate(below)]
    starts = np.cumsum([0, *map(len, columns)])
    rows = np.array([row for column in columns for row in column], dtype=np.int64)
    return Pattern(starts, rows, *_by_rows(starts, rows))


def _by_rows(starts: Ints, rows: Ints) -> tuple[Ints, Ints, Ints]:
    columns = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    strict = np.flatnonzero(rows != columns)
    entries = strict[np.lexsort((columns[strict], rows[strict]))]
    counts = np.bincount(rows[entries], minlength=len(starts) - 1)
    return np.concatenate([[0], np.cumsum(counts)]), columns[entries], entries


def entry_of(shape: Pattern, first: Ints, second: Ints) -> Ints:
    """Where H's entry (first, second) stands among the entries of the pattern."""
    count = len(shape.starts) - 1
    columns = np.repeat(np.arange(count), np.diff(shape.starts))
    keys = columns * count + shape.rows
    wanted = np.minimum(first, second) * count + np.maximum(first, second)
    return np.searchsorted(keys, wanted)


@compiled
def factorise(shape: Pattern, values: Floats) -> float:
    """Overwrite H's lower triangle in `values` with its Cholesky factor L, column by column.

    Parameters
    ----------
    shape : Pattern
        Where the entries are.
    values : ndarray of float
        H on entry, L on return.

    Returns
    -------
    float
        log |H|, or nan if H is not positive definite.
    """
    work = np.zeros(len(shape.starts) - 1)
    log_det = 0.0
    for j in range(len(shape.starts) - 1):
        start, stop = shape.starts[j], shape.starts[j + 1]
        for p in range(start, stop):
            work[shape.rows[p]] = values[p]
        for r in range(shape.row_starts[j], shape.row_starts[j + 1]):
            first = shape.row_entries[r]
            factor = values[first]
            for p in range(first, shape.starts[shape.row_columns[r] + 1]):
                work[shape.rows[p]] -= values[p] * factor
        if not work[j] > 0.0:
            return np.nan
        pivot = np.sqrt(work[j])
        log_det += np.log(pivot)
        values[start] = pivot
        for p in range(start + 1, stop):
            values[p] = work[shape.rows[p]] / pivot
    return 2.0 * log_det


@compiled
def solve(shape: Pattern, values: Floats, x: Floats) -> None:
    """Overwrite x with H⁻¹x = L⁻ᵀL⁻¹x."""
    starts, rows = shape.starts, shape.rows
    count = len(starts) - 1
    for j in range(count):
        x[j] /= values[starts[j]]
        for p in range(starts[j] + 1, starts[j + 1]):
            x[rows[p]] -= values[p] * x[j]
    for j in range(count - 1, -1, -1):
        total = x[j]
        for p in range(starts[j] + 1, starts[j + 1]):
            total -= values[p] * x[rows[p]]
        x[j] = total / values[starts[j]]


@compiled
def invert_on_pattern(shape: Pattern, values: Floats, inverse: Floats) -> None:
    """Entries of H⁻¹ where L has entries (Takahashi's recursion, last column first).

    From Z = H⁻¹ = L⁻ᵀL⁻¹ follows Z_ij = −Σ_k Z_ik L_kj / L_jj for i > j, the sum over k > j in
    column j's pattern. All Z_ik that it needs are in the pattern: eliminating j joined i and k.

    Parameters
    ----------
    shape : Pattern
        Where the entries are.
    values : ndarray of float
        The Cholesky factor.
    inverse : ndarray of float
        Where to put the entries of the inverse.
    """
    starts, rows = shape.starts, shape.rows
    count = len(starts) - 1
    column = np.zeros(count)  # of L
    total = np.zeros(count)
    for j in range(count - 1, -1, -1):
        start, stop = starts[j], starts[j + 1]
        pivot = values[start]
        for p in range(start + 1, stop):
            column[rows[p]] = values[p]
            total[rows[p]] = 0.0
        for p in range(start + 1, stop):
            k = rows[p]
            own = column[k]
            here = inverse[starts[k]] * own
            for q in range(starts[k] + 1, starts[k + 1]):
                i = rows[q]
                here += inverse[q] * column[i]
                total[i] += inverse[q] * own
            total[k] += here
        diagonal = 1.0 / pivot
        for p in range(start + 1, stop):
            i = rows[p]
            inverse[p] = -total[i] / pivot
            diagonal -= inverse[p] * values[p]
        inverse[start] = diagonal / pivot
        for p in range(start + 1, stop):
            column[rows[p]] = 0.0
