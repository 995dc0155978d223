"""Plans of studies, what a simulated one finds, grids of them, and the chapter."""

import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from chapter_cells import run, texts
from helpers.agreement import kendalls_w
from helpers.errors import HelpersError
from helpers.paths import ROOT
from helpers.power import command, grid, measures, next_study, tables
from helpers.power.grid import Grid
from helpers.power.measures import HYPOTHESES, SHARES, SLOPES, W
from helpers.ranking import ranks
from helpers.scoring import scored
from helpers.simulate import PERCEPTION, Effects, Plan, accuracies, simulate, simulate_planned
from helpers.simulate.planned import normal_scores, planned_design, planned_settings
from helpers.simulate.settings import KIND
from helpers.study import load
from rankings_known import Known
from study_folder import Folder

SMALL = Plan(evaluators=12, cases=6, each=4, llms=4, weights=(0.6, 0.4, 0.5))
NOTHING = replace(SMALL, effects=Effects().times(0))
KNOWN = Known("simulation.csv")


# --- plans ---------------------------------------------------------------------------------------


def test_a_planned_study_has_the_sizes_of_the_plan():
    sample = simulate_planned(SMALL, 1)
    assert sample.design.sizes == {"evaluator": 12, "case": 6, "analyst": 7, "dimension": 3}
    assert (sample.design.rated.sum(axis=1) == 4).all()
    assert set(sample.design.rated.sum(axis=0)) == {8}
    assert np.unique(sample.items).tolist() == [1, 2, 3, 4, 5]
    assert (np.sort(sample.rank, axis=1) == np.arange(1, 8)).all()


def test_evaluators_rate_all_cases_where_there_are_fewer_than_they_could():
    assert planned_design(replace(SMALL, cases=3), 1).rated.all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"evaluators": 1}, "evaluators: at least 2, found 1"),
        ({"llms": 1, "levels": ()}, "a ranking needs two analysts"),
        ({"weights": ()}, "weights: one for each dimension"),
    ],
)
def test_plans_of_no_study_are_refused(change, message):
    with pytest.raises(HelpersError, match=message):
        replace(SMALL, **change)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("benchmark", 1.2, "benchmark: expected a number not below 0 and not above 1"),
        ("uneven", -0.1, "uneven: expected a number not below 0, found -0.1"),
        ("step", float("nan"), "effect step: expected a number"),
    ],
)
def test_effects_that_there_cannot_be_are_refused(name, value, message):
    with pytest.raises(HelpersError, match=message):
        Effects(**{name: value})


def test_multiples_of_effects_keep_a_correlation_one():
    assert Effects(alignment=0.2, benchmark=0.9).times(2) == Effects(
        alignment=0.4, uneven=0.3, step=1.2, varying=0.6, benchmark=1.0
    )


def test_effects_are_planted_where_they_belong():
    settings = planned_settings(replace(SMALL, effects=Effects(0.2, 0.3, 0.6, 0.5, 0.9)))
    assert settings.alignment == (-0.2,) * 3
    assert np.log(settings.spread).std() == pytest.approx(0.3)
    assert np.exp(np.log(settings.spread).mean()) == pytest.approx(SMALL.spread)
    assert np.diff(settings.quality[-3:]) == pytest.approx([-0.6, -0.6])
    assert settings.varying == pytest.approx(dict.fromkeys(("case", "evaluator", KIND), 0.25))
    none = planned_settings(NOTHING)
    assert (none.varying, none.alignment) == ({}, (0.0,) * 3)
    assert np.ptp(none.spread) == np.ptp(none.quality[-3:]) == 0


def test_weights_that_vary_change_ranks_and_not_scores():
    plain = replace(SMALL, effects=replace(Effects(), varying=0.0))
    for term in ("case", "evaluator", KIND):
        settings = replace(planned_settings(plain), varying={term: 0.3})
        design = planned_design(plain, 3)
        first = simulate_planned(plain, 3)
        second = simulate(design, settings, 3)
        assert (first.scores == second.scores).all()
        assert (first.rank != second.rank).any()


def test_accuracy_goes_with_quality_as_planned():
    drawn = np.array([accuracies(replace(SMALL, llms=6), seed) for seed in range(4000)])
    quality = normal_scores(6)
    assert drawn.mean(axis=0) == pytest.approx(0.9 * quality, abs=0.03)
    assert drawn.std(axis=0) == pytest.approx(np.sqrt(1 - 0.81), abs=0.03)


def test_one_model_stands_above_the_physicians_and_has_an_accuracy():
    plan = replace(SMALL, llms=1)
    assert plan.quality[0] == 1
    assert len(accuracies(plan, 1)) == 1


# --- one study -----------------------------------------------------------------------------------


def written(sample, folder):
    """The same study in a folder, as readers have theirs."""
    folder.mkdir()
    codes = sample.design.dimensions
    lines = [f"  - {{code: {code}, label: {code}, min: 1, max: 5}}" for code in codes]
    head = "title: planned\nkind: perception\nsimulated: true\ndimensions:\n"
    (folder / "study.yml").write_text(head + "\n".join(lines) + "\n")
    sample.ratings().write_csv(folder / "ratings.csv")
    sample.design.evaluators.with_columns(years=None).write_csv(folder / "evaluators.csv")
    sample.design.cases.with_columns(group=None).write_csv(folder / "cases.csv")
    sample.design.analysts.with_columns(family=None).write_csv(folder / "analysts.csv")
    return load(folder)


def test_a_simulated_study_is_what_would_be_read_from_a_folder(tmp_path):
    sample = simulate_planned(SMALL, 5)
    made, read = measures.as_study(sample), written(sample, tmp_path / "study")
    assert scored(made).frame.equals(scored(read).frame)
    assert np.array_equal(ranks(made).values, ranks(read).values, equal_nan=True)
    for test in (measures._h1, measures._h2, measures._h3, measures._h4):
        assert test(made, SMALL, 5) == test(read, SMALL, 5)


def test_large_effects_are_seen_and_absent_ones_rarely():
    large = replace(SMALL, evaluators=30, llms=6, effects=Effects(1.0, 0.6, 4.0, 1.0, 1.0))
    tests = (measures._h1, measures._h2, measures._h3, measures._h4, measures._h6)
    studies = [(seed, large, measures.as_study(simulate_planned(large, seed))) for seed in range(4)]
    for test in tests:
        assert sum(test(made, plan, seed) for seed, plan, made in studies) >= 3, test
    none = replace(large, effects=Effects().times(0))
    studies = [(seed, none, measures.as_study(simulate_planned(none, seed))) for seed in range(12)]
    for test in tests:
        # of 12 tests at five per cent more than 3 have a chance below one in four hundred
        assert sum(test(made, plan, seed) for seed, plan, made in studies) <= 3, test


def test_a_study_says_of_everything_what_it_found():
    found = measures.study({"plan": asdict(SMALL), "seed": 2})
    assert tuple(found["rejected"]) == HYPOTHESES
    assert set(found["rejected"].values()) <= {0.0, 1.0}
    assert set(found["measured"]) == {W, SHARES, SLOPES}
    assert all(value > 0 for value in found["measured"].values())
    assert found == measures.study({"plan": asdict(SMALL), "seed": 2})


def test_what_a_study_cannot_test_is_none():
    tiny = Plan(evaluators=2, cases=1, each=1, llms=2, levels=(), weights=(0.5,))
    found = measures.study({"plan": asdict(tiny), "seed": 1})
    assert all(found["rejected"][name] is None for name in ("H1", "H2", "H3", "H4", "H5", "H6"))


# --- grids ---------------------------------------------------------------------------------------


def fake(task):
    """Nine of ten studies see H1; nothing can be said of H6."""
    number = task["seed"] - grid.SEED
    rejected = dict.fromkeys(HYPOTHESES, 0.0) | {"H1": float(number != 3), "H6": None}
    size = task["plan"]["evaluators"] / 100
    measured = {W: size, SHARES: size + number, SLOPES: None}
    return {"rejected": rejected, "measured": measured, "level": 0.5}


@pytest.fixture
def counted(monkeypatch, tmp_path):
    monkeypatch.setattr(grid, "study", fake)
    asked = Grid((10, 20), (6, 9), (0.0, 1.0), 10)
    return grid.power(SMALL, asked, tmp_path / "kept", workers=1)


def row(table, **values):
    return table.filter(*(pl.col(name) == value for name, value in values.items())).to_dicts()


def test_a_grid_counts_each_combination(counted):
    assert counted.height == 8 * (len(HYPOTHESES) + 3)
    (first,) = row(counted, name="H1", evaluators=20, cases=6, multiple=1.0)
    known = KNOWN("share", "interval")
    assert (first["studies"], first["results"], first["value"]) == (10, 10, 0.9)
    assert first["low"] == pytest.approx(known["low"], abs=1e-6)
    assert first["high"] == pytest.approx(known["high"], abs=1e-6)
    (none,) = row(counted, name="H6", evaluators=20, cases=6, multiple=1.0)
    assert (none["results"], none["value"], none["low"]) == (0, None, None)
    (mean,) = row(counted, name=SHARES, evaluators=10, cases=9, multiple=0.0)
    assert mean["value"] == pytest.approx(0.1 + 4.5)
    assert mean["low"] < 4.6 < mean["high"]


def test_the_key_is_of_effects_and_weights_not_of_sizes():
    assert grid.key(SMALL) == grid.key(replace(SMALL, evaluators=40, cases=20))
    assert grid.key(SMALL) != grid.key(replace(SMALL, effects=Effects(alignment=0.5)))
    assert grid.key(SMALL) != grid.key(replace(SMALL, weights=(0.6, 0.4, 0.51)))


def test_corners_are_the_smallest_and_the_largest():
    corners = Grid((40, 10, 20), (6, 9, 12), (0.0, 1.0), 5).corners
    assert corners == Grid((10, 40), (6, 12), (1.0,), 5)
    assert Grid((10,), (6,), (1.0,), 5).corners.cells == [(10, 6, 1.0)]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (((), (6,), (1.0,), 5), "evaluators: expected numbers from 2 on, found none"),
        (((10,), (0,), (1.0,), 5), "cases: expected numbers from 1 on, found 0"),
        (((10,), (6,), (1.0,), 0), "studies: expected 1 or more, found 0"),
    ],
)
def test_grids_of_nothing_are_refused(numbers, message):
    with pytest.raises(HelpersError, match=message):
        Grid(*numbers)


def test_stored_results_are_found_by_their_plan(counted, tmp_path, monkeypatch):
    grid.write_power(counted, tmp_path / "power-mine.csv")
    asked = Grid((10,), (6,), (1.0,), 1)
    found = grid.shown(SMALL, asked, tmp_path, tmp_path / "kept")
    assert (found.stored, found.current, found.table.height) == (True, True, counted.height)
    monkeypatch.setattr(grid, "sources", lambda: "other")
    old = grid.shown(SMALL, asked, tmp_path, tmp_path / "kept")
    assert not old.current
    assert "code has changed" in tables.source(old)
    other = replace(SMALL, effects=Effects(alignment=0.5))
    here = grid.shown(other, asked, tmp_path, tmp_path / "kept")
    assert not here.stored
    assert "simulated here" in tables.source(here)


def test_the_smallest_sufficient_study_is_named(counted, tmp_path):
    told = tables.sentence(grid.Shown(counted, True, True))
    assert "H1: 10 evaluators and 6 cases;" in told
    assert "H2: none of those tried;" in told
    assert "H6: not estimable, no simulated study could test it" in told


def test_tables_give_a_reason_for_what_no_study_could_test(counted):
    table = tables.power(grid.Shown(counted, True, True), 1.0)
    assert table.filter(pl.col("Hypothesis") == "H6")["Note"].unique().to_list() == [
        "not estimable: no simulated study could test it"
    ]
    without = grid.Shown(counted.filter(pl.col("multiple") == 1), False, True)
    assert "no studies without effects were simulated" in str(tables.errors(without).rows())


# --- a study at hand -----------------------------------------------------------------------------


def test_a_plan_takes_sizes_and_weights_from_a_study():
    study = load(ROOT / "data/perception")
    plan = next_study.of_study(study, Effects(), 1.3, ["senior", "junior", "non-specialist"])
    assert (plan.evaluators, plan.cases, plan.each, plan.llms) == (37, 9, 5, 6)
    assert plan.levels == ("senior", "junior", "non-specialist")
    assert plan.weights == pytest.approx(PERCEPTION.weights, abs=0.25)
    assert all(weight == round(weight, 2) for weight in plan.weights)


def test_weights_that_a_study_cannot_tell_have_a_stand_in(tmp_path):
    plan = next_study.of_study(load(Folder(tmp_path / "study").path), Effects(), 1.0, ["senior"])
    assert len(plan.weights) == 2
    assert min(plan.weights) > 0
    assert (plan.llms, plan.levels) == (2, ("senior",))


def test_agreement_in_the_plan_stands_beside_that_of_the_study():
    study = measures.as_study(simulate_planned(SMALL, 1))
    own = ranks(study)
    mean = np.mean([float(kendalls_w(own.values[:, k])) for k in range(len(own.cases))])
    facts = dict(next_study.beside(study, SMALL).iter_rows())
    assert float(facts["mean W of rankings, this study"]) == pytest.approx(mean, abs=0.005)
    assert 0 < float(facts["mean W of rankings, simulated"]) < 1


# --- make power ----------------------------------------------------------------------------------


def test_numbers_as_typed_take_the_place_of_the_chapters():
    values = {"evaluators": [10], "cases": [6], "multiples": [1.0]}
    typed = {"studies": "7", "evaluators": "5 8", "effect": "0 0.5"}
    assert command.asked_for(values, typed) == Grid((5, 8), (6,), (0.0, 0.5), 7)
    assert command.asked_for(values, {}).studies == command.STUDIES
    with pytest.raises(HelpersError, match=r"CASES: expected whole numbers .* found '6,9'"):
        command.asked_for(values, {"cases": "6,9"})


def test_make_power_writes_what_the_chapter_then_shows(tmp_path, monkeypatch):
    monkeypatch.setattr(grid, "study", fake)
    monkeypatch.setattr(grid, "run", lambda *given: [fake(task) for task in given[1]])
    study = Folder(tmp_path / "mine").path
    told = command.make_power(
        study, ("alignment=0.4",), {"studies": "3"}, folder=tmp_path / "out", kept=tmp_path / "kept"
    )
    assert told.endswith("power-mine.csv: 18 combinations of 3 studies")
    plan = next_study.of_study(
        load(study), Effects(alignment=0.4), 1.3, ["senior", "junior", "non-specialist"]
    )
    found = grid.shown(plan, Grid(studies=1), tmp_path / "out", tmp_path / "kept")
    assert found.stored
    assert len(found.table) == 18 * 10


def test_results_of_the_shipped_study_alone_are_committed():
    assert grid.file_of(Path("f"), "perception", shipped=True) == Path("f/power.csv")
    assert grid.file_of(Path("f"), "my study/2", shipped=False) == Path("f/power-my-study-2.csv")


def test_make_refuses_a_misspelt_variable():
    asked = subprocess.run(
        ["make", "power", "STUDYS=3"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert asked.returncode != 0
    assert "unknown variable STUDYS" in asked.stderr


# --- the chapter ---------------------------------------------------------------------------------

ONCE = {"studies": 1, "evaluators": [6], "cases": [2], "multiples": [1.0]}


@pytest.fixture(params=["as it is", "no ranks", "one case"])
def odd(request, tmp_path):
    folder = Folder(tmp_path / "study")
    rows = folder.text("ratings.csv").splitlines()
    if request.param == "no ranks":
        folder.write("ratings.csv", "\n".join(line.rpartition(",")[0] + "," for line in rows[1:]))
        folder.write("ratings.csv", rows[0] + "\n" + folder.text("ratings.csv") + "\n")
    elif request.param == "one case":
        kept = [rows[0], *(line for line in rows[1:] if line.split(",")[1] == "1")]
        folder.write("ratings.csv", "\n".join(kept) + "\n")
    return folder


def test_odd_studies_give_numbers_or_reasons(odd, monkeypatch, tmp_path):
    monkeypatch.setattr(grid.shown, "__defaults__", (tmp_path, tmp_path / "kept"))
    shown, entries = run("perception-16-design", odd.path, **ONCE)
    told = texts(shown)
    assert not entries
    assert "simulated here" in told
    for wrong in (" nan", "None", " inf"):
        assert wrong not in told
