import numpy as np
import pytest

from helpers.errors import HelpersError
from helpers.two_groups import compare

SLEEP = (
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
)  # Student 1908; R's datasets::sleep


@pytest.mark.parametrize(
    ("test", "t", "df", "p", "low", "high"),
    [  # R's t.test
        ("Student", -1.860813, 18, 0.07918671, -3.363874, 0.203874),
        ("Welch", -1.860813, 17.77647, 0.07939414, -3.3654832, 0.2054832),
        ("paired", -4.062128, 9, 0.00283289, -2.4598858, -0.7001142),
    ],
)
def test_students_sleep_by_three_tests(test, t, df, p, low, high):
    found = compare(*SLEEP, test)
    assert (found.t, found.df, found.p) == pytest.approx((t, df, p), rel=1e-6)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6)
    assert float(found) == pytest.approx(-1.58)


def test_cohens_d_uses_the_pooled_or_the_paired_deviation():
    assert compare(*SLEEP, "Student").d == pytest.approx(-1.860813 * np.sqrt(2 / 10), rel=1e-6)
    assert compare(*SLEEP, "Welch").d == compare(*SLEEP, "Student").d
    assert compare(*SLEEP, "paired").d == pytest.approx(-4.062128 / np.sqrt(10), rel=1e-6)


def test_one_group_may_be_constant_without_a_warning(recwarn):
    found = compare([3, 3, 3], [1, 2, 6], "Welch")
    assert (found.value, found.df) == (0, 2)
    assert found.p == pytest.approx(1)
    assert not recwarn.list


def test_gaps_are_dropped_with_their_partner_in_pairs():
    first, second = [1, 2, np.nan, 4], [2, np.nan, 1, 7]
    assert compare(first, second, "paired").sizes == (2, 2)
    independent = compare(first, second)
    assert (independent.sizes, independent.dropped) == ((3, 3), 2)


@pytest.mark.parametrize(
    ("first", "second", "test", "reason"),
    [
        ([], [1, 2], "Student", "0 values in a group; at least 2 are needed"),
        ([1], [1, 2], "Welch", "1 value in a group; at least 2 are needed"),
        ([1, np.nan], [1, 2], "paired", "1 complete pair; at least 2 are needed"),
        ([1, 1], [2, 2], "Student", "neither group varies"),
        ([1, 2], [2, 3], "paired", "every difference is the same"),
    ],
)
def test_what_cannot_be_compared_has_a_reason(first, second, test, reason):
    found = compare(first, second, test)
    assert (found.value, found.p, found.d, found.reason) == (None, None, None, reason)


def test_unknown_tests_and_pairs_without_partners_are_refused():
    with pytest.raises(HelpersError):
        compare([1, 2], [3, 4], "z")
    with pytest.raises(HelpersError):
        compare([1, 2], [3, 4, 5], "paired")
