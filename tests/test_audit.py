"""The audit on small papers: real analyses by R, printed right, then with planted errors."""

import csv
import math
from pathlib import Path

import pytest
import yaml
from scipy import stats

from helpers.audit import Verdict
from helpers.audit.concordance import raters, whole
from helpers.audit.fit import correlation_p, largest_sd, outcome_sd
from helpers.audit.quotes import normalise, same_figure
from helpers.audit.run import audit
from helpers.audit.significance import p_from_chi2, p_from_z, stars_for
from helpers.audit.t_test import degrees_of_freedom, group_sizes, p_from_t, size_term
from helpers.audit.welch import df_range, sizes_by_welch
from helpers.errors import HelpersError
from helpers.printed import Interval, exactly, parse

HERE = Path(__file__).parent
PERCEPTION = HERE.parent / "data/published/perception"
with (HERE / "R/audit.csv").open() as file:
    R = {row["name"]: float(row["value"]) for row in csv.DictReader(file)}


@pytest.fixture
def check(tmp_path):
    """Audit a paper given as table text, relations and quotes; findings by item."""

    def run(tables, relations, quotes=()):
        for name, text in tables.items():
            (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        (tmp_path / "relations.yml").write_text(
            yaml.safe_dump(relations, sort_keys=False), encoding="utf-8"
        )
        lines = ["place,about,printed,table,column,rows,statistic", *quotes]
        if quotes:
            (tmp_path / "text.csv").write_text("\n".join(lines), encoding="utf-8")
        return audit(tmp_path)

    return run


def verdicts(findings, item=None):
    return [str(f.verdict) for f in findings if item in (None, f.item)]


# --- p-values and stars -----------------------------------------------------------------------


def test_p_values_agree_with_r():
    assert p_from_z(exactly(1.96)).low == pytest.approx(R["p_z_1.96"], abs=1e-12)
    assert p_from_z(exactly(-3.29)).low == pytest.approx(R["p_z_3.29"], abs=1e-12)
    assert p_from_chi2(exactly(12.90), 6).low == pytest.approx(R["p_chi2_12.90_6"], abs=1e-12)
    assert p_from_chi2(exactly(14.665), 8).low == pytest.approx(R["p_chi2_14.665_8"], abs=1e-12)
    assert p_from_t(exactly(-2.08), 8).low == pytest.approx(R["p_t_2.08_8"], abs=1e-12)
    assert p_from_t(exactly(2.08), 28).low == pytest.approx(R["p_t_2.08_28"], abs=1e-12)


def test_stars_are_earned_below_a_level_not_at_it():
    assert [stars_for(p) for p in (0.05, 0.0499, 0.01, 0.0099, 0.001, 0.0009)] == [0, 1, 1, 2, 2, 3]


RATIO = {
    "relation": "ratio",
    "table": "table01",
    "numerator": "b",
    "denominator": "se",
    "quotient": "z",
}
P_OF_Z = {
    "relation": "p_value",
    "table": "table01",
    "statistic": "z",
    "p": "p",
    "distribution": "z",
}


def test_a_regression_by_r_printed_to_two_decimals_is_consistent(check):
    row = f"wt,{R['glm_estimate']:.2f},{R['glm_se']:.2f},{R['glm_z']:.2f},{R['glm_p']:.3f}**"
    findings = check({"table01": f"x,b,se,z,p\n{row}\n"}, [RATIO, P_OF_Z])
    assert set(verdicts(findings)) <= {"consistent", "rounding"}
    assert len(findings) == 3


@pytest.mark.parametrize(
    ("z", "verdict"),
    [
        ("2.00", "consistent"),
        ("2.33", "rounding"),
        ("2.34", "inconsistent"),
        ("1.72", "inconsistent"),
    ],
)
def test_a_ratio_at_the_rounding_edge(check, z, verdict):
    # 0.10 / 0.05 is between 0.095 / 0.055 = 1.727 and 0.105 / 0.045 = 2.333
    assert verdicts(check({"table01": f"x,b,se,z\na,0.10,0.05,{z}\n"}, [RATIO])) == [verdict]


@pytest.mark.parametrize(
    ("z", "p", "expected"),
    [
        ("2.34", "0.02*", ["consistent", "consistent"]),
        ("2.34", "*", ["consistent"]),
        ("2.34", "**", ["inconsistent"]),
        ("2.34", "0.20", ["decision-changing", "decision-changing"]),
        ("1.00", "0.03*", ["decision-changing", "decision-changing"]),
        ("1.00", "0.23", ["inconsistent", "consistent"]),
        ("4.00", "<0.001***", ["consistent", "consistent"]),
        ("4.00", "<0.05*", ["consistent", "inconsistent"]),
        ("1.00", "<0.001***", ["decision-changing", "decision-changing"]),
        ("1.96", "0.05*", ["consistent", "consistent"]),
        ("1.96", "0.05", ["consistent", "rounding"]),  # 1.955 would not earn the star
        ("-3.29", "0.001***", ["consistent", "rounding"]),
    ],
)
def test_p_and_stars_from_z(check, z, p, expected):
    assert verdicts(check({"table01": f"x,z,p\na,{z},{p}\n"}, [P_OF_Z])) == expected


def test_the_degrees_of_freedom_that_most_rows_satisfy_are_used(check):
    rows = "\n".join(f"{i},{x},{stats.chi2.sf(x, 6):.3f}" for i, x in enumerate([8.0, 11.0, 5.5]))
    relation = {
        "relation": "p_value",
        "table": "table01",
        "statistic": "chi2",
        "p": "p",
        "distribution": "chi2",
        "readings": {"eight": 8, "six": 6},
    }
    findings = check({"table01": f"x,chi2,p\n{rows}\n"}, [relation])
    assert findings[-1].expected == "six"
    assert verdicts(findings) == ["consistent"] * 7


@pytest.mark.parametrize(
    ("rows", "verdict", "told"),
    [
        # p of the first two on 6 df, of the last on 8: by scipy's chi2.sf
        ([(8.0, 6), (11.0, 6), (12.9, 8)], "inconsistent", "2 would need other degrees of freedom"),
        ([(8.0, 6), (11.0, 6), (12.9, 6)], "consistent", "six: 6 of 6; eight: 2 of 6"),
        ([(80.0, 6), (90.0, 6)], "not checkable", "That does not tell which."),
        ([(8.0, 3), (11.0, 3)], "not checkable", "six: 0 of 4; eight: 0 of 4"),
    ],
)
def test_rows_on_different_degrees_of_freedom_are_told(check, rows, verdict, told):
    cells = [(x, stats.chi2.sf(x, df)) for x, df in rows]
    lines = [f"{i},{x},{p:.3f}{'*' * stars_for(p)}" for i, (x, p) in enumerate(cells)]
    relation = {
        "relation": "p_value",
        "table": "table01",
        "statistic": "chi2",
        "p": "p",
        "distribution": "chi2",
        "readings": {"six": 6, "eight": 8},
    }
    joint = check({"table01": "\n".join(["x,chi2,p", *lines])}, [relation])[-1]
    assert joint.relation == "one number of degrees of freedom reproduces p and stars"
    assert str(joint.verdict) == verdict
    assert told in joint.explanation


# --- raters from W and χ² -----------------------------------------------------------------------


def test_raters_of_a_real_friedman_test():
    found = raters(exactly(R["friedman_chi2"]), exactly(R["friedman_w"]), 3)
    assert found.low == pytest.approx(R["friedman_m"], abs=1e-10)
    printed = raters(parse("11.143").interval, parse("0.253").interval, 3)
    assert whole(printed) == [22]


@pytest.mark.parametrize(("w", "verdict"), [("0.253", "consistent"), ("0.260", "inconsistent")])
def test_w_that_no_whole_number_of_raters_gives(check, w, verdict):
    relation = {
        "relation": "concordance",
        "table": "table01",
        "chi2": "chi2",
        "w": "W",
        "treatments": 3,
    }
    findings = check({"table01": f"x,chi2,W\na,11.143,{w}\n"}, [relation])
    assert verdicts(findings, "a") == [verdict]


def test_a_whole_number_on_the_edge_of_rounding_counts():
    assert whole(Interval(20.0, 20.4)) == [20]
    assert whole(Interval(19.2, 20.0 - 1e-12)) == [20]
    assert whole(Interval(20.01, 20.99)) == []


def test_tables_on_the_same_raters_must_agree(check):
    one = {"relation": "concordance", "table": "table01", "chi2": "chi2", "w": "W", "treatments": 3}
    two = one | {"table": "table02"}
    tables = {"table01": "x,chi2,W\na,11.143,0.253\n", "table02": "x,chi2,W\na,12.660,0.253\n"}
    relation = {"relation": "same_raters", "tables": [one, two]}
    assert verdicts(check(tables, [relation])) == ["inconsistent"]  # 22 against 25
    tables["table02"] = tables["table01"]
    assert verdicts(check(tables, [relation])) == ["consistent"]


# --- t, p and d ---------------------------------------------------------------------------------

T_TEST = {"relation": "t_test", "table": "table01", "t": "t", "p": "p", "d": "d"}


def t_table(rows):
    lines = [f"{i},{t:.3f},{p:.3f},{d:.3f}" for i, (t, p, d) in enumerate(rows)]
    return {"table01": "\n".join(["x,t,p,d", *lines])}


def test_sleep_by_r_gives_its_degrees_of_freedom_and_groups():
    t, p, d = (parse(f"{R[f'student_{name}']:.4f}").interval for name in "tpd")
    assert 18 in degrees_of_freedom(t, p)
    assert (10, 10) in group_sizes(size_term(t, d), 20)
    assert 9 in degrees_of_freedom(parse("-4.0621").interval, parse("0.00283").interval)


def test_a_pooled_test_of_unequal_groups_is_recognised(check):
    ratio = (1 / 12 + 1 / 18) ** 0.5
    rows = [(t, 2 * stats.t.sf(t, 28), t * ratio) for t in (1.234, 2.345, 0.567, 1.9)]
    findings = check(t_table(rows), [T_TEST])
    joint = next(f for f in findings if f.relation.startswith("t, p and d together"))
    assert joint.verdict is Verdict.CONSISTENT
    assert "12 and 18" in joint.expected
    assert set(verdicts(findings)) == {"consistent"}


def test_a_paired_test_is_recognised(check):
    rows = [(t, 2 * stats.t.sf(t, 9), t / 10**0.5) for t in (1.234, 2.345, 0.567)]
    joint = [
        f for f in check(t_table(rows), [T_TEST]) if f.relation.startswith("t, p and d together")
    ]
    assert [f.verdict for f in joint] == [Verdict.CONSISTENT]
    assert "pairs: 10" in joint[0].expected


def test_p_of_other_groups_than_d_can_change_a_decision(check):
    ratio = (1 / 15 + 1 / 15) ** 0.5  # far too small a d for the one df that p is of
    rows = [(t, 2 * stats.t.sf(t, 1), t * ratio) for t in (3.0, 1.3, 0.3)]
    findings = check(t_table(rows), [T_TEST])
    decisions = [f.verdict for f in findings if f.relation.startswith("decision")]
    assert decisions == [Verdict.DECISION, Verdict.CONSISTENT, Verdict.CONSISTENT]
    joint = next(f for f in findings if f.relation.startswith("t, p and d together"))
    assert joint.verdict is Verdict.INCONSISTENT


def test_groups_of_unequal_size_by_welch_are_recognised(check):
    # by scipy's ttest_ind_from_stats(equal_var=False) on groups of 5 and 27
    rows = []
    for difference, spread in ((-2.0, 0.6), (-0.5, 0.7), (-1.4, 0.65)):
        t, p = stats.ttest_ind_from_stats(0, spread * 2, 5, -difference, 2, 27, equal_var=False)
        pooled_sd = ((4 * (2 * spread) ** 2 + 26 * 4) / 30) ** 0.5
        rows.append((t, p, difference / pooled_sd))
    findings = check(t_table(rows), [T_TEST])
    joint = next(f for f in findings if f.relation.startswith("t, p and d together"))
    assert joint.verdict is Verdict.CONSISTENT
    sizes = sizes_by_welch([tuple(parse(f"{x:.3f}").interval for x in row) for row in rows])
    assert (5, 27) in sizes
    assert Verdict.DECISION not in [f.verdict for f in findings]


def test_the_range_of_degrees_of_freedom_agrees_with_r():
    p = R["p_t_2.08_8"]
    found = df_range(exactly(2.08), Interval(p - 1e-9, p + 1e-9))
    assert found.low == pytest.approx(8, abs=1e-4)
    assert found.high == pytest.approx(8, abs=1e-4)
    assert df_range(exactly(2.0), Interval(0.009, 0.011)) is None
    assert df_range(exactly(1.96), Interval(0.045, 0.055)).high == math.inf


def test_a_p_that_no_degrees_of_freedom_give(check):
    findings = check(t_table([(2.0, 0.01, 0.5)]), [T_TEST])  # p of a normal would be .0455
    assert findings[0].verdict is Verdict.INCONSISTENT


# --- R², residual SD and MAE ----------------------------------------------------------------------


def fit_table(line_mae="line_mae", **changed):
    line = {name: R[f"line_{name}"] for name in ("r2", "residual_sd", "mae")} | changed
    lines = [f"{name},{R[f'curve_{name}']:.6f},{value:.6f}" for name, value in line.items()]
    return {"table01": "\n".join(["x,curve,line", *lines])}


def fit_table_at(name):
    return {name: fit_table()["table01"]}


FIT = {
    "relation": "fit_summary",
    "table": "table01",
    "r2": "r2",
    "residual_sd": "residual_sd",
    "mae": "mae",
    "models": ["curve", "line"],
    "n": "n",
    "scales": {"feet": [0, 120]},
    "line": "line",
    "verdict": "verdict",
}
N = ["s,n,50,,,,", "s,verdict,supported,,,,"]


def test_two_regressions_by_r_imply_the_sd_of_their_outcome(check):
    implied = outcome_sd(exactly(R["line_r2"]), exactly(R["line_residual_sd"]))
    assert implied.low == pytest.approx(R["cars_sd"], abs=1e-9)
    assert set(verdicts(check(fit_table(), [FIT], N))) == {"consistent"}


def test_an_r2_that_does_not_belong_is_found(check):
    findings = check(fit_table(r2=0.66), [FIT], N)
    assert verdicts(findings, "SD of the outcome") == ["inconsistent"]


def test_a_mean_error_beyond_the_root_mean_square_is_found(check):
    assert verdicts(check(fit_table(mae=15.3), [FIT], N), "line") == ["inconsistent"]


def test_an_outcome_too_wide_for_its_scale_is_found(check):
    relation = FIT | {"scales": {"a share": [0, 1]}}
    assert verdicts(check(fit_table(), [relation], N), "scale of the outcome") == ["inconsistent"]


@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_largest_sd_is_reached_by_values_at_both_ends(n):
    best = max(stats.tstd([1] * k + [5] * (n - k)) for k in range(1, n))
    assert largest_sd(1, 5, n, divisor=n - 1) == pytest.approx(best, abs=1e-12)


# --- sums, thresholds, claims ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "verdict"),
    [
        (("33.3%", "33.3%", "33.4%"), "consistent"),
        (("33.3%", "33.3%", "33.3%"), "rounding"),
        (("33.3%", "33.3%", "33.1%"), "inconsistent"),
    ],
)
def test_shares_add_up(check, cells, verdict):
    table = "\n".join(["x,share", *(f"{i},{cell}" for i, cell in enumerate(cells))])
    relation = {"relation": "sum", "table": "table01", "column": "share", "total": 100}
    assert verdicts(check({"table01": table}, [relation])) == [verdict]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("-1.2", "0.3", "0.9"), ["consistent", "consistent"]),
        (("-1.2", "0.9", "0.3"), ["inconsistent", "consistent"]),
        (("0.3", "0.3", "0.9"), ["rounding", "consistent"]),
        (("0.3", "0.9"), ["consistent", "inconsistent"]),
    ],
)
def test_thresholds(check, cells, expected):
    table = "\n".join(["x,cut", *(f"{i},{cell}" for i, cell in enumerate(cells))])
    relation = {
        "relation": "thresholds",
        "table": "table01",
        "column": "cut",
        "categories": "ranks",
    }
    assert verdicts(check({"table01": table}, [relation], ["s,ranks,four,,,,"])) == expected


@pytest.mark.parametrize(
    ("than", "value", "verdict"),
    [
        ("below", 0.3, "consistent"),
        ("below", 0.25, "rounding"),
        ("below", 0.2, "inconsistent"),
        ("at most", 0.25, "consistent"),
        ("above", 0.24, "consistent"),
        ("at least", 0.26, "inconsistent"),
    ],
)
def test_claims_about_a_bound(check, than, value, verdict):
    relation = {
        "relation": "compare",
        "table": "table01",
        "column": "W",
        "place": "s",
        "claim": "c",
        "rows": ["a"],
        "than": than,
        "value": value,
    }
    findings = check({"table01": "x,W\na,0.25\nb,0.90\n"}, [relation])
    assert verdicts(findings) == [verdict]


def test_a_claim_that_holds_only_on_average_is_told_so(check):
    relation = {
        "relation": "compare",
        "table": "table01",
        "column": "b",
        "place": "s",
        "claim": "c",
        "rows": ["a", "b"],
        "than": "below",
        "magnitude": True,
    }
    findings = check({"table01": "x,b\na,-0.18\nb,-0.26\nc,-0.23\nd,-0.44\n"}, [relation])
    assert verdicts(findings) == ["inconsistent"]
    assert findings[0].explanation == "Not true of b against c. On average over the cells it holds."


# --- the text -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("0.46,table01,W,4,cell", "consistent"),
        ("0.463,table01,W,4,cell", "consistent"),
        ("0.5,table01,W,4,cell", "consistent"),
        ("0.45,table01,W,4,cell", "inconsistent"),  # rounding intervals touch, digits differ
        ("≈0.45,table01,W,4,cell", "rounding"),
        ("≈0.44,table01,W,4,cell", "inconsistent"),
        ("0.30,table01,W,,min", "consistent"),
        ("0.46,table01,W,4; 7,max", "consistent"),
        ("three,table01,W,,count", "consistent"),
        ("four,table01,W,,count", "inconsistent"),
        ("2,table01,W,7,position", "consistent"),
        ("3,table01,W,7,position", "inconsistent"),
        ("4–9,table01,Case,,span", "consistent"),
        ("4-8,table01,Case,,span", "inconsistent"),
        ("heart disease,table01,Field,7,cell", "consistent"),
        ("bone; heart diseases,table01,Field,4; 7,set", "consistent"),
        ("bone,table01,Field,4; 7,set", "inconsistent"),
        ("bone,table01,Field,4; 7,members", "consistent"),
        ("brain,table01,Field,,members", "inconsistent"),
        ("<0.5,table01,W,4,cell", "consistent"),
        ("<0.4,table01,W,4,cell", "inconsistent"),
    ],
)
def test_a_quote_against_its_table(check, quote, verdict):
    table = "Case,Field,W\n4,Bone,0.46\n7,Heart Diseases,0.30\n9,Skin,0.35\n"
    assert verdicts(check({"table01": table}, [], [f"s,W,{quote}"])) == [verdict]


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (("nine", "9"), "consistent"),
        (("nine", "ten"), "inconsistent"),
        (("dimension scores", "Dimension score"), "consistent"),
        (("dimension scores", "rankings"), "inconsistent"),
        (("0.5", "0.51", "0.49"), "inconsistent"),
        (("nine",), "not checkable"),
        (("0.97", "0.973"), "consistent"),
    ],
)
def test_what_is_said_twice(check, said, verdict):
    quotes = [f"s{i},thing,{text},,,," for i, text in enumerate(said)]
    assert verdicts(check({"table01": "x,y\n1,2\n"}, [], quotes)) == [verdict]


@pytest.mark.parametrize(
    ("tau", "verdict"), [("0.72", "consistent"), ("0.73", "rounding"), ("0.74", "inconsistent")]
)
def test_tau_against_pairwise_accuracy(check, tau, verdict):
    relation = {"relation": "tau_and_accuracy", "tau": "tau", "accuracy": "accuracy"}
    quotes = [f"s,tau,{tau},,,,", "s,accuracy,0.86,,,,"]
    assert verdicts(check({"table01": "x,y\n1,2\n"}, [relation], quotes)) == [verdict]


@pytest.mark.parametrize(("total", "verdict"), [("11", "consistent"), ("12", "inconsistent")])
def test_parts_of_a_sample_add_up(check, total, verdict):
    relation = {"relation": "arithmetic", "total": "all", "sum_of": ["young", "old"]}
    quotes = [f"s,all,{total},,,,", "s,young,6,,,,", "s,old,five,,,,"]
    assert verdicts(check({"table01": "x,y\n1,2\n"}, [relation], quotes)) == [verdict]


# --- people and labels ----------------------------------------------------------------------------

PEOPLE = "ID,Title,Field\nP1,Attending,Bone\nP2,Resident,Bone\nP3,Attending,Heart\n"
ROLES = {
    "relation": "roles",
    "table": "table02",
    "specialty": "Field",
    "people": "table01",
    "domain": "Field",
    "title": "Title",
    "roles": {
        "Senior": {"same_specialty": True, "titles": ["Attending"]},
        "Other": {"same_specialty": False},
    },
}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("1,Bone,P1,P3", ["consistent", "consistent", "consistent"]),
        ("1,Bones,P2,P3", ["consistent", "inconsistent", "consistent"]),
        ("1,Bone,P3,P3", ["inconsistent", "consistent", "consistent"]),
        ("1,Bone,P1,P2", ["consistent", "consistent", "inconsistent"]),
        ("1,Bone,P9,P3", ["inconsistent", "consistent"]),
    ],
)
def test_roles(check, row, expected):
    tables = {"table01": PEOPLE, "table02": f"Case,Field,Senior,Other\n{row}\n"}
    assert verdicts(check(tables, [ROLES])) == expected


def test_numbered_rows(check):
    relation = {"relation": "numbered", "table": "table01", "count": "cases"}
    findings = check({"table01": "Case,x\n1,a\n2,b\n2,c\n"}, [relation], ["s,cases,three,,,,"])
    assert findings[0].explanation == "Missing 3; repeated 2."
    assert check({"table01": "Case,x\n1,a\n2,b\n3,c\n"}, [relation])[0].verdict == "consistent"


def test_one_column_in_two_tables(check):
    tables = {
        "table01": "Case,F\n1,Bone\n2,Heart\n3,Skin\n",
        "table02": "Case,F\n1,Bones\n2,Brain\n",
    }
    relation = {"relation": "same_column", "tables": ["table01", "table02"], "column": "F"}
    assert verdicts(check(tables, [relation])) == ["consistent", "inconsistent", "not checkable"]


# --- declarations ---------------------------------------------------------------------------------


RATIO_YML = """\
# ratios
- relation: ratio
  table: table01
  numerator: b
  denominator: se
  quotient: z
"""


@pytest.fixture
def declare(tmp_path):
    """The error of an audit with `relations.yml` as written."""

    def refused(text, table="x,b,se,z\na,1,1,1\n", quotes=""):
        (tmp_path / "table01.csv").write_text(table, encoding="utf-8")
        (tmp_path / "relations.yml").write_text(text, encoding="utf-8")
        if quotes:
            header = "place,about,printed,table,column,rows,statistic\n"
            (tmp_path / "text.csv").write_text(header + quotes, encoding="utf-8")
        with pytest.raises(HelpersError) as error:
            audit(tmp_path)
        return str(error.value)

    return refused


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "relation: ratio",
            "relation: ration",
            "line 2, no. 1 (ration), relation: 'ration' is unknown; did you mean 'ratio'?",
        ),
        (
            "denominator",
            "denominater",
            "line 5, no. 1 (ratio), denominater: unknown key; did you mean 'denominator'?",
        ),
        ("  quotient: z\n", "", "line 2, no. 1 (ratio), quotient: is missing"),
        (
            "quotient: z",
            "quotient: z\n  note: 1",
            "line 7, no. 1 (ratio), note: unknown key; known are relation, table, "
            "numerator, denominator, quotient",
        ),
        (
            "quotient: z",
            "quotient: 3",
            "line 6, no. 1 (ratio), quotient: found 3, expected a text; write it in "
            "quotes if it looks like a number",
        ),
        (
            "quotient: z",
            "quotient: z\n  table: table02",
            "line 7, table: the same key twice; keep one",
        ),
        (
            "- relation: ratio",
            "- 3\n- relation: ratio",
            "line 2, no. 1: found 3, expected lines of the form `key: value`",
        ),
        (
            "relation: ratio",
            "kind: ratio",
            "line 2, no. 1, relation: is missing; expected",
        ),
        (
            "quotient: z",
            "quotient: q",
            "line 6, no. 1 (ratio), quotient: table01.csv: no column “q”; there are: x",
        ),
        (
            "table: table01",
            "table: tabel01",
            "line 3, no. 1 (ratio), table: ",
        ),
    ],
)
def test_a_faulty_declaration_is_named_with_line_key_and_what_was_expected(
    declare, old, new, message
):
    told = declare(RATIO_YML.replace(old, new, 1))
    assert told.startswith(f"relations.yml, {message}"), told
    assert "\n" not in told


def test_a_column_that_is_not_there_is_asked_for_by_its_relation_and_a_near_one_offered(declare):
    told = declare(RATIO_YML.replace("se", "Std. Eror"), "x,b,Std. Error,z\na,1,1,1\n")
    assert told == (
        "relations.yml, line 5, no. 1 (ratio), denominator: table01.csv: no column "
        "“Std. Eror”; did you mean 'Std. Error'?"
    )


def test_all_faults_of_declarations_come_at_once(declare):
    wrong = RATIO_YML + RATIO_YML.replace("numerator: b", "numerater: b")
    wrong += "- {relation: p_value, table: table01, statistic: z, p: z, distribution: normal}\n"
    assert declare(wrong).splitlines() == [
        "relations.yml, line 10, no. 2 (ratio), numerater: unknown key; did you mean 'numerator'?",
        "relations.yml, line 13, no. 3 (p_value), distribution: found 'normal', expected "
        "'z' or 'chi2'",
    ]
    told = declare(RATIO_YML.replace("se", "s") + RATIO_YML.replace("quotient: z", "quotient: zz"))
    assert [line.partition(" no.")[0] for line in told.splitlines()] == [
        "relations.yml, line 5,",
        "relations.yml, line 12,",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "relations.yml: expected a list of relations"),
        ("text", "relations.yml: expected a list of relations"),
        ("- relation: [\n", "relations.yml, line 2: not valid YAML: "),
        ("- a: \x07\n", "relations.yml: not valid YAML: "),
    ],
)
def test_what_is_no_list_of_relations_is_refused(declare, text, message):
    assert declare(text).startswith(message)


@pytest.mark.parametrize(
    ("quote", "message"),
    [
        ("s,a,1,table02,b,a,cell", "no table “table02”; did you mean 'table01'?"),
        ("s,a,1,table01,bb,a,cell", "table01.csv: no column “bb”; did you mean 'b'?"),
        ("s,a,1,table01,b,aa,cell", "table01.csv: no row “aa”; did you mean 'a'?"),
    ],
)
def test_a_quote_of_what_no_table_has_is_named_by_its_row(declare, quote, message):
    told = declare(RATIO_YML, quotes=f"{quote}\n")
    assert told.startswith("text.csv, row 2: ")
    assert told.endswith(message)


def test_yaml_that_builds_objects_is_refused(tmp_path, check):
    (tmp_path / "table01.csv").write_text("x,y\n1,2\n")
    (tmp_path / "relations.yml").write_text("- !!python/object/apply:os.getcwd []\n")
    with pytest.raises(HelpersError, match=r"relations\.yml, line 1: not valid YAML"):
        audit(tmp_path)


# --- cells that hold no figure --------------------------------------------------------------------

NO_FIGURES = ["ns", "n.s.", "—", "", "0.126†", "text", "nan"]


def unread(findings, item):
    """Explanations of the checks of `item` that could not be made."""
    return [f.explanation for f in findings if f.item == item and f.verdict == "not checkable"]


@pytest.mark.parametrize("cell", [*NO_FIGURES, "<.001***"])
@pytest.mark.parametrize("column", ["b", "se", "z"])
def test_a_cell_without_a_figure_is_named_and_the_rest_goes_on(check, cell, column):
    row = {"b": "0.10", "se": "0.05", "z": "2.00", "p": "0.05"} | {column: cell}
    table = f"x,b,se,z,p\na,{','.join(row.values())}\nc,0.10,0.05,2.00,0.05*\n"
    findings = check({"table01": table}, [RATIO, P_OF_Z])
    assert verdicts(findings, "c") == ["consistent", "consistent", "consistent"]
    told = unread(findings, "a")
    assert len(told) == (0 if (column, cell) == ("z", "<.001***") else 1) + (column == "z")
    for explanation in told:
        assert explanation.startswith(f"Table 1, row a, column {column}: ")
        assert cell in explanation
        assert explanation.endswith(".")


@pytest.mark.parametrize("cell", NO_FIGURES)
def test_a_p_value_that_is_none_is_not_taken_for_one_without_stars(check, cell):
    findings = check({"table01": f"x,z,p\na,4.00,{cell}\nc,4.00,<0.001***\n"}, [P_OF_Z])
    assert verdicts(findings, "a") == ["not checkable"]
    assert verdicts(findings, "c") == ["consistent", "consistent"]


def test_an_empty_cell_among_stars_alone_stands_for_no_star(check):
    findings = check({"table01": "x,z,p\na,4.00,***\nc,1.00,\nd,4.00,\n"}, [P_OF_Z])
    assert verdicts(findings) == ["consistent", "consistent", "decision-changing"]


@pytest.mark.parametrize("cell", NO_FIGURES)
def test_every_check_of_a_column_survives_a_cell_without_a_figure(check, cell):
    concordance = {
        "relation": "concordance",
        "table": "table01",
        "chi2": "chi2",
        "w": "W",
        "treatments": 3,
    }
    relations = [
        concordance,
        {"relation": "same_raters", "tables": [concordance, concordance]},
        {"relation": "sum", "table": "table02", "column": "share", "total": 100},
        {"relation": "thresholds", "table": "table02", "column": "share", "categories": "ranks"},
        {
            "relation": "compare",
            "table": "table02",
            "column": "share",
            "place": "s",
            "claim": "all are small",
            "than": "below",
            "value": 90,
        },
        T_TEST | {"table": "table03"},
    ]
    tables = {
        "table01": f"x,chi2,W\na,11.143,0.253\nb,{cell},0.253\n",
        "table02": f"x,share\na,40\nb,{cell}\nc,60\n",
        "table03": f"x,t,p,d\na,2.345,0.026,0.874\nb,1.234,{cell},0.460\n",
    }
    findings = check(tables, relations, ["s,ranks,four,,,,", "s,share,40,table02,share,b,cell"])
    told = unread(findings, "b")
    assert len(told) == 6  # two of table01, three of table02, one of table03
    assert all(f"row b, column {c}" in t for t, c in zip(told[:2], ["chi2"] * 2, strict=True))
    assert verdicts(findings, "a").count("consistent") >= 3
    raters_of_all = [f for f in findings if f.relation == "one number of raters for every row"]
    assert [str(f.verdict) for f in raters_of_all] == ["consistent"]
    assert verdicts(findings, "share") == ["not checkable"]


@pytest.mark.parametrize("r2", ["1.00", "0", "-0.20", "1.20", "n.s.", ""])
def test_an_r2_at_or_beyond_its_ends_is_no_end_of_the_audit(check, r2):
    table = f"x,curve,line\nr2,0.70,{r2}\nresidual_sd,10.0,10.0\nmae,8.0,8.0\n"
    findings = check({"table01": table}, [FIT], N)
    assert unread(findings, "r2") or r2 in ("0", "-0.20")
    assert all("nan" not in f.explanation and "∞" not in f.explanation for f in findings)
    assert verdicts(findings, "line") == ["consistent"]  # MAE against residual SD


def test_a_residual_sd_of_zero_is_not_checkable(check):
    table = "x,curve,line\nr2,0.70,0.60\nresidual_sd,0,10.0\nmae,8.0,8.0\n"
    told = unread(check({"table01": table}, [FIT], N), "residual_sd")
    assert told == ["Table 1, row residual_sd, column curve: “0” may stand for zero."]


@pytest.mark.parametrize("said", ["several", "about forty", "0", "2.5", "<4", ""])
def test_a_count_that_is_none_is_not_checkable(check, said):
    relations = [
        {"relation": "numbered", "table": "table01", "count": "cases"},
        {"relation": "label_span", "labels": "labels", "count": "cases"},
        {"relation": "thresholds", "table": "table01", "column": "y", "categories": "cases"},
        FIT | {"table": "table02", "n": "cases"},
        {
            "relation": "reliability",
            "alpha": "alpha",
            "omega": "omega",
            "items": "cases",
            "correlations": [],
            "bound": "bound",
        },
        {"relation": "arithmetic", "total": "cases", "sum_of": ["alpha", "omega"]},
    ]
    quotes = [f"s,cases,{said},,,,", "s,labels,P1-P8,,,,", "s,alpha,0.9,,,,", "s,omega,0.9,,,,"]
    quotes += ["s,bound,0.5,,,,", "s,verdict,supported,,,,"]
    findings = check({"table01": "x,y\n1,2\n2,3\n"} | fit_table_at("table02"), relations, quotes)
    told = [text for text in unread(findings, "cases") if text.startswith("s, cases: ")]
    assert len(told) >= 4
    assert all(f"“{said}”" in text or (not said and "empty" in text) for text in told)


@pytest.mark.parametrize(
    ("quote", "table", "verdict"),
    [
        ("0.30,table01,W,,min", "x,W\na,ns\n", "not checkable"),
        ("0.30,table01,W,a,cell", "x,W\na,ns\n", "not checkable"),
        ("ns,table01,W,a,cell", "x,W\na,n.s.\n", "consistent"),
        ("0.30,table01,W,,min", "x,W\na,ns\nb,0.30\n", "consistent"),
    ],
)
def test_a_quoted_figure_where_the_table_has_none(check, quote, table, verdict):
    assert verdicts(check({"table01": table}, [], [f"s,W,{quote}"])) == [verdict]


def test_accuracy_in_per_cent_is_a_share(check):
    relation = {"relation": "tau_and_accuracy", "tau": "tau", "accuracy": "accuracy"}
    quotes = ["s,tau,0.72,,,,", "s,accuracy,86%,,,,"]
    assert verdicts(check({"table01": "x,y\n1,2\n"}, [relation], quotes)) == ["consistent"]


@pytest.mark.parametrize(
    "relation",
    [
        {"relation": "arithmetic", "total": "all"},
        {"relation": "same_labels", "tables": ["table01"]},
        {"relation": "same_raters", "tables": []},
        P_OF_Z | {"alpha": 5},
        FIT | {"line": "curved"},
        FIT | {"scales": {"feet": [120, 0]}},
        {
            "relation": "concordance",
            "table": "table01",
            "chi2": "z",
            "w": "b",
            "treatments": 0,
        },
        {
            "relation": "compare",
            "table": "table01",
            "column": "b",
            "place": "s",
            "claim": "c",
            "than": "below",
        },
    ],
)
def test_a_declaration_that_checks_nothing_is_refused(check, relation):
    with pytest.raises(HelpersError, match=r"relations\.yml"):
        check({"table01": "x,b,se,z,p\na,1,1,1,1\n"}, [relation])


def test_relations_in_another_encoding_are_named(tmp_path):
    (tmp_path / "table01.csv").write_text("x,y\n1,2\n")
    (tmp_path / "relations.yml").write_bytes("# ok\n- relation: é\n".encode("latin-1"))
    with pytest.raises(HelpersError, match=r"relations\.yml, line 2: not UTF-8.*save it as UTF-8"):
        audit(tmp_path)


# --- decimal signs --------------------------------------------------------------------------------

GERMAN = 'x,b,se,z\na,"0,526","0,263","2,00"\nb,"1.000,5","500,25","2,00"\n'


def test_a_number_with_a_comma_is_refused_until_its_sign_is_declared(declare):
    told = declare(RATIO_YML, GERMAN)
    assert told == (
        "table01.csv, row 2, column b: “0,526” (and 5 more cells): a comma for decimals or for "
        'thousands; declare which in relations.yml, as `- decimal_sign: ","` or '
        '`- decimal_sign: "."`'
    )
    own = "- {decimal_sign: '.', tables: [table01]}\n"
    told = declare(own + RATIO_YML, quotes='s,permutations,"10,000",,,,\n')
    assert told.startswith("text.csv, row 2, column printed: “10,000”: a comma for")


@pytest.mark.parametrize("tables", [[], ["table01"]])
def test_decimals_behind_a_comma_are_read_when_declared(check, tables):
    sign = {"decimal_sign": ",", "tables": tables}
    assert verdicts(check({"table01": GERMAN}, [sign, RATIO])) == ["consistent", "consistent"]


def test_a_sign_of_one_table_goes_before_that_of_all(check):
    relations = [{"decimal_sign": ".", "tables": ["table01", "text"]}, {"decimal_sign": ","}]
    tables = {"table01": 'x,n\na,"10,000"\n', "table02": GERMAN}
    quotes = ['s,n,"10,000",table01,n,a,cell', "s,se,0.263,table02,se,a,cell"]
    findings = check(tables, [*relations, RATIO | {"table": "table02"}], quotes)
    assert set(verdicts(findings)) == {"consistent"}
    assert len(findings) == 4


def test_a_comma_that_sets_off_no_thousands_is_not_read_as_if_it_did(check):
    relations = [{"decimal_sign": "."}, RATIO]
    findings = check({"table01": 'x,b,se,z\na,1.0,"0,263",2.00\n'}, relations)
    assert unread(findings, "a") == ["Table 1, row a, column se: “0,263” is not a number."]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("decimal_sign: ;", "line 1, no. 1, decimal_sign: found ';', expected '.' or ','"),
        ("{decimal_sign: '.', table: a}", "line 1, no. 1, table: unknown key; did you mean 'tab"),
        ("{decimal_sign: '.', tables: [table09]}", "line 1, no. 1, tables 1: "),
    ],
)
def test_a_faulty_sign_is_named(declare, entry, message):
    assert declare(f"- {entry}\n{RATIO_YML}").startswith(f"relations.yml, {message}")


# --- bounds, zeros and other edges ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "verdict"), [("<0.05", "consistent"), ("<0.001", "inconsistent"), (">0.05", "consistent")]
)
def test_a_p_given_as_a_bound_has_its_degrees_of_freedom(check, p, verdict):
    findings = check({"table01": f"x,t,p,d\na,-3.00,{p},-0.50\n"}, [T_TEST])
    assert str(findings[0].verdict) == verdict


def test_broken_degrees_of_freedom_of_welch_are_no_fault(check):
    p = 2 * stats.t.sf(2.5, 11.4)
    findings = check({"table01": f"x,t,p,d\na,2.50000,{p:.7f},0.5\n"}, [T_TEST])
    assert findings[0].verdict is Verdict.CONSISTENT
    assert "broken df" in findings[0].expected


@pytest.mark.parametrize(
    ("signs", "verdict"),
    [("---", "consistent"), ("+++", "consistent"), ("-+-", "inconsistent")],
)
def test_signs_of_t_and_d_go_together(check, signs, verdict):
    rows = "\n".join(f"{i},-1.44,0.188,{sign.replace('+', '')}0.52" for i, sign in enumerate(signs))
    findings = check({"table01": f"x,t,p,d\n{rows}\n"}, [T_TEST])
    assert [str(f.verdict) for f in findings if f.relation == "t and d have one sign"] == [verdict]


@pytest.mark.parametrize("row", ["0.00,1.00,0.00", "0.01,0.99,0.00", "0.00,1.00,0.01"])
def test_a_t_or_d_of_zero_says_nothing_about_groups(check, row):
    findings = check({"table01": f"x,t,p,d\na,{row}\n"}, [T_TEST])
    assert set(verdicts(findings)) == {"consistent"}


def test_divisions_by_what_may_be_zero_are_not_checkable(check):
    assert verdicts(check({"table01": "x,b,se,z\na,0.10,0.00,2.00\n"}, [RATIO])) == [
        "not checkable"
    ]
    relation = {
        "relation": "concordance",
        "table": "table01",
        "chi2": "chi2",
        "w": "W",
        "treatments": 3,
    }
    findings = check({"table01": "x,chi2,W\na,0.10,0.00\n"}, [relation])
    assert verdicts(findings, "a") == ["not checkable"]


@pytest.mark.parametrize(
    ("cell", "than", "verdict"),
    [
        ("<0.05", "below", "consistent"),
        ("<0.10", "below", "not checkable"),
        ("<0.10", "above", "not checkable"),
        (">0.05", "above", "consistent"),
        (">0.10", "below", "inconsistent"),
    ],
)
def test_claims_about_cells_that_are_bounds(check, cell, than, verdict):
    relation = {
        "relation": "compare",
        "table": "table01",
        "column": "p",
        "place": "s",
        "claim": "c",
        "than": than,
        "value": 0.05,
    }
    assert verdicts(check({"table01": f"x,p\na,{cell}\n"}, [relation])) == [verdict]


@pytest.mark.parametrize(
    ("text", "than", "verdict"),
    [("0.051", "above", "consistent"), ("0.049", "at least", "inconsistent")],
)
def test_a_claim_is_held_against_the_finest_printing(check, text, than, verdict):
    relation = {
        "relation": "compare",
        "table": "table01",
        "column": "p",
        "place": "s",
        "claim": "c",
        "than": than,
        "value": 0.05,
    }
    findings = check({"table01": "x,p\na,0.05\n"}, [relation], [f"s,p,{text},table01,p,a,cell"])
    assert str(findings[0].verdict) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("<0.05", ">0.05", "inconsistent"),
        ("<0.01", "<0.001", "consistent"),
        ("<0.001", "<0.01", "consistent"),
        ("0.44", "≈0.43", "rounding"),
        ("≈0.43", "0.44", "rounding"),
        ("97%", "0.97", "consistent"),
        ("97%", "0.95", "inconsistent"),
        ("thirty-seven", "37", "consistent"),
        ("0.93", "0.94", "inconsistent"),
    ],
)
def test_two_printings_of_one_figure(one, other, verdict):
    assert str(same_figure(parse(one), parse(other))[0]) == verdict


def test_a_p_whose_rounding_straddles_alpha_leaves_the_decision_open(check):
    findings = check({"table01": "x,z,p\na,2.0,0.30\n"}, [P_OF_Z])
    assert findings[0].verdict is Verdict.INCONSISTENT
    assert "open" in findings[0].explanation


def test_a_slipped_decimal_point_is_named(check):
    relation = {
        "relation": "p_value",
        "table": "table01",
        "statistic": "chi2",
        "p": "p",
        "distribution": "chi2",
        "readings": {"eight": 8},
    }
    findings = check({"table01": "x,chi2,p\na,14.665,0.66\n"}, [relation])
    assert "decimal point may have slipped" in findings[0].explanation


def test_chi2_needs_its_degrees_of_freedom(check):
    relation = P_OF_Z | {"distribution": "chi2"}
    with pytest.raises(HelpersError, match="readings with degrees of freedom"):
        check({"table01": "x,z,p\na,2.0,0.30\n"}, [relation])


def test_repeated_labels_are_all_compared(check):
    tables = {"table01": "Case,F\n2,Bone\n2,Heart\n", "table02": "Case,F\n2,Heart\n"}
    relation = {"relation": "same_column", "tables": ["table01", "table02"], "column": "F"}
    assert verdicts(check(tables, [relation])) == ["inconsistent"]


@pytest.mark.parametrize(("span", "verdict"), [("P1-P8", "consistent"), ("P3-P8", "inconsistent")])
def test_labels_run_as_far_as_the_count(check, span, verdict):
    relation = {"relation": "label_span", "labels": "labels", "count": "people"}
    quotes = [f"s,labels,{span},,,,", "s,people,eight,,,,"]
    assert verdicts(check({"table01": "x,y\n1,2\n"}, [relation], quotes)) == [verdict]


def test_greek_names_differ():
    assert normalise("Cronbach’s α") != normalise("Cronbach’s ω")


@pytest.mark.parametrize(
    ("verdict", "expected"), [("not supported", "not checkable"), ("supported", "consistent")]
)
def test_a_verdict_against_the_correlation_that_r2_implies(check, verdict, expected):
    quotes = ["s,n,50,,,,", f"s,verdict,{verdict},,,,"]
    assert verdicts(check(fit_table(), [FIT], quotes), "verdict") == [expected]


def test_p_of_a_correlation_agrees_with_r():
    p = correlation_p(exactly(R["line_r2"]), 50)
    assert p.low == pytest.approx(R["line_p"], rel=1e-9)


# --- the perception study: facts known by other routes --------------------------------------------


@pytest.fixture(scope="module")
def perception():
    return audit(PERCEPTION)


def test_perception_raters(perception):
    fits = {
        table: {
            f.item: f.expected for f in perception if f.table == table and "m whole" in f.relation
        }
        for table in ("table11", "table12", "table13")
    }
    assert all("20" in expected for expected in fits["table11"].values())
    assert set(fits["table12"].values()) == {"m = 6"}
    assert [case for case, expected in fits["table13"].items() if expected == "m = 20"] == [
        "Case 1",
        "Case 8",
        "Case 9",
    ]


def test_perception_t_tests_fit_eight_degrees_of_freedom_only(perception):
    shared = [f for f in perception if f.relation == "whole degrees of freedom common to all rows"]
    assert [f.expected for f in shared] == ["8 df"]


def test_every_finding_is_explained_in_one_line(perception):
    for finding in perception:
        assert finding.explanation.endswith(".")
        assert "\n" not in finding.explanation
        assert finding.relation


def test_two_audits_are_the_same(perception):
    assert audit(PERCEPTION) == perception
