import numpy as np
import pytest

from helpers.agreement import Estimate
from helpers.paths import DATA
from helpers.ranking import compare, ranks
from helpers.study import load
from rankings_data import R, rankings, table

GAP = float("nan")
KINDS = ["llm", "llm", "physician", "physician", ""]
LEVELS = ["", "", "senior", "junior", ""]


@pytest.fixture(scope="module")
def pairs():
    return compare.compare(ranks(load(DATA / "perception")), 300)


def test_differences_and_shares_agree_with_r(pairs):
    assert len(pairs) == 18
    for pair in pairs:
        of = f"{pair.llm} {pair.level}"
        assert float(pair.difference) == pytest.approx(R["difference", of])
        assert float(pair.share) == pytest.approx(R["share above", of])


def test_models_stand_in_the_order_of_their_mean_ranks(pairs):
    order = list(dict.fromkeys(pair.llm for pair in pairs))
    assert order == sorted(order, key=lambda llm: R["mean rank", llm])


def test_other_cases_are_less_certain_than_these(pairs):
    for pair in pairs:
        assert pair.difference.low < pair.here.low < pair.here.high < pair.difference.high
        assert pair.share.low < pair.share_here.low < pair.share_here.high < pair.share.high


def test_pairs_are_counted_by_hand():
    values = [
        [[1, 2, 3, 4, 5], [2.5, 1, 2.5, 4, 5]],
        [[3, 1, 2, 4, 5], [GAP] * 5],
        [[1, 3, 2, 5, 4], [5, 4, 3, 2, 1]],
    ]
    found = {(p.llm, p.level): p for p in compare.compare(table(values, KINDS, LEVELS), 50)}
    assert len(found) == 4
    first = found["A", "senior"]
    assert float(first.difference) == pytest.approx((np.mean([-2, 1, -1]) + np.mean([0, 2])) / 2)
    assert float(first.share) == pytest.approx((2 / 3 + 0.25) / 2)
    assert (first.won, first.cases, first.rankings) == (1, 2, 5)


def test_a_level_of_two_physicians_has_their_mean_rank():
    values = [[[1, 2, 3]], [[2, 1, 3]], [[3, 2, 1]]]
    (pair,) = compare.compare(
        table(values, ["llm", "physician", "physician"], ["", "senior", "senior"]), 50
    )
    assert float(pair.difference) == pytest.approx(np.mean([-1.5, 0, 1.5]))
    assert float(pair.share) == pytest.approx(np.mean([1, 0.5, 0]))


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [(-3, -1, "above"), (1, 3, "below"), (-1, 1, "open"), (0, 2, "open")],
)
def test_the_verdict_is_read_off_the_interval(low, high, told):
    assert compare.verdict(Estimate(value=(low + high) / 2, low=low, high=high)) == told


def test_without_interval_nothing_is_settled():
    assert compare.verdict(Estimate(value=-2, reason="2 cases")) == "open"


def test_who_is_left_out_is_said():
    told = compare.sentence(table(np.ones((3, 1, 5)), KINDS, LEVELS))
    assert told.startswith("Compared: 2 language models with 2 levels of physicians. Left out: E,")
    everyone = compare.sentence(table(np.ones((3, 1, 2)), KINDS[1:3], LEVELS[1:3]))
    assert "Left out" not in everyone


def test_there_may_be_nothing_to_compare():
    assert compare.compare(table(np.ones((3, 2, 2))), 50) == []
    assert compare.compare(table(np.empty((0, 0, 0))), 50) == []
    for made in (compare.differences, compare.shares):
        assert made([])["Note"].item().startswith("not estimable: no ranking has both")


def test_what_was_never_ranked_together_is_not_estimable():
    values = np.ones((3, 2, 2)) * [1, 2]
    values[:, 0, 0] = values[:, 1, 1] = GAP
    (pair,) = compare.compare(table(values, ["llm", "physician"], ["", "senior"]), 50)
    assert not pair.difference.estimable
    (row,) = compare.differences([pair]).to_dicts()
    assert row["Note"] == "not estimable: there is no rating of it"
    assert row["Cases won"] == "0 of 0"


def test_clear_differences_are_found_and_none_where_there_is_none():
    random = np.random.default_rng(1)
    kinds, levels = ["llm", "llm", "physician"], ["", "", "senior"]
    apart = rankings(random, np.tile([4.0, 0, 0], (12, 1)), 20)
    found = compare.compare(table(apart, kinds, levels), 300)
    assert [compare.verdict(pair.difference) for pair in found] == ["above", "open"]
    level = rankings(random, np.tile([0.0, 0, 0], (12, 1)), 20)
    found = compare.compare(table(level, kinds, levels), 300)
    assert {compare.verdict(pair.difference) for pair in found} == {"open"}
