import polars as pl
import pytest

from helpers import show


def test_a_table_is_a_pipe_table_with_numbers_to_the_right():
    frame = pl.DataFrame(
        {"name": ["a|b", None], "n": [1, 2], "x": [0.5, -0.25], "p": ["<0.01*", ""]}
    )
    assert show.table(frame) == (
        "| name | n | x | p |\n"
        "| --- | --: | --: | --: |\n"
        "| a\\|b | 1 | 0.50 | \\<0.01\\* |\n"
        "| – | 2 | −0.25 | – |"
    )


def test_widths_set_the_dashes():
    frame = pl.DataFrame({"a": ["x"], "b": ["y"]})
    assert show.table(frame, widths=(5, 10)).splitlines()[1] == "| ----- | ---------- |"
    with pytest.raises(ValueError, match="1 widths for 2 columns"):
        show.table(frame, widths=(5,))


def test_hostile_cells_stay_text():
    frame = pl.DataFrame({"a": ["<script>alert(1)</script>\n# [x](javascript:1) @cite $y$ `z`"]})
    line = show.table(frame).splitlines()[2]
    assert line == (
        "| \\<script\\>alert(1)\\</script\\> \\# \\[x\\](javascript:1) \\@cite \\$y\\$ \\`z\\` |"
    )


def test_markdown_columns_are_left_as_they_are():
    frame = pl.DataFrame({"a": ["**bold**"], "b": ["**plain**"]})
    assert show.table(frame, markdown=["a"]).splitlines()[2] == "| **bold** | \\*\\*plain\\*\\* |"


def test_a_notebook_shows_it_as_markdown():
    assert show.prose("One.", "Two.")._repr_markdown_() == "One. Two."


def test_an_empty_table_says_so():
    assert show.table(pl.DataFrame({"a": []})) == "Nothing to list."
