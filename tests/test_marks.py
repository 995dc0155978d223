import nbformat
import pytest

from helpers.book import marks
from helpers.stamp import BANNER, marked


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "| a |\n|---|\n| 1 |\n\n: Ages {#tbl-a}",
            "| a |\n|---|\n| 1 |\n\n: Ages (SIMULATED) {#tbl-a}",
        ),
        ("| a |\n|---|\n| 1 |\n\nTable: Ages", "| a |\n|---|\n| 1 |\n\nTable: Ages (SIMULATED)"),
        (
            "|a|\n|-|\n\n: A long\ncaption {#tbl-a}\n\nx",
            "|a|\n|-|\n\n: A long\ncaption (SIMULATED) {#tbl-a}\n\nx",
        ),
        ("![Dots](a.png){#fig-a}", "![Dots (SIMULATED)](a.png){#fig-a}"),
        ("![](a.png){#fig-a}", "![(SIMULATED)](a.png){#fig-a}"),
        ("![see [1]](a.png)", "![see [1] (SIMULATED)](a.png)"),
        ("![](a.png)", "![](a.png)"),
        ("::: {#fig-a}\nx\n\nDots\n:::", "::: {#fig-a}\nx\n\nDots (SIMULATED)\n:::"),
        ("::: {#fig-a}\n![](a.png)\n:::", "::: {#fig-a}\n![](a.png)\n\n(SIMULATED)\n:::"),
        (
            "::: {.callout-note}\n::: {#tbl-a}\n|a|\n|-|\n\nAges\n\n:::\nx\n:::",
            "::: {.callout-note}\n::: {#tbl-a}\n|a|\n|-|\n\nAges (SIMULATED)\n\n:::\nx\n:::",
        ),
        ("Term\n\n:   a definition", "Term\n\n:   a definition"),
        (
            "```\n: Ages {#tbl-a}\n![x](y)\n```\n\n![x](y)",
            "```\n: Ages {#tbl-a}\n![x](y)\n```\n\n![x (SIMULATED)](y)",
        ),
        ("Already SIMULATED.\n", "Already SIMULATED.\n"),
    ],
)
def test_captions_in_markdown_are_marked_and_nothing_else(source, expected):
    assert marks.captions(source) == expected


def test_a_word_that_is_there_is_not_said_twice():
    assert marked("Dots (SIMULATED)") == "Dots (SIMULATED)"
    assert marked("Dots", simulated=False) == "Dots"


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


def test_the_banner_stands_below_the_title():
    made = notebook(
        nbformat.v4.new_markdown_cell("<!-- note -->\n# A *title* {#sec-a .x}\n\nText."),
        nbformat.v4.new_markdown_cell("# Not a title"),
    )
    marks.mark(made)
    expected = f"<!-- note -->\n# A *title* (SIMULATED) {{#sec-a .x}}\n\n{BANNER}\n\nText."
    assert made.cells[0].source == expected
    assert made.cells[1].source == "# Not a title"


def test_a_title_may_stand_in_front_matter():
    made = notebook(nbformat.v4.new_markdown_cell("---\ntitle: 'A: b'\n---\nText."))
    marks.mark(made)
    assert made.cells[0].source == f"---\ntitle: 'A: b (SIMULATED)'\n---\n\n{BANNER}\nText."


def test_captions_of_cells_and_of_what_they_show_are_marked():
    table = "| a |\n|---|\n| 1 |\n\n: Ages {#tbl-b}"
    cell = nbformat.v4.new_code_cell(
        "#| label: fig-a\n#| fig-cap: >\n#|   A folded:\n#|   caption\n#| echo: false\ndraw()",
        outputs=[
            nbformat.v4.new_output("display_data", {"text/markdown": table}),
            nbformat.v4.new_output("display_data", {"text/html": "<caption>Ages</caption>"}),
            nbformat.v4.new_output("stream", text=table),
        ],
    )
    marks.mark(notebook(cell))
    assert cell.source == (
        '#| label: "fig-a"\n#| fig-cap: "A folded: caption (SIMULATED)"\n#| echo: false\ndraw()'
    )
    assert cell.outputs[0].data["text/markdown"].endswith(": Ages (SIMULATED) {#tbl-b}")
    assert cell.outputs[1].data["text/html"] == "<caption>Ages (SIMULATED)</caption>"
    assert cell.outputs[2].text == table  # shown as it was printed
