import numpy as np
import pytest

from helpers.agreement import pages_l
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.paths import DATA
from helpers.ranking import constancy, levels, ranks
from helpers.study import load
from rankings_data import R, rankings, table
from study_folder import Folder

GAP = float("nan")
STATED = ("senior", "junior", "non-specialist")
KINDS = ["llm", *["physician"] * 3]


@pytest.fixture(scope="module")
def study():
    return load(DATA / "perception")


@pytest.fixture(scope="module")
def shipped(study):
    return ranks(study)


def of_levels(values, own=STATED):
    return table(values, KINDS[: len(own) + 1], ["", *own])


def test_the_rise_per_level_agrees_with_r(shipped):
    found = levels.align(shipped, STATED)
    assert float(found.contrast) == pytest.approx(R["rise per level", "all"])
    assert found.contrast.p_two_sided == pytest.approx(R["rise p", "all"])
    assert found.page.statistic == R["page", "all"]
    assert (found.contrast.used, found.page.used) == (9, 180)


def test_levels_are_put_in_the_stated_order_whatever_their_case():
    ranked = of_levels(np.ones((3, 2, 4)), ["Non-Specialist", "Senior", "Junior"])
    assert levels.ordered(ranked, STATED) == ("Senior", "Junior", "Non-Specialist")
    assert levels.ordered(ranked, ["junior", "other", "senior", "non-specialist"])[0] == "Junior"


@pytest.mark.parametrize(
    ("own", "reason"),
    [
        (("senior", "chief"), "no place is stated for level 'chief'"),
        (("senior",), "1 ranked level of physicians; at least 2 are needed"),
    ],
)
def test_levels_without_order_have_a_reason(own, reason):
    ranked = of_levels(np.ones((3, 2, len(own) + 1)), own)
    with pytest.raises(NotEstimableError, match=reason):
        levels.ordered(ranked, STATED)
    found = levels.align(ranked, STATED)
    assert found.contrast.reason.startswith(reason)
    assert levels.decide(found)[0] == "not estimable"
    assert levels.entry(found, "tbl-x").result.startswith(f"not estimable: {reason}")
    assert levels.sentence(None, ranked, found).startswith(f"Not estimable: {reason[:9]}")
    for rows in (levels.cases(ranked, found, None), levels.persons(None, ranked, found)):
        assert rows["Note"].item().startswith(f"not estimable: {reason}")
    assert levels.tests(found)["Note"].to_list()[0].startswith(f"not estimable: {reason}")


def test_each_case_is_counted_by_hand(tmp_path):
    values = [[[1, 2, 3, 4], [4, 3, 2, 1]], [[1, 3, 2, 4], [4, GAP, GAP, GAP]]]
    ranked = of_levels(values)
    found = levels.align(ranked, STATED)
    assert found.by_case[0].tolist() == [2.5, 2.5, 4]
    assert found.contrast.values == pytest.approx((0.75, -1))
    rows = levels.cases(ranked, found, load(Folder(tmp_path / "study").path)).to_dicts()
    assert [row["In order"] for row in rows] == ["no", "no"]
    assert [row["Rankings"] for row in rows] == [2, 2]
    pair = found.pairs["senior", "junior"]
    assert pair.values == pytest.approx((0, -1))


def test_a_block_is_a_ranking_and_counts_once():
    values = rankings(np.random.default_rng(1), np.tile([0, 3, 2, 1], (4, 1)), 5)
    values[2, 1] = GAP
    found = levels.align(of_levels(values), STATED)
    blocks = values[:, :, 1:].reshape(-1, 3)
    assert found.page == pages_l(blocks[np.isfinite(blocks).all(axis=1)])
    assert found.page.used == 19


@pytest.mark.parametrize(
    ("quality", "decision"),
    [
        ([0, 6, 3, 0], "supported"),
        ([0, 6, 0, 1.5], "partly supported"),
        ([0, 0, 3, 6], "not supported"),
        ([0, 1, 1, 1], "not supported"),
    ],
)
def test_the_decision_follows_its_rule(quality, decision):
    values = rankings(np.random.default_rng(2), np.tile(quality, (10, 1)), 30)
    found = levels.align(of_levels(values), STATED)
    assert levels.decide(found)[0] == decision
    line = levels.entry(found, "tbl-x")
    assert (line.decision, line.topic, line.p) == (decision, "H3", found.contrast.p_two_sided)
    assert decision in levels.verdict(found)


def test_too_few_cases_for_an_interval_still_have_a_p():
    values = rankings(np.random.default_rng(3), np.tile([0, 6, 3, 0], (4, 1)), 5)
    line = levels.entry(levels.align(of_levels(values), STATED), "tbl-x")
    assert line.low is None
    assert line.p == 2 / 16


@pytest.mark.parametrize(
    ("cases", "decision"), [(1, "not tested"), (5, "not tested"), (6, "supported")]
)
def test_cases_too_few_to_show_an_order_decide_nothing(cases, decision):
    found = levels.align(of_levels(np.tile([1, 2, 3, 4], (6, cases, 1))), STATED)
    assert levels.decide(found)[0] == decision
    if cases == 5:
        assert "5 cases cannot show an order: the smallest possible p is .062." in levels.verdict(
            found
        )


def test_signs_of_many_cases_are_drawn_at_random():
    found = levels.align(of_levels(np.tile([1, 2, 3, 4], (3, 17, 1))), STATED)
    assert levels.entry(found, "tbl-x").method == "random sign flips over 17 cases"


def assigned(tmp_path, text):
    folder = Folder(tmp_path / "study")
    header = "analyst,kind,level,family\nA,llm,,GPT\n"
    folder.write("analysts.csv", header + "B,physician,senior,\nC,physician,junior,\n")
    folder.write("benchmarks.csv", "analyst,benchmark,accuracy,source\nA,Arena,1,x\n")
    folder.write("assignments.csv", "case,analyst,person\n" + text)
    return load(folder.path)


def test_who_filled_the_levels_is_shown_and_left_out_once(tmp_path):
    study = assigned(tmp_path, "1,B,P1\n1,C,P2\n2,B,P2\n2,C,P3\n")
    ranked = ranks(study)
    found = levels.align(ranked, STATED)
    assert levels.cases(ranked, found, study)["Persons"].to_list() == ["P1, P2", "P2, P3"]
    rows = {row["Person"]: row for row in levels.persons(study, ranked, found).to_dicts()}
    assert rows["P2"]["Levels filled"] == "junior and senior"
    assert rows["P2"]["Note"] == "not estimable: no cases"
    assert rows["P1"]["Rise without them"] == pytest.approx(found.contrast.values[1])
    assert "3 persons filled the levels; P2 filled more than one" in levels.sentence(
        study, ranked, found
    )


def test_a_level_called_this_and_that_is_one_level(tmp_path):
    folder = Folder(tmp_path / "study")
    header = "analyst,kind,level,family\nA,llm,,GPT\n"
    folder.write("analysts.csv", header + "B,physician,old and wise,\nC,physician,young,\n")
    folder.write("assignments.csv", "case,analyst,person\n1,B,P1\n2,B,P1\n1,C,P2\n2,C,P2\n")
    study = load(folder.path)
    found = levels.align(ranks(study), ["old and wise", "young"])
    told = levels.sentence(study, ranks(study), found)
    assert "2 persons filled the levels; none filled more than one" in told


def test_a_study_without_assignments_says_so(study, shipped):
    found = levels.align(shipped, STATED)
    assert "does not say who filled" in levels.sentence(study, shipped, found)
    assert levels.persons(study, shipped, found)["Note"].to_list() == [
        "not estimable: there is no assignments.csv"
    ]
    assert "Persons" not in levels.cases(shipped, found, study).columns


def test_friedman_over_cases_agrees_with_r(shipped):
    for one in constancy.constancy(shipped):
        assert one.test.chi2 == pytest.approx(R["friedman chi2", one.analyst])
        assert one.test.p == pytest.approx(R["friedman p", one.analyst])
        assert (one.test.used, one.test.df) == (6, 8)


def test_the_evaluators_used_and_printed_figures_are_shown(shipped):
    found = constancy.constancy(shipped)
    assert "N02, N04, N11, N24, N25 and N32" in constancy.sentence(shipped, found)
    assert constancy.table(found).height == 9
    rows = {row["Analyst"]: row for row in constancy.beside_printed(found).to_dicts()}
    assert rows["Specialist-Senior"]["Published χ²"] == "22.716"
    assert rows["Specialist-Senior"]["χ²"] == pytest.approx(R["friedman chi2", "Specialist-Senior"])
    assert rows["Non-specialist"]["Published p"] == "0.66"


def test_analysts_that_the_paper_does_not_name_stand_beside_nothing():
    values = rankings(np.random.default_rng(4), np.zeros((3, 2)), 4)
    assert constancy.beside_printed(constancy.constancy(table(values))).is_empty()


def test_constancy_is_a_line_of_the_ledger_without_p(shipped):
    line = constancy.entry(constancy.constancy(shipped), "tbl-x")
    assert line.published == "for 7 of 9 analysts, unadjusted"
    assert line.p is None


def test_nobody_with_all_cases_is_a_reason():
    values = np.array([[[1, 2], [GAP, GAP]], [[GAP, GAP], [1, 2]]], dtype=float)
    found = constancy.constancy(table(values))
    line = constancy.entry(found, "tbl-x")
    assert line.decision == "not estimable"
    assert line.result == "not estimable: 0 complete blocks; at least 2 are needed"
    assert "2 evaluators who ranked, 0 ranked every case" in constancy.sentence(
        table(values), found
    )
    with pytest.raises(HelpersError):
        float(found[0].test)


def test_a_study_without_rankings_has_no_tests():
    empty = table(np.empty((0, 0, 0)))
    assert constancy.sentence(empty, []).startswith("Nothing is estimable here")
    assert constancy.table([])["Note"].item() == "not estimable: no evaluator ranked a case"
    assert constancy.entry([], "tbl-x").result == "not estimable: no evaluator ranked a case"
