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


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a -- b --- c-d - e", "a \\-\\- b \\-\\-\\- c-d - e"),
        ('it\'s "c"', 'it\\\'s \\"c\\"'),
        ("&lt;x&gt; & y ... z. a..b", "\\&lt;x\\&gt; \\& y \\.\\.\\. z. a\\.\\.b"),
        ("1. one", "1\\. one"),
        ("(a) one", "(a\\) one"),
        ("- one", "\\- one"),
        ("-1.5", "-1.5"),
        ("{{< var x >}}", "\\{\\{\\< var x \\>\\}\\}"),
    ],
)
def test_nothing_is_curled_joined_or_taken_for_a_list(text, escaped):
    assert show.escape(text) == escaped


def test_a_cell_stays_on_its_line_and_what_belongs_together_stays_together():
    frame = pl.DataFrame({"a": ["p\xa0=\xa0.03, 12\u202f%\u2028a\x85b\r\n c"]})
    assert show.table(frame).splitlines()[2] == "| p\xa0=\xa0.03, 12\u202f% a b c |"


def test_markdown_columns_are_left_as_they_are():
    frame = pl.DataFrame({"a": ["**bold**"], "b": ["**plain**"]})
    assert show.table(frame, markdown=["a"]).splitlines()[2] == "| **bold** | \\*\\*plain\\*\\* |"


def test_a_notebook_shows_it_as_markdown():
    assert show.prose("One.", "Two.")._repr_markdown_() == "One. Two."


def test_an_empty_table_says_so():
    assert show.table(pl.DataFrame({"a": []})) == "Nothing to list."


def test_decimals_p_values_and_intervals_are_shown_as_each_asks():
    frame = pl.DataFrame(
        {"d": [-0.4567, None], "low": [-0.81, None], "high": [0.1, None], "p": [0.0004, 0.0123]}
    )
    shown = show.table(frame, digits={"d": 3}, p_values=["p"], intervals={"CI": ("low", "high")})
    assert shown.splitlines() == [
        "| d | CI | p |",
        "| --: | --: | --: |",
        "| −0.457 | \\[−0.81, 0.10\\] | <\xa0.001 |",
        "| – | – | .012 |",
    ]


def test_a_column_without_any_value_is_no_column_of_numbers():
    assert show.table(pl.DataFrame({"a": ["x"], "b": [None]})).splitlines()[1] == "| --- | --- |"


def test_the_values_go_along_in_full_and_bare():
    frame = pl.DataFrame(
        {"x": [1 / 3, None], "class": ["**grave**", "@tbl-a"], "of": ["a, b", '"c"']}
    )
    bundle = show.table(frame, digits=1, markdown=["class"])._repr_mimebundle_()
    assert bundle["text/markdown"].splitlines()[2] == "| 0.3 | **grave** | a, b |"
    assert bundle["text/csv"] == ('x,class,of\n0.3333333333333333,grave,"a, b"\n,tbl-a,"""c"""\n')


def test_lists_in_a_column_do_not_end_a_table():
    assert show.table(pl.DataFrame({"a": [[1, 2]]})).csv == 'a\n"[1, 2]"\n'
