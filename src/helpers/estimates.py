"""Estimates in the rows of a table, where those that do not exist say why."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from helpers.agreement import Estimate

NOTE = "Note"


def note(estimate: Estimate) -> str:
    """Why a value, or its interval, is missing; empty where neither is."""
    if not estimate.estimable:
        return f"not estimable: {estimate.reason}"
    return "" if estimate.has_interval else f"no interval: {estimate.reason}"


def cells(estimate: Estimate, name: str) -> dict[str, float | None]:
    """The estimate under `name`, and the ends of its interval under "`name` low" and "… high"."""
    return {name: estimate.value, f"{name} low": estimate.low, f"{name} high": estimate.high}


def absent(column: str, reason: str) -> pl.DataFrame:
    """A table of one row that says why it has no others."""
    return pl.DataFrame({column: "all", NOTE: f"not estimable: {reason}"})


def interval(*names: str, level: float = 0.95) -> dict[str, tuple[str, str]]:
    """What `show.table` needs to show the intervals of `cells`.

    A single interval has the header "95 % CI"; several have "95 % CI of" and the name.
    """
    head = f"{100 * level:g} % CI"
    return {
        head if len(names) == 1 else f"{head} of {name}": (f"{name} low", f"{name} high")
        for name in names
    }


def frame(rows: Sequence[Mapping[str, Any]], optional: Iterable[str] = (NOTE,)) -> pl.DataFrame:
    """Rows as a table, without those optional columns that hold nothing.

    Parameters
    ----------
    rows : sequence of mapping
        With the same keys in the same order; None and "" are empty cells.
    optional : iterable of str
        Columns that are left out when all their cells are empty.
    """
    full = pl.DataFrame(rows, infer_schema_length=None)
    empty = [
        name
        for name in optional
        if name in full.columns and all(cell in (None, "") for cell in full[name])
    ]
    return full.drop(empty)
