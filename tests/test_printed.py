import math

import pytest

from helpers.printed import Interval, ambiguous, exactly, parse


@pytest.mark.parametrize(
    ("text", "value", "decimals", "comparison", "stars"),
    [
        ("-0.44", -0.44, 2, "=", 0),
        ("−0.44", -0.44, 2, "=", 0),
        ("9.6%", 9.6, 1, "=", 0),
        ("<0.001***", 0.001, 3, "<", 3),
        ("≤ .05", 0.05, 2, "<", 0),
        ("0.022*", 0.022, 3, "=", 1),
        ("***", None, 0, "=", 3),
        ("≈0.64", 0.64, 2, "≈", 0),
        ("10,000", 10000.0, 0, "=", 0),
        ("Nine", 9.0, 0, "=", 0),
        ("0.60", 0.6, 2, "=", 0),
    ],
)
def test_a_cell_is_read_as_printed(text, value, decimals, comparison, stars):
    cell = parse(text)
    assert (cell.value, cell.decimals) == (value, decimals)
    assert (cell.comparison, cell.stars) == (comparison, stars)


NO_NUMBERS = ["Neurology", "P1-P8", "7:3", "1—2", "", "1,23", "0.1.2", "nan"]


@pytest.mark.parametrize("text", [*NO_NUMBERS, "0,263", "00,263", "-0,263", "1,2345", "0.126†"])
def test_what_is_no_number_stays_text(text):
    assert parse(text).value is None


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("0,263", 0.263, 3),
        ("−1,5", -1.5, 1),
        ("<0,001***", 0.001, 3),
        ("10.000", 10000.0, 0),
        ("1.234,5%", 1234.5, 1),
        (",05", 0.05, 2),
        ("37", 37.0, 0),
        ("0.263", None, 0),
        ("1,234.5", None, 0),
    ],
)
def test_a_declared_decimal_comma_parts_decimals_and_points_thousands(text, value, decimals):
    cell = parse(text, ",")
    assert (cell.value, cell.decimals) == (value, decimals)


@pytest.mark.parametrize(
    ("text", "open_"),
    [
        ("10,000", True),
        ("0,263", True),
        ("-0,5%", True),
        ("3,6,7", False),
        ("P1, P2", False),
        ("0.263", False),
        ("1.234", False),
        ("a, b", False),
    ],
)
def test_a_number_with_a_comma_has_two_readings(text, open_):
    assert ambiguous(text) is open_


def test_text_has_no_interval():
    with pytest.raises(ValueError, match="Neurology"):
        _ = parse("Neurology").interval


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("0.43", 0.425, True),  # a tie may be rounded either way
        ("0.43", 0.435, True),
        ("0.43", 0.4350001, False),
        ("0.43", 0.4249999, False),
        ("20", 20.5, True),
        ("20", 20.51, False),
    ],
)
def test_rounding_edge(text, value, shown):
    assert parse(text).shows(value) is shown


def test_interval_arithmetic_holds_all_results():
    a, b = Interval(-2, 3), Interval(1, 4)
    assert a + b == Interval(-1, 7)
    assert a * b == Interval(-8, 12)
    assert a / b == Interval(-2, 3)
    assert b / a == Interval(-math.inf, math.inf)
    assert abs(a) == Interval(0, 3)
    assert abs(-b) == b
    assert b.map(lambda x: -x) == Interval(-4, -1)


def test_intervals_that_touch_meet_without_overlap():
    one, other = parse("0.43").interval, parse("0.44").interval
    assert one.meets(other)
    assert one.overlap(other) == pytest.approx(0, abs=1e-12)
    assert not one.meets(exactly(0.44))
