import pytest

from helpers.errors import HelpersError
from helpers.printed import Interval
from helpers.published import load

TABLE = "Case,W\n1,0.46\n2,0.30\n"
QUOTES = "place,about,printed,table,column,rows,statistic\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "table01.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path


def test_cells_are_kept_as_printed(folder):
    assert load(folder).table("table01").column("W") == ("0.46", "0.30")


def test_a_finer_quote_narrows_a_cell(folder):
    (folder / "text.csv").write_text(f"{QUOTES}s,W of 1,0.463,table01,W,1,cell\n")
    interval = load(folder).interval("table01", "W", 0)
    assert interval.low == pytest.approx(0.4625)
    assert interval.high == pytest.approx(0.4635)


def test_a_quote_that_contradicts_narrows_nothing(folder):
    (folder / "text.csv").write_text(f"{QUOTES}s,W of 1,0.51,table01,W,1,cell\n")
    assert load(folder).interval("table01", "W", 0) == Interval(0.455, 0.465)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "table01.csv: expected a header and at least one row"),
        ("Case,W\n", "table01.csv: expected a header and at least one row"),
        ("Case,W\n1,0.46,x\n", "table01.csv, row 2: 3 cells, expected 2"),
        ("Case,Case\n1,2\n", "table01.csv: a column name is there twice"),
    ],
)
def test_a_faulty_table_is_named(folder, content, message):
    (folder / "table01.csv").write_text(content)
    with pytest.raises(HelpersError, match=message):
        load(folder)


def test_another_encoding_is_named(folder):
    (folder / "table01.csv").write_bytes("Case,W\n1,é\n".encode("latin-1"))
    with pytest.raises(HelpersError, match=r"table01\.csv: not UTF-8"):
        load(folder)


def test_a_byte_order_mark_is_no_part_of_the_header(folder):
    (folder / "table01.csv").write_text(TABLE, encoding="utf-8-sig")
    assert load(folder).table("table01").columns == ("Case", "W")


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(HelpersError, match=r"holds no table01\.csv"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("s,a,1,table01,W,1,sum\n", "row 2, column statistic: “sum”"),
        ("s,a,1,table01,W,1,\n", "row 2: table and statistic go together"),
        ("s,a,1,table01,W,,position\n", "row 2, column rows: “”, expected the label of the one"),
        ("s,a,1,table01,W,1; 2,position\n", "row 2, column rows: “1; 2”, expected the label"),
    ],
)
def test_a_faulty_quote_is_named(folder, row, message):
    (folder / "text.csv").write_text(QUOTES + row)
    with pytest.raises(HelpersError, match=message):
        load(folder)


def test_misspelt_names_get_a_suggestion(folder):
    paper = load(folder)
    with pytest.raises(HelpersError, match="did you mean 'table01'"):
        paper.table("tabel01")
    with pytest.raises(HelpersError, match="there are: Case, W"):
        paper.table("table01").column("p")
    with pytest.raises(HelpersError, match="no row “9”"):
        paper.table("table01").select(["9"])
