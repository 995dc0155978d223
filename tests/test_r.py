"""The bridge to R, and the engine that goes over it."""

import numpy as np
import polars as pl
import pytest

from clmm_data import JUDGE, STUDY, WINE, simulated
from helpers import r
from helpers.clmm import clmm, conditional_modes
from helpers.clmm.by_r import fit_by_r
from helpers.errors import HelpersError

# --- calling R -----------------------------------------------------------------------------------


def test_values_come_and_go():
    answer = r.call(
        "function(...) { a <- list(...); a$dims <- dim(a$matrix); a }",
        number=1.5,
        whole=2**40,
        truth=True,
        text=["a", "b"],
        nothing=None,
        matrix=np.arange(6).reshape(2, 3),
        nested={"x": [1, 2]},
    ).value
    assert answer["number"] == 1.5
    assert answer["whole"] == 2**40
    assert answer["truth"] == 1
    assert answer["text"] == ["a", "b"]
    assert answer["matrix"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert answer["dims"].tolist() == [2, 3]
    assert answer["nested"]["x"].tolist() == [1, 2]


def test_data_frames_keep_types_levels_and_gaps():
    frame = pl.DataFrame(
        {
            "big": pl.Series([1, 2**40], dtype=pl.UInt64),
            "small": pl.Series([3, None], dtype=pl.Int64),
            "word": ["x", None],
            "level": pl.Series(["hi", "lo"], dtype=pl.Enum(["lo", "hi"])),
        }
    )
    source = """function(d) {
      list(kinds = sapply(d, class), levels = levels(d$level), gaps = colSums(is.na(d)))
    }"""
    answer = r.call(source, d=frame).value
    assert answer["kinds"] == ["numeric", "integer", "character", "factor"]
    assert answer["levels"] == ["lo", "hi"]
    assert answer["gaps"].tolist() == [0, 1, 1, 0]


def test_warnings_and_messages_are_caught_in_order_and_not_printed(capfd):
    source = """function() {
      message("first"); for (i in 1:60) warning("w", i); message("boundary (singular) fit"); 7
    }"""
    answer = r.call(source)
    assert answer.value == 7
    assert answer.messages == ("first", "boundary (singular) fit")
    assert answer.warnings == tuple(f"w{i}" for i in range(1, 61))
    assert "first" not in "".join(capfd.readouterr())


def test_errors_are_rs_words_with_what_was_said_before():
    with pytest.raises(HelpersError, match="R stopped: no such luck; careful"):
        r.call("function() { warning('careful'); stop('no such luck') }")
    assert r.call("function(x) x + 1", x=1).value == 2  # and the next call works


def test_missing_package_says_how_to_get_it():
    with pytest.raises(HelpersError, match=r"no package 'NoSuch'.*r-cran-nosuch"):
        r.require("NoSuch")
    r.require("ordinal")


def test_pymer4_starts_without_the_r_package_it_lacks():
    module = r.pymer4()
    assert hasattr(module.models, "lmer")
    assert r.pymer4() is module


# --- ordinal::clmm -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wine():
    return clmm(JUDGE, WINE), clmm(JUDGE, WINE, engine="r")


def test_both_engines_give_the_same_result(wine):
    native, by_r = wine
    assert by_r.engine == "r"
    assert by_r.converged
    assert by_r.loglik == pytest.approx(native.loglik, abs=1e-4)
    assert by_r.coefficients.to_dict() == pytest.approx(native.coefficients.to_dict(), abs=1e-3)
    assert by_r.thresholds.to_dict() == pytest.approx(native.thresholds.to_dict(), abs=1e-3)
    assert by_r.variances.to_dict() == pytest.approx(native.variances.to_dict(), rel=1e-3)
    errors = by_r.standard_errors.to_dict()
    assert errors == pytest.approx(native.standard_errors.to_dict(), rel=0.01)
    assert by_r.sd_errors["judge"] == pytest.approx(native.sd_errors["judge"], rel=0.01)
    assert by_r.condition == pytest.approx(native.condition, rel=0.01)
    assert conditional_modes(by_r)["estimate"].to_numpy() == pytest.approx(
        conditional_modes(native)["estimate"].to_numpy(), abs=1e-3
    )
    assert "ordinal::clmm (R)" in by_r.summary()
    assert "R said: relative convergence (4)" in by_r.summary()


@pytest.mark.parametrize("link", ["cloglog", "loglog"])
def test_links_keep_their_meaning_with_one_random_term(link):
    """R's code for a single random term has these two the wrong way round; we go round it."""
    native, by_r = clmm(JUDGE, WINE, link=link), clmm(JUDGE, WINE, link=link, engine="r")
    assert by_r.loglik == pytest.approx(native.loglik, abs=1e-4)


def test_r_names_the_variance_at_the_boundary():
    fit = clmm(JUDGE + " + (1 | bottle)", WINE, engine="r")
    assert fit.variances["bottle"] == 0
    assert fit.boundary["bottle"] < 0
    assert fit.converged
    assert fit.df == 7


def test_r_and_native_agree_on_random_slopes_and_tied_thresholds():
    text = "rank ~ inquiry + acceptability + (1 | evaluator) + (0 + inquiry | evaluator)"
    native = clmm(text, STUDY, threshold="symmetric", link="probit")
    by_r = clmm(text, STUDY, threshold="symmetric", link="probit", engine="r")
    assert native.loglik > by_r.loglik - 1e-4
    assert by_r.estimates.to_numpy() == pytest.approx(native.estimates.to_numpy(), abs=2e-3)
    assert by_r.deviations.to_numpy() == pytest.approx(native.deviations.to_numpy(), rel=0.01)


def test_r_without_random_terms_is_clm():
    native, by_r = (clmm("rating ~ temp + contact", WINE, engine=e) for e in ("native", "r"))
    assert by_r.loglik == pytest.approx(native.loglik, abs=1e-6)
    assert by_r.converged


def test_r_started_elsewhere_ends_at_our_maximum(wine):
    native, _ = wine
    again = fit_by_r(native.design, native.problem, "logit", "flexible", native.parameters)
    assert again.loglik == pytest.approx(native.loglik, abs=1e-4)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_terms_keep_their_variances_whatever_their_order_and_size(order):
    data = simulated(3, judges=12, items=12).with_columns(five=pl.int_range(pl.len()) % 5)
    terms = ["(1 | judge)", "(1 | item)", "(1 | five)"]  # 12, 12 and 5 levels
    text = " + ".join(["rating ~ x", *(terms[k] for k in order)])
    native, by_r = clmm(text, data), clmm(text, data, engine="r")
    assert by_r.variances.to_dict() == pytest.approx(native.variances.to_dict(), rel=1e-3, abs=1e-6)
    again = fit_by_r(native.design, native.problem, "logit", "flexible", native.parameters)
    assert again.variances.to_dict() == pytest.approx(
        native.variances.to_dict(), rel=1e-3, abs=1e-6
    )


def test_a_fit_that_r_gives_up_is_reported():
    """R knows no way past a point where Cauchy's log-density is convex; the native engine does."""
    text = "rating ~ temp * contact + (1 | judge) + (1 | judge:temp)"
    with pytest.raises(HelpersError, match="R stopped: optimizer nlminb failed to converge"):
        clmm(text, WINE, link="cauchit", engine="r")
    assert clmm(text, WINE, link="cauchit").converged


def test_r_cannot_keep_an_unused_category():
    data = WINE.with_columns(rating=pl.col("rating").replace({3: 4}))
    with pytest.raises(HelpersError, match="use engine 'native'"):
        clmm(JUDGE, data, threshold="equidistant", engine="r")
