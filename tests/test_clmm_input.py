"""What cannot be fitted is refused or named, in words one can act on."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from clmm_data import CROSSED, JUDGE, PLAIN, WINE, simulated
from helpers.clmm import clmm
from helpers.clmm.formula import Term, parse
from helpers.errors import HelpersError

col = pl.col


# --- formulas ------------------------------------------------------------------------------------


def test_formula_is_taken_apart():
    parsed = parse("ordered(y) ~ a * b + I(x^2) - z + (1 | g / h) + (1 | a:`the b`) + (0 + x | g)")
    assert parsed.response == "y"
    assert parsed.fixed == "a * b + I(x**2) - z"
    assert parsed.names == {"a", "b", "x", "z"}
    assert parsed.terms == (
        Term(("g",)),
        Term(("g", "h")),
        Term(("a", "the b")),
        Term(("g",), "x"),
    )
    assert [term.name for term in parsed.terms] == ["g", "g:h", "a:the b", "x | g"]


@pytest.mark.parametrize(
    "text, names",
    [
        ("y ~ log(a) + np.exp(b)", {"a", "b"}),
        ("y ~ C(a, contr.treatment('warm')) + 1e5 * b", {"a", "b"}),
        ("y ~ poly(x, degree=2):`the b`", {"x", "the b"}),
    ],
)
def test_functions_text_and_numbers_are_no_columns(text, names):
    assert parse(text).names == names


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("rating", "expected 'rating ~ predictors"),
        ("~ temp", "expected 'rating ~ predictors"),
        ("rating ~ temp + (temp | judge)", "correlated random effects"),
        ("rating ~ temp + (1 + temp | judge)", "correlated random effects"),
        ("rating ~ 0 + temp + (1 | judge)", r"leave out '\+ 0'"),
        ("rating ~ temp - 1 + (1 | judge)", "leave out '- 1'"),
        ("rating ~ temp - (1 | judge)", "leave .* out instead"),
        ("rating ~ temp + (1 | judge + bottle)", "cannot read"),
        ("rating ~ temp + (1 | judge) + (1 | judge)", "'judge' stands there twice"),
        ("rating ~ temp + (1 | judge", "not closed"),
        ("rating ~ temp + offset(judge)", "offsets are not supported"),
        ("rating ~ temp | judge", "cannot read 'temp | judge'; expected one ~, and bars only in"),
        ("rating ~ temp + 1|judge", r"cannot read '1\|judge'"),
        ("rating ~ temp * (1 | judge)", r"cannot read 'temp \* \(1 \| judge\)'"),
        ("rating ~ temp ~ contact", "cannot read 'temp ~ contact'"),
        ("rating ~ temp + (0 + bottle + temp | judge)", "one column x at a time"),
        ("rating ~ temp + (0 + 1 | judge)", r"write \(1 \| judge\)"),
    ],
)
def test_formulas_that_cannot_be_read(text, complaint):
    with pytest.raises(HelpersError, match=complaint):
        parse(text)


def test_bars_in_names_and_code_are_no_random_terms():
    assert parse("y ~ `a|b` + I((u > 1) | (v > 2)) + (1 | g)").terms == (Term(("g",)),)


@pytest.mark.parametrize("text", ["rating ~ temp + (1 judge)", "rating ~ a.b().c() + temp"])
def test_faults_that_formulaic_finds_are_told_on_one_plain_line(text):
    with pytest.raises(HelpersError) as caught:
        clmm(text, WINE)
    assert str(caught.value).startswith(f"formula '{text}': ")
    assert not set(str(caught.value)) & set("\n\x1b⧛⧚")


def test_names_with_spaces_and_signs_are_names():
    renamed = WINE.rename({"rating": "my rating", "temp": "a+b | c~d", "judge": "the judge"})
    fit = clmm("`my rating` ~ `a+b | c~d` + contact + (1 | `the judge`)", renamed)
    assert fit.loglik == pytest.approx(clmm(JUDGE, WINE).loglik, abs=1e-9)
    assert list(fit.coefficients.index) == ["a+b | c~dwarm", "contactyes"]


def test_names_of_coefficients_are_rs():
    data = WINE.with_columns(late=col("bottle") > 4)
    fit = clmm("rating ~ temp * contact + late + I(judge^2) + factor(judge)", data)
    assert {"tempwarm", "contactyes", "tempwarm:contactyes", "lateTRUE", "I(judge^2)"} <= set(
        fit.coefficients.index
    )


def test_powers_are_powers():
    squared = WINE.with_columns(square=col("judge") ** 2)
    by_formula = clmm("rating ~ I(judge^2)", WINE).coefficients["I(judge^2)"]
    assert by_formula == pytest.approx(clmm("rating ~ square", squared).coefficients["square"])


# --- columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("rating ~ tmep + (1 | judge)", "no column 'tmep' in the data; did you mean 'temp'"),
        ("rating ~ temp + (1 | jugde)", "no column 'jugde' in the data; did you mean 'judge'"),
        ("ratng ~ temp + (1 | judge)", "no column 'ratng' in the data; did you mean 'rating'"),
        ("rating ~ rating + (1 | judge)", "on both sides"),
        ("rating ~ nonsense(temp) + (1 | judge)", "nonsense"),
        ("rating ~ contact + (0 + temp | judge)", "temp is not numeric"),
    ],
)
def test_columns_that_are_not_there(text, complaint):
    with pytest.raises(HelpersError, match=complaint):
        clmm(text, WINE)


@pytest.mark.parametrize("option", [{"link": "logti"}, {"threshold": "felxible"}, {"engine": "R"}])
def test_unknown_options_name_the_known(option):
    with pytest.raises(HelpersError, match="expected one of"):
        clmm(JUDGE, WINE, **option)


def test_infinite_predictor_is_named_with_its_row():
    data = WINE.with_columns(x=pl.when(col("judge") == 2).then(np.inf).otherwise(col("bottle")))
    with pytest.raises(HelpersError, match="x: row 9 has inf"):
        clmm("rating ~ x + (1 | judge)", data)


@pytest.mark.parametrize("missing", [None, np.nan])
def test_rows_without_a_value_are_left_out_and_counted(missing):
    data = WINE.with_columns(
        x=pl.when(col("judge") == 2).then(missing).otherwise(col("bottle").cast(pl.Float64))
    )
    fit = clmm("rating ~ x + (1 | judge)", data)
    other = clmm("rating ~ x + (1 | judge)", data.filter(col("judge") != 2))
    assert fit.loglik == other.loglik
    assert fit.design.dropped == 8
    assert "8 rows left out: no x" in fit.notes
    assert "64 rows used, 8 left out" in fit.summary()


def test_nothing_left_is_said():
    with pytest.raises(HelpersError, match="no row has a value in every column"):
        clmm(JUDGE, WINE.head(0))


def test_pandas_and_plain_columns_will_do():
    fit = clmm(JUDGE, WINE)
    frame = WINE.to_pandas()
    frame["rating"] = pd.Categorical(frame["rating"], range(1, 6), ordered=True)
    assert clmm(JUDGE, frame).loglik == pytest.approx(fit.loglik, abs=1e-9)
    assert clmm(JUDGE, WINE.to_dict(as_series=False)).loglik == pytest.approx(fit.loglik, abs=1e-9)


# --- predictors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    [pl.lit(1e9), (col("temp") == "warm").cast(pl.Int64) * 7 + 3],
    ids=["constant", "another's copy"],
)
def test_predictor_that_says_nothing_new_is_not_estimable(column):
    fit, without = clmm(JUDGE + " + k", WINE.with_columns(k=column)), clmm(JUDGE, WINE)
    assert np.isnan(fit.coefficients["k"])
    assert np.isnan(fit.standard_errors["k"])
    assert any("k is not estimable" in note for note in fit.notes)
    assert "not estimable" in fit.summary()
    assert fit.coefficients["tempwarm"] == without.coefficients["tempwarm"]
    assert fit.df == without.df


@pytest.mark.parametrize("cut", [1, 3, 4])
def test_separation_is_refused_and_named(cut):
    data = WINE.with_columns(s=(col("rating") > cut).cast(pl.Float64))
    with pytest.raises(HelpersError, match=r"complete separation by s:"):
        clmm("rating ~ contact + s + (1 | judge)", data)


def test_separation_by_two_predictors_together_names_both():
    data = simulated(1).with_columns(
        a=col("x") + 0.0, b=pl.Series(np.random.default_rng(99).normal(size=600))
    )
    data = data.with_columns(rating=(col("a") + col("b") > 0).cast(pl.Int64))
    with pytest.raises(HelpersError, match=r"complete separation by a, b:"):
        clmm("rating ~ a + b + (1 | judge)", data)


def test_strong_effects_without_separation_are_fitted():
    data = simulated(2, slope=12.0)
    fit = clmm(CROSSED, data)
    assert fit.converged
    assert fit.coefficients["x"] > 8


# --- ratings -------------------------------------------------------------------------------------


def test_one_category_is_too_few():
    with pytest.raises(HelpersError, match="all 72 ratings are 3; expected at least two"):
        clmm(JUDGE, WINE.with_columns(rating=pl.lit(3)))


@pytest.mark.parametrize("kind", ["bool", "int", "text", "enum"])
def test_two_categories_however_written(kind):
    high = col("rating") > 3
    column = {
        "bool": high,
        "int": high.cast(pl.Int8),
        "text": pl.when(high).then(pl.lit("10")).otherwise(pl.lit("9")),
        "enum": pl.when(high).then(pl.lit("yes")).otherwise(pl.lit("no")),
    }[kind]
    data = WINE.with_columns(rating=column)
    if kind == "enum":
        data = data.with_columns(col("rating").cast(pl.Enum(["no", "yes"])))
    assert clmm(JUDGE, data).coefficients["tempwarm"] == pytest.approx(4.2388, abs=1e-3)


def test_words_without_an_order_are_refused():
    data = WINE.with_columns(
        rating=pl.when(col("rating") > 3).then(pl.lit("hi")).otherwise(pl.lit("lo"))
    )
    with pytest.raises(HelpersError, match=r"order is not known: make it a polars Enum"):
        clmm(JUDGE, data)


def test_measurements_are_no_ratings():
    data = WINE.with_columns(rating=pl.Series(np.linspace(0, 1, 72)))
    with pytest.raises(HelpersError, match="72 different values; expected ordered categories"):
        clmm(JUDGE, data)


def test_empty_middle_category_joins_its_thresholds():
    data = WINE.with_columns(rating=col("rating").replace({3: 4}))
    fit = clmm(JUDGE, data)
    assert list(fit.thresholds.index) == ["1|2", "2|4", "4|5"]
    assert any("nobody used 3 of rating: left out" in note for note in fit.notes)


def test_empty_middle_category_keeps_its_room_between_equidistant_thresholds():
    data = WINE.with_columns(rating=col("rating").replace({3: 4}))
    fit = clmm(JUDGE, data, threshold="equidistant")
    assert list(fit.thresholds.index) == ["1|2", "2|3", "3|4", "4|5"]
    assert np.ptp(np.diff(fit.thresholds)) == pytest.approx(0, abs=1e-9)
    assert fit.converged


def test_unused_ends_of_a_scale_leave_tied_thresholds_undefined():
    scale = pl.Enum(list("0123456"))
    data = WINE.with_columns(col("rating").cast(pl.String).cast(scale))
    with pytest.raises(HelpersError, match="nobody used 0 or 6"):
        clmm(JUDGE, data, threshold="equidistant")
    assert clmm(JUDGE, data).loglik == pytest.approx(clmm(JUDGE, WINE).loglik, abs=1e-9)


# --- random terms --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column, complaint",
    [
        (pl.lit("only"), "has one level only, only"),
        (pl.int_range(pl.len()), r"as many levels as there are rows \(72\)"),
        (col("judge") * 2, "'judge' and 'g' divide the rows in the same way"),
    ],
)
def test_random_terms_that_say_nothing(column, complaint):
    with pytest.raises(HelpersError, match=complaint):
        clmm("rating ~ temp + (1 | judge) + (1 | g)", WINE.with_columns(g=column))


def test_variance_without_end_is_not_called_converged():
    data = pl.DataFrame({"rating": np.repeat([1, 2, 1, 2], 20), "g": np.repeat(list("abcd"), 20)})
    fit = clmm("rating ~ 1 + (1 | g)", data)
    assert not fit.converged
    assert "the variance of g has no finite estimate" in fit.notes
    assert "NOT CONVERGED" in fit.summary()


def test_levels_with_colons_are_not_confused():
    data = simulated(1, judges=6, items=8).with_columns(
        a=pl.format("{}:", col("judge") % 2), b=pl.format(":{}", col("judge") // 2)
    )
    fit = clmm("rating ~ x + (1 | a:b)", data)
    assert len(fit.design.labels[0]) == 6


@pytest.mark.parametrize("unit", [1e-140, 1e-9, 1e9, 1e140])
def test_random_slopes_do_not_depend_on_the_unit(unit):
    text = "rating ~ temp + (1 | judge) + (0 + x | judge)"
    x = pl.Series("x", np.random.default_rng(0).normal(size=72))
    fit, other = clmm(text, WINE.with_columns(x)), clmm(text, WINE.with_columns(x * unit))
    assert other.loglik == pytest.approx(fit.loglik, abs=1e-9)
    assert other.shares.to_list() == pytest.approx(fit.shares.to_list(), rel=1e-6)
    assert other.variances["x | judge"] > 0


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_random_slopes_whose_variance_cannot_be_written_are_refused(unit):
    data = WINE.with_columns(x=pl.Series(np.random.default_rng(0).normal(size=72) * unit))
    with pytest.raises(HelpersError, match=r"x reaches .* use another unit"):
        clmm("rating ~ temp + (1 | judge) + (0 + x | judge)", data)


def test_columns_of_different_lengths_are_no_table():
    with pytest.raises(HelpersError, match="the data are no table"):
        clmm("rating ~ x", {"rating": [1, 2, 3], "x": [1, 2]})


# --- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "weights, complaint",
    [
        ("freq", "no column 'freq'"),
        ("temp", "weights: temp is not numeric"),
        ([1, 2], "2 for 72 rows"),
        (-np.ones(72), "row 1 has -1.0"),
        (np.where(np.arange(72) == 4, np.inf, 1), "row 5 has inf"),
    ],
)
def test_weights_that_cannot_be(weights, complaint):
    with pytest.raises(HelpersError, match=complaint):
        clmm(JUDGE, WINE, weights=weights)


def test_rows_without_weight_do_not_count():
    weights = np.where(WINE["judge"] == 1, 0.0, 1.0)
    fit = clmm(JUDGE, WINE, weights=weights)
    assert fit.loglik == pytest.approx(clmm(JUDGE, WINE.filter(col("judge") != 1)).loglik, abs=1e-9)
    assert "8 rows left out: no weight" in fit.notes


def test_without_random_terms_it_is_the_plain_model():
    fit = clmm(PLAIN, WINE)
    assert len(fit.variances) == 0
    assert fit.shares.to_dict() == {"residual": 1.0}
