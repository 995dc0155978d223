"""The chapter on benchmarks: planted relations, odd studies, settings, and the line of H6."""

import re

import numpy as np
import pytest

import benchmark_studies as studies
import chapter_cells
from helpers.benchmark import accuracy_scale, picture, tables, verdict
from helpers.benchmark.association import pearson
from helpers.benchmark.bend import Bend
from helpers.benchmark.comparison import Compared, Settings
from helpers.benchmark.left_out import LeftOut
from helpers.benchmark.verdict import BENT, OPEN, STRAIGHT
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.orders import orders
from helpers.paths import DATA
from helpers.study import load
from helpers.weighing.scores import Perceived
from helpers.weighing.weighed import Weighed

CHAPTER = "perception-13-benchmarks"
UNSAID = re.compile(r"\b(nan|None|inf)\b|∞")


def noise(n: int, seed: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n)


def height(scores: np.ndarray) -> np.ndarray:
    return (scores - scores.min()) / np.ptp(scores)


def straight(scores):
    return 10 + 70 * height(scores) + noise(len(scores))


def bent(scores):
    return 10 + 70 * height(scores) ** 3 + noise(len(scores))


def unrelated(scores):
    return [50 + 8 * (-1) ** n + n % 3 for n in range(len(scores))]


def falling(scores):
    return 90 - straight(scores)


def judged(path, benchmarks, resamples=60, **more):
    settings = {k: more.pop(k) for k in list(more) if k in Settings.__dataclass_fields__}
    folder = studies.study(path / "own", benchmarks, **more)
    compared = Compared(Perceived(Weighed(load(folder), resamples=resamples)), Settings(**settings))
    return verdict.judge(compared), compared


def shown(path, benchmarks, more=None, **parameters):
    folder = studies.study(path / "own", benchmarks, **(more or {}))
    found, entries = chapter_cells.run(CHAPTER, folder, **{"resamples": 40} | parameters)
    text = chapter_cells.texts(found)
    assert not UNSAID.search(text)
    (entry,) = entries
    return text, entry


# --- what is planted is found --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "decision", "form"),
    [
        (straight, "supported", STRAIGHT),
        (bent, "partly supported", BENT),
        (unrelated, "not supported", None),
        (falling, "not supported", None),
    ],
)
def test_a_planted_relation_is_found_and_none_where_there_is_none(tmp_path, make, decision, form):
    (found,), compared = judged(tmp_path, {"Arena": make}, models=12, seed=2)
    assert found.decision == decision
    assert found.positive == (form is not None)
    if form:
        assert found.form == form
    line = verdict.h6([found])
    assert (line.decision, line.topic, line.p) == (decision, "H6", found.p_holm)
    assert (line.used, line.dropped, line.unit) == (12, 0, "models")
    assert line.estimate == pytest.approx(compared.usable[0].association.r)


def test_six_scattered_models_may_be_positive_and_of_unknown_form(tmp_path):
    def scattered(scores):
        return 30 + 40 * height(scores) + np.array([6, -6, 5, -7, 4, 3])

    (found,), compared = judged(tmp_path, {"Arena": scattered})
    assert (found.decision, found.form) == ("partly supported", OPEN)
    told = tables.decision_sentence([found])
    assert "of a form that cannot be told" in told
    assert "6 points can hardly decide" in told
    assert compared.usable[0].bend.power < 0.8
    # the smoother comes closer all the same, which decides nothing
    assert compared.usable[0].smooth().r2 > compared.usable[0].line().r2


def test_false_findings_are_as_rare_as_they_should_be(tmp_path):
    """Accuracies dealt at random: among all orders, no more than 5 % have p below .05."""
    _, compared = judged(tmp_path, {"Arena": straight}, models=6, resamples=2)
    points = compared.usable[0].points
    found = [pearson(points.scores, points.accuracies[own]).p for own in orders(6, 0)]
    assert np.mean(np.array(found) < 0.05) <= 0.05
    assert np.mean(np.array(found) < 0.05) > 0.04


def test_the_interval_over_evaluators_must_lie_above_zero_too(tmp_path):
    """Scores that differ by chance alone go with accuracies made of them, yet prove nothing."""
    (found,), compared = judged(
        tmp_path, {"Arena": straight}, alike=True, evaluators=6, cases=2, resamples=200
    )
    assert compared.usable[0].association.p < 0.05
    assert compared.usable[0].over_evaluators[0] <= 0
    assert found.decision == "not supported"


def test_the_form_needs_a_test_with_power_and_points_left_out():
    outcome = np.arange(4.0)
    closer = LeftOut(outcome, {"Straight line": outcome + 1, "Parabola": outcome}, {})
    farther = LeftOut(outcome, {"Straight line": outcome, "Parabola": outcome + 1}, {})
    assert verdict.form_of(Bend(p=0.01, power=0.9), closer) == BENT
    assert verdict.form_of(Bend(p=0.01, power=0.9), farther) == OPEN
    assert verdict.form_of(Bend(p=0.2, power=0.9), closer) == STRAIGHT
    assert verdict.form_of(Bend(p=0.2, power=0.79), farther) == OPEN
    assert verdict.form_of(Bend(reason="three points"), farther) == OPEN
    assert verdict.form_of(Bend(straight=True, reason="on one line"), farther) == STRAIGHT


def test_several_benchmarks_share_the_level(tmp_path):
    found, _ = judged(tmp_path, {"A": straight, "B": unrelated, "C": bent}, models=12)
    raw = [one.comparison.association.p for one in found]
    assert found[0].p_holm >= raw[0]
    assert [one.decision for one in found][1] == "not supported"
    line = verdict.h6(found)
    assert line.decision == "partly supported"
    assert line.result.startswith("A: r ")
    assert line.p == min(one.p_holm for one in found)


def test_the_ledger_takes_estimate_interval_and_p_from_one_benchmark(tmp_path):
    found, _ = judged(tmp_path, {"B": unrelated, "A": straight}, models=12)
    line, own = verdict.h6(found), found[1].comparison.association
    assert (line.estimate, line.low, line.high) == (own.r, own.low, own.high)
    assert line.p == found[1].p_holm < found[0].p_holm


# --- odd studies ---------------------------------------------------------------------------------


def test_the_chapter_holds_for_the_shipped_study():
    found, (entry,) = chapter_cells.run(CHAPTER, DATA / "perception", resamples=40)
    text = chapter_cells.texts(found)
    assert not UNSAID.search(text)
    assert entry.published == "not supported"
    assert "0.972825" not in text
    assert "| the paper, Table 14 | not given | LOESS | 20.010 | 0.973" in text
    assert "AICc is undefined" in text
    assert "| lowess | 1 | 3 |" in text


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"models": 1, "physicians": 3}, "1 system with score and accuracy"),
        ({"models": 2}, "two points always lie on a line"),
        ({"models": 3}, "no order of the accuracies of 3 models can have p below 5"),
        ({"models": 0, "physicians": 4}, "no analyst of this study is of kind llm"),
        ({"evaluators": 1, "cases": 1}, "Not estimable"),
    ],
)
def test_too_little_is_not_estimable_with_the_reason(tmp_path, more, said):
    text, entry = shown(tmp_path, {"Arena": lambda scores: [50.0, 20, 30, 44, 61, 9]}, more)
    assert said in text
    assert entry.decision == "not estimable"
    assert "not estimable" in entry.result


@pytest.mark.parametrize("models", [4, 5, 14])
def test_other_numbers_of_models_have_a_decision(tmp_path, models):
    text, entry = shown(tmp_path, {"Arena": straight}, {"models": models})
    assert entry.decision in {"supported", "partly supported", "not supported"}
    assert ("Monte-Carlo" in text) == (models > 9)


def test_equal_accuracies_are_not_estimable(tmp_path):
    text, entry = shown(tmp_path, {"Arena": lambda scores: [50.0] * len(scores)})
    assert "all accuracies are equal" in text
    assert "all accuracies are equal" in entry.result


def test_without_benchmarks_every_cell_says_so(tmp_path):
    text, entry = shown(tmp_path, {})
    assert "this study has no benchmarks.csv" in text
    assert entry.result == "not estimable: this study has no benchmarks.csv"


def test_missing_models_are_named(tmp_path):
    def gaps(scores):
        return ["", None, *straight(scores)[2:], 77.0]

    text, entry = shown(tmp_path, {"Arena": gaps}, {"models": 8})
    assert "left out: M0 (accuracy is blank), M1 (not in benchmarks.csv) and P0 (not a" in text
    assert (entry.used, entry.dropped) == (6, 2)


def test_one_model_on_a_second_benchmark_does_not_touch_the_first(tmp_path):
    def single(scores):
        return [42.0] + [None] * (len(scores) - 1)

    text, entry = shown(tmp_path, {"Arena": straight, "Quiz": single}, {"models": 12})
    assert "Quiz: not estimable: 1 system with score and accuracy" in entry.result
    assert entry.decision == "supported"
    assert "| Quiz |" in text


def test_bench_without_any_accuracy_is_named(tmp_path):
    text, entry = shown(tmp_path, {"Arena": lambda scores: [""] * len(scores)})
    assert "Arena: 0 models with an accuracy; left out: M0 (accuracy is blank)" in text
    assert entry.decision == "not estimable"


@pytest.mark.parametrize(
    "parameters",
    [
        {"outcome": "score"},
        {"degree": 2, "robust": 3},
        {"degree": 0, "span": 0.5},
        {"divisor": "n"},
        {"span": 1.0},
        {"method": "Plackett–Luce"},
    ],
)
def test_settings_of_the_chapter_are_shown(tmp_path, parameters):
    text, _ = shown(tmp_path, {"Arena": straight}, **parameters)
    if "divisor" in parameters:
        assert "Residual SD ÷ n" in text
    if "outcome" in parameters:
        assert "The outcome is the score" in text


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"outcome": "accurcy"}, "outcome 'accurcy'"),
        ({"scale": "percent"}, "did you mean 'per cent'"),
        ({"divisor": "n-1"}, "divisor 'n-1'"),
        ({"flat": 1.0}, "flat 1"),
        ({"span": 0.0}, "span 0"),
    ],
)
def test_settings_without_meaning_are_refused(settings, said):
    with pytest.raises(HelpersError, match=said):
        Settings(**settings)


def test_scores_that_are_refused_leave_the_accuracies_to_see(tmp_path):
    folder = studies.study(tmp_path / "own", {"Arena": straight})
    ratings = (folder / "ratings.csv").read_text().splitlines()
    blank = [ratings[0], *(re.sub(r",\d+,\d+,(\d+)$", r",,,\1", row) for row in ratings[1:])]
    (folder / "ratings.csv").write_text("\n".join(blank) + "\n")
    found, (entry,) = chapter_cells.run(CHAPTER, folder, resamples=20)
    text = chapter_cells.texts(found)
    assert "no score: nobody who ranked gave a score" in text
    assert entry.decision == "not estimable"


# --- share or per cent ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "scale", "found", "told"),
    [
        ([0.5, 0.25, 1], "detect", [50, 25, 100], "share (detected)"),
        ([50, 25, 0], "detect", [50, 25, 0], "per cent (detected)"),
        ([1, 0, 1], "detect", [100, 0, 100], "share (detected, but unsure: only 0 and 1 occur)"),
        ([0.5, 25, 3], "per cent", [0.5, 25, 3], "per cent (as set)"),
        ([0.5, 0, 1], "per cent", [0.5, 0, 1], "per cent (as set)"),
        ([0.5, 0, 1], "share", [50, 0, 100], "share (as set)"),
    ],
)
def test_shares_are_told_from_per_cent(given, scale, found, told):
    own, read = accuracy_scale.in_percent(dict(zip("abc", given, strict=True)), scale)
    assert [*own.values()] == pytest.approx(found)
    assert read == told


@pytest.mark.parametrize(
    ("given", "scale", "reason"),
    [
        ([0.5, 25, 3], "detect", "0.5 (a) beside 25 (b)"),
        ([0.5, 25, 3], "share", "25 (b) is no share"),
    ],
)
def test_a_mixture_is_refused_by_name(given, scale, reason):
    with pytest.raises(NotEstimableError, match=re.escape(reason)):
        accuracy_scale.in_percent(dict(zip("abc", given, strict=True)), scale)


def test_shares_give_what_per_cent_gives(tmp_path):
    text, entry = shown(tmp_path, {"Arena": lambda s: straight(s) / 100})
    other = studies.study(tmp_path / "other", {"Arena": straight})
    _, (same,) = chapter_cells.run(CHAPTER, other, resamples=40)
    assert "read as share (detected)" in text
    assert entry.estimate == pytest.approx(same.estimate, abs=1e-6)
    assert entry.result == same.result


def test_a_mixture_is_not_used_and_said(tmp_path):
    def mixed(scores):
        return [0.42, *straight(scores)[1:]]

    text, entry = shown(tmp_path, {"Arena": mixed})
    assert "a share beside per cent?" in text
    assert entry.decision == "not estimable"
    assert "set scale to" in entry.result


# --- figure --------------------------------------------------------------------------------------


def test_panels_of_several_benchmarks_are_laid_out_below_the_legend_and_within_the_figure(tmp_path):
    folder = studies.study(tmp_path / "s", {"Arena": straight, "Other": straight})
    canvas = picture.scatter(Compared(Perceived(Weighed(load(folder), resamples=5))))
    canvas.draw_without_rendering()
    key = canvas.legends[0].get_window_extent()
    for axes in canvas.axes:
        assert not key.overlaps(axes.title.get_window_extent())
        box = axes.get_tightbbox()
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= canvas.bbox.x1
