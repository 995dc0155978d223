"""Which specifications agree, counted by hand; and planted effects, strong and borderline."""

import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from helpers.benchmark.comparison import Settings
from helpers.permutation import settings as permutations
from helpers.questions import hypotheses
from helpers.ranking.decisions import NO, PARTLY, YES
from helpers.results import Entry
from helpers.show import Markdown
from helpers.specifications import (
    benchmarks,
    counts,
    emphases,
    mapping,
    physicians,
    picture,
    rankings,
    samples,
    scores,
    specialty,
    weightings,
)
from helpers.specifications.entries import entries
from helpers.specifications.specification import Curve, Specification
from helpers.study import load
from planted_studies import Planted

LEVELS = ["senior", "junior", "non-specialist"]
WORDS = ["easy", "medium", "hard"]


def main(name, decision, **told):
    return Entry("?", "", decision, "", "Why.", "tbl-x", topic=name, **told)


def made(decisions, decision=YES, **told):
    """A curve over two choices, `a` with levels x and y and `b` with levels 1 to 3."""
    levels = itertools.product("xy", "123")
    found = [
        Specification({"a": a, "b": b}, own, p=place / 10, reason="" if own else "too few")
        for place, ((a, b), own) in enumerate(zip(levels, decisions, strict=True))
    ]
    return Curve("H1", main("H1", decision), tuple(found), "p", "p", **told)


def row(table, **where):
    (found,) = table.filter(**where).to_dicts()
    return found


# ---- counted by hand


def test_shares_are_those_counted_by_hand():
    """Of six, five have a decision and three are for it, two of them wholly: 60 %."""
    curve = made([YES, PARTLY, NO, NO, "", YES])
    found = row(counts.overview([curve]))
    assert found["With a decision"] == "5 of 6"
    assert (found["Agree"], found["Agree (%)"], found["Same words"]) == (3, 60.0, 2)
    assert counts.lost([curve]).rows() == [("H1", 1, "too few")]


def test_what_supports_in_part_agrees_with_what_supports_and_no_other():
    for decision, agree in [(YES, 3), (PARTLY, 3), (NO, 2)]:
        curve = made([YES, PARTLY, NO, NO, "", YES], decision)
        assert row(counts.overview([curve]))["Agree"] == agree


def test_each_level_has_its_share_and_says_what_it_does_alone():
    """The main specification is x1; of its neighbours, x2 stays, x3 and y1 flip, y2 is unknown."""
    found = counts.by_choice(made([YES, PARTLY, NO, NO, "", YES]))
    told = {one["Level"]: one for one in found.to_dicts()}
    assert {level: one["Changed alone"] for level, one in told.items()} == {
        "x": "as decided",
        "y": "flips it",
        "1": "as decided",
        "2": "keeps it",
        "3": "flips it",
    }
    assert [told[level]["Agree (%)"] for level in "xy"] == [pytest.approx(200 / 3), 50.0]
    assert told["2"]["With a decision"] == "1 of 2"
    # x1–y1 and x3–y3 change sides, x2–y2 is not estimable
    assert told["y"]["Changes sides"] == "2 of 2"
    assert told["3"]["Changes sides"] == "2 of 2"
    assert told["2"]["Changes sides"] == "0 of 1"


def test_the_choices_that_flip_are_named():
    curve = made([YES, PARTLY, NO, NO, "", YES])
    assert counts.flips(curve) == ["y (a)", "3 (b)"]
    assert counts.sentence(curve).endswith("Changed alone, these flip it: y (a) and 3 (b).")
    assert counts.sentence(made([YES] * 6)).endswith("No choice flips it by itself.")


def test_a_choice_that_brings_another_with_it_flips_in_part():
    """Level y of `a` does not go with level 1 of `b`: y2 keeps the decision, y3 does not."""
    found = [
        Specification({"a": a, "b": b}, decision)
        for a, b, decision in [("x", "1", YES), ("y", "2", YES), ("y", "3", NO)]
    ]
    curve = Curve("H1", main("H1", YES), tuple(found), "p", "p", {"a": ("b",)})
    assert row(counts.by_choice(curve), Level="y")["Changed alone"] == "flips it in part"
    assert row(counts.by_choice(curve), Level="2")["Changed alone"] == "–"
    assert counts.flips(curve) == ["y (a), in part"]


def test_a_hypothesis_that_was_not_tested_has_no_share_and_says_why():
    untested = Entry("?", "not estimable: one case", "not estimable", "", "", "tbl-x", topic="H1")
    for entry, why in [(untested, "one case"), (None, "its chapter did not run")]:
        curve = Curve("H1", entry, made([YES] * 6).specifications, "p", "p")
        found = row(counts.overview([curve]))
        assert (found["Main decision"], found["Agree"]) == ("not tested", None)
        assert why in found["Alone flip it"]
        assert counts.by_choice(curve)["Agree (%)"].null_count() == 5
        assert isinstance(picture.draw(curve), Markdown)
        (line,) = entries([curve], "tbl-x")
        assert (line.decision, line.estimate) == ("not tested", None)
        assert why in line.explanation


def test_the_ledger_gets_the_share_and_what_flips():
    (line,) = entries([made([YES, PARTLY, NO, NO, "", YES])], "tbl-x")
    assert (line.result, line.estimate, line.p) == ("3 of 5 (60\N{NO-BREAK SPACE}%)", 0.6, None)
    assert (line.used, line.dropped) == (5, 1)
    assert line.explanation == "Choices that flip the decision by themselves: y (a) and 3 (b)."
    assert line.topic not in hypotheses("perception")  # no second line of H1


def test_the_picture_and_its_table_have_one_order():
    curve = made([YES, PARTLY, NO, NO, "", YES])
    table = counts.listed(curve)
    assert table["p"].is_sorted()
    assert table.height == 5
    figure = picture.draw(curve)
    above, below = figure.axes
    drawn = sum(len(part.get_offsets()) for part in above.collections[:2])
    assert drawn == 5
    names = [label.get_text() for label in below.get_yticklabels()]
    assert names == ["a", "x", "y", "b", "1", "2", "3"]


# ---- whose judgements


def test_evaluators_are_all_those_of_every_case_and_all_but_the_most_influential(tmp_path):
    study = Planted(evaluators=6, cases=3).without(("E0", "C2"), ("E1", "C2")).study(tmp_path / "s")
    found = samples.evaluators(study, 2)
    assert list(found)[:2] == ["all", "those of every case"]
    left = [name.removeprefix("without ") for name in list(found)[2:]]
    assert left == samples.influential(study, 2)
    assert set(found["those of every case"]["ratings"]["evaluator"]) == {"E2", "E3", "E4", "E5"}
    assert left[0] not in set(found[f"without {left[0]}"]["ratings"]["evaluator"])
    assert list(samples.evaluators(Planted(cases=3).study(tmp_path / "t"), 0)) == ["all"]


def test_ties_are_a_choice_only_where_there_are_any(tmp_path):
    study = Planted(evaluators=4, cases=2).study(tmp_path / "s")
    assert {tuple(chosen) for chosen, _ in samples.samples(study, 0)} == {("Evaluators",)}
    tied = Planted(evaluators=4, cases=2, ties=["E1"]).study(tmp_path / "t")
    kept, dropped = (own for _, own in samples.samples(tied, 0))
    assert kept["ratings"]["rank"].null_count() == 0
    lost = dropped["ratings"].filter(pl.col("rank").is_null())
    assert set(lost["evaluator"]) == {"E1"}
    assert lost["case"].n_unique() == 2


# ---- planted: strong, and borderline


def test_a_strong_order_of_levels_agrees_under_every_choice(tmp_path):
    study = Planted(cases=10, noise=0.0).study(tmp_path / "s")
    curve = physicians.curve(study, main("H3", YES), 2, LEVELS)
    order = [one for one in curve.decided if one.choices["Read as"] == physicians.ORDER]
    assert len(order) == 9
    assert {one.decision for one in order} == {YES}
    assert {one.estimate for one in order if one.estimate is not None} == {1.0}
    assert row(counts.overview([curve]))["Agree (%)"] == 100.0
    assert counts.flips(curve) == []


def test_a_borderline_order_is_flipped_by_the_adjustment_of_its_steps(tmp_path):
    """Six cases, all in order: p is 2 of 2⁶, which Holm's adjustment of two steps doubles."""
    study = Planted(cases=6, noise=0.0).study(tmp_path / "s")
    curve = physicians.curve(study, main("H3", YES), 1, LEVELS)
    p = {one.choices["Test"]: one.p for one in curve.specifications[:2]}
    assert p == {physicians.FLIPS: 2 / 64, physicians.STEPS: 4 / 64}
    assert counts.flips(curve) == [f"{physicians.STEPS} (test)"]


def test_physicians_without_an_order_are_not_estimable_and_counted_apart(tmp_path):
    study = Planted(cases=6, noise=0.0).study(tmp_path / "s")
    curve = physicians.curve(study, main("H3", "not estimable"), 0, ["senior"])
    assert [one.reason for one in curve.specifications[:3]] == [
        "no place is stated for level 'junior'; name it in the parameter `levels`"
    ] * 3


def test_a_strong_difference_of_specialists_agrees_in_every_reading(tmp_path):
    study = Planted(cases=8, evaluators=12, specialists=2, noise=0.3).study(tmp_path / "s")
    entry = main("H1", PARTLY, estimate=2.0, low=1.5, high=2.5, p=0.001)
    curve = specialty.curve(study, entry, 1)
    assert curve.specifications[0].estimate == 2.0
    assert len(curve.decided) == 1 + 2 * 5 * 3
    assert row(counts.overview([curve]))["Agree (%)"] == 100.0


def test_readings_are_those_of_scipy(tmp_path):
    study = Planted(cases=8, evaluators=12, specialists=1, noise=1.0).study(tmp_path / "s")
    curve = specialty.curve(study, main("H1", NO), 0)
    wide = (
        study["ratings"]
        .with_columns(pl.mean_horizontal("d0", "d1").alias("mean"))
        .join(study["evaluators"].explode("specialty"), on="evaluator")
        .join(study["cases"].rename({"specialty": "field"}), on="case")
        .group_by("case", "evaluator", specialist=pl.col("specialty") == pl.col("field"))
        .agg(pl.col("mean").mean())
        .group_by("case", "specialist")
        .agg(pl.col("mean").mean())
        .pivot("specialist", index="case", values="mean")
    )
    test = stats.ttest_rel(wide["true"], wide["false"])
    (own,) = (
        one
        for one in curve.specifications
        if one.choices
        == {
            "Test": "paired, case-by-group means",
            "Difference": "mean over dimensions",
            "Evaluators": "all",
        }
    )
    assert own.p == pytest.approx(test.pvalue, abs=1e-9)
    assert own.estimate == pytest.approx((wide["true"] - wide["false"]).mean(), abs=1e-9)


def test_without_a_model_the_main_specification_has_no_decision(tmp_path):
    study = Planted(cases=3).study(tmp_path / "s")
    curve = specialty.curve(study, None, 0)
    assert curve.specifications[0].reason == "the model of all rows gives no decision"
    assert curve.untested


@pytest.mark.parametrize("curve_of", [scores.curve, rankings.curve])
def test_agreement_that_differs_strongly_differs_under_every_choice(tmp_path, curve_of):
    """In half of the cases evaluators agree, in the others they do not; dimensions are alike."""
    study = Planted(cases=8, evaluators=14, noise=[0.6, 9.0] * 4, hard=True).study(tmp_path / "s")
    whole = curve_of(study, main("H2", YES), 1, WORDS)
    found = [o for o in whole.specifications if o.choices.get(scores.ON) != scores.DIMENSIONS]
    curve = replace(whole, specifications=tuple(found))
    told = row(counts.overview([curve]))
    assert (told["Agree (%)"], told["Alone flip it"]) == (100.0, "none")
    assert {one.decision for one in curve.decided} == {YES}


def test_without_difficulty_that_reading_is_counted_apart(tmp_path):
    study = Planted(cases=4, evaluators=8, noise=3.0).study(tmp_path / "s")
    curve = rankings.curve(study, main("H4", NO), 0, WORDS)
    assert counts.lost([curve]).rows() == [("H4", 1, "cases.csv says nothing of difficulty")]


def test_h5_is_tried_in_both_readings(tmp_path):
    study = Planted(cases=4, evaluators=10, noise=1.0).study(tmp_path / "s")
    curve = mapping.curve(study, main("H5", NO), 0, 99, 1)
    assert [one.choices["Read as"] for one in curve.specifications] == [
        mapping.WEIGHTS,
        mapping.WEIGHTS,
        mapping.INTERCEPTS,
    ]
    assert all(one.decision or one.reason for one in curve.specifications)


def test_capability_that_rises_with_accuracy_does_so_under_every_choice(tmp_path):
    study = Planted(cases=4, evaluators=10, noise=0.4, llms=6, whim=3).study(tmp_path / "s")
    curve = benchmarks.curve(
        study, main("H6", YES), 1, weightings.Ways(splits=2), Settings(), [1.0]
    )
    decided = [one for one in curve.specifications if one.decision]
    assert len(decided) > 20
    assert row(counts.overview([curve]))["Agree (%)"] == 100.0


def test_weights_flip_what_hangs_on_them(tmp_path):
    """Ranks follow the first dimension, which rises with accuracy; the second falls with it."""
    study = Planted(
        cases=6, evaluators=12, noise=0.6, llms=6, slopes=(1.0, -1.0), weights=(3.0, 0.4), whim=4
    ).study(tmp_path / "s")
    curve = benchmarks.curve(study, main("H6", YES), 0, weightings.Ways(splits=0), Settings(), [])
    assert counts.flips(curve) == ["equal weights (weights)"]


def test_too_few_models_are_not_estimable(tmp_path):
    study = Planted(cases=3, llms=3, whim=4).study(tmp_path / "s")
    curve = benchmarks.curve(study, main("H6", NO), 0, weightings.Ways(splits=0), Settings(), [])
    assert not curve.decided
    assert "no order of 3 accuracies" in counts.lost([curve])["Reason"].to_list()[0]


def test_weights_of_the_mixed_model_are_those_of_its_chapter(tmp_path):
    study = Planted(cases=4, evaluators=10, noise=1.0).study(tmp_path / "s")
    found = weightings.weightings(study, weightings.Ways(splits=1), mixed=True).shares
    assert next(iter(found)) == "Bradley–Terry"
    assert {"Plackett–Luce", "mixed model of ranks", "equal weights"} < set(found)
    for name, own in found.items():
        if not isinstance(own, str):
            assert own.sum() == pytest.approx(1), name
    np.testing.assert_allclose(found["equal weights"], [0.5, 0.5])


def test_h7_under_the_weights_of_its_chapter_is_what_the_chapter_says(tmp_path):
    from helpers.permutation.against import Permuted
    from helpers.weighing.weighed import Weighed

    study = Planted(
        cases=6, evaluators=12, noise=0.6, llms=6, slopes=(1.0, -1.0), weights=(1.0, 0.8), whim=4
    ).study(tmp_path / "s")
    setting = permutations.Settings(emphasised=["d0"])
    curve = emphases.curve(study, main("H7", NO), 0, weightings.Ways(splits=0), setting, [0.25])
    one = next(iter(Permuted(Weighed(study, seed=1), setting).all.values()))
    first = curve.specifications[0]
    if first.reason:
        assert one.emphasis().least >= 0.05
    else:
        assert first.p == one.emphasis().p
    assert len(curve.specifications) == 5 * 3 * 2


def test_a_study_without_benchmarks_says_so(tmp_path):
    study = Planted(cases=3, llms=0).study(tmp_path / "s")
    ways = weightings.Ways(splits=0)
    for curve in (
        benchmarks.curve(study, None, 0, ways, Settings(), []),
        emphases.curve(study, None, 0, ways, permutations.Settings(), []),
    ):
        assert [one.reason for one in curve.specifications] == ["this study has no benchmarks.csv"]


def test_the_shipped_study_has_as_many_specifications_as_its_choices_make():
    study = load("data/perception")
    curve = rankings.curve(study, main("H4", PARTLY), 3, WORDS)
    assert len(curve.specifications) == 5 * 3
