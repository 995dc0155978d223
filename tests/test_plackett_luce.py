from dataclasses import replace

import numpy as np
import pytest
from statsmodels.discrete.conditional_models import ConditionalLogit

from helpers import bradley_terry, plackett_luce
from helpers.choice import rankings_from_orders, read_rankings, sets
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.simulate import PERCEPTION, perception_design, simulate
from rankings_known import CLOSED, ITERATED, Known, nascar, planted, salad

KNOWN = Known("plackett_luce.csv")


def named(names, values):
    return dict(zip(names, np.asarray(values).tolist(), strict=True))


# --- by hand -----------------------------------------------------------------------------------


def test_probability_of_a_ranking_by_hand():
    # Strengths 3, 2, 1: P(a > b > c) = 3/6 · 2/3 = 1/3, P(c > a > b) = 1/6 · 3/5 = 1/10.
    rankings = rankings_from_orders(["abc", "cab"])
    choices, _ = sets.placewise(rankings, np.log([[3], [2], [1], [1], [3], [2]]))
    loglik = choices.loglik(np.ones((1, 1)), np.array([[1.0, 1, 0, 0]]))
    assert np.exp(loglik[0]) == pytest.approx(1 / 3, abs=1e-12)
    loglik = choices.loglik(np.ones((1, 1)), np.array([[0.0, 0, 1, 1]]))
    assert np.exp(loglik[0]) == pytest.approx(1 / 10, abs=1e-12)


def test_probability_of_a_ranking_with_ties_by_hand():
    # Strengths 4, 1, 1 and δ = ½. First place: 4 + 1 + 1 + ½ (√4 + √4 + √1) = 8.5 in all, of which
    # the tie of a and b has 1. One item remains, and there is nothing to choose.
    rankings = rankings_from_orders([[("a", "b"), "c"]])
    choices, ties = sets.placewise(rankings, np.log([[4.0], [1], [1]]))
    loglik = choices.loglik(np.array([[1, np.log(0.5)]]), np.ones((1, 1)))
    assert ties == ["tie"]
    assert np.exp(loglik[0]) == pytest.approx(1 / 8.5, abs=1e-12)


def test_three_items_of_which_two_are_alike_have_a_closed_form():
    # a is first in four of eight rankings, second in two, last in two; b and c are alike. With
    # strengths x, 1, 1 the likelihood is x⁶ / ((x + 2)⁸ (x + 1)⁴ 2⁴), the last since b and c are
    # all that is left after a in four. It is highest where 3x² − x − 6 = 0.
    rankings = rankings_from_orders("abc acb abc acb bac cab bca cba".split())
    fit = plackett_luce.abilities(rankings, "b")
    x = (1 + np.sqrt(73)) / 6
    assert fit.ability == pytest.approx([np.log(x), 0, 0], abs=CLOSED)
    loglik = 6 * np.log(x) - 8 * np.log(x + 2) - 4 * np.log(x + 1) - 4 * np.log(2)
    assert fit.effects.loglik == pytest.approx(loglik, abs=CLOSED)


@pytest.mark.parametrize(
    ("orders", "expected"),
    [  # cases of choix's tests
        (["012", "120", "201"], [0, 0, 0]),
        (["012", "320", "13"], [-0.44328117, 0.69506219, -0.67061442, 0.4188334]),
    ],
)
def test_small_cases_of_choix(orders, expected):
    fit = plackett_luce.abilities(rankings_from_orders(orders))
    found = named(fit.items, fit.ability)
    assert [found[str(i)] for i in range(len(expected))] == pytest.approx(expected, abs=ITERATED)


@pytest.mark.parametrize("take_apart", [sets.pairwise, sets.placewise])
@pytest.mark.parametrize("step", [None, 1.0])
def test_derivatives_are_differences_and_add_up_over_units(take_apart, step):
    rankings = planted(1, [0.5, 0.3], evaluators=3, cases=2, step=step)
    choices, ties = take_apart(rankings, rankings.scores)
    beta, each = np.array([[0.4, -0.2, 0.3][: 2 + len(ties)]]), choices.weight[None]
    gradient, information = choices.slopes(beta, each)
    tiny = 1e-5 * np.eye(len(beta[0]))
    up, down = (choices.loglik(beta + sign * tiny, each) for sign in (1, -1))
    assert gradient[0] == pytest.approx((up - down) / 2e-5, abs=1e-6)
    up, down = (choices.slopes(beta + sign * tiny, each).gradient for sign in (1, -1))
    assert -information[0] == pytest.approx((up - down) / 2e-5, abs=1e-6)
    by_unit = choices.by_unit(beta[0])
    assert by_unit.gradient.sum(axis=0) == pytest.approx(gradient[0])
    assert by_unit.information.sum(axis=0) == pytest.approx(information[0])
    alone = choices.slopes(beta, choices.counts(np.eye(len(rankings))))
    assert by_unit.gradient == pytest.approx(alone.gradient)
    assert by_unit.information == pytest.approx(alone.information)


# --- against R and statsmodels -----------------------------------------------------------------


def test_regression_agrees_with_r():
    fit = plackett_luce.regression(salad())
    assert named(fit.names, fit.estimate) == pytest.approx(KNOWN("salad", "estimate"), abs=CLOSED)
    assert named(fit.names, fit.se) == pytest.approx(KNOWN("salad", "se"), abs=CLOSED)
    assert fit.loglik == pytest.approx(KNOWN("salad", "loglik")[""], abs=CLOSED)
    assert fit.null_loglik == pytest.approx(KNOWN("salad", "null_loglik")[""], abs=CLOSED)


def test_clustered_errors_agree_with_r():
    rankings = salad()
    robust = np.sqrt(np.diag(plackett_luce.regression(rankings).clustered(rankings.evaluator)))
    known = np.array(list(KNOWN("salad", "robust_se").values())) * np.sqrt(32 / 31)
    assert robust == pytest.approx(known, abs=CLOSED)


def test_abilities_agree_with_r():
    found = plackett_luce.abilities(salad(), "A")
    assert named(found.items[1:], found.ability[1:]) == pytest.approx(
        KNOWN("dressings", "estimate"), abs=CLOSED
    )
    assert named(found.items[1:], found.se[1:]) == pytest.approx(
        KNOWN("dressings", "se"), abs=CLOSED
    )
    quasi = dict(found.table().select("item", "quasi_se").iter_rows())
    assert quasi == pytest.approx(KNOWN("dressings", "quasi_se"), abs=CLOSED)


def test_rankings_of_some_of_many_agree_with_r_and_hunter():
    fit = plackett_luce.abilities(nascar())
    never = {"Andy Hillenburg", "Gary Bradberry", "Jason Hedlesky", "Randy Renfrow"}
    assert fit.reasons == dict.fromkeys(never, "beat none of the others: no finite ability")
    assert fit.effects.loglik == pytest.approx(KNOWN("nascar", "loglik")[""], abs=ITERATED)
    known = KNOWN("nascar", "estimate")
    found = named(fit.items, fit.ability)
    base = next(name for name in fit.items if name not in known and name not in never)
    unknown = {name: found[name] - found[base] for name in known}
    assert unknown == pytest.approx(known, abs=ITERATED)
    # Hunter (2004), table 2, as PlackettLuce's vignette prints it
    published = {"PJ Jones": 4.15, "Scott Pruett": 3.62, "Mark Martin": 2.08, "Dick Trickle": -0.31}
    assert {name: round(unknown[name], 2) for name in published} == published


def test_ties_agree_with_a_log_linear_model_in_r():
    orders = [
        ["a", "b", "c", "d"],
        ["b", ("a", "c"), "d"],
        [("a", "b", "d"), "c"],
        ["d", "c", ("a", "b")],
        ["c", "a"],
        ["b", "d", "a", "c"],
        ["a", "c", "b"],
    ]
    fit = plackett_luce.abilities(rankings_from_orders(orders), "a")
    assert named(fit.effects.names, fit.effects.estimate) == pytest.approx(
        KNOWN("ties", "estimate"), abs=CLOSED
    )
    assert named(fit.effects.names, fit.effects.se) == pytest.approx(
        KNOWN("ties", "se"), abs=CLOSED
    )
    assert fit.effects.loglik == pytest.approx(KNOWN("ties", "loglik")[""], abs=CLOSED)


def test_regression_is_a_conditional_logit_of_exploded_rankings():
    rankings = planted(1, [0.7, 0.3, -0.2])
    chosen, group, x = [], [], []
    for start, size in zip(rankings.start, rankings.sizes, strict=True):
        order = start + np.argsort(rankings.rank[start : start + size])
        for place in range(size - 1):
            left = order[place:]
            chosen += [1] + [0] * (len(left) - 1)
            group += [(start, place)] * len(left)
            x.append(rankings.scores[left])
    groups = np.unique(np.array(group), axis=0, return_inverse=True)[1].ravel()
    known = ConditionalLogit(np.array(chosen), np.vstack(x), groups=groups).fit(
        disp=False, method="newton"
    )
    fit = plackett_luce.regression(rankings)
    assert fit.estimate == pytest.approx(known.params, abs=ITERATED)
    assert fit.se == pytest.approx(known.bse, abs=ITERATED)
    assert fit.loglik == pytest.approx(known.llf, abs=ITERATED)


# --- what it has in common with Bradley–Terry --------------------------------------------------


@pytest.mark.parametrize("step", [None, 1.0])
def test_two_items_are_bradley_terry_with_and_without_ties(step):
    rankings = planted(2, [0.6, 0.2], items=2, evaluators=40, step=step)
    one, other = plackett_luce.regression(rankings), bradley_terry.regression(rankings)
    assert one.names == other.names
    assert one.estimate == pytest.approx(other.estimate, abs=CLOSED)
    assert one.se == pytest.approx(other.se, abs=CLOSED)


def test_planted_weights_are_recovered_by_both():
    """The generator `utility` without anything but scores and Gumbel noise is the model itself."""
    settings = replace(PERCEPTION, halo=0.0, utility={})
    design = perception_design(seed=1)
    found = {bradley_terry: [], plackett_luce: []}
    for seed in range(40):
        ratings = simulate(design, settings, seed).ratings()
        rankings = read_rankings(ratings, design.dimensions)
        for model, estimates in found.items():
            estimates.append(model.regression(rankings).estimate)
    for estimates in found.values():
        mean, spread = np.mean(estimates, axis=0), np.std(estimates, axis=0, ddof=1)
        z = (mean - settings.weights) / (spread / np.sqrt(len(estimates)))
        assert (np.abs(z) < 3.3).all(), z
    ratio = np.std(found[bradley_terry], axis=0) / np.std(found[plackett_luce], axis=0)
    assert ratio.mean() > 1  # pairs waste some of what rankings say


# --- what cannot be estimated ------------------------------------------------------------------


def test_a_ranking_that_nobody_contradicts_is_refused():
    with pytest.raises(NotEstimableError, match="went one way: 'a'; 'b'; 'c'"):
        plackett_luce.abilities(rankings_from_orders(["abc", "ac"]))


def test_ties_too_large_to_count_are_refused():
    orders = [[tuple(f"i{k}" for k in range(15)), *(f"i{k}" for k in range(15, 30))]]
    with pytest.raises(HelpersError, match=r"ties of up to 15 items need .* break"):
        plackett_luce.abilities(rankings_from_orders(orders * 2 + [orders[0][::-1]]))
