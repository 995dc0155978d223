"""Tests of concordance beside those that the paper prints of the same things."""

from collections.abc import Mapping, Sequence

import polars as pl

from helpers.agreement import Concordance

PRINTED = {"Friedman χ²": "χ²", "Kendall’s W": "W", "p-value": "p"}
"""Columns of the paper's tables, and what they are called here."""


def with_printed(
    named: Mapping[str, Sequence[str]],
    tests: Sequence[Concordance],
    printed: Mapping[str, Sequence[str | None]],
) -> pl.DataFrame:
    """Lay each figure beside the printed one.

    Parameters
    ----------
    named : mapping of str to sequence of str
        Columns that say what was tested.
    tests : sequence of Concordance
        In the same order.
    printed : mapping of str to sequence of str or None
        By column of `PRINTED`, in the same order; None where the paper prints nothing.

    Returns
    -------
    DataFrame
        Rows with something printed; empty where there is none.
    """
    columns: dict[str, Sequence[object]] = dict(named)
    for column, short in PRINTED.items():
        key = {"χ²": "chi2", "W": "value", "p": "p"}[short]
        columns[short] = [getattr(test, key) for test in tests]
        columns[f"Published {short}"] = printed[column]
    frame = pl.DataFrame(columns, strict=False)
    there = [pl.col(f"Published {short}").is_not_null() for short in PRINTED.values()]
    kept = frame.filter(pl.any_horizontal(there))
    return kept if kept.height else pl.DataFrame()
