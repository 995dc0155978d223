"""Weights, predictions, abilities and scores of studies, sound and odd, as chapters show them."""

import csv
import re
from functools import cache

import numpy as np
import polars as pl
import pytest

import chapter_cells
import weighing_studies as studies
from helpers import show
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError
from helpers.paths import DATA, ROOT
from helpers.ranking_weights import METHODS
from helpers.study import load
from helpers.weighing import abilities, claims, picture, prediction, scores, worth
from helpers.weighing.abilities import Able
from helpers.weighing.calibrated import Calibrated
from helpers.weighing.prediction import NAMES, Predicted
from helpers.weighing.scores import Perceived
from helpers.weighing.weighed import Weighed, material, refusals
from study_folder import Folder

CLOSED = 1e-6


@cache
def known(quantity: str) -> dict[str, float]:
    """What R found of the shipped study."""
    with (ROOT / "tests/R/weighing.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["quantity"] == quantity]
    assert rows, quantity
    return {row["name"]: float(row["value"]) for row in rows}


@pytest.fixture(scope="module")
def shipped():
    return Weighed(load(DATA / "perception"), resamples=100)


@pytest.fixture(scope="module")
def predicted(shipped):
    return Predicted(shipped, times=40)


@pytest.fixture(scope="module")
def perceived(shipped):
    return Perceived(shipped)


@pytest.fixture
def odd(tmp_path):
    """Weights of a study that is odd in the way named."""

    def make(name: str, **more) -> Weighed:
        found = studies.study(tmp_path / name, **studies.ODD[name] | more)
        return Weighed(found, resamples=40)

    return make


def named(values: list[float], names: dict[str, float]) -> dict[str, float]:
    return dict(zip(names, values, strict=True))


# --- the shipped study against R ---------------------------------------------------------------


def test_weights_and_their_intervals_over_cases_are_those_of_r(shipped):
    table = worth.weights(shipped)
    for column, quantity in (
        ("Weight", "weight"),
        ("case_low", "case_low"),
        ("case_high", "case_high"),
    ):
        assert table[column].to_list() == pytest.approx([*known(quantity).values()], abs=CLOSED)
    shares = worth.shares(shipped)["Share (%)"]
    assert shares.to_list() == pytest.approx([100 * s for s in known("share").values()], abs=1e-4)


def test_errors_of_independent_choices_and_over_cases_are_those_of_r(shipped):
    table = worth.errors(shipped)
    for column, quantity in ((worth.INDEPENDENT, "se"), (worth.JACKKNIFE, "jackknife_se")):
        assert table[column].to_list() == pytest.approx([*known(quantity).values()], abs=CLOSED)


def test_weights_by_other_methods_are_those_of_r(shipped):
    table = worth.methods(shipped, share=False)
    for method, quantity in (
        ("Plackett–Luce", "plackett_luce"),
        ("Least squares", "least_squares"),
    ):
        assert table[method].to_list() == pytest.approx([*known(quantity).values()], abs=CLOSED)


@pytest.mark.parametrize("group", ["evaluator", "case"])
def test_measures_of_rankings_left_out_are_those_of_r(predicted, group):
    table = prediction.schemes(predicted)
    left_out = {"evaluator": prediction.EVALUATORS, "case": prediction.CASES}[group]
    own = table.filter(pl.col("Left out") == left_out)
    values = dict(own.select("Measure", "Value").iter_rows())
    for measure, name in NAMES.items():
        assert values[name] == pytest.approx(known(f"without_{group}")[measure], abs=CLOSED)


def test_the_calibration_slope_is_that_of_r(shipped):
    slope = Calibrated(shipped).slope.estimate[0]
    assert slope == pytest.approx(known("without_evaluator")["slope"], abs=CLOSED)


def test_abilities_and_quasi_standard_errors_are_those_of_r(shipped):
    able = Able(shipped)
    for make, column, quantity in (
        (abilities.table, "Ability", "ability"),
        (abilities.table, "Quasi-SE, independent", "quasi_se"),
        (abilities.beside, "Ability", "ability"),
        (abilities.beside, "Beyond scores", "beyond"),
    ):
        values = dict(make(able).select("Analyst", column).iter_rows())
        assert values == pytest.approx(known(quantity), abs=CLOSED)


def test_scores_and_their_intervals_over_cases_are_those_of_r(perceived):
    table = scores.table(perceived)
    for column, quantity in (
        ("Score", "score"),
        ("case_low", "score_case_low"),
        ("case_high", "score_case_high"),
    ):
        values = dict(table.select("Analyst", column).iter_rows())
        assert values == pytest.approx(known(quantity), abs=CLOSED)


# --- how rankings are read ---------------------------------------------------------------------


def test_scales_that_differ_are_taken_in_per_cent(tmp_path):
    scales = "parameters: {}\n"
    study = studies.study(tmp_path / "a", config=scales)
    text = (tmp_path / "a/study.yml").read_text()
    wider = text.replace(
        "label: 'Dimension 1', min: 1, max: 5", "label: 'Dimension 1', min: 0, max: 5"
    )
    assert wider != text
    (tmp_path / "a/study.yml").write_text(wider)
    own, other = Weighed(study), Weighed(load(tmp_path / "a"))
    assert (own.unit, other.unit) == ("points", "% of the scale")
    points = own.rankings.scores
    assert other.rankings.scores[:, 0] == pytest.approx((points[:, 0] - 1) * 25)
    assert other.rankings.scores[:, 1] == pytest.approx(points[:, 1] * 20)


def test_rows_left_out_are_named_by_label(odd):
    weighed = odd("gaps")
    assert weighed.rankings.left_out == {"without Dimension 1": 60}
    assert worth.notes(weighed) == "Left out: 60 rows without Dimension 1."
    assert worth.notes(odd("sound")) == "No row was left out."
    assert material(weighed)["Rows left out"].to_list() == [60] * 3


def test_a_dimension_that_nobody_scored_is_named_and_the_others_weighed(odd):
    table = worth.weights(odd("unscored"))
    assert table["Weight"].is_null().to_list() == [False, True]
    assert table["Note"][1] == "not estimable: nobody who ranked gave a score on it"


def test_a_misspelt_method_gets_a_suggestion(shipped):
    with pytest.raises(HelpersError, match="did you mean 'Bradley–Terry'"):
        Weighed(shipped.study, "Bradley-Terry").fit  # noqa: B018


# --- predictions -------------------------------------------------------------------------------


def test_a_ranking_is_predicted_without_its_evaluator_and_case(predicted):
    rankings, found = predicted.weighed.rankings, predicted.both
    assert found.tested.sum(axis=0).tolist() == [1] * len(rankings)
    own = 17
    row = np.flatnonzero(found.tested[:, own])[0]
    kept = (rankings.evaluator != rankings.evaluator[own]) & (rankings.case != rankings.case[own])
    beta = predicted.weighed.fit.refit(kept[None].astype(float))
    known = prediction.predict(rankings, beta).tau[0, own]
    assert found.prediction.tau[row, own] == pytest.approx(known)


def test_of_many_rankings_some_are_predicted_without_evaluator_and_case(predicted, monkeypatch):
    monkeypatch.setattr(prediction, "MOST", 10)
    found = Predicted(predicted.weighed).both
    assert found.tested.shape == (10, 180)
    assert found.tested.any(axis=0).sum() == 10


def test_chance_is_that_of_random_orders(predicted):
    rankings = predicted.weighed.rankings
    random = np.random.default_rng(1).random((400, len(rankings.item)))
    utility = random - np.repeat(  # any order within rankings is as likely
        np.add.reduceat(random, rankings.start, axis=1), rankings.sizes, axis=1
    )
    order = np.argsort(np.argsort(utility[:, :9], axis=1), axis=1) + 1
    chance = prediction.by_chance(rankings)
    assert chance["position"] == pytest.approx(1 / 9)
    assert (order == rankings.rank[:9]).mean() == pytest.approx(1 / 9, abs=0.02)
    assert chance["whole"] == pytest.approx(1 / 362880)


def test_whole_orders_of_ties_are_not_met_by_chance(odd):
    chance = prediction.by_chance(odd("all tied").rankings)
    assert (chance["whole"], chance["position"]) == (0, 0)  # the mean of four ranks is 2.5


def test_both_readings_of_the_exact_match_stand_beside_the_printed_one(predicted):
    table = {row["Measure"]: row for row in prediction.over_splits(predicted).to_dicts()}
    whole, position = table[NAMES["whole"]], table[NAMES["position"]]
    assert whole["Published"] == position["Published"] == 0.07
    assert whole["Highest"] < 0.07 < position["Lowest"]
    told = prediction.sentence(predicted)
    assert told.count("the printed 0.07 outside") == 2


def test_a_study_with_other_dimensions_has_no_printed_figures_beside(odd):
    weighed = odd("sound")
    assert "Published" not in prediction.over_splits(Predicted(weighed, times=10)).columns
    assert "printed" not in prediction.sentence(Predicted(weighed, times=10))
    assert "Published CLMM" not in worth.methods(weighed).columns


def test_gain_is_the_difference_from_equal_weights(predicted):
    table = prediction.predictors(predicted)
    pairs = dict(table.select("Predicted by", NAMES["pairwise"]).iter_rows())
    gain = dict(table.select("Predicted by", "Gain").iter_rows())
    for method in METHODS:
        assert gain[method] == pytest.approx(pairs[method] - pairs[prediction.EQUAL])
    assert prediction.gain(predicted)["Gain"] == pytest.approx(gain["Bradley–Terry"])


def test_gain_is_over_equal_weights_on_the_rankings_that_are_predicted(odd):
    predicted = Predicted(odd("lost evaluators"))
    found = predicted.evaluators
    rows = found.by_ranking()
    known = rows["hits"].is_not_null().to_numpy()
    assert 0 < known.sum() < len(known)
    rankings = predicted.weighed.rankings
    total = rankings.scores.sum(axis=1)
    one, other = rankings.pairs.first, rankings.pairs.second
    hit = (1 + np.sign(total[one] - total[other]) * rankings.pairs.order) / 2
    ranked = dict(zip(zip(rows["evaluator"], rows["case"], strict=True), known, strict=True))
    who = zip(rankings.evaluator.tolist(), rankings.case.tolist(), strict=True)
    same = np.array([ranked[key] for key in who])[rankings.pairs.ranking]
    own = found.pooled()["pairwise"].item()
    assert prediction.gain(predicted)["Gain"] == pytest.approx(own - hit[same].mean())
    table = prediction.predictors(predicted)
    assert table["Gain"][0] == pytest.approx(own - hit[same].mean())
    assert "predictions lack weights" in table["Note"][0]


def test_measures_by_case_and_rank_pool_to_those_of_all(predicted):
    by_case, by_rank = prediction.by_case(predicted), prediction.by_rank(predicted)
    assert by_case["Case"].to_list() == [str(case) for case in range(1, 10)]
    assert by_case[NAMES["tau"]].mean() == pytest.approx(known("without_case")["tau"])
    assert by_rank["Analyses"].to_list() == [180] * 9
    exact = by_rank["Exactly right (%)"].mean()
    assert exact == pytest.approx(100 * known("without_evaluator")["position"])


# --- claims ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lows", "decision"),
    [
        ([0.1, 0.2], "supported"),
        ([0.1, -0.2], "partly supported"),
        ([0.1, None], "partly supported"),
        ([0.0, -0.1], "not supported"),
    ],
)
def test_claims_are_decided_by_the_lower_ends_of_intervals(lows, decision):
    assert claims.decide(lows) == decision


def test_no_interval_decides_nothing():
    with pytest.raises(NotEstimableError, match="neither evaluators nor cases"):
        claims.decide([None, None])


def test_an_interval_over_cases_that_reaches_zero_is_partial_support(predicted):
    found = {claim.claim: claim for claim in claims.judge(predicted)}
    assert found[claims.POSITIVE].decision == "partly supported"
    assert "reaches zero for Treatment Appropriateness" in found[claims.POSITIVE].found
    assert found[claims.PREDICTS].decision == "supported"
    assert found[claims.BETTER].decision == "not supported"


def test_a_negative_weight_is_no_support(odd):
    found = claims.judge(Predicted(odd("mixed signs"), times=5))[0]
    assert found.decision == "not supported"
    assert found.found.startswith("1 of 2 weights positive; least Dimension 1 −1.")


def test_what_weighs_nothing_is_not_claimed_to_weigh(odd):
    found = claims.judge(Predicted(odd("unscored"), times=5))[0]
    assert found.decision == "not estimable: there is no weight of Dimension 1"


def test_entries_hold_what_decided(predicted):
    lines = claims.entries(claims.judge(predicted), predicted)
    assert [line.topic for line in lines] == ["ARQ3"] * 3
    assert lines[0].estimate == pytest.approx(min(known("weight").values()))
    assert lines[0].published == "all positive"
    assert lines[1].published == "τ 0.73, pairwise 0.86, exact match 0.07"
    assert lines[1].estimate == pytest.approx(known("without_evaluator")["tau"])


# --- scores ------------------------------------------------------------------------------------


def test_places_and_distances_follow_the_scores(perceived):
    table = scores.order(perceived)
    own = sorted(known("score").items(), key=lambda pair: -pair[1])
    assert table["Analyst"].to_list() == [name for name, _ in own]
    behind = [own[0][1] - score for _, score in own[1:]]
    assert table["Behind the first"].to_list()[1:] == pytest.approx(behind)
    assert table["First (%)"].sum() == pytest.approx(100)
    assert table["Places, one case left out"][8] == "9"


def test_a_leader_not_told_from_the_second_is_no_leader(perceived):
    claim = scores.judge(perceived)
    assert claim.decision == "not supported"
    assert "not told from" in claim.found


def test_a_clear_leader_leads_and_cases_decide_whether_elsewhere_too(tmp_path):
    study = studies.study(tmp_path / "a", weights=(1.0, 0.8), evaluators=20, cases=6, lift=2)
    assert scores.judge(Perceived(Weighed(study, resamples=100))).decision == "supported"
    study = studies.study(tmp_path / "b", weights=(1.0, 0.8), evaluators=20, cases=1, lift=2)
    assert scores.judge(Perceived(Weighed(study, resamples=100))).decision == "partly supported"


def test_mixed_signs_leave_equal_weights_to_score_by(odd):
    perceived = Perceived(odd("mixed signs"))
    assert scores.table(perceived)["Note"][0].startswith("not estimable: weights have different")
    table = scores.methods(perceived, 0.7, 20)
    assert table.columns == ["Analyst", "equal weights", "low", "high"]
    assert table["low"].null_count() == table.height
    assert "Bradley–Terry: not estimable: weights" in scores.methods_sentence(perceived)


# --- any study ---------------------------------------------------------------------------------


def no_holes(shown: list[object]) -> None:
    """Check that what chapters show has numbers or reasons in it."""
    for one in shown:
        text = one.csv if isinstance(one, show.Table) else one if isinstance(one, str) else ""
        assert not re.search(r"\b(nan|NaN|inf|None)\b", text), text


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("name", studies.ODD)
def test_any_study_gets_numbers_or_reasons(tmp_path, name):
    study = studies.study(tmp_path / "study", **studies.ODD[name])
    for chapter, entries in (("perception-10-weights", 3), ("perception-11-capability", 1)):
        shown, found = chapter_cells.run(chapter, study.folder, resamples=40, splits=10)
        no_holes(shown)
        assert [entry.topic for entry in found] == ["ARQ3"] * entries
        assert all(entry.decision for entry in found)


def test_the_smallest_of_studies_with_scales_of_its_own_is_read(tmp_path):
    folder = Folder(tmp_path / "study").path
    for chapter in ("perception-10-weights", "perception-11-capability"):
        shown, _ = chapter_cells.run(chapter, folder, resamples=40, splits=10)
        no_holes(shown)


@pytest.mark.parametrize("method", METHODS)
def test_scores_can_be_had_by_any_method(tmp_path, method):
    study = studies.study(tmp_path / "study")
    chapter = "perception-11-capability"
    _, found = chapter_cells.run(chapter, study.folder, resamples=40, splits=10, method=method)
    assert f"{method} weights" in found[0].method
    assert found[0].estimate is not None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("separation", "separate the choices"),
        ("one ranking", "separates the choices"),
        ("all tied", "all items of all rankings are tied"),
        ("no ranks", "no evaluator ranked a case"),
        ("no scores", "nobody who ranked gave a score"),
        ("mixed signs", "weights have different signs"),
        ("turned round", "no weight is positive"),
        ("collinear", "there is no weight of Dimension 0, Dimension 1"),
        ("constant", "there is no weight of Dimension 1"),
    ],
)
def test_scores_that_cannot_be_had_say_why(odd, name, reason):
    perceived = Perceived(odd(name))
    assert reason in scores.table(perceived)["Note"][0]
    assert scores.judge(perceived).decision.startswith("not estimable: ")
    assert reason in picture.scores(perceived)


def test_ties_too_large_for_one_model_leave_the_other(odd):
    weighed = odd("two tiers")
    assert worth.methods(weighed, share=False)["Plackett–Luce"].null_count() == 2
    assert "Plackett–Luce: not estimable: ties of up to 15 items need" in refusals(weighed)
    assert worth.weights(weighed)["Weight"].null_count() == 0


def test_a_single_tie_costs_no_interval_and_no_prediction(odd):
    weighed = odd("one tie")
    assert weighed.rankings.ties == 1
    assert weighed.found.notes == ()
    assert worth.weights(weighed).null_count().sum_horizontal().item() == 0
    assert "Note" not in prediction.schemes(Predicted(weighed, times=5)).columns
    assert Able(weighed).found.notes == ()


def test_analysts_without_some_case_are_told_of(odd):
    assert "lack" not in scores.sentence(Perceived(odd("sound")))
    told = scores.sentence(Perceived(odd("apart")))
    assert "Of 5 analysts 5 lack some case (System 0 has 1 of 3)" in told


def test_analysts_never_compared_are_named_and_the_others_resampled(odd):
    able = Able(odd("apart"))
    table = abilities.table(able)
    assert table["Ability"].null_count() == 2
    assert set(table["Note"][3:]) == {
        "not estimable: never compared with the others, not even through third ones"
    }
    assert np.isfinite(able.found.draws[:, 2:]).all()


def test_names_are_shown_as_they_are(tmp_path):
    name = "Clear & <b>short</b> $x_1$ *or* not"
    study = studies.study(tmp_path / "study", change="collinear")
    file = study.folder / "study.yml"
    file.write_text(
        file.read_text().replace("Dimension 0", name).replace("Dimension 1", name[::-1])
    )
    weighed = Weighed(load(study.folder), resamples=20)
    for told in (refusals(weighed), worth.methods_sentence(weighed)):
        assert not re.search(r"(?<!\\)[*<$]", told)


def test_two_analysts_have_abilities_and_no_quasi_standard_errors(odd):
    able = Able(odd("two analysts"))
    table = abilities.table(able)
    assert table["Ability"].sum() == pytest.approx(0)
    assert not any(column.startswith("Quasi") for column in table.columns)
    assert "need at least three analysts" in abilities.sentence(able)


def test_negative_quasi_variances_are_named(odd):
    told = abilities.sentence(Able(odd("mixed signs")))
    assert "For System 1 the quasi-variance (cases) is negative." in told


def test_one_evaluator_has_cases_to_leave_out_and_one_case_evaluators(odd):
    table = prediction.schemes(Predicted(odd("one evaluator"), times=5))
    refused = table.filter(pl.col("Value").is_null())["Left out"].to_list()
    assert refused == [prediction.EVALUATORS, prediction.BOTH]
    table = prediction.schemes(Predicted(odd("one case"), times=5))
    refused = table.filter(pl.col("Value").is_null())["Left out"].to_list()
    assert refused == [prediction.CASES, prediction.BOTH]
    assert table["case_low"].null_count() == table.height
