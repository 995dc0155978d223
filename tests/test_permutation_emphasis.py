"""Emphasis of benchmarks: rankings as far off, what is planted and what is not, H7 and chapter."""

import csv
import re
import shutil

import numpy as np
import pytest

import chapter_cells
import permutation_studies as studies
import weighing_studies
from helpers.benchmark import several
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.orders import every
from helpers.paths import DATA, ROOT
from helpers.permutation import tables, verdict
from helpers.permutation.against import Against, Permuted
from helpers.permutation.alike import alike
from helpers.permutation.by_chance import by_chance
from helpers.permutation.counts import counts
from helpers.permutation.emphasis import Emphasis, emphases, emphasis, measured
from helpers.permutation.means import correlations, halves
from helpers.permutation.projection import Line
from helpers.permutation.replicates import Replicates
from helpers.permutation.settings import Settings
from helpers.ranking import table as ranked
from helpers.ranking.decisions import ABSENT, ALPHA, NO, PARTLY, YES
from helpers.study import load
from helpers.weighing.scores import Perceived
from helpers.weighing.weighed import Weighed
from test_permutation_counts import STUDIES, known

CLOSED = 1e-6
CHAPTER = "perception-14-emphasis"


def permuted(study, resamples=40, **settings) -> Permuted:
    return Permuted(Weighed(study, resamples=resamples), Settings(**settings))


@pytest.fixture(scope="module")
def shipped() -> Against:
    study = load(DATA / "perception")
    return permuted(study, emphasised=("accuracy",)).usable[0]


# --- rankings as far off -----------------------------------------------------------------------


@pytest.mark.parametrize("name", STUDIES)
def test_emphasis_is_that_of_r(name):
    found = counts(*STUDIES[name])
    line = found.line
    others = alike(line.evaluators, line.benchmark, seed=1)
    assert others.whole
    assert [len(others.rankings)] == known(name, "alike")
    chance = by_chance(line.evaluators, others.rankings, found.rankings, 0.5, "ratio")
    own = by_chance(line.evaluators, line.benchmark[None, :], found.rankings, 0.5, "ratio")
    for measure in ("along", "count"):
        values = emphases(measured(own, measure)[0], measured(chance, measure))
        assert values == pytest.approx(known(name, f"emphasis {measure}"), abs=CLOSED)
    declared = np.arange(len(found.dimensions)) == 1
    result = emphasis(own.along[0], chance.along, others.whole, declared, found.moved)
    assert [result.p] == pytest.approx(known(name, "p along"), abs=CLOSED)
    assert [result.value] == pytest.approx(known(name, "value along"), abs=CLOSED)


def test_what_permutations_show_for_many_benchmarks_is_what_they_show_for_each():
    found = counts(*STUDIES["six"], epsilon=0.8)
    line = found.line
    benchmarks = line.benchmark[every(6)][::37]
    many = by_chance(line.evaluators, benchmarks, found.rankings, 0.8, "ratio")
    for number, benchmark in enumerate(benchmarks):
        own = Line(line.evaluators, benchmark)
        share = own.share(found.rankings)
        assert many.along[number] == pytest.approx(share.mean(axis=1), abs=1e-12)
        within = (np.abs(own.along(found.rankings)) <= own.reach(0.8)).mean(axis=1)
        assert many.within[number] == pytest.approx(within, abs=1e-12)
    alone = by_chance(line.evaluators, line.evaluators[None, :], found.rankings, 0.8, "ratio")
    assert np.isnan(alone.along).all()
    assert np.isnan(alone.within).all()


def test_rankings_as_far_off_have_the_same_ranks_and_distance():
    evaluators, benchmark = 2 * np.arange(1, 7), np.array([4, 2, 9, 9, 6, 12])
    found = alike(evaluators, benchmark, seed=1).rankings
    assert (np.sort(found, axis=1) == np.sort(benchmark)).all()
    assert len(set(((found - evaluators) ** 2).sum(axis=1))) == 1
    drawn = alike(evaluators, benchmark, seed=1, listed=5)
    assert not drawn.whole
    assert len(drawn.rankings) == 5


def test_rankings_of_many_models_are_about_as_far_off_and_differ():
    random = np.random.default_rng(1)
    evaluators, benchmark = 2 * np.arange(1, 13), 2 * (random.permutation(12) + 1)
    found = alike(evaluators, benchmark, seed=1, listed=100)
    assert not found.whole
    far = ((found.rankings - evaluators) ** 2).sum(axis=1)
    own = ((benchmark - evaluators) ** 2).sum()
    assert (np.abs(far / own - 1) <= 0.05).all()
    assert len(np.unique(found.rankings, axis=0)) > 90


# --- what is planted, and what is not ----------------------------------------------------------


def p_of(random: np.random.Generator, kind: str, models: int = 8) -> float | None:
    """p of made-up mean scores and a benchmark; the second of five dimensions is declared."""
    scores, weights = random.normal(size=(models, 5)), random.uniform(0.5, 1.5, 5)
    accuracies = {
        "planted": scores[:, 1],
        "unrelated": random.normal(size=models),
        "as evaluators": scores @ weights + random.normal(size=models),
    }[kind]
    try:
        found = counts(3 + scores, weights, accuracies, permutations=500)
    except NotEstimableError:
        return None
    line = found.line
    others = alike(line.evaluators, line.benchmark, seed=1)
    chance = by_chance(line.evaluators, others.rankings, found.rankings, 0.5, "ratio")
    own = by_chance(line.evaluators, line.benchmark[None, :], found.rankings, 0.5, "ratio")
    declared = np.arange(5) == 1
    return emphasis(own.along[0], chance.along, others.whole, declared, found.moved).p


def test_a_planted_emphasis_is_found():
    random = np.random.default_rng(2)
    found = [p_of(random, "planted") for _ in range(15)]
    assert np.mean([p < 0.05 for p in found if p is not None]) > 0.8


@pytest.mark.parametrize("kind", ["unrelated", "as evaluators"])
def test_none_is_found_where_none_is(kind):
    """At the level of .05, seven or more of 60 come up once in thirty times."""
    random = np.random.default_rng(3)
    found = [p for p in (p_of(random, kind) for _ in range(60)) if p is not None]
    assert len(found) > 40
    assert sum(p < 0.05 for p in found) < 7


def test_a_planted_emphasis_makes_h7_supported_and_the_turned_one_does_not(tmp_path):
    study = studies.planted(tmp_path / "a", dimension=1)
    found = permuted(study, emphasised=("d1",))
    (judged,) = verdict.judge(found)
    assert judged.decision == YES
    entry = verdict.h7([judged])
    assert entry.decision == YES
    assert entry.low > 0
    assert entry.p < 0.05
    assert entry.used == 8
    assert "Dimension 1" in entry.question
    (turned,) = verdict.judge(permuted(study, emphasised=("d0", "d2", "d3")))
    assert turned.decision == NO
    assert turned.emphasis.value == pytest.approx(-judged.emphasis.value)


def test_a_benchmark_that_ranks_as_evaluators_do_but_for_noise_is_not_taken_for_emphasis(tmp_path):
    study = studies.planted(tmp_path / "a", dimension=None, seed=2)
    (judged,) = verdict.judge(permuted(study, emphasised=("d1",)))
    assert judged.decision in {NO, ABSENT}


def test_with_nothing_declared_h7_is_partly_supported_at_most(tmp_path):
    study = studies.planted(tmp_path / "a", dimension=1)
    (judged,) = verdict.judge(permuted(study))
    assert judged.decision == (PARTLY if judged.emphasis.p < 0.05 else NO)
    assert judged.emphasis.value == pytest.approx(np.ptp(judged.emphasis.of))
    entry = verdict.h7([judged])
    assert entry.question == verdict.ANY
    assert entry.low is None
    assert verdict.UNDECLARED in entry.explanation
    assert verdict.table([judged])["low"].to_list() == [None]


# --- decisions ---------------------------------------------------------------------------------


def test_the_shipped_benchmark_can_be_tested_and_shows_no_emphasis_as_none_is_planted(shipped):
    (judged,) = verdict.judge(permuted(shipped.weighed.study, emphasised=("accuracy",)))
    assert judged.emphasis.least < ALPHA
    assert judged.decision == NO


def test_two_rankings_that_hardly_differ_cannot_be_tested(shipped, tmp_path):
    path = shutil.copytree(DATA / "perception", tmp_path / "a")
    best_first = sorted(zip(shipped.scores @ shipped.shares, shipped.analysts, strict=True))[::-1]
    *first, one, other, last = (name for _, name in best_first)
    accuracies = dict(zip([*first, other, one, last], range(90, 30, -10), strict=True))
    study = studies.with_benchmarks(path, {"Arena": accuracies})
    (judged,) = verdict.judge(permuted(study, emphasised=("accuracy",)))
    assert judged.decision == ABSENT
    assert re.search(r"of 5 rankings as far .* none can have p below", judged.reason)
    assert verdict.h7([judged]).p is None


@pytest.mark.parametrize(
    ("decisions", "overall"),
    [
        ([YES, YES], YES),
        ([YES, ABSENT], YES),
        ([YES, NO], PARTLY),
        ([PARTLY, ABSENT], PARTLY),
        ([NO, ABSENT], NO),
        ([ABSENT], ABSENT),
        ([], ABSENT),
    ],
)
def test_over_several_benchmarks(decisions, overall):
    judged = [verdict.Judged(str(n), d) for n, d in enumerate(decisions)]
    assert several.overall(judged) == overall


def test_the_ledger_takes_estimate_interval_and_p_from_one_benchmark():
    one, other = (Emphasis(np.array([v]), v, p, 0.01, 90) for v, p in ((0.9, 0.5), (0.3, 0.01)))
    weak = verdict.Judged("weak", NO, emphasis=one, p_holm=0.5, analysts=9)
    strong = verdict.Judged("strong", YES, emphasis=other, p_holm=0.02, analysts=6)
    line = verdict.h7([weak, strong])
    assert (line.estimate, line.p, line.used) == (0.3, 0.02, 6)


@pytest.mark.parametrize(
    ("declared", "moved", "told"),
    [
        ([True], [1], "one dimension only"),
        ([True, True], [1, 1], "no dimension is left"),
        ([True, False], [0, 1], "what is declared never changes"),
        ([True, False], [1, 0], "anything but what is declared never changes"),
        ([False, False], [0, 0], "a dimension never changes"),
    ],
)
def test_emphasis_that_cannot_be_compared_says_why(declared, moved, told):
    own = np.zeros(len(declared))
    with pytest.raises(NotEstimableError, match=told):
        emphasis(own, own[None, :], True, np.array(declared), np.array(moved))


def test_settings_without_meaning_are_refused(tmp_path):
    for wrong, told in (
        ({"perceived": "mean ranks"}, "did you mean 'mean rank'"),
        ({"level": "rows"}, "did you mean 'row'"),
        ({"measure": "counts"}, "did you mean 'count'"),
        ({"bound": "x"}, "'ratio' or 'distance'"),
        ({"permutations": 0}, "one or more"),
        ({"epsilon": -0.5}, "zero or more"),
    ):
        with pytest.raises(HelpersError, match=told):
            Settings(**wrong)
    found = permuted(studies.odd(tmp_path / "a"), emphasised=("d2",))
    with pytest.raises(HelpersError, match="no dimension has the code 'd2'; there are: d0, d1"):
        verdict.judge(found)


# --- a study's own numbers ---------------------------------------------------------------------


def test_mean_scores_and_ranks_are_those_of_the_other_chapters(shipped):
    table = Perceived(shipped.weighed).capability.scores
    scores = dict(table.select("analyst", "score").iter_rows())
    own = shipped.scores @ shipped.shares
    assert own == pytest.approx([scores[name] for name in shipped.analysts])
    ranks = ranked.ranks(shipped.weighed.study)
    once = np.ones((1, len(ranks.evaluators))), np.ones((1, len(ranks.cases)))
    means = dict(zip(ranks.analysts, ranked.means(ranks.values, *once)[0], strict=True))
    assert shipped.mean_ranks == pytest.approx([means[name] for name in shipped.analysts])


def test_the_statistic_that_is_resampled_is_the_one_that_is_shown(shipped):
    parts = Replicates.parts(len(shipped.dimensions))
    found = shipped.found.estimate
    for measure in ("along", "count"):
        own = shipped.emphasis(measure)
        assert found[parts[measure]] == pytest.approx([own.value])
        assert found[parts[f"emphasis {measure}"]] == pytest.approx(own.of)
    assert found[parts["weight"]] == pytest.approx(shipped.shares)
    assert found[parts["halves"]] == pytest.approx(halves(shipped.scores, shipped.accuracies))


def test_rows_are_resampled_too(tmp_path):
    study = studies.planted(tmp_path / "a", models=5)
    (one,) = permuted(study, level="row", permutations=200, emphasised=("d1",)).usable
    assert not one.counts.exact
    row = one.part("along").row(0, named=True)
    assert row["low"] < row["high"]
    assert row["value"] == pytest.approx(one.emphasis("along").value, abs=0.1)


def test_gaps_in_scores_keep_each_case_the_same_weight(tmp_path):
    study = studies.odd(tmp_path / "a", **weighing_studies.ODD["gaps"])
    (one,) = permuted(study).usable
    scores = dict(Perceived(one.weighed).capability.scores.select("analyst", "score").iter_rows())
    own = one.scores @ one.shares
    assert own == pytest.approx([scores[name] for name in one.analysts])


def test_halves_and_correlations():
    scores = np.array([[1.0, 5], [2, 5], [4, 5], [3, 5], [9, 5]])
    accuracies = np.array([10.0, 20, 30, 40, 50])
    assert halves(scores, accuracies).tolist() == [4.5, 0]
    r = correlations(scores, accuracies)
    assert r[0] == pytest.approx(np.corrcoef(scores[:, 0], accuracies)[0, 1])
    assert np.isnan(r[1])
    assert np.isnan(halves(scores, np.array([1.0, 1, 1, 1, 2]))).all()


# --- the chapter -------------------------------------------------------------------------------

BAD = re.compile(r"\b(nan|NaN|None|inf|null)\b")
ODD = {name: weighing_studies.ODD[name] for name in weighing_studies.ODD if name != "two tiers"}
ACCURACIES = {
    "equal": ([40, 40, 40, 40], "the benchmark ranks nobody"),
    "two tied": ([40, 40, 10, 20], ""),
    "one": (["", 40, "", ""], "one analyst alone"),
    "none": (["", "", "", ""], "not estimable"),
    "shares": ([0.4, 0.5, 0.1, 0.2], ""),
    "mixed": ([0.4, 50, 10, 20], "a share beside per cent"),
}


def run(study, **more):
    shown, entries = chapter_cells.run(CHAPTER, study, resamples=20, permutations=100, **more)
    assert len(entries) == 1
    assert not BAD.search(chapter_cells.texts(shown))
    assert not BAD.search(f"{entries[0].result} {entries[0].explanation}")
    return chapter_cells.texts(shown), entries[0]


@pytest.mark.parametrize("name", ODD)
def test_the_chapter_holds_for_odd_studies(name, tmp_path):
    analysts = ODD[name].get("analysts", 4)
    studies.odd(tmp_path / "a", (10, 40, 20, 30)[:analysts], **ODD[name])
    run(tmp_path / "a")


@pytest.mark.parametrize("name", ACCURACIES)
def test_the_chapter_holds_for_odd_accuracies(name, tmp_path):
    accuracies, told = ACCURACIES[name]
    studies.odd(tmp_path / "a", accuracies, evaluators=15)
    text, entry = run(tmp_path / "a", emphasised=["d1"])
    assert told in text
    assert entry.decision in {ABSENT, NO, PARTLY, YES}
    if told:
        assert entry.decision == ABSENT


def test_the_chapter_without_benchmarks_says_so(tmp_path):
    weighing_studies.study(tmp_path / "a")
    text, entry = run(tmp_path / "a")
    assert entry.decision == ABSENT
    assert "no benchmarks.csv" in entry.result
    assert "no benchmarks.csv" in text


def test_rankings_that_are_the_same_say_so(tmp_path):
    study = studies.planted(tmp_path / "a", models=4)
    (one,) = permuted(study).all.values()
    order = (one.scores @ one.shares).tolist()
    names = dict(zip(one.analysts, [10 * value for value in order], strict=True))
    studies.with_benchmarks(tmp_path / "a", {"Same": names})
    text, entry = run(tmp_path / "a", emphasised=["d1"])
    assert "rank the analysts alike" in text
    assert entry.decision == ABSENT


def test_several_benchmarks_and_missing_accuracies_are_named(tmp_path):
    study = studies.planted(tmp_path / "a", models=6)
    own = permuted(study).usable[0]
    first = dict(zip(own.analysts, own.accuracies.tolist(), strict=True))
    second = {name: 100 - value for name, value in first.items()}
    second["System 3"] = ""
    studies.with_benchmarks(tmp_path / "a", {"Arena": first, "Other*one": second})
    text, entry = run(tmp_path / "a", emphasised=["d1"], level="row")
    assert "Other\\*one" in text
    assert "accuracy is blank" in text
    assert entry.result.count("difference of emphasis") == 2


def test_printed_counts_stand_beside_those_of_the_same_dimensions():
    text, entry = run(DATA / "perception", emphasised=["accuracy"])
    with (ROOT / "data/published/perception/table06.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            assert re.search(rf"\| {row['Dimension']} \|.*\| {row['Count']} \|", text)
    assert entry.published == "supported"


def test_counts_of_benchmarks_with_other_numbers_of_models_say_of_how_many(tmp_path):
    own = permuted(studies.planted(tmp_path / "a", models=7)).usable[0]
    accuracies = dict(zip(own.analysts, own.accuracies.tolist(), strict=True))
    most = {name: accuracies[name] for name in own.analysts[:6]}
    few = {name: accuracies[name] for name in own.analysts[:5]}
    study = studies.with_benchmarks(tmp_path / "a", {"All": accuracies, "Six": most, "Five": few})
    found = tables.counted(permuted(study, permutations=1000))
    head = found.columns[:6]
    assert head == ["Benchmark", "Dimension", "Exact", "Of", "Overshot", "Too far past"]
    assert found["Of"].to_list() == [None] * 4 + [720] * 4 + [120] * 4
    assert found["Exact"].null_count() == 4
    few_only = tables.counted(permuted(study, permutations=100))
    assert not {"Exact", "Of"} & set(few_only.columns)
