import polars as pl

from helpers import estimates
from helpers.agreement import Estimate

WHOLE = Estimate(value=0.5, low=0.4, high=0.6)
BARE = Estimate(value=0.5, reason="2 raters")
NONE = Estimate(reason="1 rater")


def test_what_is_missing_is_said():
    assert estimates.note(WHOLE) == ""
    assert estimates.note(BARE) == "no interval: 2 raters"
    assert estimates.note(NONE) == "not estimable: 1 rater"


def test_cells_hold_the_estimate_and_its_ends():
    assert estimates.cells(WHOLE, "W") == {"W": 0.5, "W low": 0.4, "W high": 0.6}
    assert set(estimates.cells(NONE, "W").values()) == {None}


def test_a_table_without_rows_says_why():
    assert estimates.absent("Case", "no case").to_dicts() == [
        {"Case": "all", "Note": "not estimable: no case"}
    ]


def test_intervals_are_named_for_the_table():
    assert estimates.interval("W") == {"95 % CI": ("W low", "W high")}
    both = estimates.interval("W", "r", level=0.9)
    assert list(both) == ["90 % CI of W", "90 % CI of r"]


def test_optional_columns_are_left_out_when_empty():
    rows = [{"A": 1, "B": None, "Note": ""}, {"A": 2, "B": 3, "Note": None}]
    assert estimates.frame(rows).columns == ["A", "B"]
    assert estimates.frame([*rows, {"A": 3, "B": None, "Note": "x"}]).columns == ["A", "B", "Note"]
    assert estimates.frame(rows[:1], optional=("B", "Note")).columns == ["A"]
    assert estimates.frame([]).equals(pl.DataFrame())
