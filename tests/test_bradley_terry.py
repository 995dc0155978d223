from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from statsmodels.api import Logit

from helpers import bradley_terry, plackett_luce, rank_regression
from helpers.bradley_terry import contests, contests_from_matrix
from helpers.choice import quasi_standard_errors, rankings_from_orders, read_rankings, sets
from helpers.choice.estimable import separated
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from rankings_known import CLOSED, ITERATED, Known, as_rankings, planted, salad, table

KNOWN = Known("bradley_terry.csv")


def citations():
    frame = table("citations")
    return contests_from_matrix(frame.drop("cited").to_numpy(), frame["cited"].to_list())


def baseball(home: bool):
    frame = table("baseball")
    at_home = {"at.home": np.ones(frame.height)} if home else None
    return contests(*(frame[name].to_list() for name in frame.columns), covariates=at_home)


def pudding():
    frame = table("pudding")
    return contests(*(frame[name].to_list() for name in frame.columns))


# --- abilities ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "data", "reference", "ties"),
    [
        ("citations", citations(), "Biometrika", "davidson"),
        ("baseball", baseball(home=False), "Baltimore", "davidson"),
        ("home", baseball(home=True), "Baltimore", "davidson"),
        ("pudding_half", pudding(), "1", "half"),
        ("pudding", pudding(), "1", "davidson"),
    ],
)
def test_abilities_agree_with_r(case, data, reference, ties):
    fit = bradley_terry.abilities(data, reference, ties=ties)
    found = fit.table()
    unknown = dict(zip(found["item"], found.select("ability", "se").iter_rows(), strict=True))
    effects = fit.effects.table()
    unknown |= (
        dict(zip(effects["name"], effects.select("estimate", "se").iter_rows(), strict=True))
        | unknown
    )
    for name, value in KNOWN(case, "estimate").items():
        assert unknown[name][0] == pytest.approx(value, abs=CLOSED)
    for name, value in KNOWN(case, "se").items():
        assert unknown[name][1] == pytest.approx(value, abs=CLOSED)
    assert fit.deviance == pytest.approx(KNOWN(case, "deviance")[""], abs=CLOSED)
    assert fit.df == KNOWN(case, "df")[""]


@pytest.mark.parametrize(
    ("case", "data", "reference"),
    [("citations", citations(), "JASA"), ("home", baseball(home=True), None)],
)
def test_quasi_standard_errors_agree_with_qvcalc_whatever_the_reference(case, data, reference):
    found = bradley_terry.abilities(data, reference).table()
    unknown = dict(found.select("item", "quasi_se").iter_rows())
    assert unknown == pytest.approx(KNOWN(case, "quasi_se"), abs=CLOSED)


def test_quasi_standard_errors_of_three_are_exact():
    q = np.array([0.2, 0.3, 0.5])
    shared = 0.7  # cancels in any difference
    assert quasi_standard_errors(np.diag(q**2) + shared) == pytest.approx(q, abs=CLOSED)


def test_quasi_standard_errors_of_two_are_refused():
    with pytest.raises(NotEstimableError, match="at least three"):
        quasi_standard_errors(np.eye(2))


def test_quasi_standard_errors_of_two_that_move_together_are_refused():
    covariance = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(NotEstimableError, match="the difference of two does not vary"):
        quasi_standard_errors(covariance)
    assert bradley_terry.abilities(contests(["a"], ["b"], [2], [1])).table()[
        "quasi_se"
    ].to_list() == [None, None]


def test_published_figures():
    found = bradley_terry.abilities(citations(), "Biometrika")
    assert [round(a, 4) for a in found.ability] == [0, -2.9491, -0.4796, 0.2690]
    assert round(found.deviance, 3) == 4.293
    home = bradley_terry.abilities(baseball(home=True), "Baltimore")
    assert round(home.effects.estimate[-1], 4) == 0.3023
    # Davidson (1970), as the vignette of R's PlackettLuce prints it: worths and ν
    worth = bradley_terry.abilities(pudding())
    share = np.exp(worth.ability) / np.exp(worth.ability).sum()
    published = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    assert share == pytest.approx(published, abs=5e-5)  # of seven iterations
    assert np.exp(worth.effects.estimate[-1]) == pytest.approx(0.7468147, abs=5e-5)


def test_two_items_have_a_closed_form():
    fit = bradley_terry.abilities(contests(["a"], ["b"], [30], [12]), "b")
    assert fit.ability == pytest.approx([np.log(30 / 12), 0], abs=CLOSED)
    assert fit.se[0] == pytest.approx(np.sqrt(1 / 30 + 1 / 12), abs=CLOSED)


def test_two_items_with_ties_have_a_closed_form():
    fit = bradley_terry.abilities(contests(["a"], ["b"], [30], [12], [9]), "b")
    assert fit.ability[0] == pytest.approx(np.log(30 / 12), abs=CLOSED)
    assert fit.effects.estimate[-1] == pytest.approx(np.log(9 / np.sqrt(30 * 12)), abs=CLOSED)
    assert fit.deviance == pytest.approx(0, abs=CLOSED)


@pytest.mark.parametrize(
    ("wins", "expected"),
    [  # cases of choix's tests
        ([(0, 1), (1, 2), (2, 0)], [0, 0, 0]),
        ([(0, 1), (0, 1), (1, 2), (2, 0)], [0.419617624, -0.419617624, 0]),
    ],
)
def test_small_cases_of_choix(wins, expected):
    winner, loser = zip(*wins, strict=True)
    fit = bradley_terry.abilities(contests(winner, loser, np.ones(len(wins)), np.zeros(len(wins))))
    by_item = dict(zip(fit.items, fit.ability, strict=True))
    assert [by_item[str(i)] for i in range(3)] == pytest.approx(expected, abs=CLOSED)


def test_dropping_ties_leaves_the_contests_that_were_won():
    data = pudding()
    alone = contests(
        [data.items[i] for i in data.first],
        [data.items[i] for i in data.second],
        data.wins,
        data.losses,
    )
    dropped = bradley_terry.abilities(data, ties="drop")
    assert dropped.ability == pytest.approx(bradley_terry.abilities(alone).ability, abs=CLOSED)


def test_votes_one_by_one_or_counted_are_the_same():
    data = citations()
    contest, order, count = data.results()
    rows = np.repeat(np.arange(len(contest)), count.astype(int))
    votes = contests(
        [data.items[i] for i in data.first[contest[rows]]],
        [data.items[i] for i in data.second[contest[rows]]],
        order[rows] == 1,
        order[rows] == -1,
    )
    assert bradley_terry.abilities(votes).ability == pytest.approx(
        bradley_terry.abilities(data).ability, abs=CLOSED
    )


def test_abilities_of_rankings_are_those_of_their_pairs():
    rankings = salad()
    first, second, _, order = rankings.pairs
    pairs = contests(rankings.item[first], rankings.item[second], order == 1, order == -1)
    one, other = bradley_terry.abilities(rankings, "A"), bradley_terry.abilities(pairs, "A")
    assert one.ability == pytest.approx(other.ability, abs=CLOSED)
    assert one.se == pytest.approx(other.se, abs=CLOSED)


def test_abilities_can_be_adjusted_for_scores():
    rankings = planted(3, [0.8, 0.4], evaluators=30)
    fit = bradley_terry.abilities(rankings, "item 0", adjust=["a"])
    first, second, _, order = rankings.pairs
    x = np.column_stack([np.eye(6)[rankings.code], rankings.scores[:, :1]])
    logit = Logit(order > 0, (x[first] - x[second])[:, 1:]).fit(disp=False)
    assert [*fit.ability[1:], fit.effects.estimate[-1]] == pytest.approx(logit.params, abs=ITERATED)


# --- ranking regression ------------------------------------------------------------------------


def test_regression_agrees_with_r():
    fit = bradley_terry.regression(salad())
    assert dict(zip(fit.names, fit.estimate, strict=True)) == pytest.approx(
        KNOWN("salad", "estimate"), abs=CLOSED
    )
    assert dict(zip(fit.names, fit.se, strict=True)) == pytest.approx(
        KNOWN("salad", "se"), abs=1e-6
    )
    assert fit.loglik == pytest.approx(KNOWN("salad", "loglik")[""], abs=CLOSED)


def test_regression_is_a_logit_of_differences():
    rankings = planted(1, [0.7, 0.3, -0.2])
    first, second, _, order = rankings.pairs
    logit = Logit(order > 0, rankings.scores[first] - rankings.scores[second]).fit(disp=False)
    fit = bradley_terry.regression(rankings)
    assert fit.estimate == pytest.approx(logit.params, abs=ITERATED)
    assert fit.se == pytest.approx(logit.bse, abs=ITERATED)
    assert fit.loglik == pytest.approx(logit.llf, abs=ITERATED)
    assert fit.null_loglik == pytest.approx(len(order) * np.log(0.5))


def test_clustered_errors_are_statsmodels():
    rankings = planted(1, [0.7, 0.3])
    first, second, ranking, order = rankings.pairs
    evaluator = rankings.evaluator[ranking].astype(int)
    robust = Logit(order > 0, rankings.scores[first] - rankings.scores[second]).fit(
        disp=False, cov_type="cluster", cov_kwds={"groups": evaluator, "use_correction": False}
    )
    groups = len(set(rankings.evaluator))
    unknown = bradley_terry.regression(rankings).clustered(rankings.evaluator)
    expected = robust.cov_params() * groups / (groups - 1)
    assert unknown == pytest.approx(expected, rel=ITERATED)


def test_ties_are_an_outcome_of_their_own():
    rankings = planted(5, [0.7, 0.3], evaluators=40, step=1.0)
    fit = bradley_terry.regression(rankings)
    assert rankings.ties > 50
    assert fit.names == ("a", "b", "tie")
    # The score equations of Davidson's model: as many ties as expected, weighted scores likewise
    first, second, _, order = rankings.pairs
    d = rankings.scores[first] - rankings.scores[second]
    margin = d @ fit.estimate[:2]
    strength = np.exp([margin / 2, np.full(len(d), fit.estimate[2]), -margin / 2])
    win, tie, loss = strength / strength.sum(axis=0)
    assert tie.sum() == pytest.approx((order == 0).sum(), abs=CLOSED)
    assert d.T @ (win - loss) == pytest.approx(d.T @ order, abs=CLOSED)


def test_a_tie_taken_for_two_halves_is_a_weighted_logit():
    rankings = planted(5, [0.7, 0.3], step=1.0)
    first, second, _, order = rankings.pairs
    d = rankings.scores[first] - rankings.scores[second]
    margin = d @ bradley_terry.regression(rankings, ties="half").estimate
    assert d.T @ (1 / (1 + np.exp(-margin))) == pytest.approx(d.T @ ((order + 1) / 2), abs=CLOSED)


@pytest.mark.parametrize("scale", [1e-7, 1e7])
def test_the_unit_of_a_score_does_not_matter(scale):
    rankings = planted(2, [0.5, 0.4])
    plain = bradley_terry.regression(rankings)
    frame = as_frame(rankings).with_columns(pl.col("b") * scale)
    scaled = bradley_terry.regression(read_rankings(frame, ["a", "b"]))
    assert scaled.estimate * [1, scale] == pytest.approx(plain.estimate, rel=1e-8)
    assert scaled.se * [1, scale] == pytest.approx(plain.se, rel=1e-8)


def as_frame(rankings):
    return pl.DataFrame(
        {
            "evaluator": rankings.evaluator[rankings.ranking],
            "case": rankings.case[rankings.ranking],
            "analyst": rankings.item,
            "rank": rankings.rank,
        }
        | dict(zip(rankings.dimensions, rankings.scores.T, strict=True))
    )


def test_refits_are_fits_of_rankings_repeated_or_left_out():
    rankings = planted(4, [0.6, 0.2], evaluators=5)
    fit = bradley_terry.regression(rankings)
    counts = np.random.default_rng(0).integers(0, 3, (3, len(rankings)))
    frame = as_frame(rankings)
    for count, unknown in zip(counts, fit.refit(counts), strict=True):
        rows = np.repeat(np.arange(frame.height), count[rankings.ranking])
        copy = np.concatenate([np.arange(n) for n in count[rankings.ranking]])
        repeated = frame[rows].with_columns(
            evaluator=pl.col("evaluator") + pl.Series(copy).cast(pl.String).alias("evaluator")
        )
        known = bradley_terry.regression(read_rankings(repeated, ["a", "b"])).estimate
        assert unknown == pytest.approx(known, abs=1e-8)


def test_refits_of_rankings_with_ties_too():
    rankings = planted(4, [0.6, 0.2], step=1.0)
    for model in (bradley_terry, plackett_luce):
        fit = model.regression(rankings)
        whole = fit.refit(np.array([np.ones(len(rankings)), np.full(len(rankings), 3)]))
        assert whole == pytest.approx(np.tile(fit.estimate, (2, 1)), abs=1e-8)


@pytest.mark.parametrize("model", [bradley_terry, plackett_luce])
def test_refits_without_the_few_ties_that_there_are_are_fits_without_ties(model):
    rankings = planted(4, [0.6, 0.2])
    tied = rankings.rank.copy()
    tied[rankings.start[0] + np.arange(3)] = -100  # one ranking ties three,
    tied[rankings.start[1] + np.arange(2)] = -100  # another two
    rare = replace(rankings, rank=tied)
    fit = model.regression(rare)
    counts = np.ones((3, len(rankings)))
    counts[0, :2] = counts[1, 0] = 0
    found = fit.refit(counts)
    for row, kept in zip(found, counts > 0, strict=True):
        known = model.regression(rare.only(kept[rare.ranking]))
        place = [fit.names.index(sized(name, fit.names)) for name in known.names]
        assert row[place] == pytest.approx(known.estimate, abs=1e-8)
        assert (np.delete(row, place) == -np.inf).all()
    assert np.isinf(found).sum(axis=1).tolist() == [len(fit.names) - 2, len(fit.names) - 3, 0]


def sized(name, names):
    """What a fit with more sizes of ties calls the tie of two."""
    return name if name in names else "tie of 2"


def test_abilities_of_resamples_without_ties_are_those_without():
    rankings = planted(4, [0.6, 0.2])
    tied = rankings.rank.copy()
    tied[:2] = tied[0]
    rare = replace(rankings, rank=tied)
    without = np.arange(len(rankings)) > 0
    known = plackett_luce.abilities(rankings.only(without[rankings.ranking]))
    found = plackett_luce.abilities(rare).refit(without[None].astype(float))
    assert found[0] == pytest.approx(known.ability, abs=1e-8)


# --- what cannot be estimated ------------------------------------------------------------------


def test_a_constant_dimension_is_named_and_the_rest_estimated():
    rankings = planted(1, [0.7, 0.3])
    frame = as_frame(rankings).with_columns(
        flat=pl.lit(3.0), case_only=pl.col("case").cast(pl.Float64)
    )
    fit = bradley_terry.regression(read_rankings(frame, ["a", "flat", "b", "case_only"]))
    known = bradley_terry.regression(rankings)
    assert fit.estimate[[0, 2]] == pytest.approx(known.estimate, abs=CLOSED)
    assert fit.se[[0, 2]] == pytest.approx(known.se, abs=CLOSED)
    assert fit.table()["estimate"].to_list()[1::2] == [None, None]
    reason = "not estimable: never differs between the items compared"
    assert fit.table()["reason"].to_list() == ["", reason, "", reason]


def test_collinear_dimensions_are_named_and_the_rest_estimated():
    rankings = planted(1, [0.7, 0.3, 0.2])
    frame = as_frame(rankings).with_columns(sum=2 * pl.col("a") + pl.col("b"))
    fit = bradley_terry.regression(read_rankings(frame, ["a", "b", "c", "sum"]))
    known = bradley_terry.regression(rankings)
    assert fit.reasons == dict.fromkeys(["a", "b", "sum"], "'sum' is a weighted sum of 'a' and 'b'")
    assert fit.estimate[2] == pytest.approx(known.estimate[2], abs=CLOSED)
    assert fit.se[2] == pytest.approx(known.se[2], abs=CLOSED)
    assert fit.loglik == pytest.approx(known.loglik, abs=CLOSED)


def test_nothing_that_differs_is_nothing_to_estimate():
    rankings = rankings_from_orders(["AB", "BA"], covariates={"x": {"A": 1, "B": 1}})
    with pytest.raises(NotEstimableError, match="'x' never differs between"):
        bradley_terry.regression(rankings)


@pytest.mark.parametrize("model", [bradley_terry, plackett_luce])
def test_separation_is_named(model):
    random = np.random.default_rng(3)
    scores = random.integers(1, 6, (8, 3, 5, 2))
    rankings = as_rankings(scores, scores[..., 1] + random.random((8, 3, 5)) / 2)
    with pytest.raises(NotEstimableError) as error:
        model.regression(rankings)
    assert "weights are not estimable: 'b (+)' separates the choices" in str(error.value)


@pytest.mark.parametrize("model", [bradley_terry, plackett_luce])
def test_separation_by_a_combination_is_named(model):
    random = np.random.default_rng(3)
    scores, jitter = random.integers(1, 6, (6, 3, 5, 2)), random.random((6, 3, 5)) / 20
    rankings = as_rankings(scores, scores[..., 0] - 0.9 * scores[..., 1] + jitter)
    with pytest.raises(NotEstimableError, match=r"'a \(\+\)' and 'b \(−\)' separate the choices"):
        model.regression(rankings)


def test_quasi_separation_is_named():
    # b differs in one pair only, and there the higher b wins.
    rankings = planted(1, [0.7, 0.0])
    b = np.zeros(len(rankings.item))
    b[np.argmin(np.where(rankings.ranking == 0, rankings.rank, np.inf))] = 1
    frame = as_frame(rankings).with_columns(b=b)
    with pytest.raises(NotEstimableError, match=r"'b \(\+\)' separates"):
        bradley_terry.regression(read_rankings(frame, ["a", "b"]))


def test_large_weights_are_no_separation():
    rankings = planted(8, [9.0, 7.0], evaluators=60)
    fit = bradley_terry.regression(rankings)
    assert fit.estimate == pytest.approx([9, 7], rel=0.3)
    counts = np.random.default_rng(1).multinomial(240, np.full(240, 1 / 240), size=60)
    known = [has_maximum(rankings.only(count[rankings.ranking] > 0)) for count in counts]
    assert np.isfinite(fit.refit(counts)).all(axis=1).tolist() == known
    assert np.mean(known) > 0.9


def test_near_copies_of_a_dimension_are_not_dependent():
    rankings = planted(1, [0.7, 0.3], evaluators=40)
    frame = as_frame(rankings).with_columns(near=pl.col("a") + pl.col("b") / 1000)
    fit = bradley_terry.regression(read_rankings(frame, ["a", "near"]))
    known = bradley_terry.regression(rankings).estimate
    a, near = fit.estimate
    assert [a + near, near / 1000] == pytest.approx(known, abs=CLOSED)


def test_separated_resamples_have_no_estimate():
    rankings = rankings_from_orders(["AB", "AB", "BA"], covariates={"x": {"A": 1, "B": 0}})
    fit = bradley_terry.regression(rankings)
    found = fit.refit(np.array([[1, 1, 1], [2, 1, 0], [0, 0, 3], [1, 0, 1], [0, 0, 0]]))
    expected = [np.log(2), np.nan, np.nan, 0, np.nan]
    assert found[:, 0] == pytest.approx(expected, abs=CLOSED, nan_ok=True)


def test_one_ranking_of_many_dimensions_is_separated():
    rankings = planted(1, [0.5] * 7, evaluators=1, cases=1)
    with pytest.raises(NotEstimableError, match="more data or fewer coefficients"):
        bradley_terry.regression(rankings)


def test_two_analysts_are_enough_for_weights():
    fit = bradley_terry.regression(planted(1, [0.6], evaluators=400, items=2))
    assert fit.estimate[0] == pytest.approx(0.6, abs=3 * fit.se[0])


@pytest.mark.parametrize("model", [bradley_terry, plackett_luce])
def test_all_tied_is_nothing_to_estimate(model):
    tied = rankings_from_orders([[("A", "B")], [("A", "B")]], covariates={"x": {"A": 1, "B": 0}})
    with pytest.raises(NotEstimableError, match="all items of all rankings are tied"):
        model.regression(tied)
    with pytest.raises(NotEstimableError, match="all items of all rankings are tied"):
        model.abilities(tied)
    with pytest.raises(NotEstimableError, match="no contest was won"):
        bradley_terry.abilities(contests(["A"], ["B"], [0], [0], [5]))


def test_items_never_compared_are_named():
    data = contests(["a", "b", "c", "x", "y"], ["b", "c", "a", "y", "x"], [1] * 5, [0] * 5)
    fit = bradley_terry.abilities(data)
    assert fit.ability[:3] == pytest.approx([0, 0, 0], abs=CLOSED)
    told = "not estimable: never compared with the others, not even through third ones"
    assert fit.table()["reason"].to_list() == ["", "", "", told, told]
    assert fit.table()["ability"].to_list()[3:] == [None, None]


def test_an_item_that_always_wins_or_loses_is_named():
    data = contests(
        ["a", "b", "c", "top", "a"], ["b", "c", "a", "b", "low"], [2, 1, 1, 3, 4], [1, 0, 0, 0, 0]
    )
    fit = bradley_terry.abilities(data, "a")
    assert fit.reasons == {
        "top": "lost to none of the others: no finite ability",
        "low": "beat none of the others: no finite ability",
    }
    known = bradley_terry.abilities(
        contests(["a", "b", "c"], ["b", "c", "a"], [2, 1, 1], [1, 0, 0]), "a"
    )
    assert fit.ability[:3] == pytest.approx(known.ability, abs=CLOSED)
    assert fit.df == known.df
    with pytest.raises(HelpersError, match="'top' cannot be the reference: lost to none"):
        bradley_terry.abilities(data, "top")


def test_groups_of_equal_size_that_never_met_are_refused():
    data = contests(["a", "x"], ["b", "y"], [1, 1], [1, 1])
    with pytest.raises(
        NotEstimableError, match="never compared with each other are 'a' and 'b'; 'x"
    ):
        bradley_terry.abilities(data)


def test_one_that_always_beats_the_other_is_refused():
    with pytest.raises(NotEstimableError, match="between these groups went one way: 'a'; 'b'"):
        bradley_terry.abilities(contests(["a"], ["b"], [4], [0]))


def test_a_home_team_that_always_wins_separates():
    data = contests(
        ["a", "b", "c", "b", "c", "a"],
        ["b", "c", "a", "a", "b", "c"],
        [1] * 6,
        [0] * 6,
        covariates={"home": [1] * 6},
    )
    with pytest.raises(NotEstimableError, match=r"'home \(\+\)' separates"):
        bradley_terry.abilities(data)


def test_a_covariate_of_the_items_takes_the_place_of_abilities():
    rankings = salad()
    with pytest.raises(NotEstimableError, match="'acetic' is a weighted sum of 'C' and 'D'"):
        bradley_terry.abilities(rankings, adjust=["acetic"])


# --- input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], ["b", "c"], [1], [0]), "1 in 'first', but 2 in 'second'"),
        ((["a"], ["b"], [np.nan], [0]), r"'wins' of contest 1 \(a against b\) is nan"),
        ((["a"], ["b"], [1], [-1]), "'losses' of contest 1 .* is -1"),
        ((["a", "b"], ["b", "b"], [1, 1], [0, 0]), "in contest 2 'b' meets itself"),
        ((["a", None], ["b", "a"], [1, 1], [0, 0]), "an item of contest 2 has no name"),
        ((["a"], ["b"], ["many"], [0]), "'wins' holds something that is no number"),
        (([], [], [], []), "not estimable: there are no contests"),
    ],
)
def test_faulty_contests_are_refused(arguments, message):
    with pytest.raises(HelpersError, match=message):
        contests(*arguments)


@pytest.mark.parametrize("model", [bradley_terry, plackett_luce, rank_regression])
def test_weights_of_rankings_without_scores_are_refused(model):
    with pytest.raises(HelpersError, match="weights need rankings with scores"):
        model.regression(rankings_from_orders(["abc", "bca", "cab"]))


def test_an_unknown_way_to_treat_ties_is_refused():
    for data in (pudding(), rankings_from_orders(["abc", "bca", "cab"])):
        with pytest.raises(HelpersError, match="'ignore' is none of davidson, half, drop"):
            bradley_terry.abilities(data, ties="ignore")


def test_a_misspelt_reference_gets_a_suggestion():
    with pytest.raises(HelpersError, match="no item is called 'JASS'; did you mean 'JASA'"):
        bradley_terry.abilities(citations(), "JASS")


def test_a_table_of_wins_must_fit_its_items():
    with pytest.raises(HelpersError, match="a table of 2 × 2 wins is expected"):
        contests_from_matrix([[0, 1, 2]], ["a", "b"])


@pytest.mark.parametrize("model", [bradley_terry, plackett_luce])
def test_what_has_no_maximum_is_found_out_in_fits_and_refits(model):
    """Linear programming knows whether there is one; Newton's method must come to the same."""
    random = np.random.default_rng(11)
    outcomes = []
    for _ in range(40):
        weights = random.normal(size=random.integers(1, 4)) * random.choice([0.3, 1, 3])
        sizes = random.integers([1, 1, 2], [9, 3, 5])
        data = planted(int(random.integers(1e9)), weights.tolist(), *sizes)
        try:
            fit = model.regression(data)
        except NotEstimableError:
            fit = None
        assert (fit is not None) == has_maximum(data)
        if fit is None:
            continue
        counts = random.multinomial(len(data), np.full(len(data), 1 / len(data)), size=6)
        for count, found in zip(counts, fit.refit(counts), strict=True):
            known = has_maximum(data.only(count[data.ranking] > 0))
            assert np.isfinite(found).all() == known
            outcomes.append(known)
    assert 0.5 < np.mean(outcomes) < 0.95


def has_maximum(rankings):
    choices, _ = sets.pairwise(rankings, rankings.scores)
    names = rankings.dimensions
    rank = np.linalg.matrix_rank(choices.rows)
    return rank == len(names) and not separated(choices, names)
