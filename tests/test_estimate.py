import pytest

from helpers.agreement import Estimate
from helpers.errors import HelpersError


def test_text_says_value_and_interval():
    estimate = Estimate(value=-0.434, low=-0.5, high=0.21)
    assert estimate.text() == "−0.43 (95 % CI −0.50 to 0.21)"
    assert estimate.text(1) == "−0.4 (95 % CI −0.5 to 0.2)"
    ninety = Estimate(value=0.434, low=0.2, high=0.5, confidence=0.9)
    assert ninety.text() == "0.43 (90 % CI 0.20 to 0.50)"


def test_text_says_why_something_is_missing():
    assert Estimate(reason="one rater").text() == "not estimable: one rater"
    assert Estimate(value=1, reason="two raters").text() == "1.00 (no interval: two raters)"


def test_a_value_can_be_taken_as_a_number_and_its_absence_cannot():
    assert float(Estimate(value=1, reason="two raters")) == 1
    with pytest.raises(HelpersError, match="not estimable: one rater"):
        float(Estimate(reason="one rater"))


@pytest.mark.parametrize("part", ["value", "low", "high"])
def test_no_made_up_numbers(part):
    numbers = {"value": 0.5, "low": 0.4, "high": 0.6} | {part: float("nan")}
    with pytest.raises(ValueError, match="must be finite"):
        Estimate(**numbers)


@pytest.mark.parametrize("part", ["value", "low", "high"])
def test_nothing_is_missing_without_a_reason(part):
    numbers = {"value": 0.5, "low": 0.4, "high": 0.6}
    del numbers[part]
    with pytest.raises(ValueError, match="needs a reason"):
        Estimate(**numbers)
