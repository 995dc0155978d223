from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from statsmodels.api import OLS

from helpers import bradley_terry, plackett_luce, rank_regression, resample
from helpers.capability import perceived_capability, score, scores_by
from helpers.choice import rankings_from_orders, read_rankings
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.ranking_weights import METHODS, compare_weights, normalised, shares, weights
from rankings_known import CLOSED, as_rankings, planted

# --- normalised weights ------------------------------------------------------------------------


def test_normalised_weights_add_up_to_one():
    assert normalised([1, 3, 0]) == pytest.approx([0.25, 0.75, 0])


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([0.4, -0.2, 0.1], "weights have different signs: 'b' −0.20, the others positive"),
        ([-0.4, -0.2, 0], r"no weight is positive: higher scores go with worse ranks; is rank 1"),
        ([0, 0, 0], "all weights are zero"),
        ([0.4, np.nan, 0.1], "there is no weight of b"),
    ],
)
def test_weights_that_cannot_be_normalised_are_refused(given, reason):
    with pytest.raises(NotEstimableError, match=reason):
        normalised(given, "abc")


def test_scores_by_hand_are_on_the_scale_of_the_dimensions():
    assert score([[5, 1], [3, 3], [1, 1]], [3, 1]) == pytest.approx([4, 3, 1])


def test_higher_scores_are_better():
    rankings = planted(1, [0.8, 0.4], evaluators=20)
    found = perceived_capability(bradley_terry.regression(rankings), rankings, resamples=50)
    mean_rank = pl.DataFrame({"analyst": rankings.item, "rank": rankings.rank})
    both = found.scores.join(mean_rank.group_by("analyst").mean(), on="analyst")
    assert both.select(pl.corr("score", "rank")).item() < -0.5


# --- weights and their intervals ---------------------------------------------------------------


def test_weights_come_with_both_intervals():
    rankings = planted(1, [0.8, 0.4], evaluators=20)
    fit = bradley_terry.regression(rankings)
    found = weights(fit, rankings, resamples=400, seed=5)
    assert found["dimension"].to_list() == ["a", "b"]
    assert found["weight"].to_list() == pytest.approx(fit.estimate, abs=CLOSED)
    assert found["share_weight"].to_list() == pytest.approx(normalised(fit.estimate), abs=CLOSED)
    draws = fit.refit(resample.bootstrap(rankings.evaluator, 400, 5))
    known = resample.percentile(draws)
    assert found["low"].to_list() == pytest.approx(known.low)
    share = resample.percentile(draws / draws.sum(axis=1, keepdims=True))
    assert found["share_high"].to_list() == pytest.approx(share.high)
    without = fit.refit(resample.leave_one_out(rankings.case).weights)
    known = resample.jackknife(fit.estimate, without)
    assert found["case_low"].to_list() == pytest.approx(known.low, abs=CLOSED)
    assert set(found["reason"]) == {""}


def test_the_bootstrap_error_is_about_the_sandwich():
    rankings = planted(1, [0.8, 0.4], evaluators=60)
    fit = bradley_terry.regression(rankings)
    draws = fit.refit(resample.bootstrap(rankings.evaluator, 2000, 1))
    robust = np.sqrt(np.diag(fit.clustered(rankings.evaluator)))
    assert draws.std(axis=0) == pytest.approx(robust, rel=0.15)


def test_mixed_signs_keep_weights_but_no_shares():
    rankings = planted(1, [0.8, -0.5], evaluators=20)
    fit = bradley_terry.regression(rankings)
    found = weights(fit, rankings, resamples=50)
    assert found["weight"][1] < 0
    assert found["share_weight"].to_list() == found["share_low"].to_list() == [None, None]
    assert "share not estimable: weights have different signs: 'b' −0." in found["reason"][0]
    with pytest.raises(NotEstimableError, match="weights have different signs"):
        perceived_capability(fit, rankings)


def test_one_evaluator_and_one_case_get_notes_for_intervals():
    rankings = planted(1, [0.8, 0.4], evaluators=1, cases=1, items=30)
    fit = bradley_terry.regression(rankings)
    found = perceived_capability(fit, rankings, resamples=50)
    assert found.notes == (
        "intervals over evaluators not estimable: there is '0' alone to resample, and no second",
        "intervals over cases not estimable: there is '0' alone to resample, and no second",
    )
    assert found.scores["score"].null_count() == 0
    assert found.scores["low"].null_count() == found.scores["case_low"].null_count() == 30
    assert found.changed_sign is None
    assert "over cases not estimable" in weights(fit, rankings)["reason"][0]


def test_dependent_dimensions_have_no_weights_in_tables():
    rankings = planted(1, [0.8, 0.4, 0.3], evaluators=20)
    frame = pl.DataFrame(
        {
            "evaluator": rankings.evaluator[rankings.ranking],
            "case": rankings.case[rankings.ranking],
            "analyst": rankings.item,
            "rank": rankings.rank,
            "a": rankings.scores[:, 0],
            "b": rankings.scores[:, 1],
            "twice": 2 * rankings.scores[:, 1],
        }
    )
    rankings = read_rankings(frame, ["a", "b", "twice"])
    for method, regression in METHODS.items():
        fit = regression(rankings)
        found = weights(fit, rankings, resamples=50)
        assert found["weight"].is_null().to_list() == [False, True, True], method
        assert found["low"].is_null().to_list() == [False, True, True], method
        assert found["share_weight"].null_count() == 3
        assert "weight not estimable: 'twice' is a weighted sum of 'b'" in found["reason"][1]
        with pytest.raises(NotEstimableError, match="there is no weight of b, twice"):
            perceived_capability(fit, rankings)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("step", [None, 1.0])
def test_a_constant_with_decimals_is_constant_for_every_method(method, step):
    """The mean of three times .1 is not .1 in floating point."""
    rankings = planted(1, [0.8, 0.4], step=step)
    third = np.random.default_rng(1).choice([0.1, 0.7, 3.3], len(rankings))[rankings.ranking]
    data = replace(
        rankings,
        scores=np.column_stack([rankings.scores, third]),
        dimensions=("a", "b", "flat"),
    )
    fit = METHODS[method](data)
    assert fit.reasons == {"flat": "never differs between the items compared"}
    known = METHODS[method](rankings).estimate
    assert fit.estimate[[0, 1]] == pytest.approx(known[[0, 1]], abs=CLOSED)


# --- scores ------------------------------------------------------------------------------------


def test_scores_are_means_of_weighted_scores():
    rankings = planted(1, [0.8, 0.4], evaluators=6, cases=3)
    fit = plackett_luce.regression(rankings)
    found = perceived_capability(fit, rankings, resamples=100, seed=2)
    frame = pl.DataFrame(
        {
            "analyst": rankings.item,
            "case": rankings.case[rankings.ranking],
            "own": score(rankings.scores, fit.estimate),
        }
    )
    known = frame.group_by("analyst").agg(pl.col("own").mean(), pl.len())
    both = found.scores.join(known, on="analyst")
    assert both["score"].to_list() == pytest.approx(both["own"].to_list())
    assert both["ratings"].to_list() == both["len"].to_list() == [18] * 6
    known = frame.group_by("analyst", "case").agg(pl.col("own").mean(), pl.len())
    both = found.by_case.join(known, on=["analyst", "case"])
    assert both["score"].to_list() == pytest.approx(both["own"].to_list())
    assert both["ratings"].to_list() == [6] * 18


def test_each_case_counts_the_same_however_many_evaluators_it_has():
    # Weights are equal by symmetry; a's mean is 4 in the first case, by two, and 1 in the second.
    rows = [
        ("E1", "1", {"a": (4, 4), "b": (2, 1), "c": (1, 2)}),
        ("E2", "1", {"a": (4, 4), "b": (1, 2), "c": (2, 1)}),
        ("E1", "2", {"a": (1, 1), "b": (3, 2), "c": (2, 3)}),
    ]
    frame = pl.DataFrame(
        [
            {"evaluator": who, "case": case, "analyst": item, "x": x, "y": y, "rank": rank}
            for who, case, items in rows
            for rank, (item, (x, y)) in enumerate(items.items(), 1)
        ]
    )
    rankings = read_rankings(frame, ["x", "y"])
    found = scores_by(rankings, [[0.5, 0.5], [1.0, 0.0]])
    assert rankings.items == ("a", "b", "c")
    assert found.tolist() == [[2.5, 2, 2], [2.5, 2.25, 1.75]]
    planned = planted(1, [0.8, 0.4], evaluators=6, cases=3)
    uneven = planned.only((planned.evaluator != "0")[planned.ranking] | (planned.code % 2 == 0))
    fit = bradley_terry.regression(uneven)
    own = perceived_capability(fit, uneven, resamples=20)
    assert own.scores["score"].to_list() == pytest.approx(
        scores_by(uneven, normalised(fit.estimate)[None])[0]
    )
    means = own.by_case.group_by("analyst", maintain_order=True).agg(pl.col("score").mean())
    assert means["score"].to_list() == pytest.approx(own.scores["score"].to_list())
    assert own.scores["ratings"].n_unique() == 2


def test_scores_without_each_case_are_those_of_the_other_cases():
    rankings = planted(1, [0.8, 0.4], evaluators=6, cases=3)
    found = perceived_capability(bradley_terry.regression(rankings), rankings, resamples=20)
    for place, case in enumerate(["0", "1", "2"]):
        others = rankings.only((rankings.case != case)[rankings.ranking])
        known = perceived_capability(bradley_terry.regression(others), others, resamples=20)
        assert found.without[place] == pytest.approx(known.scores["score"].to_numpy(), abs=CLOSED)


def test_draws_resample_weights_and_scores_together():
    rankings = planted(1, [0.8, 0.4], evaluators=6, cases=3)
    fit = bradley_terry.regression(rankings)
    found = perceived_capability(fit, rankings, resamples=20, seed=2)
    counts = resample.bootstrap(rankings.evaluator, 20, 2)
    assert found.draws.shape == (20, 6)
    for draw, count in zip(found.draws, counts, strict=True):
        beta = fit.refit(count[None])[0]
        own = (
            score(rankings.scores, beta)
            if (beta > 0).all()
            else rankings.scores @ (beta / beta.sum())
        )
        repeat = count[rankings.ranking]
        for analyst, value in zip(rankings.items, draw, strict=True):
            mine = rankings.item == analyst
            assert value == pytest.approx(np.average(own[mine], weights=repeat[mine]))
    known = np.quantile(found.draws, [0.025, 0.975], axis=0)
    assert found.scores["low"].to_list() == pytest.approx(known[0])
    assert found.scores["high"].to_list() == pytest.approx(known[1])


def test_intervals_cover_scores_of_all_evaluators_there_are():
    """Weights and analysts' quality are planted; evaluators are a sample."""
    truth, hits = score([[2.5, 3.5], [3.5, 2.5]], [0.8, 0.4]), []
    for seed in range(120):
        random = np.random.default_rng(seed)
        shape = (25, 4, 2, 2)
        quality = np.array([[2.5, 3.5], [3.5, 2.5]])
        scores = quality + random.normal(size=(25, 1, 1, 2)) * 0.5 + random.normal(size=shape)
        utility = scores @ [0.8, 0.4] + random.gumbel(size=shape[:3])
        rankings = as_rankings(scores, utility)
        fit = bradley_terry.regression(rankings)
        found = perceived_capability(fit, rankings, resamples=400).scores
        low, high = found.select("low", "high").to_numpy().T
        hits.append((low < truth) & (truth < high))
    # 95 % within Monte-Carlo error, and a little less, as percentiles of 25 clusters are narrow.
    assert 0.87 < np.mean(hits) < 0.99


def test_analysts_missing_from_a_case_have_no_score_there():
    rankings = rankings_from_orders(
        ["abc", "bac", "ab", "cba", "acb", "bc"],
        ["E1", "E1", "E1", "E2", "E2", "E2"],
        {"x": {"a": 3, "b": 2, "c": 1}},
    )
    found = perceived_capability(bradley_terry.regression(rankings), rankings, resamples=200)
    assert found.by_case.height == 3 + 3 + 2 + 3 + 3 + 2
    assert found.by_case["score"].null_count() == 0


# --- methods side by side ----------------------------------------------------------------------


def test_methods_stand_in_one_table():
    rankings = planted(1, [0.9, 0.6, 0.3], evaluators=60)
    found = compare_weights(rankings, resamples=200, others={"elsewhere": [3, 2, 1]})
    assert found["method"].unique(maintain_order=True).to_list() == [*METHODS, "elsewhere"]
    shares = found.pivot("method", index="dimension", values="share_weight")
    for method in [*METHODS, "elsewhere"]:
        assert shares[method].sum() == pytest.approx(1)
        assert shares[method].to_list() == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=0.07)
    assert found.filter(pl.col("method") == "elsewhere")["low"].null_count() == 3
    assert found.filter(pl.col("method") != "elsewhere")["share_low"].null_count() == 0


def test_a_method_that_fails_says_so_and_the_others_stay():
    random = np.random.default_rng(1)
    x = random.permuted(np.tile(np.arange(4), (12, 1)), axis=1)
    frame = pl.DataFrame(
        {
            "evaluator": np.repeat(np.arange(12), 4),
            "case": np.repeat(np.arange(12) % 3, 4),
            "analyst": np.tile(list("abcd"), 12),
            "x": x.ravel(),
            "rank": 4 - x.ravel(),
        }
    )
    found = compare_weights(read_rankings(frame, ["x"]), resamples=50)
    reasons = dict(found.select("method", "reason").iter_rows())
    assert reasons["Bradley–Terry"].startswith("weight not estimable: 'x (+)' separates")
    assert reasons["Plackett–Luce"].startswith("weight not estimable: 'x (+)' separates")
    assert found["weight"].to_list() == [None, None, pytest.approx(1)]


def test_a_misspelt_method_gets_a_suggestion():
    with pytest.raises(HelpersError, match="did you mean 'Plackett–Luce'"):
        compare_weights(planted(1, [0.5]), ["Placket-Luce"])


# --- least squares on ranks --------------------------------------------------------------------


def plain(rankings):
    """Mean ranks, turned round, and scores with a dummy for each ranking."""
    ranks = pl.DataFrame({"ranking": rankings.ranking, "rank": rankings.rank})
    own = ranks.select(pl.col("rank").rank("average").over("ranking")).to_series()
    dummies = np.eye(len(rankings))[rankings.ranking]
    return OLS(-own.to_numpy(), np.column_stack([rankings.scores, dummies]))


@pytest.mark.parametrize("step", [None, 1.0])
def test_least_squares_is_a_regression_with_an_effect_of_each_ranking(step):
    rankings = planted(1, [0.8, 0.4, -0.1], step=step)
    fit, known = rank_regression.regression(rankings), plain(rankings).fit()
    assert fit.estimate == pytest.approx(known.params[:3], abs=CLOSED)
    assert fit.se == pytest.approx(known.bse[:3], abs=CLOSED)
    assert fit.loglik == pytest.approx(known.llf)


def test_least_squares_refits_are_fits():
    rankings = planted(1, [0.8, 0.4])
    fit = rank_regression.regression(rankings)
    keep = np.arange(len(rankings)) % 3 != 0
    known = rank_regression.regression(rankings.only(keep[rankings.ranking]))
    assert fit.refit(keep[None])[0] == pytest.approx(known.estimate, abs=CLOSED)
    assert np.isnan(fit.refit(np.zeros((1, len(rankings))))).all()


def test_least_squares_has_no_refit_where_all_is_tied():
    rankings = planted(1, [0.7, 0.3])
    rank = np.where(rankings.ranking < 4, rankings.rank, 1.0)
    fit = rank_regression.regression(replace(rankings, rank=rank))
    counts = np.arange(len(rankings)) > np.array([[-1], [3]])
    assert np.isfinite(fit.refit(counts)).all(axis=1).tolist() == [True, False]


def test_weights_that_cancel_out_have_no_shares():
    found = shares(np.array([[1.0, 3.0], [1.0, -1.0], [0.0, 0.0], [3.0, -1.0]]))
    assert found[[0, 3]].tolist() == [[0.25, 0.75], [1.5, -0.5]]
    assert np.isnan(found[1:3]).all()


def test_least_squares_clustered_errors_are_statsmodels():
    rankings = planted(1, [0.8, 0.4])
    groups = rankings.evaluator[rankings.ranking].astype(int)
    keywords = {"groups": groups, "use_correction": False}
    known = plain(rankings).fit(cov_type="cluster", cov_kwds=keywords).cov_params()[:2, :2]
    count = len(set(groups.tolist()))
    unknown = rank_regression.regression(rankings).clustered(rankings.evaluator)
    assert unknown == pytest.approx(known * count / (count - 1), rel=1e-6)


def test_clusters_must_outnumber_coefficients():
    rankings = planted(1, [0.8, 0.4], evaluators=2, cases=6)
    with pytest.raises(NotEstimableError, match="2 clusters for 2 coefficients"):
        rank_regression.regression(rankings).clustered(rankings.evaluator)


def test_least_squares_names_what_it_cannot_tell():
    tied = rankings_from_orders([[("a", "b")]], covariates={"x": {"a": 1, "b": 0}})
    with pytest.raises(NotEstimableError, match="all items of all rankings are tied"):
        rank_regression.regression(tied)
    flat = rankings_from_orders(["ab"], covariates={"x": {"a": 1, "b": 1}})
    with pytest.raises(NotEstimableError, match="'x' never differs between"):
        rank_regression.regression(flat)


@pytest.mark.parametrize("method", METHODS)
def test_other_rankings_than_those_fitted_are_refused(method):
    fit = METHODS[method](planted(1, [0.8, 0.4]))
    with pytest.raises(HelpersError, match="weights of 48 units expected, got 1 × 24"):
        weights(fit, planted(1, [0.8, 0.4], evaluators=6))
