import numpy as np
import pytest

from helpers.paths import DATA
from helpers.ranking import means, ranks
from helpers.ranking.table import case_means
from helpers.study import load
from rankings_data import R, rankings, table
from study_folder import RATINGS, Folder

GAP = float("nan")


@pytest.fixture(scope="module")
def shipped():
    return ranks(load(DATA / "perception"))


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "study")


def test_rankings_are_laid_out_in_the_order_of_the_files(folder):
    found = ranks(load(folder.path))
    assert (found.evaluators, found.cases, found.analysts) == (
        ("E1", "E2", "E3"),
        ("1", "2"),
        ("A", "B", "C"),
    )
    assert found.values[0, 1].tolist() == [3, 1, 2]
    assert np.isnan(found.values[2, 1]).all()
    assert found.rankings == 5
    assert found.known_levels() == ["senior"]
    assert found.of_level("senior") == [2]


def test_shared_ranks_get_the_mean_of_their_places(folder):
    folder.say("ties: allowed")
    folder.write("ratings.csv", RATINGS.replace("E1,1,B,3,4,2", "E1,1,B,3,4,1"))
    found = ranks(load(folder.path))
    assert found.values[0, 0].tolist() == [1.5, 1.5, 3]
    assert "1 with a rank that is shared" in means.sentence(found)
    assert means.shares_of_ranks(found)[:, 0].tolist() == [2 / 5, 3 / 5, 1 / 5]


def test_a_study_without_rankings_has_nothing_to_list(folder):
    lines = RATINGS.splitlines()
    folder.write("ratings.csv", "\n".join([lines[0], *(line[:-1] for line in lines[1:])]))
    found = ranks(load(folder.path))
    assert found.rankings == 0
    assert means.sentence(found) == "Nothing is estimable here: no evaluator ranked a case."
    for made in (means.frequencies, means.mean_ranks, means.by_case):
        assert made(found)["Note"].to_list() == ["not estimable: no evaluator ranked a case"]


def test_means_agree_with_r(shipped):
    found = {row["Analyst"]: row for row in means.mean_ranks(shipped, 50).to_dicts()}
    *_, mean, spread = means.by_case(shipped).to_dicts()
    assert (mean["Case"], spread["Case"]) == ("Mean", "SD")
    first = {row["Analyst"]: row["1"] for row in means.frequencies(shipped).to_dicts()}
    for analyst, row in found.items():
        assert row["Mean rank"] == pytest.approx(R["mean rank", analyst])
        assert mean[analyst] == pytest.approx(R["mean rank", analyst])
        assert spread[analyst] == pytest.approx(R["sd of cases", analyst])
        assert first[analyst] == pytest.approx(100 * R["share of rank 1", analyst])
    assert list(found) == sorted(found, key=lambda analyst: R["mean rank", analyst])


def test_every_case_counts_the_same():
    values = [[[1, 2], [2, 1]], [[1, 2], [GAP, GAP]], [[1, 2], [GAP, GAP]]]
    row = means.mean_ranks(table(values), 20).to_dicts()[0]
    assert (row["Mean rank"], row["Cases"], row["Rankings"]) == (1.5, 2, 4)


def test_an_analyst_missing_from_a_case_has_the_mean_of_the_others():
    values = [[[1, 2, 3], [1, 2, GAP]], [[1, 3, 2], [2, 1, GAP]]]
    found = {row["Analyst"]: row for row in means.mean_ranks(table(values), 20).to_dicts()}
    assert found["C"]["Mean rank"] == 2.5
    assert found["C"]["Cases"] == 1
    assert "2 to 3 analysts" in means.sentence(table(values))


def test_means_of_replicates_are_weighted_by_evaluator_and_case():
    values = np.array([[[1.0], [2.0]], [[3.0], [GAP]]])
    by_case = case_means(values, np.array([[1, 3], [0, 2]]))
    assert by_case[0].ravel().tolist() == [2.5, 2]
    assert by_case[1, 0, 0] == 3
    assert np.isnan(by_case[1, 1, 0])
    found = means.means(
        values, np.array([[1, 3], [1, 1], [0, 2]]), np.array([[1, 1], [0, 3], [2, 1]])
    )
    assert found[:2].ravel().tolist() == [2.25, 2]
    assert np.isnan(found[2, 0])  # its second case has no evaluator


def test_intervals_are_seeded_and_widen_when_cases_vary(shipped):
    one, same, other = (means.mean_ranks(shipped, 200, seed) for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)
    for row in one.to_dicts():
        assert row["Mean rank low"] < row["Here low"] < row["Mean rank"]
        assert row["Mean rank"] < row["Here high"] < row["Mean rank high"]


def test_intervals_stay_within_what_ranks_can_be():
    values = rankings(np.random.default_rng(1), [[9, 0, 0], [9, 0, 0], [0, 9, 0]], 6, 0.5)
    found = means.mean_ranks(table(values), 200)
    assert found["Mean rank low"].min() >= 1
    assert found["Mean rank high"].max() <= 3


@pytest.mark.parametrize("size", [(1, 4), (2, 4), (4, 1), (4, 2)])
def test_few_evaluators_or_cases_have_a_reason_for_no_interval(size):
    evaluators, cases = size
    values = rankings(np.random.default_rng(2), np.zeros((cases, 3)), evaluators)
    row = means.mean_ranks(table(values), 50).to_dicts()[0]
    assert row["Mean rank low"] is None
    assert (row["Here low"] is None) == (evaluators < 3)
    assert "fewer than 3 evaluators or cases" in row["Note"]
