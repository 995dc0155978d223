from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from helpers import beside, mixed
from helpers.scoring import alignment, emphasis, entries, printed_t, readings, scored
from helpers.study import load
from scoring_data import R, labels, scores, shipped
from study_folder import Folder

ALIGNMENT = "evaluator,case,specialist\nE1,1,yes\nE2,1,no\nE3,1,no\n"


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "s")


@pytest.fixture(scope="module")
def aligned():
    return alignment.alignment(shipped())


@pytest.fixture(scope="module")
def found(aligned):
    return readings.readings(scores(), aligned)


@pytest.fixture(scope="module")
def model(aligned):
    return emphasis.fit(scores(), aligned)


def test_specialties_align_by_name_in_any_of_several(folder):
    folder.spoil("evaluators.csv", "E1,Cardiology;Urology,4.5", "E1,cardiology; Urology ,4.5")
    folder.spoil("evaluators.csv", "E2,,12", "E2,Dentistry,12")
    aligned = alignment.alignment(load(folder.path))
    assert aligned.source == alignment.BY_SPECIALTY
    assert aligned.pairs.sort("case", "evaluator").rows() == [
        ("E1", "1", True),
        ("E2", "1", False),
        ("E3", "1", False),
        ("E1", "2", True),
        ("E2", "2", False),
    ]
    assert aligned.dropped.is_empty()


def test_who_and_what_has_no_specialty_is_dropped_and_counted(folder):
    folder.spoil("cases.csv", "2,Urology,Y", "2,,Y")
    aligned = alignment.alignment(load(folder.path))
    assert dict(aligned.dropped.select("Reason", "Evaluator–case pairs").iter_rows()) == {
        "the evaluator has no specialty": 1,
        "the case has no specialty": 2,
    }
    assert aligned.by_case.rows() == [
        ("1", "Cardiology", 1, 1, 1, "yes"),
        ("2", None, 0, 0, 2, "no"),
    ]


def test_cases_without_a_specialist_are_dropped_and_counted(folder):
    folder.spoil("cases.csv", "1,Cardiology,X", "1,Dentistry,X")
    aligned = alignment.alignment(load(folder.path))
    reasons = dict(aligned.dropped.select("Reason", "Cases").iter_rows())
    assert reasons["no specialist rated the case"] == 1
    assert reasons["specialists alone rated the case"] == 1
    assert aligned.pairs.is_empty()


def test_a_study_may_say_who_is_a_specialist(folder):
    folder.write("alignment.csv", ALIGNMENT)
    aligned = alignment.alignment(load(folder.path))
    assert aligned.source == alignment.GIVEN
    assert aligned.pairs["specialist"].to_list() == [True, False, False]
    assert aligned.dropped.rows() == [("not in alignment.csv", 2, 1)]
    assert aligned.sentence().startswith("`alignment.csv` says")


@pytest.mark.parametrize("reading", readings.READINGS, ids=lambda reading: reading.name)
def test_every_reading_is_rs(found, reading):
    for code, label in labels().items():
        one = found[reading][label]
        for name in ("t", "df", "p", "d", "low", "high"):
            known = R[f"{reading.test} {reading.unit} {name}", code]
            assert getattr(one, name) == pytest.approx(known), name


def test_readings_are_counted_with_their_caution(found):
    table = readings.rejections(found)
    assert table["Dimensions tested"].to_list() == [7] * 7
    assert table["Caution"].to_list()[-1] == "pseudo-replication"
    paired = readings.table(found[readings.PAIRED])
    assert paired["n"].unique().to_list() == ["9\N{NO-BREAK SPACE}+\N{NO-BREAK SPACE}9"]
    assert (paired["p (Holm)"] >= paired["p"]).all()


def test_the_model_of_all_rows_is_lmertests(model):
    columns = {"Estimate": "value", "Std. Error": "se", "df": "df", "t value": "t"}
    for code, label in labels().items():
        for name, attribute in columns.items():
            known = R[f"model {name}", code]
            assert getattr(model.contrasts[label], attribute) == pytest.approx(known, rel=1e-2)
        assert float(model.contrasts[label]) == pytest.approx(R["model Estimate", code], abs=2e-4)
        assert model.contrasts[label].p == pytest.approx(R["model Pr(>|t|)", code], abs=2e-3)
    for name, asked in (("shift", emphasis.SHIFT), ("emphasis", emphasis.EMPHASIS)):
        joint = model.joint[asked]
        assert joint.f == pytest.approx(R[f"model {name}", "F"], rel=5e-3)
        assert joint.p == pytest.approx(R[f"model {name}", "p"], abs=2e-3)


def test_the_model_counts_every_score_and_names_zero_variances(model):
    assert (model.used, model.dropped, model.converged) == (1620 * 7, 0, True)
    assert set(model.singular) == {"evaluator:case", "evaluator:case:dimension"}


def planted(level, stress, seed=4):
    """Scores of a balanced study in which specialists score otherwise."""
    random = np.random.default_rng(seed)
    evaluator, case, analyst = (
        g.ravel() for g in np.meshgrid(range(12), range(6), range(4), indexing="ij")
    )
    specialist = evaluator % 6 == case
    noise = random.normal(size=(len(case), 3)) + random.normal(size=12)[evaluator][:, None]
    noise[specialist] += level + np.array([stress, 0, 0])
    frame = pl.DataFrame(
        {name: own.astype(str) for name, own in
         (("evaluator", evaluator), ("case", case), ("analyst", analyst))}
    ).with_columns(**{f"D{i}": noise[:, i] for i in range(3)})  # fmt: skip
    pairs = frame.select("evaluator", "case").with_columns(specialist=pl.Series(specialist))
    own = replace(scores(), frame=frame, labels=("D0", "D1", "D2"))
    return own, replace(alignment.alignment(shipped()), pairs=pairs.unique())


@pytest.mark.parametrize(
    ("level", "stress", "decision"),
    [(0, 0, "not supported"), (1, 0, "partly supported"), (0, 2, "supported")],
)
def test_what_is_planted_is_decided(level, stress, decision):
    model = emphasis.fit(*planted(level, stress))
    assert emphasis.decision(model) == decision
    line = entries.h1(model, "points")
    assert (line.decision, line.topic, line.anchor) == (decision, "H1", "tbl-specialty-tests")
    assert line.p == model.joint[emphasis.SHIFT].p
    assert emphasis.sentence(model, "points").startswith(f"**{decision.capitalize()}.**")


def test_a_fit_that_did_not_converge_decides_nothing():
    model = replace(emphasis.fit(*planted(1, 0)), converged=False)
    assert emphasis.decision(model) == "not tested"
    assert "did not converge" in emphasis.sentence(model, "points")
    assert "did not converge" in emphasis.plain(model)


def test_one_specialist_is_a_person_and_no_group(folder):
    study = load(folder.path)
    model = emphasis.fit(scored(study), alignment.alignment(study))
    assert model.reason.startswith("1 specialist; at least 2 are needed")
    assert (
        entries.h1(model, "points").result
        == f"specialists less others: not estimable: {model.reason}"
    )
    assert entries.h1(model, "points").decision == "not tested"


def test_a_dimension_that_one_side_did_not_score_is_named():
    own, aligned = planted(0, 0)
    both = own.frame.join(aligned.pairs, on=["evaluator", "case"])
    gone = pl.when(both["specialist"]).then(None).otherwise(pl.col("D0")).alias("D0")
    own = replace(own, frame=own.frame.with_columns(gone))
    table = emphasis.contrasts(emphasis.fit(own, aligned), own.labels)
    assert table["Note"].to_list()[0] == "not estimable: not scored by both specialists and others"
    assert table["p"].null_count() == 1


def test_no_reading_gives_the_whole_printed_table():
    table = printed_t.fits(beside.paper())
    fits = {row["Reading"]: (row["p fit"], row["d fit"]) for row in table.to_dicts()}
    assert fits["paired, case-by-group means"] == (7, 0)
    assert fits["Student, case-by-group means"] == (1, 0)
    assert table["df"].to_list()[:3] == ["16", "8–16", "8"]
    assert printed_t.sentence(table).startswith("Not one of these readings gives the whole")
    assert printed_t.clues(beside.paper()) == (
        "All printed p together fit 8 degrees of freedom and no others. All printed ratios of d "
        "to t together fit no two equal groups: it would take 14.94 to 14.97 values in each."
    )


def test_printed_figures_stand_beside_dimensions_of_the_same_name(found, model):
    names = ("Diagnostic Accuracy", "Clarity")
    own = {reading: {**by, "Clarity": by["Inquiry Logic"]} for reading, by in found.items()}
    table = readings.beside_print(own, model, names)
    assert table.select("Dimension", "Published t", "Published p").rows() == [
        ("Diagnostic Accuracy", "-0.55", "0.60")
    ]


def test_refused_models_give_reasons_everywhere():
    model = mixed.refused("nobody rated")
    assert emphasis.contrasts(model, ["A"])["Note"].to_list() == ["not estimable: nobody rated"] * 2
    assert emphasis.joint(model)["Note"].to_list() == ["not estimable: nobody rated"] * 2
    assert emphasis.sentence(model, "points") == "H1 is not tested: nobody rated."
