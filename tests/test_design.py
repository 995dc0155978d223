import pytest
from plotnine.facets.facet_null import facet_null

from helpers import design
from helpers.errors import HelpersError
from helpers.paths import DATA
from helpers.study import load
from study_folder import RATINGS, Folder


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "study")


@pytest.fixture
def study(folder):
    return load(folder.path)


@pytest.fixture(scope="module")
def shipped():
    return load(DATA / "perception")


def test_the_shipped_study_has_the_published_design(shipped):
    assert design.sentence(shipped) == (
        "Used: 37 evaluators, 9 cases, 9 analysts, 7 dimensions and 1,620 rows."
    )
    assert design.cases(shipped)["Evaluators"].to_list() == [20] * 9
    assert design.workload(shipped).rows() == [(3, 20), (6, 11), (9, 6)]
    targets = design.targets(shipped)
    assert set(targets["Met"]) == {"yes", "no target"}


def test_cases_and_workload_are_counted_by_hand(study):
    assert design.cases(study).rows() == [
        ("1", "X", "Cardiology", 3, 3, 9),
        ("2", "Y", "Urology", 2, 3, 6),
    ]
    assert design.workload(study).rows() == [(1, 1), (2, 2)]


def test_an_evaluator_counts_in_each_specialty(study):
    rows = {row["Specialty"]: row for row in design.evaluators(study).to_dicts()}
    assert {name: row["Evaluators"] for name, row in rows.items()} == {
        "Urology": 2,
        "Cardiology": 1,
        "not given": 1,
    }
    assert rows["Urology"]["Years not given"] == 1
    assert rows["Urology"]["Rankings"] == 3


def test_scales_show_ends_and_unused_points(folder):
    folder.write("ratings.csv", RATINGS.replace("E3,1,C,1,1,3", "E3,1,C,1,0,3"))
    accuracy, clarity = design.scales(load(folder.path)).to_dicts()
    assert accuracy["Unused points"] == "none"
    assert clarity["Unused points"] == "1"
    assert clarity["At the lowest (%)"] == pytest.approx(200 / 15)
    assert clarity["At the highest (%)"] == pytest.approx(100 / 15)
    assert (clarity["Scores"], clarity["Missing"]) == (15, 0)


def test_a_dimension_without_scores_has_no_shares(folder):
    lines = RATINGS.splitlines()
    blank = [lines[0], *(",".join([*row[:4], "", row[5]]) for row in map(_cells, lines[1:]))]
    folder.write("ratings.csv", "\n".join(blank))
    clarity = design.scales(load(folder.path)).to_dicts()[1]
    assert (clarity["Scores"], clarity["Missing"], clarity["Mean"]) == (0, 15, None)
    assert clarity["At the lowest (%)"] is None


def _cells(line):
    return line.split(",")


def test_a_ranking_left_out_is_drawn_as_scored_only(folder):
    text = RATINGS.replace("E3,1,A,4,7,2", "E3,1,A,4,7,").replace("E3,1,B,4,8,1", "E3,1,B,4,8,")
    folder.write("ratings.csv", text.replace("E3,1,C,1,1,3", "E3,1,C,1,1,"))
    tiles = design._tiles(load(folder.path))
    judged = {(row["evaluator"], row["case"]): row["judged"] for row in tiles.to_dicts()}
    assert judged["E3", "1"] == "scored"
    assert judged["E1", "1"] == "scored and ranked"


def test_files_stand_with_their_digests(study):
    rows = {row["File"]: row for row in design.provenance(study).to_dicts()}
    assert rows["ratings.csv"]["Rows"] == 15
    assert rows["study.yml"]["Rows"] is None
    assert all(len(row["SHA-256"]) == 64 for row in rows.values())


def test_a_study_without_targets_lists_none(study):
    assert design.targets(study).is_empty()


def test_targets_without_a_column_are_refused(folder):
    (folder.path / "simulation").mkdir()
    folder.write("simulation/targets.csv", "quantity,item\na,b\n")
    with pytest.raises(HelpersError, match=r"simulation/targets\.csv: no column"):
        design.targets(load(folder.path))


def test_the_picture_can_be_drawn(study, tmp_path):
    design.picture(study).save(tmp_path / "design.png", verbose=False)
    assert (tmp_path / "design.png").stat().st_size > 1000


def test_cases_without_groups_stand_in_one_picture_without_a_heading(folder):
    folder.write("cases.csv", "case,specialty,group\n1,,\n2,,\n")
    drawn = design.picture(load(folder.path))
    assert isinstance(drawn.facet, facet_null)


def test_a_case_without_a_group_has_a_dash_above_it(folder):
    folder.write("cases.csv", "case,specialty,group\n1,,X\n2,,\n")
    drawn = design.picture(load(folder.path))
    assert set(drawn.data["group"]) == {"X", "–"}


def test_rankings_without_scores_are_not_said_to_be_scored(folder):
    lines = [line.split(",") for line in RATINGS.splitlines()]
    bare = [[*row[:3], "", "", row[5]] if row[0] == "E3" else row for row in lines]
    folder.write("ratings.csv", "\n".join(",".join(row) for row in bare))
    study = load(folder.path)
    judged = {
        row["evaluator"]: row["judged"] for row in design.picture(study).data.to_dict("records")
    }
    assert judged == {"E1": "scored and ranked", "E2": "scored and ranked", "E3": "ranked"}
    assert design.rated(study).rows()[-1] == ("E3", "1", "")
