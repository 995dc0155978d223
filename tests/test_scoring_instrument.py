import numpy as np
import polars as pl
import pytest

from helpers import beside
from helpers.scoring import consistency, correlations, scale_use, scored
from helpers.scoring.parts import PARTS, part_of
from helpers.study import load
from scoring_data import R, labels, scores, shipped
from study_folder import RATINGS, Folder


@pytest.fixture(scope="module")
def found():
    return {part: correlations.correlations(scores(), part) for part in PARTS}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("method", correlations.METHODS)
def test_correlations_are_rs(found, part, method):
    first, *others = labels()
    for other in others:
        estimate = found[part][method][labels()[first], labels()[other]]
        assert float(estimate) == pytest.approx(R[f"{part} {method}", f"{first} {other}"])


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("method", correlations.METHODS)
def test_intervals_leave_out_one_evaluator_at_a_time(found, part, method):
    first, second, *_ = labels().values()
    estimate = found[part][method][first, second]
    ends = [R[f"{part} {method} limits", end] for end in ("low", "high")]
    assert [estimate.low, estimate.high] == pytest.approx(ends)


def test_correlations_count_rows_or_analyses(found):
    pair = next(iter(found["pooled"]["pearson"]))
    assert (found["pooled"]["pearson"][pair].used, found["pooled"]["pearson"][pair].unit) == (
        1620,
        "rows",
    )
    assert found["between"]["pearson"][pair].used == 81
    assert found["between"]["pearson"][pair].unit == "analyses"


def test_printed_correlations_stand_beside_their_pairs(found):
    table = correlations.table(found["pooled"]).drop_nulls("Published")
    assert table.select("First", "Second", "Published").rows() == [
        ("Diagnostic Accuracy", "Reasoning Soundness", "0.76"),
        ("Treatment Appropriateness", "Treatment Coverage", "0.83"),
    ]
    assert "Published" not in correlations.table(found["within"], "within").columns
    assert correlations.printed(("Clarity", "Length")) is None


def test_pairs_are_held_against_the_printed_bound(found):
    bounds = {row["Part"]: row for row in correlations.bounds(found).to_dicts()}
    assert bounds["all rows"]["Pairs"] == 21
    limit = float(beside.quote(correlations.BOUND))
    below = sum(float(e) < limit for e in found["pooled"]["pearson"].values())
    assert bounds["all rows"][f"Below {limit}"] == below == 19
    first, second = correlations.discriminant(found["pooled"])
    assert first.startswith("19 of 21 pairs correlate below 0.70")
    assert "Treatment Appropriateness with Treatment Coverage, 0.82" in second


def test_parts_of_a_table_with_gaps_use_all_scores():
    values = np.array([[1, 2], [3, np.nan], [5, 6]], dtype=float)
    group = ["a", "a", "b"]
    assert part_of(values, None, "pooled") is values
    within = part_of(values, group, "within")
    assert np.array_equal(within, [[-1, 0], [1, np.nan], [0, 0]], equal_nan=True)
    assert part_of(values, group, "between").tolist() == [[2, 2], [5, 6]]


@pytest.fixture(scope="module")
def consistent():
    return consistency.consistency(scores())


@pytest.mark.parametrize("part", PARTS)
def test_alpha_and_omega_are_psychs(consistent, part):
    assert float(consistent[consistency.ALPHA, part]) == pytest.approx(R["alpha", part])
    omega = float(consistent[consistency.OMEGA_T, part])
    assert omega == pytest.approx(R["omega total", part], abs=2e-4)


def test_omega_hierarchical_is_psychs(consistent):
    omega = float(consistent[consistency.OMEGA_H, "pooled"])
    assert omega == pytest.approx(R["omega hierarchical", "pooled"], abs=2e-4)
    assert "91\N{NO-BREAK SPACE}%" in consistency.sentence(consistent)


def test_pilot_figures_stand_beside_the_pooled_coefficients_alone(consistent):
    table = consistency.table(consistent, scores().labels).drop_nulls("Published (pilot)")
    assert table.select("Coefficient", "Part", "Published (pilot)").rows() == [
        (consistency.ALPHA, "all rows", "0.906"),
        (consistency.OMEGA_T, "all rows", "0.908"),
    ]
    assert consistency.pilot(scores().labels, 37).endswith("not the same quantity.")
    assert "11 physicians" in consistency.pilot(scores().labels, 37)


def test_figures_of_the_paper_do_not_stand_beside_other_dimensions(consistent):
    other = (*scores().labels[:-1], "Kindness")
    assert "Published (pilot)" not in consistency.table(consistent, other).columns
    assert "11 physicians and other dimensions" in consistency.pilot(other, 3)
    assert not consistency.same_dimensions(scores().labels[:-1])


def test_use_of_the_scales_counts_every_point(tmp_path):
    folder = Folder(tmp_path / "s")
    use = scale_use.use(load(folder.path))
    accuracy = use.filter(pl.col("Dimension") == "Accuracy")
    assert accuracy.select("Point", "Scores").rows() == [
        ("1", 2), ("2", 3), ("3", 3), ("4", 4), ("5", 3),
    ]  # fmt: skip
    assert use.group_by("Dimension").agg(pl.col("Share (%)").sum())["Share (%)"].to_list() == (
        pytest.approx([100, 100])
    )
    assert scale_use.by_point(use).columns == ["Dimension", "Point", "Scores", "Share (%)"]
    assert scale_use.by_point(scale_use.use(shipped())).columns[-1] == "5"


def test_long_scales_are_cut_into_ranges_and_unused_ones_named(tmp_path):
    folder = Folder(tmp_path / "s")
    folder.spoil("study.yml", "min: 0, max: 10", "min: 0, max: 99")
    study = load(folder.path)
    clarity = scale_use.use(study).filter(pl.col("Dimension") == "Clarity")
    assert clarity.select("Point", "Scores").rows()[:2] == [("0 to 9", 14), ("10 to 19", 1)]
    assert "Clarity (20 to 29, 30 to 39" in scale_use.sentence(study)
    folder.write("ratings.csv", RATINGS)
    assert scored(study).unit == "% of the scale"
