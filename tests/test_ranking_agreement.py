import numpy as np
import pytest

from helpers.agreement import compare_cases
from helpers.paths import DATA
from helpers.ranking import agreement, ranks
from helpers.study import load
from rankings_data import R, rankings, table
from study_folder import Folder


@pytest.fixture(scope="module")
def study():
    return load(DATA / "perception")


@pytest.fixture(scope="module")
def shipped(study):
    return agreement.agreement(ranks(study), study)


def studied(tmp_path, slopes, difficulty=None, evaluators=20):
    """A study whose evaluators agree on a case the more, the larger its slope is."""
    folder = Folder(tmp_path / "study")
    quality = np.outer(slopes, np.linspace(-1, 1, 6))
    values = rankings(np.random.default_rng(1), quality, evaluators)
    told = [""] * len(slopes) if difficulty is None else difficulty
    lines = [f"{i + 1},Urology,X,{text}" for i, text in enumerate(told)]
    folder.write("cases.csv", "\n".join(["case,specialty,group,difficulty", *lines]))
    people = "".join(f"E{i + 1},,\n" for i in range(evaluators))
    folder.write("evaluators.csv", "evaluator,specialty,years\n" + people)
    folder.write(
        "analysts.csv", "analyst,kind,level,family\n" + "".join(f"{a},llm,,\n" for a in "ABCDEF")
    )
    rows = [
        f"E{e + 1},{c + 1},{'ABCDEF'[a]},3,3,{values[e, c, a]:.0f}"
        for e, c, a in np.ndindex(values.shape)
    ]
    folder.write("ratings.csv", "\n".join(["evaluator,case,analyst,accuracy,clarity,rank", *rows]))
    loaded = load(folder.path)
    return agreement.agreement(ranks(loaded), loaded, ["easy", "medium", "hard"])


def test_each_case_agrees_with_r(shipped, study):
    for row in agreement.table(shipped, study).to_dicts():
        assert row["W"] == pytest.approx(R["w", row["Case"]])
        assert row["r̄"] == pytest.approx(R["mean correlation", row["Case"]])
        assert row["Evaluators"] == 20


def test_printed_figures_stand_beside_the_same_cases(shipped, study, tmp_path):
    rows = agreement.beside_printed(shipped, study).to_dicts()
    assert [row["Published W"] for row in rows[:2]] == ["0.64", "0.66"]
    assert rows[0]["W"] == pytest.approx(R["w", "1"])
    other = studied(tmp_path, [2, 1])
    assert agreement.beside_printed(other, load(tmp_path / "study")).is_empty()


def test_cases_are_compared_by_their_own_test(shipped, study):
    ranked = ranks(study)
    found = compare_cases([ranked.values[:, i] for i in range(9)])
    assert shipped.found == found
    first, second = agreement.tests(shipped).to_dicts()
    assert (first["Statistic"], first["p"], first["Cases"]) == (found.statistic, found.p, 9)
    assert second["Note"] == "not estimable: cases.csv says nothing of difficulty"


def test_pairs_are_shown_smallest_p_first(shipped):
    rows = agreement.differences(shipped)
    assert rows.height == 36
    assert rows["p"].is_sorted()
    assert agreement.sentence(shipped).startswith("3 of 36 pairs of cases differ")


def test_many_pairs_are_cut(tmp_path):
    one = studied(tmp_path, np.linspace(0.5, 3, 13), evaluators=5)
    assert agreement.differences(one).height == agreement.MOST_PAIRS
    assert agreement.sentence(one).endswith("The table shows the 60 with the smallest p.")


@pytest.mark.parametrize(
    ("slopes", "difficulty", "decision"),
    [
        ([6, 5, 4, 3, 2, 1, 0.5], [1, 2, 3, 4, 5, 6, 7], "supported"),
        ([6, 5, 4, 3, 2, 1, 0.5], [7, 6, 5, 4, 3, 2, 1], "partly supported"),
        ([6, 5, 4, 3, 2, 1, 0.5], None, "partly supported"),
        ([6, 6, 1, 1], ["easy", "easy", "hard", "odd"], "partly supported"),
        ([2, 2, 2, 2, 2, 2, 2], [1, 2, 3, 4, 5, 6, 7], "not supported"),
    ],
)
def test_the_decision_follows_its_rule(tmp_path, slopes, difficulty, decision):
    one = studied(tmp_path, slopes, difficulty)
    assert agreement.decide(one)[0] == decision
    line = agreement.entry(one, "tbl-x")
    assert (line.decision, line.topic, line.p) == (decision, "H4", one.found.p)
    assert decision in agreement.verdict(one)


def test_words_for_difficulty_are_ordered_and_shown(tmp_path):
    one = studied(tmp_path, [6, 3, 1, 0.5], ["easy", "Medium", "hard", "hard"])
    assert one.difficulty == {"1": 1, "2": 2, "3": 3, "4": 3}
    assert one.trend.value < -0.8
    assert one.trend.used == 4


def test_two_evaluators_cannot_be_compared(tmp_path):
    one = studied(tmp_path, [2, 1, 2], evaluators=2)
    line = agreement.entry(one, "tbl-x")
    assert line.decision == "not estimable"
    assert line.result.startswith("W ")
    assert "comparison not estimable: 0 cases with an interval" in line.result
    assert agreement.sentence(one).startswith("Pairs of cases cannot be compared: 0 cases")
    assert agreement.differences(one)["Note"].item().startswith("not estimable: 0 cases")


def test_no_rankings_are_a_reason(study):
    one = agreement.agreement(table(np.empty((0, 0, 0))), study)
    assert agreement.entry(one, "tbl-x").result.startswith("comparison not estimable: 0 cases")
    assert agreement.table(one, study)["Note"].item() == "not estimable: no evaluator ranked a case"
