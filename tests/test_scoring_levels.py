import numpy as np
import polars as pl
import pytest

from helpers import mixed
from helpers.scoring import Scored, entries, levels, scored, variance
from helpers.scoring.table import by_evaluator, wrapped
from helpers.study import load
from scoring_data import R, labels, scores
from study_folder import Folder


@pytest.fixture(scope="module")
def summary():
    return levels.summary(scores(), 2000, 1)


@pytest.fixture(scope="module")
def models():
    return variance.split(scores())


def test_levels_are_rs(summary):
    for code, label in labels().items():
        case, evaluator = summary.filter(pl.col("Dimension") == label).to_dicts()
        assert (case["Mean"], case["SE"], case["SD"]) == pytest.approx(
            tuple(R[f"case {name}", code] for name in ("mean", "se", "sd"))
        )
        assert (evaluator["Mean"], evaluator["SE"], evaluator["Unweighted"]) == pytest.approx(
            tuple(R[f"evaluator {name}", code] for name in ("mean", "se", "unweighted"))
        )
        assert evaluator["Mean low"] < evaluator["Mean"] < evaluator["Mean high"]


def test_the_interval_of_a_mean_is_about_two_standard_errors_wide(summary):
    own = summary.filter(pl.col("Level") == levels.EVALUATORS)
    ratio = (own["Mean high"] - own["Mean low"]) / (2 * 1.96 * own["SE"])
    assert ratio.min() > 0.9 and ratio.max() < 1.1


def test_intervals_of_means_cover_with_few_evaluators():
    random = np.random.default_rng(2)
    hits = 0
    for _ in range(300):
        values = random.normal(size=6)
        people = pl.DataFrame({"evaluator": list("abcdef"), "cases": [3] * 6, "A": values})
        found = levels.case_weighted(people, ["A"], 400, 1)["A"]
        hits += found.low <= 0 <= found.high
    assert 0.91 < hits / 300 < 0.98


def test_where_all_rate_all_cases_both_levels_have_the_same_interval():
    random = np.random.default_rng(3)
    places = [(f"E{e}", str(c), a) for e in range(7) for c in range(4) for a in "AB"]
    frame = pl.DataFrame(places, schema=["evaluator", "case", "analyst"], orient="row")
    frame = frame.with_columns(pl.Series("X", random.normal(size=len(places))))
    rated = Scored(frame, ("X",), "points", tuple("0123"), ("A", "B"))
    cases, evaluators = levels.summary(rated, 300, 1).to_dicts()
    for end in ("Mean", "Mean low", "Mean high"):
        assert cases[end] == pytest.approx(evaluators[end])


def test_a_case_that_a_resample_may_lack_leaves_no_interval(tmp_path):
    folder = Folder(tmp_path / "s")  # case 2 has two of the three evaluators
    cases, evaluators = levels.summary(scored(load(folder.path)), 300, 1).head(2).to_dicts()
    assert cases["Mean low"] is not None
    lines = [row for row in folder.text("ratings.csv").splitlines() if row[:4] != "E2,2"]
    folder.write("ratings.csv", "\n".join(lines))
    cases, evaluators = levels.summary(scored(load(folder.path)), 300, 1).head(2).to_dicts()
    assert cases["Note"] == "no interval: too few resamples have a mean"
    assert evaluators["Mean low"] is not None


def test_two_evaluators_have_a_mean_and_no_interval():
    people = pl.DataFrame({"evaluator": ["a", "b"], "cases": [1, 3], "A": [1.0, 2.0]})
    found = levels.case_weighted(people, ["A"], 50, 1)["A"]
    assert (float(found), found.low, found.reason) == (
        1.75,
        None,
        "an interval needs at least 3 evaluators",
    )


def test_an_evaluators_cases_count_the_same(tmp_path):
    folder = Folder(tmp_path / "s")
    people = by_evaluator(scored(load(folder.path)))
    first = people.row(0, named=True)
    # E1: accuracy 5 3 2 in case 1 and 1 4 4 in case 2, on a scale from 1 to 5
    assert first["Accuracy"] == pytest.approx(100 * ((10 / 3 - 1) / 4 + (9 / 3 - 1) / 4) / 2)
    assert people["cases"].to_list() == [2, 2, 1]


def test_weights_of_a_weighted_mean_and_its_error():
    values, weights = np.array([1.0, 3.0]), np.array([1.0, 1.0])
    assert levels.weighted(values, weights) == pytest.approx((2, np.sqrt(2) / np.sqrt(2)))
    assert levels.weighted(values, np.array([3.0, 1.0]))[0] == 1.5
    assert levels.weighted(values[:1], weights[:1]) == (1.0, None)


def test_one_evaluator_has_means_without_interval(tmp_path):
    folder = Folder(tmp_path / "s")
    lines = folder.text("ratings.csv").splitlines()
    folder.write("ratings.csv", "\n".join(line for line in lines if line[:2] in ("ev", "E1")))
    row = levels.summary(scored(load(folder.path)), 50, 1).row(1, named=True)
    assert (row["Level"], row["n"], row["SE"], row["Mean low"]) == ("evaluators", 1, None, None)
    assert row["Note"] == "1 evaluator: no spread"


def test_lowest_and_highest_are_counted_with_ties(tmp_path):
    folder = Folder(tmp_path / "s")
    ends = levels.ends(scored(load(folder.path)))
    assert ends["Of cases"].to_list() == [2, 2]
    assert ends["Lowest in cases"].sum() >= 2


def test_remarks_stand_beside_the_paper_for_its_own_dimensions_alone(summary, tmp_path):
    remarks = levels.remarks(summary, "points")
    assert remarks["Published"].to_list()[:2] == ["2.8 to 3.4", "Diagnostic Coverage"]
    assert remarks["This study"].to_list()[:3] == [
        "2.84 to 3.23 points",
        "Diagnostic Coverage",
        "Inquiry Logic, Diagnostic Accuracy",
    ]
    other = scored(load(Folder(tmp_path / "s").path))
    assert "Published" not in levels.remarks(levels.summary(other, 20, 1), other.unit).columns


def test_variances_are_lme4s(models):
    for code, label in labels().items():
        model = models[label]
        assert model.criterion == pytest.approx(R["REML criterion", code], abs=1e-3)
        for part in variance.TERMS:
            same = R.get((f"variance {part}", code))
            assert float(model.variances[part]) == pytest.approx(same, abs=2e-4)
        residual = R["variance Residual", code]
        assert float(model.variances[mixed.RESIDUAL]) == pytest.approx(residual, rel=1e-4)


def test_shares_add_to_one_hundred(models):
    shares = variance.shares(models).drop("Dimension")
    assert shares.sum_horizontal().to_list() == pytest.approx([100] * len(models))


def test_planted_variances_are_found_where_cases_outdo_evaluators():
    random = np.random.default_rng(8)
    case, evaluator, analyst = (g.ravel() for g in np.meshgrid(range(40), range(30), range(4)))
    y = (
        3
        + 2.0 * random.normal(size=40)[case]
        + 0.5 * random.normal(size=30)[evaluator]
        + random.normal(size=len(case))
    )
    frame = pl.DataFrame(
        {
            "evaluator": evaluator.astype(str),
            "case": case.astype(str),
            "analyst": analyst.astype(str),
            "Y": y,
        }
    )
    planted = scores().__class__(frame, ("Y",), "points", tuple(map(str, range(40))), ("0",))
    models = variance.split(planted)
    ratio = variance.ratios(models).row(0, named=True)
    assert ratio["Case / evaluator low"] > 1
    assert variance.sentence(models).endswith("lies above 1 on 1.")
    assert variance.short(models) == "on 1 of 1 dimension, by the estimates"


def test_what_is_not_estimable_says_so_in_the_ledger():
    table = pl.DataFrame(
        {"Dimension": ["A"], "Level": ["cases"], "Mean": [None], "SD": [None]},
        schema_overrides={"Mean": pl.Float64, "SD": pl.Float64},
    )
    lines = entries.spread(table, "points", {"A": mixed.refused("no scores")})
    assert [line.decision for line in lines] == ["not estimable"] * 2
    assert [line.result for line in lines] == [
        "not estimable: no scores",
        "not estimable: no scores",
    ]


def test_labels_keep_to_their_room_on_an_axis():
    assert wrapped(["Treatment Appropriateness"]) == ["Treatment\nAppropriateness"]
    (label,) = wrapped(["word " * 30])
    assert label.count("\n") == 2
    assert label.endswith(" …")
    (word,) = wrapped(["x" * 50])
    assert word == "x" * 25 + "…"
