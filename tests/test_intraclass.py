import numpy as np
import pandas as pd
import pingouin
import pytest

from agreement_data import ANXIETY, PENICILLIN, SHROUT, R, with_gaps
from helpers.agreement import FORMS, icc
from helpers.errors import HelpersError

GAP = float("nan")
KINDS = {"ICC(1,1)": "none", "ICC(2,1)": "random", "ICC(3,1)": "fixed"}


@pytest.mark.parametrize(("name", "table"), [("anxiety", ANXIETY), ("shrout_fleiss", SHROUT)])
@pytest.mark.parametrize("form", FORMS)
def test_complete_tables_agree_with_psych_in_r(name, table, form):
    result = icc(table, form)
    assert (result.value, result.low, result.high) == pytest.approx(R[name, form], abs=1e-9)
    assert (result.method, result.used, result.dropped) == ("anova", table.size, 0)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # pingouin's use of pandas
@pytest.mark.parametrize("form", FORMS)
def test_complete_tables_agree_with_pingouin(form):
    table = np.random.default_rng(1).integers(1, 6, (5, 12))
    rater, item = np.indices(table.shape)
    long = pd.DataFrame({"rater": rater.ravel(), "item": item.ravel(), "score": table.ravel()})
    found = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="score")
    names = {"ICC(2,1)": "ICC(A,1)", "ICC(3,1)": "ICC(C,1)"}
    names |= {"ICC(2,k)": "ICC(A,k)", "ICC(3,k)": "ICC(C,k)"}
    row = found.set_index("Type").loc[names.get(form, form)]
    result = icc(table, form)
    assert result.value == pytest.approx(row["ICC"], abs=1e-9)
    assert (result.low, result.high) == pytest.approx(tuple(row["CI95"]), abs=0.006)  # it rounds


@pytest.mark.parametrize("form", KINDS)
@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("shrout_fleiss", SHROUT),
        ("penicillin", PENICILLIN),
        ("shrout_fleiss_gaps_5", with_gaps(SHROUT, 5)),
        ("penicillin_gaps_5", with_gaps(PENICILLIN, 5)),
        ("anxiety_gaps_3", with_gaps(ANXIETY, 3)),
    ],
)
def test_likelihood_agrees_with_lme4_in_r(name, table, form):
    result = icc(table, form, method="reml")
    assert result.value == pytest.approx(R[name, KINDS[form]][0], abs=1e-4)
    assert result.low <= result.value <= result.high


def test_published_values():
    assert icc(SHROUT).text(4) == "0.2898 (95 % CI 0.0188 to 0.7611)"
    assert [round(float(icc(SHROUT, form)), 4) for form in FORMS] == [
        *(0.1657, 0.2898, 0.7148),
        *(0.4428, 0.6201, 0.9093),
    ]
    names = ("ICC(A,1)", "ICC(C,1)", "ICC(1)", "ICC(A,k)")
    assert [round(float(icc(ANXIETY, name)), 3) for name in names] == [0.198, 0.216, 0.175, 0.425]


@pytest.mark.parametrize("form", FORMS)
def test_likelihood_and_mean_squares_are_one_on_complete_tables(form):
    assert icc(SHROUT, form, "reml").value == pytest.approx(icc(SHROUT, form).value, abs=1e-6)


def test_likelihood_stops_at_zero_where_mean_squares_go_below():
    table = [[1, 2, 3, 4], [4, 3, 2, 1], [2, 3, 1, 4]]
    assert icc(table, "ICC(3,1)", "anova").value < 0
    result = icc(table, "ICC(3,1)", "reml")
    assert (result.value, result.low) == (0, 0)
    assert 0 < result.high < 1


def test_gaps_are_estimated_not_dropped():
    gappy = with_gaps(SHROUT, 5)
    result = icc(gappy)
    assert (result.method, result.used, result.dropped) == ("reml", 19, 0)
    assert (result.items, result.raters) == (6, 4)
    by_mean_squares = icc(gappy, method="anova")
    assert (by_mean_squares.used, by_mean_squares.dropped, by_mean_squares.items) == (4, 15, 1)
    assert by_mean_squares.reason == "1 item without a gap; at least 2 are needed"


def test_scale_and_origin_do_not_matter():
    gappy = with_gaps(SHROUT, 5)
    assert icc(gappy * 1e6 + 1e9).value == pytest.approx(icc(gappy).value, abs=1e-5)


def test_mean_of_k_ratings_is_spearman_brown():
    gappy = with_gaps(SHROUT, 5)
    result, single = icc(gappy, "ICC(2,k)"), icc(gappy)
    per_item = np.isfinite(gappy).sum(axis=0)
    assert result.k == pytest.approx(6 / (1 / per_item).sum())
    for mean, one in zip(
        (result.value, result.low, result.high),
        (single.value, single.low, single.high),
        strict=True,
    ):
        assert mean == pytest.approx(result.k * one / (1 + (result.k - 1) * one))
    assert icc(gappy, "ICC(2,k)", k=2).value == pytest.approx(2 * single.value / (1 + single.value))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method", ["auto", "reml"])
@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, 2, 3]], "1 rater; at least 2 are needed"),
        ([[1, 2, 3], [GAP, GAP, GAP]], "1 rater; at least 2 are needed"),
        (np.empty((0, 5)), "0 raters; at least 2 are needed"),
        ([[3, 3, 3], [3, 3, 3]], "every rating is 3"),
    ],
)
def test_what_cannot_be_estimated_has_a_reason(table, reason, form, method):
    result = icc(table, form, method)
    assert result.value is None
    assert result.reason == reason


def test_one_item_cannot_vary():
    assert icc([[1], [2]]).reason == "1 item without a gap; at least 2 are needed"
    assert icc([[1], [2]], method="reml").reason == "1 item; at least 2 are needed"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "table",
    [
        [[1, GAP, 3], [GAP, 2, GAP]],  # one rating an item
        [[1, 2, GAP], [GAP, GAP, 4], [5, GAP, GAP]],  # two ratings of two items only
    ],
)
def test_too_few_ratings_to_tell_an_error_have_no_icc(table, form):
    result = icc(table, form)
    if form.startswith("ICC(1") and np.isfinite(table).sum() > 3:
        assert 0 <= result.value < 1
    else:
        assert (
            result.reason == "nothing is left for the error when items and raters have their share"
        )


def test_ratings_without_error_have_a_value_but_no_interval():
    lenient = [[1, 2, 4], [2, 3, 5]]
    assert float(icc(lenient, "ICC(3,1)")) == pytest.approx(1)
    assert icc(lenient, "ICC(3,1)").reason == "the ratings leave no error to build an interval on"
    assert 0 < icc(lenient, "ICC(2,1)").value < 1


def test_mean_of_ratings_that_differ_less_than_by_chance_has_no_reliability():
    opposite = [[1, 2, 3], [3, 2, 1]]
    assert icc(opposite, "ICC(3,1)").value == pytest.approx(-1)
    reason = "the items' means differ less than chance alone would make them"
    assert icc(opposite, "ICC(3,k)").reason == reason


def test_unknown_forms_and_methods_are_refused():
    with pytest.raises(HelpersError, match=r"no form 'ICC\(2\)' of the ICC; did you mean 'ICC\("):
        icc(SHROUT, "ICC(2)")
    with pytest.raises(HelpersError, match="no method 'ml': expected auto, anova or reml"):
        icc(SHROUT, method="ml")


def test_interval_with_gaps_covers():
    random = np.random.default_rng(11)
    covered = []
    for _ in range(100):
        table = (
            np.sqrt(0.4) * random.standard_normal(9)
            + np.sqrt(0.2) * random.standard_normal((5, 1))
            + np.sqrt(0.4) * random.standard_normal((5, 9))
        )
        table[random.random(table.shape) < 0.2] = GAP
        result = icc(table)
        covered.append(result.low <= 0.4 <= result.high)
    assert 0.9 <= np.mean(covered) <= 0.995


def test_published_agreement_of_genomics_answers(shared):
    ratings = pd.read_csv(shared / "chattogovar/ratings_human.csv")
    pooled = ratings.pivot(index="rater", columns=["item", "system"], values="total")
    assert round(float(icc(pooled)), 3) == 0.686
    assert round(float(icc(pooled, "ICC(2,k)")), 3) == 0.814
    by_system = {
        system: round(float(icc(part.pivot(index="rater", columns="item", values="total"))), 3)
        for system, part in ratings.groupby("system")
    }
    assert by_system == {"ChatTogoVar": 0.220, "GPT-4o": 0.396, "VarChat": 0.493}
