"""What stands below figures and tables: a file of the values, the chapter's key, its data."""

import nbformat
import pytest

from helpers.book import small_print
from helpers.book.keys import key
from helpers.book.sources import STAGED

MADE_OF = {"notebook": "ab" * 32, "data data/a.csv": "cd" * 32}
VALUES = "n\n1\n"


def shown(label: str, **forms: str):
    names = {"markdown": "text/markdown", "csv": "text/csv", "svg": "image/svg+xml"}
    outputs = [nbformat.v4.new_output("display_data", {names[k]: v for k, v in forms.items()})]
    return nbformat.v4.new_code_cell(f"#| label: {label}\nshow()", outputs=outputs)


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


@pytest.fixture
def both():
    table = shown("tbl-n", markdown="| n |\n|--:|\n| 1 |", csv=VALUES)
    return notebook(shown("fig-n", svg="<svg/>"), nbformat.v4.new_markdown_cell("Text."), table)


def test_a_table_has_its_values_as_a_file_named_by_its_label(both):
    assert small_print.add(both, MADE_OF, simulated=False) == {"tables/tbl-n.csv": VALUES}
    assert both.cells[4].source == (
        '::: {.provenance style="font-size: 0.8em"}\n'
        '[[tbl-n.csv](tables/tbl-n.csv) ·]{.content-visible when-format="html"} '
        f"Chapter key `{key(MADE_OF)[:12]}` · Data `cdcdcdcdcdcd`\n:::"
    )
    assert "text/csv" not in both.cells[3].outputs[0].data


def test_a_figure_names_the_table_of_its_numbers(both):
    small_print.add(both, MADE_OF, simulated=False)
    assert "Numbers in @tbl-n · Chapter key" in both.cells[1].source
    assert [STAGED in cell.metadata.get("tags", []) for cell in both.cells] == [
        False,
        True,
        False,
        False,
        True,
    ]


def test_files_of_simulated_data_say_so(both):
    assert set(small_print.add(both, MADE_OF, simulated=True)) == {"tables/tbl-n-SIMULATED.csv"}


def test_values_without_a_label_or_hidden_are_taken_out_and_have_no_file():
    bare = shown("tbl-n", markdown="x", csv=VALUES)
    bare.source = "show()"
    hidden = shown("tbl-n\n#| include: false", markdown="x", csv=VALUES)
    book = notebook(bare, hidden)
    assert small_print.add(book, MADE_OF, simulated=False) == {}
    assert len(book.cells) == 2
    assert all("text/csv" not in cell.outputs[0].data for cell in book.cells)


def test_all_that_a_chapter_reads_has_one_digest():
    assert small_print.data_digest({"Python": "3"}) == ""
    assert small_print.data_digest({"data a": "x", "data b": "absent", "Python": "3"}) == "x"
    several = {"data a": "x", "results b": "y"}
    assert small_print.data_digest(several | {"Python": "3"}) == key(several)
