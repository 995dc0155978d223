import pytest

from helpers.multiplicity import holm


def test_known_answer():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_a_test_that_was_not_made_does_not_count():
    assert holm([0.01, None, 0.02]) == (pytest.approx(0.02), None, pytest.approx(0.02))
    assert holm([None]) == (None,)
    assert holm([]) == ()


def test_never_above_one():
    assert holm([0.6, 0.9]) == (1, 1)


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, float("nan")])
