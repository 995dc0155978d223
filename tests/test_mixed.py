import numpy as np
import pytest

from agreement_data import PENICILLIN
from helpers import mixed

PLATES = [str(i) for i in range(PENICILLIN.shape[1])]


def long(table):
    """Responses of a raters × items table, with their groups."""
    rater, item = np.nonzero(np.isfinite(table))
    groups = {"sample": [f"s{i}" for i in rater], "plate": [f"p{i}" for i in item]}
    return table[rater, item], groups


@pytest.fixture(scope="module")
def penicillin():
    y, groups = long(PENICILLIN)
    return mixed.fit(y, np.ones((len(y), 1)), groups, {"mean": np.array([1.0])}, {"all": ["mean"]})


def test_penicillin_has_the_published_variances(penicillin):
    found = {name: float(v) for name, v in penicillin.variances.items()}
    assert found == pytest.approx({"plate": 0.7169, "sample": 3.7311, "residual": 0.3024}, abs=5e-4)
    assert (penicillin.used, penicillin.converged, penicillin.singular) == (144, True, ())
    assert penicillin.share("plate") == pytest.approx(0.7169 / 4.7504, abs=1e-4)


def test_a_joint_test_of_one_contrast_is_its_t_squared(penicillin):
    alone, together = penicillin.contrasts["mean"], penicillin.joint["all"]
    assert together.f == pytest.approx(alone.t**2)
    assert together.p == pytest.approx(alone.p)
    assert alone.low < float(alone) < alone.high


def test_an_interval_of_a_variance_is_satterthwaites(penicillin):
    """Of the residual of a balanced table it is nearly that of the analysis of variance."""
    residual = penicillin.variances["residual"]
    from scipy import stats

    df = 23 * 5
    exact = df * float(residual) / stats.chi2.ppf([0.975, 0.025], df)
    assert [residual.low, residual.high] == pytest.approx(exact, rel=0.01)


def test_a_ratio_of_variances_has_an_interval_around_it(penicillin):
    ratio = mixed.ratio(penicillin, "plate", "residual")
    assert float(ratio) == pytest.approx(0.7169 / 0.3024, rel=1e-3)
    assert ratio.low * ratio.high == pytest.approx(float(ratio) ** 2)
    assert "sample2: not in the model" in mixed.ratio(penicillin, "plate", "sample2").text()


def test_a_variance_of_zero_is_named_and_has_no_interval():
    y, groups = long(PENICILLIN)
    groups["nothing"] = [str(i % 7) for i in range(len(y))]
    model = mixed.fit(y, np.ones((len(y), 1)), groups)
    assert model.singular == ("nothing",)
    assert model.variances["nothing"].text() == "0.00 (no interval: at the boundary)"
    assert any("singular" in text for text in model.said)
    assert mixed.ratio(model, "plate", "nothing").reason == (
        "the variance of nothing is estimated as 0"
    )
    assert mixed.ratio(model, "nothing", "plate").text() == (
        "0.00 (no interval: the variance of nothing has none)"
    )


def test_terms_that_the_data_cannot_tell_are_left_out_with_the_reason():
    y, groups = long(PENICILLIN)
    groups |= {
        "copy": [f"x{name}" for name in groups["sample"]],
        "one": ["a"] * len(y),
        "row": [str(i) for i in range(len(y))],
    }
    model = mixed.fit(y, np.ones((len(y), 1)), groups)
    assert dict(model.left_out) == {
        "copy": "the same groups as sample",
        "one": "one level",
        "row": "a level for each row",
    }
    assert set(model.variances) == {"sample", "plate", "residual"}
    assert model.terms == {"sample": 6, "plate": 24}
    table = mixed.account({"m": model}).row(0, named=True)
    assert "copy (the same groups as sample)" in table["Terms left out"]


def test_gaps_are_dropped_and_counted():
    y, groups = long(PENICILLIN)
    y = y.copy()
    y[::10] = np.nan
    model = mixed.fit(y, np.ones((len(y), 1)), groups)
    assert (model.used, model.dropped) == (129, 15)


@pytest.mark.parametrize(
    ("y", "groups", "x", "reason"),
    [
        ([np.nan, np.nan], {"g": ["a", "b"]}, [[1], [1]], "no scores"),
        ([3, 3, 3], {"g": ["a", "a", "b"]}, [[1]] * 3, "every score is 3"),
        ([1, 2, 3], {"g": ["a", "b", "c"]}, [[1]] * 3, "no grouping with several levels"),
        ([1, 1, 2, 2], {"g:h": [*"aabb"]}, [[1]] * 4, "all scores of the same g and h are equal"),
        ([1, 2, 3, 5], {"g": ["a", "a", "b", "b"]}, [[1, 1]] * 4, "the data do not tell the eff"),
        ([1, 2, 3], {"g": ["a", "a", "b"]}, [[1, 0], [1, 1], [1, 0]], "3 rows for 4 parameters"),
    ],
)
def test_what_cannot_be_fitted_has_a_reason(y, groups, x, reason):
    model = mixed.fit(
        np.array(y, float), np.array(x, float), groups, {"c": np.eye(len(x[0]))[0]}, {"j": ["c"]}
    )
    assert model.reason.startswith(reason)
    assert model.contrasts["c"].reason == model.joint["j"].reason == model.reason
    assert model.share("g") is None
    assert mixed.variance_table(model)["Note"].to_list() == [f"not estimable: {model.reason}"]
    assert "not fitted" in mixed.account({"m": model})["What R said"][0]


def test_scores_that_leave_no_error_have_a_reason_whatever_r_makes_of_them():
    first, second = (part.ravel() for part in np.indices((6, 5)))
    groups = {"a": first.astype(str).tolist(), "b": second.astype(str).tolist()}
    model = mixed.fit(first**2 + 3.0 * second, np.ones((30, 1)), groups)
    assert model.variances == {}
    assert "nothing for the error" in model.reason or model.reason.startswith("R stopped: ")


def test_what_is_refused_before_the_fit_says_so():
    model = mixed.refused("nobody")
    assert (model.reason, model.used, model.converged) == ("nobody", 0, False)
