import csv
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from helpers.agreement import Equality, kendalls_w
from helpers.difficulty import Trend
from helpers.scoring import analyst_agreement, dimension_agreement, entries, heterogeneity, scored
from helpers.scoring.heterogeneity import Heterogeneity
from helpers.scoring.table import thinned
from helpers.study import load
from scoring_data import R, labels, scores, shipped
from study_folder import Folder


@pytest.fixture(scope="module")
def tables():
    return analyst_agreement.tables(scores())


@pytest.fixture(scope="module")
def found(tables):
    return analyst_agreement.agreement(tables)


@pytest.fixture(scope="module")
def compared(found):
    return heterogeneity.compare({place: own["W"] for place, own in found.items()}, 37)


def test_w_over_dimensions_is_rs():
    own = dimension_agreement.agreement(scores())
    for case, one in own.items():
        known = [R[f"dimensions {name}", case] for name in ("chi2", "p", "W")]
        assert [one.chi2, one.p, float(one)] == pytest.approx(known)
    table = dimension_agreement.table(shipped(), own)
    printed = dimension_agreement.beside_printed(shipped(), own)
    assert printed["Published W"].to_list()[0] == "0.43"
    assert table["Evaluators"].to_list() == [20] * 9


def test_the_printed_table_is_of_twenty_evaluators_and_seven_dimensions():
    assert dimension_agreement.printed_identity().startswith(
        "In 9 of the 9 rows of the published Table 11, χ² is 20 · 6 · W"
    )


def test_another_studys_cases_have_nothing_printed_beside(tmp_path):
    study = load(Folder(tmp_path / "s").path)
    own = dimension_agreement.agreement(scored(study))
    assert dimension_agreement.beside_printed(study, own).is_empty()


def test_agreement_on_the_analyses_is_rs(found):
    for (case, label), own in found.items():
        code = {v: k for k, v in labels().items()}[label]
        assert float(own["W"]) == pytest.approx(R["analysts W", f"{case} {code}"])
        for name in ("ICC(2,1)", "ICC(2,k)"):
            one = own[name]
            known = [R[f"analysts {name} {part}", f"{case} {code}"] for part in LIMITS]
            assert [float(one), one.low, one.high] == pytest.approx(known, rel=1e-6)


LIMITS = ("value", "low", "high")


def test_mean_agreement_and_the_test_that_it_is_equal_are_rs(compared):
    for case, one in compared.cases.items():
        assert float(one) == pytest.approx(R["mean r", case])
        assert one.low < float(one) < one.high
    assert tuple(compared.test) == pytest.approx(
        [R["equality", part] for part in ("statistic", "df", "p")]
    )
    assert compared.dimensions == scores().labels


def test_tables_hold_each_score_once(tables):
    assert len(tables) == 9 * 7
    given = sum(np.isfinite(table).sum() for table in tables.values())
    assert given == scores().frame.select(scores().labels).count().sum_horizontal().item()


def simulate(random, spread):
    """Scores of nine cases by 20 of 30 evaluators, whose agreement rises with `spread`."""
    found = {}
    for case, signal in enumerate(spread):
        truth = random.permutation(np.linspace(-1.5, 1.5, 9))
        own = np.full((30, 9), np.nan)
        rows = np.arange(20) if case % 2 else np.arange(10, 30)
        for label in "ab":
            own[rows] = np.round(signal * truth + random.normal(size=(20, 9)), 1)
            found[str(case), label] = kendalls_w(own.copy())
    return found


def test_equal_agreement_is_rejected_about_as_often_as_it_should_be():
    random = np.random.default_rng(20)
    p = [heterogeneity.compare(simulate(random, [0.8] * 9), 30).test.p for _ in range(150)]
    assert 0.0 < np.mean(np.array(p) < 0.05) < 0.12


def test_different_agreement_is_found():
    spread = [0.2, 0.2, 0.2, 0.2, 2, 2, 2, 2, 2]
    compared = heterogeneity.compare(simulate(np.random.default_rng(3), spread), 30)
    assert compared.test.p < 0.001
    assert all(float(compared.cases[str(case)]) > 0.5 for case in range(4, 9))


def test_a_dimension_without_interval_somewhere_does_not_count_in_the_mean():
    found = simulate(np.random.default_rng(1), [0.8] * 9)
    found["0", "b"] = kendalls_w(np.full((30, 9), 3.0))
    compared = heterogeneity.compare(found, 30)
    assert (compared.dimensions, compared.left_out) == (("a",), ("b",))
    assert compared.by_dimension["b"] is not None
    assert compared.test is not None
    assert "for want of an interval in every case: b." in heterogeneity.sentence(
        compared, Trend(reason="no difficulty")
    )


def test_where_every_dimension_lacks_a_case_the_cases_are_left_out():
    found = simulate(np.random.default_rng(1), [0.8] * 9)
    for place in (("0", "a"), ("1", "b")):
        found[place] = kendalls_w(np.full((30, 9), 3.0))
    compared = heterogeneity.compare(found, 30)
    assert compared.dimensions == ("a", "b")
    assert compared.cases["0"].reason == "W has no interval on a"
    assert compared.cases["1"].reason == "W has no interval on b"
    assert sum(one.estimable for one in compared.cases.values()) == 7
    assert compared.test is not None


def test_one_case_and_no_agreement_have_reasons():
    found = {("1", "a"): kendalls_w([[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 1, 2]])}
    alone = heterogeneity.compare(found, 4)
    assert alone.reason == "1 case with an interval; at least 2 are needed"
    assert alone.cases["1"].estimable
    constant = heterogeneity.compare({("1", "a"): kendalls_w(np.full((4, 3), 2.0))}, 4)
    assert constant.cases["1"].reason == "W has no interval on any dimension"
    assert heterogeneity.tests(constant)["Note"].null_count() == 0


def verdict(p, rho=None, slope_p=None):
    one = {"1": heterogeneity.Estimate(value=0.2, reason="x")}
    test = None if p is None else Equality(2.0, 3.0, p)
    found = Heterogeneity(one, ("a",), test, {}, "" if test else "one case")
    slope = Trend(value=rho, p=slope_p, reason="no difficulty" if rho is None else "few", used=9)
    return found, slope


@pytest.mark.parametrize(
    ("case", "decision"),
    [
        (verdict(0.001, -0.9, 0.01), "supported"),
        (verdict(0.001, 0.9, 0.01), "partly supported"),
        (verdict(0.001, -0.5, 0.2), "partly supported"),
        (verdict(0.001), "partly supported"),
        (verdict(0.2, -0.9, 0.01), "not supported"),
        (verdict(None), "not tested"),
    ],
)
def test_the_rule_of_h2(case, decision):
    assert heterogeneity.decision(*case) == decision
    line = entries.h2(*case)
    assert (line.decision, line.topic) == (decision, "H2")
    assert ("not estimable" in line.result) == (decision == "not tested")


def test_difficulty_is_used_only_where_it_is_stated(compared, tmp_path):
    assert heterogeneity.trend(shipped(), compared, ["easy"]).reason == (
        "cases.csv says nothing of difficulty"
    )
    folder = Folder(tmp_path / "s")
    for name in ("evaluators", "cases", "analysts", "ratings"):
        folder.write(f"{name}.csv", (shipped().folder / f"{name}.csv").read_bytes())
    folder.write("study.yml", (shipped().folder / "study.yml").read_bytes())
    (folder.path / "benchmarks.csv").unlink()
    agreement = {case: float(one) for case, one in compared.cases.items()}
    order = sorted(agreement, key=agreement.__getitem__, reverse=True)
    with (folder.path / "cases.csv").open() as file:
        cases = list(csv.DictReader(file))
    hard = [{**row, "difficulty": order.index(row["case"])} for row in cases]
    folder.write("cases.csv", pl.DataFrame(hard).write_csv())
    study = load(folder.path)
    slope = heterogeneity.trend(study, compared, [])
    assert (float(slope), slope.used) == (pytest.approx(-1), 9)
    assert heterogeneity.decision(compared, slope) == "supported"
    assert "Difficulty" in heterogeneity.by_case(study, compared).columns
    told = heterogeneity.sentence(replace(compared), slope)
    assert told.startswith("**Supported.**") and "over 9 cases" in told


def test_many_cases_are_drawn_with_some_of_their_names():
    random = np.random.default_rng(1)
    given = {(str(case), label): random.normal(size=(4, 5)) for case in range(90) for label in "AB"}
    drawn = analyst_agreement.picture(analyst_agreement.agreement(given)).draw()
    axis = drawn.axes[0].get_yticklabels()
    assert 10 < len(axis) < 90
    assert thinned(list("abcdef"), 0.5) == ["a", "c", "e"]
    assert thinned(list("abc"), 5) == ["a", "b", "c"]
