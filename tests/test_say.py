import math

import pytest

from helpers import say


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (-1234.5, 2, "−1,234.50"),
        (-0.001, 2, "0.00"),
        (0.5, 0, "0"),
        (1.005, 2, "1.00"),
        (math.nan, 2, "not estimable"),
        (-math.inf, 2, "−∞"),
    ],
)
def test_number(value, digits, text):
    assert say.number(value, digits) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0446, "p\xa0=\xa0.045"),
        (0.001, "p\xa0=\xa0.001"),
        (0.00099, "p\xa0<\xa0.001"),
        (1.0, "p\xa0=\xa01.000"),
        (0.9996, "p\xa0=\xa01.000"),
        (math.nan, "p not estimable"),
    ],
)
def test_p_value(p, text):
    assert say.p_value(p) == text


def test_a_p_value_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        say.p_value(1.2)


def test_spans_and_lists():
    assert say.span(0.4251, 0.4349) == "0.43"
    assert say.span(-1, 2, 1) == "−1.0 to 2.0"
    assert say.p_span(0.0001, 0.0002) == "p\xa0<\xa0.001"
    assert say.p_span(0.0366, 0.0473) == "p\xa0=\xa0.037 to .047"
    assert say.count(1, "check") == "1 check"
    assert say.count(1200, "category", "categories") == "1,200 categories"
    assert [say.listing(x) for x in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "none",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_estimates_carry_their_interval_and_unit():
    assert say.interval(-0.5, 1, 1) == "[−0.5, 1.0]"
    assert say.estimate(-0.456, -0.8, 0.1) == "−0.46 (95\xa0%\xa0CI −0.80 to 0.10)"
    assert say.estimate(3, 2, 4, 0, "points", 0.9) == "3\xa0points (90\xa0%\xa0CI 2 to 4)"
    assert say.percent(0.655, 1) == "65.5\xa0%"
    assert say.percent(math.nan) == "not estimable"
