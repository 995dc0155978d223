import numpy as np
import polars as pl
import pytest
from scipy import stats

from helpers.evaluators import influence, position, profile, years
from helpers.paths import DATA
from helpers.ranking import ranks
from helpers.study import load
from rankings_data import R, rankings, table
from study_folder import RATINGS, Folder

NAN = float("nan")


@pytest.fixture(scope="module")
def study():
    return load(DATA / "perception")


@pytest.fixture(scope="module")
def profiles(study):
    return profile.profiles(study)


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "study")


@pytest.mark.parametrize("evaluator", ["N01", "N18", "N37"])
def test_profiles_agree_with_r(profiles, study, evaluator):
    (row,) = profiles.people.filter(pl.col("evaluator") == evaluator).to_dicts()
    assert row["leniency"] == pytest.approx(R["leniency", evaluator])
    assert row["ranks"] == pytest.approx(R["agreement on ranks", evaluator])
    assert row["scores"] == pytest.approx(R["agreement on scores", evaluator])
    coverage = profiles.leniency.filter(
        (pl.col("evaluator") == evaluator) & (pl.col("dimension") == "Diagnostic Coverage")
    )
    assert coverage["value"].item() == pytest.approx(R["leniency in coverage", evaluator])
    shifts = influence.influence(ranks(study)).filter(pl.col("evaluator") == evaluator)
    assert shifts["shift"].item() == pytest.approx(R["largest shift", evaluator])


def test_profiles_are_the_same_each_time(profiles, study):
    again = profile.profiles(study)
    assert profiles.people.equals(again.people)


def test_nobody_is_held_against_their_own_scores(folder):
    folder.write("ratings.csv", RATINGS.replace("E3,1,C,1,1,3", "E3,1,C,,1,3"))
    found = profile.profiles(load(folder.path))
    own = {(row["evaluator"], row["dimension"]): row["value"] for row in found.leniency.to_dicts()}
    # in % of scales from 1 to 5 and from 0 to 10: E3 scored A 4 beside 5 and 5, B 4 beside 3 and 2
    assert own["E3", "Accuracy"] == pytest.approx(25 * (-1 + 1.5) / 2)
    assert own["E3", "Clarity"] == pytest.approx(10 * (7 - 9.5 + 8 - 3.5 + 1 - 2.5) / 3)
    assert found.unit == "% of the scale"
    # agreement on scores takes analyses that are scored in full: E3 has two of three
    (row,) = found.people.filter(pl.col("evaluator") == "E3").to_dicts()
    assert row["scores"] is None
    assert row["ranks"] == pytest.approx(stats.spearmanr([2, 1, 3], [1, 2.5, 2.5]).statistic)


def test_alone_nobody_can_be_described(folder):
    kept = [line for line in RATINGS.splitlines() if not line.startswith(("E2", "E3"))]
    folder.write("ratings.csv", "\n".join(kept))
    found = profile.profiles(load(folder.path))
    (row,) = found.people.to_dicts()
    assert (row["evaluator"], row["cases"], row["leniency"], row["ranks"]) == ("E1", 2, None, None)
    assert "Not estimable: leniency" in profile.sentence(found)
    (shown,) = influence.table(found, influence.influence(ranks(load(folder.path)))).to_dicts()
    assert shown["Note"].startswith("not estimable: leniency, agreement on ranks")


def test_the_sentence_names_the_ends(profiles):
    told = profile.sentence(profiles)
    assert told.startswith("37 evaluators rated. Leniency runs from −")
    assert "(N10)" in told
    assert "(N18)" in told


def test_influence_is_what_leaving_out_changes():
    values = rankings(np.random.default_rng(1), np.tile([2.0, 1, 0], (3, 1)), 4)
    values[0] = values[0, :, ::-1]
    found = influence.influence(table(values))
    with_all = values.mean(axis=(0, 1))
    for place, row in enumerate(found.to_dicts()):
        rest = np.delete(values, place, axis=0)
        shift = np.abs(rest.mean(axis=(0, 1)) - with_all)
        assert row["shift"] == pytest.approx(shift.max())
        assert row["analyst"] == "ABC"[int(shift.argmax())]
        agreement = [np.mean(_pairs(rest[:, i]) - _pairs(values[:, i]).mean()) for i in range(3)]
        assert row["agreement"] == pytest.approx(np.mean(agreement))


def _pairs(own):
    return np.corrcoef(own)[np.triu_indices(len(own), 1)]


def test_swaps_are_pairs_in_opposite_orders():
    assert influence._swaps(np.array([1.0, 2, 3]), np.array([3.0, 2, 1])) == 3
    assert influence._swaps(np.array([1.0, 2, 3]), np.array([2.0, 2, 3])) == 0


def test_a_case_of_one_evaluator_leaves_no_shift():
    values = np.array([[[1, 2, 3], [1, 2, 3]], [[1, 3, 2], [NAN] * 3], [[2, 1, 3], [NAN] * 3]])
    rows = influence.influence(table(values)).to_dicts()
    assert [row["shift"] is None for row in rows] == [True, False, False]


@pytest.mark.parametrize(
    ("outcome", "of"), [("Leniency", "leniency"), ("Agreement on ranks", "agreement on ranks")]
)
def test_slopes_on_years_agree_with_r(profiles, outcome, of):
    (one,) = [one for one in years.along_years(profiles) if one.outcome == outcome]
    assert one.slope.value == pytest.approx(R["slope", of])
    assert one.slope.p == pytest.approx(R["slope p", of])
    margin = stats.t.ppf(0.975, 35) * R["slope error", of]
    assert one.slope.high - one.slope.value == pytest.approx(margin)


def test_pairs_with_a_gap_are_dropped_and_counted():
    found = years.slope([1, 2, 3, 4, 5, NAN], [2, 1, 4, 3, NAN, 5])
    assert (found.used, found.dropped) == (4, 2)
    assert found.rho == pytest.approx(stats.spearmanr([1, 2, 3, 4], [2, 1, 4, 3]).statistic)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 2, 3], [1, 3, 2], "3 evaluators with both; at least 4 are needed"),
        ([2, 2, 2, 2], [1, 3, 2, 4], "all evaluators have the same value"),
        ([1, 1, 1, 2], [1, 3, 2, 4], "the slope rests on one of them alone"),
        ([1, 2, 3, 4], [2, 4, 6, 8], "the line fits without error"),
        ([1, 2, 3, 4], [5, 5, 5, 5], "the line fits without error"),
    ],
)
def test_what_has_no_slope_has_a_reason(x, y, reason):
    found = years.slope(x, y)
    assert (found.reason, found.p) == (reason, None)


def test_bands_are_named_by_their_ends(study, profiles):
    assert years.bands([5, 10]) == ["up to 5", "over 5 to 10", "over 10"]
    rows = years.by_band(study, profiles, [5, 10]).to_dicts()
    own = study["evaluators"]["years"]
    assert rows[-1]["Specialty"] == "All"
    assert rows[-1]["up to 5 years"] == (own <= 5).sum()
    assert rows[-1]["over 10 years"] == (own > 10).sum()
    assert rows[-1]["Leniency"] == pytest.approx(profiles.people["leniency"].mean())


def test_an_evaluator_counts_in_each_specialty(folder):
    loaded = load(folder.path)
    rows = years.by_band(loaded, profile.profiles(loaded), [5]).to_dicts()
    assert {row["Specialty"]: row["Evaluators"] for row in rows} == {
        "Urology": 2,
        "Cardiology": 1,
        "not given": 1,
        "All": 3,
    }
    assert rows[-1]["Years not given"] == 1


def test_years_are_lines_of_the_ledger_without_p(profiles):
    along = years.along_years(profiles)
    first, second = years.entries(along, "tbl-x")
    assert (first.decision, first.p) == ("not supported", None)
    assert second.estimate == pytest.approx(R["slope", "agreement on ranks"])
    assert years.sentence(along).startswith("Nothing goes along with years")


def test_no_years_are_a_reason(folder):
    folder.write("evaluators.csv", "evaluator,specialty,years\nE1,,\nE2,,\nE3,,\n")
    along = years.along_years(profile.profiles(load(folder.path)))
    line = years.entries(along, "tbl-x")[0]
    assert line.decision == "not estimable"
    assert line.result == "not estimable: 0 evaluators with both; at least 4 are needed"
    assert years.sentence(along).startswith("Not estimable: 0 evaluators")


@pytest.mark.parametrize("outcome", ["rank", "coverage"])
def test_the_effect_of_the_place_agrees_with_r(study, outcome):
    row = pl.int_range(pl.len())
    placed = study["ratings"].with_columns(position=(row * 5 + row // 9 * 2) % 9 + 1)
    found = position.slope(placed, outcome)
    assert found.value == pytest.approx(R["position", outcome], abs=1e-9)
    margin = stats.t.ppf(0.975, 36) * R["position error", outcome]
    assert found.high - found.value == pytest.approx(margin, rel=1e-6)
    assert found.used == 1620


def test_an_effect_of_the_place_is_found_and_quality_is_not_taken_for_it():
    random = np.random.default_rng(2)
    rows = []
    for evaluator, case in np.ndindex(15, 6):
        places = random.permutation(5)
        for analyst, place in enumerate(places):
            value = 3 * analyst + evaluator + 0.4 * place + random.normal(0, 0.5)
            rows.append((str(evaluator), str(case), str(analyst), int(place) + 1, value))
    columns = ["evaluator", "case", "analyst", "position", "score"]
    found = position.slope(pl.DataFrame(rows, schema=columns, orient="row"), "score")
    assert found.low < 0.4 < found.high
    assert found.p < 1e-6


def test_one_order_for_everyone_tells_nothing_of_the_place(study):
    places = pl.col("analyst").rank("dense").cast(pl.Int64)
    found = position.slope(study["ratings"].with_columns(position=places), "rank")
    assert found.reason == "each analysis stood at one place for all evaluators"


def test_a_study_without_positions_says_so(study):
    (row,) = position.effects(study).to_dicts()
    assert row["Note"].startswith("not estimable: ratings.csv has no positions")


def test_positions_of_two_evaluators_are_too_few(folder):
    lines = RATINGS.splitlines()
    kept = [line for line in lines if not line.startswith("E3")]
    placed = [f"{kept[0]},position", *(f"{line},{1 + i % 3}" for i, line in enumerate(kept[1:]))]
    folder.write("ratings.csv", "\n".join(placed))
    rows = position.effects(load(folder.path)).to_dicts()
    assert [row["Outcome"] for row in rows] == ["Rank", "Accuracy", "Clarity"]
    assert {row["Note"] for row in rows} == {
        "not estimable: 2 evaluators with positions; at least 3 are needed"
    }
