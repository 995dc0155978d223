import numpy as np
import pandas as pd
import polars as pl
import pytest

from helpers.agreement import kendalls_w, weighted_kappa
from helpers.agreement.tables import coded, name, numbers

GAP = float("nan")
COLUMNS = {"a": [1, 2, None], "b": [3, None, 5]}


@pytest.mark.parametrize(
    "table",
    [
        [[1, 3], [2, None], [None, 5]],
        [[1, 3], [2, GAP], [GAP, 5]],
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, dtype="Int64"),
        pl.DataFrame(COLUMNS),
    ],
)
def test_gaps_of_all_kinds_are_nan(table):
    found = numbers(table, "rater", "item")
    np.testing.assert_array_equal(found, [[1, 3], [2, GAP], [GAP, 5]])


def test_what_is_given_is_not_changed():
    table = np.array([[1.0, 2.0], [3.0, GAP]])
    before = table.copy()
    kendalls_w(table)
    np.testing.assert_array_equal(table, before)


def test_categories_become_places_and_gaps_minus_one():
    codes, known = coded([["b", None], ["a", "b"]])
    assert codes.tolist() == [[1, -1], [0, 1]]
    assert known == ["a", "b"]


def test_frames_serve_as_lists_of_categories():
    first, second = [1, 2, 2, 3], [1, 2, 3, 3]
    expected = weighted_kappa(first, second).value
    assert weighted_kappa(pl.Series(first), pd.Series(second)).value == expected


def test_whole_numbers_are_named_without_decimals():
    assert (name(3.0), name(2.5), name("yes")) == ("3", "2.5", "yes")
