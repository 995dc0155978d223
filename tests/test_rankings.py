import numpy as np
import polars as pl
import pytest

from helpers.choice import rankings_from_orders, read_rankings
from helpers.choice.prediction import mean_ranks
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from rankings_known import planted

RATINGS = pl.DataFrame(
    {
        "evaluator": ["E2", "E1", "E2", "E1", "E2", "E1"],
        "case": [1, 1, 1, 1, 1, 1],
        "analyst": ["x", "x", "y", "y", "z", "z"],
        "tone": [1, 2, 3, 4, 5, None],
        "rank": [2, 1, 1, 2, 2, 3],
    }
)


def test_rankings_keep_the_order_in_which_they_first_appear():
    rankings = read_rankings(RATINGS)
    assert rankings.evaluator.tolist() == ["E2", "E1"]
    assert rankings.case.tolist() == ["1", "1"]
    assert rankings.item.tolist() == ["x", "y", "z"] * 2
    assert rankings.rank.tolist() == [2, 1, 2, 1, 2, 3]
    assert rankings.ties == 1


def test_pairs_are_those_within_rankings():
    first, second, ranking, order = read_rankings(RATINGS).pairs
    assert first.tolist() == [0, 0, 1, 3, 3, 4]
    assert second.tolist() == [1, 2, 2, 4, 5, 5]
    assert ranking.tolist() == [0, 0, 0, 1, 1, 1]
    assert order.tolist() == [-1, 0, 1, 1, 1, 1]


def test_pairs_of_rankings_of_different_length():
    rankings = rankings_from_orders(["abc", "ab", "dcba", "ca"])
    first, second, ranking, order = rankings.pairs
    assert np.bincount(ranking).tolist() == [3, 1, 6, 1]
    assert (np.diff(ranking) >= 0).all()
    assert (rankings.ranking[first] == ranking).all()
    assert (rankings.ranking[second] == ranking).all()
    assert (order == 1).all()


def test_rows_without_a_score_are_left_out_and_counted():
    rankings = read_rankings(RATINGS, ["tone"])
    assert rankings.left_out == {"without 'tone'": 1}
    assert rankings.sizes.tolist() == [3, 2]
    nan = RATINGS.with_columns(pl.col("tone").cast(pl.Float64).fill_null(float("nan")))
    assert read_rankings(nan, ["tone"]).left_out == rankings.left_out


def test_rankings_of_one_are_left_out_and_counted():
    frame = RATINGS.with_columns(rank=pl.Series([2, 1, 1, None, 2, None]))
    rankings = read_rankings(frame)
    assert rankings.left_out == {"without a rank": 2, "alone in their ranking": 1}
    assert rankings.evaluator.tolist() == ["E2"]


def test_ranks_that_remain_are_ranks_again():
    rankings = rankings_from_orders([["a", ("b", "c"), "d"], "ba"])
    assert mean_ranks(rankings).tolist() == [1, 2.5, 2.5, 4, 1, 2]
    some = rankings.only(rankings.item != "a")
    assert mean_ranks(some).tolist() == [1.5, 1.5, 3]
    assert some.case.tolist() == ["0"]


def test_covariates_of_items_become_scores():
    rankings = rankings_from_orders(["ab", "ba"], ["E", "E"], {"size": {"a": 4, "b": 2}})
    assert rankings.scores.tolist() == [[4], [2], [2], [4]]
    assert rankings.evaluator.tolist() == ["E", "E"]


@pytest.mark.parametrize(
    ("change", "dimensions", "message"),
    [
        ({}, ["tome"], "there is no column 'tome'; did you mean 'tone'"),
        ({"tone": pl.lit("high")}, ["tone"], "column 'tone' holds no numbers"),
        ({"tone": pl.lit(float("inf"))}, ["tone"], "column 'tone' has an infinite number"),
        ({"analyst": pl.lit("x")}, [], "E2 ranked 'x' twice in case 1"),
        ({"evaluator": pl.lit(None, pl.String)}, [], "column 'evaluator' has empty cells"),
        (
            {"tone": pl.lit(None, pl.Int64)},
            ["tone"],
            r"none is left of 6 rows \(6 rows without 'tone'\)",
        ),
    ],
)
def test_faulty_tables_are_refused(change, dimensions, message):
    with pytest.raises(HelpersError, match=message):
        read_rankings(RATINGS.with_columns(**change), dimensions)


def test_no_rows_are_refused():
    with pytest.raises(HelpersError, match=r"none is left of 0 rows \(no rows\)"):
        read_rankings(RATINGS.clear())


def test_a_column_without_any_rank_is_no_wrong_type():
    with pytest.raises(
        NotEstimableError, match=r"none is left of 6 rows \(6 rows without a rank\)"
    ):
        read_rankings(RATINGS.with_columns(rank=pl.lit(None)))


def test_orders_and_evaluators_must_match_and_something_be_ranked():
    with pytest.raises(HelpersError, match="2 of them, but 1 evaluators"):
        rankings_from_orders(["ab", "ba"], ["E1"])
    with pytest.raises(NotEstimableError, match="nothing is ranked"):
        rankings_from_orders([])


def test_unknown_dimension_gets_a_suggestion():
    with pytest.raises(HelpersError, match="no scores called 'aa'; did you mean 'a'"):
        planted(1, [1.0, 2.0]).dimension("aa")
