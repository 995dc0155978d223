import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from helpers import bradley_terry, plackett_luce, rank_regression, resample
from helpers.choice import calibration, predict, rankings_from_orders, split, validate
from helpers.choice.calibration import slope
from helpers.choice.validation import MEASURES, Validation
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from rankings_known import CLOSED, planted

# --- metrics -----------------------------------------------------------------------------------


def test_metrics_by_hand():
    # Given a > b > c; predicted by x: a = 3, c = 2, b = 1. Two pairs of three are right, a alone
    # has its rank, and τ = (2 − 1)/3.
    rankings = rankings_from_orders(["abc"], covariates={"x": {"a": 3, "b": 1, "c": 2}})
    found = predict(rankings, np.array([[1.0], [-1.0], [0.0]]))
    assert found.tau[:, 0] == pytest.approx([1 / 3, -1 / 3, np.nan], nan_ok=True)
    assert found.hits[:, 0].tolist() == [2, 1, 1.5]
    assert found.whole[:, 0].tolist() == [0, 0, 0]
    # Turned round, c = −2 is between b = −1 and a = −3: nobody has his rank. All tied, the mean
    # rank is 2, which is b's.
    assert found.exact.tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert found.pairs.tolist() == [3]


def test_ties_predicted_and_given_by_hand():
    # Given a = b > c; predicted a > b = c. Pairs: ab tied only by the evaluator, bc only by the
    # prediction, ac right. τ-b = 1/√(2 · 2); two pairs count, of which bc is half right.
    rankings = rankings_from_orders([[("a", "b"), "c"]], covariates={"x": {"a": 2, "b": 1, "c": 1}})
    found = predict(rankings, np.array([[1.0]]))
    assert found.tau[0, 0] == pytest.approx(0.5)
    assert (found.hits[0, 0], found.pairs[0]) == (1.5, 2)
    assert found.exact[0].tolist() == [0, 0, 0]
    assert found.whole[0, 0] == 0


def test_the_same_ties_are_an_exact_match():
    rankings = rankings_from_orders([[("a", "b"), "c"]], covariates={"x": {"a": 2, "b": 2, "c": 1}})
    found = predict(rankings, np.array([[1.0]]))
    assert (found.whole[0, 0], found.tau[0, 0]) == (1, pytest.approx(1))
    assert found.exact[0].tolist() == [1, 1, 1]


def test_tau_is_scipys_with_ties_on_both_sides():
    rankings = planted(6, [1.0, 1.0], items=7, step=2.0)
    coefficients = np.array([[1.0, 1.0], [1.0, 0.0]])
    found = predict(rankings, coefficients)
    for i, beta in enumerate(coefficients):
        utility = rankings.scores @ beta
        for ranking in range(len(rankings)):
            own = rankings.ranking == ranking
            known = stats.kendalltau(utility[own], -rankings.rank[own]).statistic
            assert found.tau[i, ranking] == pytest.approx(known)


def test_decimal_weights_tie_exactly():
    # .1 · 1 + .2 · 1 and .3 · 1 are equal, though not in floating point.
    assert 0.1 + 0.2 != 0.3
    covariates = {"x": {"a": 1, "b": 0}, "y": {"a": 1, "b": 0}, "z": {"a": 0, "b": 1}}
    rankings = rankings_from_orders(["ab"], covariates=covariates)
    found = predict(rankings, np.array([[0.1, 0.2, 0.3], [1e8, 2e8, 3e8], [0.1, 0.2, 0.3001]]))
    assert found.hits[:, 0].tolist() == [0.5, 0.5, 0]


def test_predictions_without_scores_are_refused():
    with pytest.raises(HelpersError, match="name their dimensions"):
        predict(rankings_from_orders(["ab"]), np.ones((1, 0)))


# --- splits ------------------------------------------------------------------------------------


def test_splits_take_whole_rankings_seven_to_three():
    rankings = planted(1, [0.5], evaluators=10, cases=4)
    train = split(rankings, 0.7, times=50, seed=3)
    assert train.shape == (50, 40)
    assert (train.sum(axis=1) == 28).all()
    assert len(np.unique(train, axis=0)) == 50
    assert train.mean(axis=0) == pytest.approx(np.full(40, 0.7), abs=0.25)
    assert (split(rankings, 0.7, 50, seed=3) == train).all()
    assert (split(rankings, 0.7, 50, seed=4) != train).any()


def test_one_ranking_cannot_be_split():
    with pytest.raises(NotEstimableError, match="of 1 ranking none would be left to test on"):
        split(rankings_from_orders(["ab"]), 0.7, 1, 1)


def test_tested_rankings_had_no_say_in_their_weights():
    """Turning round what is tested changes neither weights nor anything but the test."""
    rankings = planted(1, [0.8, 0.4], evaluators=10, cases=4)
    train = split(rankings, 0.7, 1, 1)
    turned = planted(1, [0.8, 0.4], evaluators=10, cases=4)
    turned.rank[~train[0][turned.ranking]] *= -1
    results = [
        validate(bradley_terry.regression(data), data, train).by_split()["tau"][0]
        for data in (rankings, turned)
    ]
    assert results[0] == pytest.approx(-results[1])
    assert results[0] > 0.3


def test_one_split_is_a_fit_and_a_prediction():
    rankings = planted(2, [0.8, 0.4], evaluators=10, cases=4)
    train = split(rankings, 0.7, 3, 1)
    found = validate(bradley_terry.regression(rankings), rankings, train).by_split()
    for i in range(3):
        fitted = bradley_terry.regression(rankings.only(train[i][rankings.ranking]))
        test = rankings.only(~train[i][rankings.ranking])
        utility = test.scores @ fitted.estimate
        first, second, _, order = test.pairs
        sign = np.sign(utility[first] - utility[second])
        assert found["pairwise"][i] == pytest.approx(((sign * order + 1) / 2).mean())
        tau = [
            stats.kendalltau(utility[test.ranking == r], -test.rank[test.ranking == r]).statistic
            for r in range(len(test))
        ]
        assert found["tau"][i] == pytest.approx(np.nanmean(tau))
        assert found["rankings"][i] == len(test)


@pytest.mark.parametrize("step", [None, 1.0])
def test_sums_by_ranking_give_the_pooled_measures(step):
    rankings = planted(2, [0.8, 0.4], evaluators=6, cases=3, step=step)
    found = validate(bradley_terry.regression(rankings), rankings, split(rankings, 0.7, 9, seed=1))
    above, below = found.sums()
    pooled = found.pooled().row(0, named=True)
    measures = above.sum(axis=0) / below.sum(axis=0)
    assert measures == pytest.approx([pooled[measure] for measure in MEASURES])
    assert below[:, MEASURES.index("whole")].tolist() == found.tested.sum(axis=0).tolist()


@pytest.mark.parametrize("group", ["evaluator", "case"])
def test_grouped_cross_validation_tests_each_ranking_once(group):
    rankings = planted(2, [0.8, 0.4], evaluators=6, cases=3)
    labels = getattr(rankings, group)
    weights, names = resample.leave_one_out(labels)
    found = validate(bradley_terry.regression(rankings), rankings, weights)
    rows = found.by_ranking()
    assert rows.height == len(rankings)
    assert rows.group_by("split").agg(pl.col(group).n_unique())[group].to_list() == [1] * len(names)
    assert found.by_split()["rankings"].sum() == len(rankings)
    assert found.pooled()["tau"][0] == pytest.approx(rows["tau"].mean())


def test_positions_by_rank_pool_to_the_share_of_positions():
    rankings = planted(2, [1.5, 0.4], evaluators=20, cases=3)
    found = validate(
        bradley_terry.regression(rankings), rankings, split(rankings, 0.7, times=20, seed=1)
    )
    by_rank = found.by_rank()
    assert by_rank["rank"].to_list() == [1, 2, 3, 4, 5, 6]
    assert by_rank["items"].to_list() == [18 * 20] * 6
    assert by_rank["exact"].mean() == pytest.approx(found.pooled()["position"][0])
    assert by_rank["exact"][0] > by_rank["exact"][2]  # ends are easier than the middle


def test_splits_without_estimate_are_counted_not_scored():
    rankings = rankings_from_orders(["ab", "ab", "ab", "ba"], covariates={"x": {"a": 1, "b": 0}})
    fit = bradley_terry.regression(rankings)
    found = validate(fit, rankings, resample.leave_one_out(rankings.case).weights)
    assert found.by_split()["lost"].to_list() == [0, 0, 0, 1]
    assert found.by_split()["tau"].to_list() == [1, 1, 1, None]
    assert found.pooled()["lost"][0] == 1
    assert found.pooled()["pairwise"][0] == 1


def test_rankings_without_tau_are_counted():
    rankings = rankings_from_orders(
        ["ab", "ba", "ab", "cd"], covariates={"x": {"a": 1, "b": 0, "c": 2, "d": 2}}
    )
    fit = bradley_terry.regression(rankings)
    everything = np.ones((1, 4), dtype=bool)
    found = validate(fit, rankings, everything, tested=everything).pooled()
    assert (found["undefined"][0], found["rankings"][0]) == (1, 4)
    assert found["tau"][0] == pytest.approx(1 / 3)
    assert found["pairwise"][0] == pytest.approx(2.5 / 4)


def test_what_a_validation_shows_has_no_nan():
    rankings = rankings_from_orders(["ab", "ab", "ba"], covariates={"x": {"a": 1, "b": 0}})
    nothing = predict(rankings, np.full((1, 1), np.nan))
    found = Validation(rankings, nothing, np.ones((1, 3), dtype=bool))
    for frame in (found.by_ranking(), found.by_split(), found.pooled(), found.by_rank()):
        assert not any(frame[c].is_nan().any() for c in frame.columns if frame[c].dtype.is_float())


# --- calibration -------------------------------------------------------------------------------


def test_a_true_model_is_calibrated():
    rankings = planted(3, [0.8, 0.4], evaluators=60, cases=4)
    fit = bradley_terry.regression(rankings)
    train = resample.leave_one_out(rankings.evaluator).weights
    found = calibration(fit, rankings, train, bins=5, resamples=500)
    assert found["pairs"].max() - found["pairs"].min() <= 1
    assert (found["low"] < found["predicted"]).sum() >= 4
    assert (found["predicted"] < found["high"]).sum() >= 4
    assert found["predicted"].is_sorted()
    assert found["predicted"][0] > 0.5


def test_weights_twice_too_large_are_overconfident():
    rankings = planted(3, [0.8, 0.4], evaluators=60, cases=4)
    fit = bradley_terry.regression(rankings)
    refit = fit.refit
    object.__setattr__(fit, "refit", lambda weights: 2 * refit(weights))
    found = calibration(fit, rankings, resample.leave_one_out(rankings.case).weights, bins=4)
    assert (found["observed"] < found["predicted"] - 0.03).all()


@pytest.mark.parametrize("model", [bradley_terry, plackett_luce])
def test_ties_count_half_in_prediction_and_observation(model):
    rankings = planted(3, [0.8, 0.4], evaluators=60, cases=4, items=3, step=1.5)
    assert rankings.ties > 100
    fit = model.regression(rankings)
    train = resample.leave_one_out(rankings.evaluator).weights
    found = calibration(fit, rankings, train, bins=3, resamples=200)
    assert found["observed"].to_list() == pytest.approx(found["predicted"].to_list(), abs=0.06)


def test_one_evaluator_gives_no_interval():
    rankings = planted(3, [0.8], evaluators=1, cases=12)
    fit = bradley_terry.regression(rankings)
    found = calibration(fit, rankings, resample.leave_one_out(rankings.case).weights, bins=2)
    assert found["low"].to_list() == found["high"].to_list() == [None, None]


def test_least_squares_has_no_probabilities():
    rankings = planted(3, [0.8])
    fit = rank_regression.regression(rankings)
    with pytest.raises(HelpersError, match="gives no probabilities"):
        calibration(fit, rankings, split(rankings, 0.7, 1, 1))


def test_a_true_model_has_calibration_slope_one():
    rankings = planted(3, [0.8, 0.4], evaluators=60, cases=4)
    fit = bradley_terry.regression(rankings)
    found = slope(fit, rankings, resample.leave_one_out(rankings.evaluator).weights, 500)
    assert found.evaluators.low[0] < 1 < found.evaluators.high[0]
    assert found.cases.low[0] < 1 < found.cases.high[0]


@pytest.mark.parametrize("step", [None, 1.5])
def test_the_calibration_slope_is_a_logistic_regression_on_predicted_log_odds(step):
    rankings = planted(3, [0.8, 0.4], items=4, step=step)
    fit = bradley_terry.regression(rankings)
    train = split(rankings, 0.7, times=3, seed=1)
    log_odds, above, weight = [], [], []
    for beta, mask in zip(fit.refit(train.astype(float)), train, strict=True):
        for first, second, ranking, order in zip(*rankings.pairs, strict=True):
            if not mask[ranking]:
                log_odds += 2 * [(rankings.scores[first] - rankings.scores[second]) @ beta[:2]]
                above += [1, 0]
                weight += [(1 + order) / 2, (1 - order) / 2]
    known = GLM(above, log_odds, family=Binomial(), freq_weights=np.array(weight)).fit()
    found = slope(fit, rankings, train, resamples=20)
    assert found.estimate == pytest.approx(known.params, abs=CLOSED)


def test_weights_twice_too_large_have_half_the_slope():
    rankings = planted(3, [0.8, 0.4], evaluators=20)
    fit = bradley_terry.regression(rankings)
    train = resample.leave_one_out(rankings.case).weights
    once = slope(fit, rankings, train, 20).estimate
    refit = fit.refit
    object.__setattr__(fit, "refit", lambda weights: 2 * refit(weights))
    assert slope(fit, rankings, train, 20).estimate == pytest.approx(once / 2)


def test_a_slope_without_predictions_is_refused():
    rankings = rankings_from_orders(["ab", "ba"], covariates={"x": {"a": 1, "b": 0}})
    fit = bradley_terry.regression(rankings)
    with pytest.raises(NotEstimableError, match="no two items were put in order"):
        slope(fit, rankings, np.eye(2))
