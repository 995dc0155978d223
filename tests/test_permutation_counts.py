"""Counts of permuted rankings near a benchmark's: by hand, by R's enumeration, and odd input."""

import csv
from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.orders import enumerable, every, some
from helpers.paths import ROOT
from helpers.permutation.baselines import agreement, any_ranking, displacement, leverage
from helpers.permutation.baselines import random_share as share_of
from helpers.permutation.counts import counts
from helpers.permutation.curve import RANDOM, as_ratio, curve
from helpers.permutation.permuted import Rows
from helpers.permutation.projection import Line
from helpers.permutation.ranks import doubled_ranks
from helpers.permutation.shuffle import shuffled_sums

CLOSED = 1e-6

STUDIES = {
    "four": (
        [[3.2, 2.1, 4.0], [3.2, 3.3, 2.8], [2.0, 4.1, 2.8], [1.5, 2.1, 3.6]],
        [0.5, 0.2, 0.3],
        [20, 55, 55, 10],
    ),
    "six": (
        [
            [2.98, 2.70, 2.75, 3.10],
            [3.93, 3.81, 3.38, 2.20],
            [3.77, 3.67, 3.33, 4.00],
            [3.41, 3.31, 2.70, 3.90],
            [3.11, 3.10, 2.89, 1.70],
            [3.03, 3.19, 3.84, 2.50],
        ],
        [0.19, 0.17, 0.12, 0.35],
        [10.9, 51.4, 39.6, 18.9, 45.6, 43.4],
    ),
}

# By hand: the first dimension outweighs the second, so that any permutation of it is the ranking,
# and permuting the second changes nothing. R_eval = (1, 2, 3), R_bench = (3, 2, 1), D·D = 8,
# t = (r3 − r1 + 2)/4: 1, 3/4, 3/4, 1/4, 1/4 and 0.
HAND = ([[5, 1], [3, 2], [1, 3]], [0.75, 0.25], [10, 20, 30])


@cache
def known(study: str, quantity: str) -> list[float]:
    """What R found, by dimension."""
    with (ROOT / "tests/R/permutation.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    found = [float(r["value"]) for r in rows if (r["study"], r["quantity"]) == (study, quantity)]
    assert found, (study, quantity)
    return found


# --- ranks and orders --------------------------------------------------------------------------


def test_ranks_are_mid_ranks_and_the_highest_is_first():
    assert doubled_ranks([3, 1, 2]).tolist() == [2, 6, 4]
    assert doubled_ranks([[1, 1, 0], [5, 5, 5]]).tolist() == [[3, 3, 6], [4, 4, 4]]


def test_sums_that_are_equal_on_paper_are_tied():
    assert 0.1 + 0.2 != 0.3
    assert doubled_ranks([0.1 + 0.2, 0.3, 0.0]).tolist() == [3, 3, 6]
    assert doubled_ranks([1.0, 1.0 + 1e-6]).tolist() == [4, 2]


def test_orders_are_all_or_as_many_as_asked_for():
    assert sorted(map(tuple, every(4).tolist())) == sorted(permutations(range(4)))
    assert every(3)[0].tolist() == [0, 1, 2]
    drawn = some(5, 200, seed=1)
    assert drawn.shape == (200, 5)
    assert (np.sort(drawn, axis=1) == np.arange(5)).all()
    assert (drawn == some(5, 200, seed=1)).all()
    assert [enumerable(n, 10_000) for n in (7, 8)] == [True, False]
    with pytest.raises(HelpersError, match="at least one permutation"):
        some(5, 0, 1)


def test_shuffled_values_stay_in_their_block_and_reach_every_place_alike():
    values, start = np.array([1.0, 2.0, 3.0, 10.0, 20.0]), np.array([0, 3])
    own = shuffled_sums(values, start, np.arange(5), np.ones(5), 30_000, seed=1)
    assert (np.sort(own[:, :3]) == [1, 2, 3]).all()
    assert (np.sort(own[:, 3:]) == [10, 20]).all()
    orders, often = np.unique(own, axis=0, return_counts=True)
    assert len(orders) == 12
    error = np.sqrt(30_000 / 12)
    assert np.abs(often - 30_000 / 12).max() < 4 * error
    halves = shuffled_sums(values, start, np.array([0, 0, 0, 1, 1]), np.full(5, 0.5), 10, seed=1)
    assert halves.tolist() == [[3.0, 15.0]] * 10


# --- projection --------------------------------------------------------------------------------


def test_a_projection_by_hand():
    line = Line(np.array([2, 4, 6]), np.array([6, 4, 2]))
    ranking = np.array([2, 6, 4])
    assert line.share(ranking) == pytest.approx(0.75)
    assert line.off(ranking) == pytest.approx(np.sqrt(1.5))
    assert line.distance == pytest.approx(np.sqrt(8))
    assert line.share(line.evaluators) == 1
    assert line.share(line.benchmark) == 0


@pytest.mark.parametrize("squared", [2, 8, 33, 70])
@pytest.mark.parametrize("epsilon", [0, 0.1, 0.25, 0.3, 0.5, 1, 1.7])
def test_below_a_threshold_is_decided_as_fractions_are(squared, epsilon):
    """|t| < ε, or |t|·distance < ε, for every place on the line."""
    line = Line(np.zeros(squared, dtype=int), np.ones(squared, dtype=int))
    exact = Fraction(str(epsilon))
    for along in range(3 * squared):
        t = Fraction(along, squared)
        assert (along <= line.reach(epsilon)) == (t < exact)
        assert (along <= line.reach(epsilon, "distance")) == (t**2 * squared < 4 * exact**2)


def test_equal_rankings_have_no_line():
    with pytest.raises(NotEstimableError, match="rank the analysts alike"):
        Line(np.array([2, 4]), np.array([2, 4]))


# --- counts ------------------------------------------------------------------------------------


def test_three_models_by_hand():
    found = counts(*HAND)
    assert found.exact
    assert found.permutations == 6
    assert found.within.tolist() == [3, 0]
    assert counts(*HAND, epsilon=0.25).within.tolist() == [1, 0]  # below, not at
    assert counts(*HAND, epsilon=0.26).within.tolist() == [3, 0]
    assert counts(*HAND, epsilon=1.5, bound="distance").within.tolist() == [3, 0]  # 1.5/√8 > 1/2
    assert found.table()["along"].to_list() == pytest.approx([0.5, 1])
    assert found.moved.tolist() == pytest.approx([5 / 6, 0])
    assert found.overshot.tolist() == found.beyond.tolist() == [0, 0]


@pytest.mark.parametrize("name", STUDIES)
def test_enumeration_is_that_of_r(name):
    found = counts(*STUDIES[name])
    assert found.exact
    assert [found.line.distance] == pytest.approx(known(name, "distance"), abs=CLOSED)
    table = found.table()
    for column in ("along", "off", "moved"):
        assert table[column].to_list() == pytest.approx(known(name, column), abs=CLOSED)
    for epsilon in (0.25, 0.5, 1):
        own = counts(*STUDIES[name], epsilon=epsilon)
        assert own.within.tolist() == known(name, f"ratio {epsilon}")
    for epsilon in (1, 2):
        own = counts(*STUDIES[name], epsilon=epsilon, bound="distance")
        assert own.within.tolist() == known(name, f"distance {epsilon}")
    assert found.overshot.tolist() == known(name, "overshot 0.5")
    assert found.beyond.tolist() == known(name, "beyond 0.5")
    assert displacement(found) == pytest.approx(known(name, "displacement"), abs=CLOSED)


def test_random_permutations_come_near_the_exact_counts():
    exact = counts(*STUDIES["six"], epsilon=1)
    random = counts(*STUDIES["six"], epsilon=1, exact=False, permutations=20_000, seed=3)
    assert not random.exact
    assert exact.error.tolist() == [0, 0, 0, 0]
    error = np.sqrt(exact.share * (1 - exact.share) / 20_000)
    assert random.error == pytest.approx(error, abs=3e-4)
    assert (np.abs(random.share - exact.share) <= 4 * error).all()
    assert (error > 0).any()


def test_more_orders_than_permutations_are_drawn():
    assert not counts(*STUDIES["six"], permutations=719).exact
    assert counts(*STUDIES["six"], permutations=720).exact


def test_only_proportions_of_weights_matter():
    scores, weights, accuracies = STUDIES["six"]
    other = counts(scores, [5 * weight for weight in weights], accuracies)
    assert other.within.tolist() == counts(scores, weights, accuracies).within.tolist()
    negative = counts(scores, [0, 0, 0, 0.35], accuracies)
    assert negative.moved.tolist()[:3] == [0, 0, 0]


def test_evaluators_ranking_may_be_that_of_mean_ranks():
    found = counts(*HAND, mean_ranks=[2.5, 1.5, 2.0])
    assert found.line.evaluators.tolist() == [6, 2, 4]
    assert found.unpermuted.tolist() == [2, 4, 6]


def test_rows_of_one_judgement_are_permuted_as_means_are():
    """With one judgement rows and means are the same."""
    scores, weights, accuracies = STUDIES["six"]
    rows = Rows(np.array(scores), np.array([0]), np.arange(6), np.ones(6))
    assert rows.means == pytest.approx(np.array(scores))
    own = counts([], weights, accuracies, epsilon=1, rows=rows, permutations=20_000)
    exact = counts(scores, weights, accuracies, epsilon=1)
    error = np.sqrt(exact.share * (1 - exact.share) / 20_000)
    assert (np.abs(own.share - exact.share) <= 4 * error).all()


def test_rows_within_many_judgements_level_the_dimension():
    """Permuted within very many judgements, all models have the dimension's mean."""
    scores, weights, accuracies = STUDIES["six"]
    often = 400
    rows = Rows(
        np.tile(scores, (often, 1)),
        6 * np.arange(often),
        np.tile(np.arange(6), often),
        np.full(6 * often, 1 / often),
    )
    found = counts([], weights, accuracies, rows=rows, permutations=50)
    level = np.array(scores)
    level[:, 3] = level[:, 3].mean()
    usual = doubled_ranks(level @ np.array(weights))
    assert (found.rankings[3] == usual).all(axis=1).mean() > 0.5


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"accuracies": [50, 50, 50]}, "the benchmark ranks nobody"),
        ({"scores": [[3, 2], [3, 2], [3, 2]]}, "evaluators rank nobody"),
        ({"mean_ranks": [2, 2, 2]}, "evaluators rank nobody"),
        ({"accuracies": [30, 20, 10]}, "rank the analysts alike"),
        ({"weights": [0.75, -0.25]}, "different signs"),
        ({"weights": [0, 0]}, "all weights are zero"),
        ({"weights": [0.75, float("nan")]}, "no weight of 2"),
        ({"scores": [[5, 1]], "accuracies": [10]}, "one analyst alone"),
        ({"scores": np.empty((0, 2)), "accuracies": []}, "no analyst"),
    ],
)
def test_what_has_no_projection_says_why(change, told):
    given = dict(zip(("scores", "weights", "accuracies"), HAND, strict=True)) | change
    with pytest.raises(NotEstimableError, match=told):
        counts(**given)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"accuracies": [10, 20, float("nan")]}, "accuracies are missing"),
        ({"accuracies": [10, 20]}, "3 analysts have scores, 2 accuracies"),
        ({"scores": [[5, 1], [3, float("inf")], [1, 3]]}, "scores are missing or not finite"),
        ({"weights": [1, 1, 1]}, "do not go with weights"),
        ({"bound": "ration"}, "did you mean 'ratio'"),
        ({"epsilon": -1}, "zero or more"),
        ({"epsilon": float("nan")}, "zero or more"),
        ({"dimensions": ["A"]}, "2 dimensions, but 1 names"),
        ({"mean_ranks": [1, 2]}, "3 scores, but 2 mean ranks"),
    ],
)
def test_what_cannot_be_meant_is_refused(change, told):
    given = dict(zip(("scores", "weights", "accuracies"), HAND, strict=True)) | change
    with pytest.raises(HelpersError, match=told):
        counts(**given)


def test_two_models_are_at_either_end_or_tied():
    found = counts([[3, 1], [2, 2]], [0.6, 0.4], [10, 20])
    assert set(found.line.share(found.rankings).ravel()) <= {0, 0.5, 1}
    assert found.within.tolist() == [1, 0]


# --- curve and baselines -----------------------------------------------------------------------


def test_the_curve_passes_through_the_counts():
    found = counts(*STUDIES["six"], epsilon=0.5)
    table = curve(found, seed=1, steps=6)
    own = table.filter(epsilon=0.5).filter(dimension="4")
    assert own["share"].to_list() == [found.share[3]]
    assert own["overshot"].to_list() == [found.overshot[3] / 720]
    assert table.filter(epsilon=0.0)["share"].to_list() == [0] * 5
    distance = counts(*STUDIES["six"], epsilon=2, bound="distance")
    assert as_ratio(distance) == pytest.approx(2 / distance.line.distance)


def test_a_random_ranking_is_counted_over_all_orders():
    """By hand: of three models, t of the six orders is 1, 3/4, 3/4, 1/4, 1/4 and 0."""
    found = counts(*HAND)
    assert share_of(found, any_ranking(3, 1)) == pytest.approx(1 / 2)
    random = curve(found, 1, 6).filter(dimension=RANDOM)
    assert random["share"].to_list() == pytest.approx([0, 1 / 6, 1 / 2, 1 / 2, 5 / 6, 1])
    assert any_ranking(10, 1).shape[1] == 10


def test_leverage_is_weight_times_spread():
    scores = np.array([[1.0, 0.0, 2.0], [3.0, 4.0, 2.0]])
    assert leverage(scores, np.array([0.5, 0.25, 0.25])) == pytest.approx([0.5, 0.5, 0])
    assert agreement(np.array([1.0, 2, 3]), np.array([2.0, 3, 9])) == pytest.approx(1)
    assert np.isnan(agreement(np.array([1.0, 2]), np.array([2.0, 2])))
