import numpy as np
import pandas as pd
import pytest

from agreement_data import ANXIETY, COHEN, FLEISS, MOVIES, R
from helpers.agreement import fleiss_kappa, weighted_kappa
from helpers.errors import HelpersError

PENALTY = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]
DIAGNOSES = np.array([np.repeat(np.arange(5), counts) for counts in FLEISS]).T


def pairs(table):
    """Two raters' categories from a table of counts."""
    rows, columns = np.indices(np.shape(table))
    counts = np.ravel(table)
    return np.repeat(rows.ravel() + 1, counts), np.repeat(columns.ravel() + 1, counts)


@pytest.mark.parametrize(
    ("name", "raters", "weights", "statistic"),
    [
        ("cohen", pairs(COHEN), "unweighted", "unweighted"),
        ("cohen", pairs(COHEN), PENALTY, "custom"),
        ("movies", pairs(MOVIES), "unweighted", "unweighted"),
        ("movies", pairs(MOVIES), "linear", "linear"),
        ("movies", pairs(MOVIES), "quadratic", "quadratic"),
        ("anxiety", ANXIETY[:2], "unweighted", "unweighted"),
        ("anxiety", ANXIETY[:2], "linear", "linear"),
        ("anxiety", ANXIETY[:2], "quadratic", "quadratic"),
    ],
)
def test_agrees_with_vcd_in_r(name, raters, weights, statistic):
    result = weighted_kappa(*raters, weights)
    assert (result.value, result.low, result.high) == pytest.approx(R[name, statistic], abs=1e-9)
    assert result.se == pytest.approx(R[name, f"{statistic} se"][0], abs=1e-9)


def test_published_values():
    assert round(float(weighted_kappa(*pairs(COHEN))), 4) == 0.4915
    assert round(float(weighted_kappa(*pairs(COHEN), PENALTY)), 4) == 0.3478
    fits = ("unweighted", "linear", "quadratic")
    movies = [round(float(weighted_kappa(*pairs(MOVIES), fit)), 4) for fit in fits]
    assert movies == [0.3888, 0.4269, 0.4580]
    anxiety = [round(float(weighted_kappa(*ANXIETY[:2], fit)), 3) for fit in fits]
    assert anxiety == [0.119, 0.189, 0.297]


def test_published_values_of_fleiss():
    result = fleiss_kappa(DIAGNOSES)
    assert (round(result.value, 3), round(result.z, 1)) == (0.430, 17.7)
    assert result.low < result.value < result.high
    # "exact" takes the columns of a table sorted by diagnosis for persons, as R's irr does
    assert round(float(fleiss_kappa(DIAGNOSES, exact=True)), 3) == 0.442


def test_two_raters_who_use_the_categories_alike_have_one_kappa():
    first, second = ["a", "b", "a", "b"], ["b", "a", "a", "b"]
    assert fleiss_kappa([first, second]).value == weighted_kappa(first, second).value == 0


def test_exact_kappa_of_two_raters_is_cohens():
    table = ANXIETY[:2]
    exact = fleiss_kappa(table, exact=True).value
    assert exact == pytest.approx(weighted_kappa(*table).value)


def test_distance_of_numbers_is_their_difference_whatever_categories_occur():
    first, second = [0, 0, 10, 10], [0, 9, 10, 9]
    listed = weighted_kappa(first, second, "quadratic", categories=range(11))
    assert weighted_kappa(first, second, "quadratic").value == pytest.approx(listed.value)
    words = {0: "low", 9: "middle", 10: "high"}
    by_place = weighted_kappa(
        [words[x] for x in first],
        [words[x] for x in second],
        "quadratic",
        categories=["low", "middle", "high"],
    )
    assert by_place.value != pytest.approx(listed.value, abs=0.01)
    assert by_place.categories == ("low", "middle", "high")


def test_items_with_a_gap_are_dropped_and_counted():
    result = weighted_kappa([1, 2, 2, None, 1], [1, 2, 1, 2, float("nan")])
    assert (result.used, result.dropped, result.unit) == (3, 2, "items")
    table = [["a", "b", None], ["a", "b", "a"], ["b", "b", "a"]]
    assert (fleiss_kappa(table).used, fleiss_kappa(table).dropped) == (2, 1)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([], [], "no item was rated by both raters"),
        ([1, None], [None, 1], "no item was rated by both raters"),
        ([3, 3, 3], [3, 3, 3], "both raters always give 3"),
    ],
)
def test_what_cannot_be_estimated_has_a_reason(first, second, reason):
    result = weighted_kappa(first, second)
    assert (result.value, result.reason) == (None, reason)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([["a", "b"]], "1 rater; at least 2 are needed"),
        ([["a", None], [None, "b"]], "no item was rated by all raters"),
        ([[3.0, 3.0], [3.0, 3.0]], "every rating is 3"),
        (np.empty((0, 4)), "0 raters; at least 2 are needed"),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_what_fleiss_cannot_estimate_has_a_reason(table, reason, exact):
    result = fleiss_kappa(table, exact)
    assert (result.value, result.reason) == (None, reason)


@pytest.mark.parametrize(
    ("first", "second", "value", "reason"),
    [
        ([1, 1, 1], [1, 2, 2], 0, "one rater always gives the same: no standard error"),
        ([1, 2, 2], [1, 2, 2], 1, "the items are all alike: no standard error"),
    ],
)
def test_without_standard_error_there_is_no_interval(first, second, value, reason):
    result = weighted_kappa(first, second)
    assert (result.value, result.low, result.reason) == (pytest.approx(value), None, reason)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [1, 2, 3]), "as many items"),
        (([1, 2], [1, 2], "cubic"), "no weights 'cubic': expected unweighted, linear, quadratic"),
        (([1, 2], [1, 2], [[0, 1, 2]] * 3), "weights for 2 categories"),
        (([1, 2], [1, 2], [[0, 1], [1, 1]]), "0 on the diagonal"),
        (([1, 2], [1, 7], "linear", [1, 2, 3]), "7 is none of the categories"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(HelpersError, match=message):
        weighted_kappa(*arguments)


def test_published_agreement_of_pairwise_votes(shared):
    votes = pd.read_csv(shared / "pandalm/pairwise.csv")
    both = [("h1", "h2"), ("h1", "h3"), ("h2", "h3")]
    kappas = [round(float(weighted_kappa(votes[a], votes[b])), 3) for a, b in both]
    assert kappas == [0.852, 0.879, 0.862]
    assert round(float(fleiss_kappa(votes[["h1", "h2", "h3"]].T)), 3) == 0.864


def test_published_agreement_of_genomics_answers(shared):
    ratings = pd.read_csv(shared / "chattogovar/ratings_human.csv")
    totals = ratings.pivot(index="rater", columns=["item", "system"], values="total")
    assert round(float(weighted_kappa(*totals.to_numpy(), "quadratic")), 3) == 0.685
    places = pd.factorize(totals.to_numpy().ravel(), sort=True)[0].reshape(totals.shape)
    assert round(float(weighted_kappa(*places, "quadratic")), 3) == 0.686  # as published
