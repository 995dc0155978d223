"""Conventions of the book's own sources: how numbers, figures and tables get into a chapter."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

from helpers import say
from helpers.book import cells, chapters, keys
from helpers.paths import NOTEBOOKS, ROOT

SOURCES = sorted(NOTEBOOKS.glob("*.ipynb"))
PAGES = sorted(path for path in ROOT.glob("*.qmd") if not path.name.startswith("_"))

NO_PROSE = re.compile(r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]+\$|\]\([^)]*\)|\{[^{}]*\}", re.DOTALL)
"""Code, maths, addresses and attributes."""
DECIMAL = re.compile(r"(?<![\w.])[-−]?\d*\.\d+(?![\w.]*\.\w)")


def typed(text: str) -> list[str]:
    """Return decimals typed into Markdown that are no constants."""
    return [d for d in DECIMAL.findall(NO_PROSE.sub(" ", text)) if d not in say.CONSTANTS]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A mean of 3.2, p = .03 and −0.5.", ["3.2", ".03", "−0.5"]),
        ("A test at .05, and an interval of 0.95.", ["0.95"]),
        ("In maths $p < .03$, $$ x = 1.5 $$ and code `0.5`:\n\n```\nx = 0.25\n```\n", []),
        ("See [that](https://example.org/1.2/x), section 3.3.1 and Python 3.11.2. End.", []),
        ("37 physicians. 12 % of cases, and Table 4.", []),
    ],
)
def test_typed_decimals_are_told_from_computed_ones(text, found):
    assert typed(text) == found


def options_and_code(cell: chapters.Cell) -> tuple[dict, str]:
    return cells.options({"source": cell.source}, cells.Place("", 0, Path()))


@pytest.fixture(params=SOURCES, ids=lambda path: path.stem)
def chapter(request) -> chapters.Chapter:
    return chapters._chapter(ROOT, str(request.param.relative_to(ROOT)))


def code_cells(chapter: chapters.Chapter) -> list[tuple[int, dict, str]]:
    """Return number, options and code of each code cell."""
    numbered = enumerate(chapter.cells, 1)
    return [(n, *options_and_code(cell)) for n, cell in numbered if cell.cell_type == "code"]


ADVICE = "write it by a helper from a computed value, as maths, or declare it in say.CONSTANTS"


def test_no_result_is_typed_into_the_text(chapter):
    found = {
        f"cell {n}": decimals
        for n, cell in enumerate(chapter.cells, 1)
        if cell.cell_type == "markdown" and (decimals := typed(cell.source))
    }
    assert found == {}, ADVICE


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_no_result_is_typed_into_a_page(page):
    assert typed(page.read_text("utf-8")) == [], ADVICE


def test_captions_say_what_is_drawn_and_hold_no_result(chapter):
    for n, options, _ in code_cells(chapter):
        for name in ("fig-cap", "tbl-cap", "fig-alt"):
            text = str(options.get(name, ""))
            assert not re.search(r"\d*\.\d|\d ?%|[<>=]", text), f"cell {n}: {name}: {text}"


def test_code_holds_no_decimals_outside_its_parameters(chapter):
    """Levels and settings are parameters; printed values come from `data/published`."""
    for n, cell in enumerate(chapter.cells, 1):
        if cell.cell_type == "code" and "parameters" not in cell.tags:
            for node in ast.walk(ast.parse(cell.source)):
                is_decimal = isinstance(node, ast.Constant) and isinstance(node.value, float)
                assert not is_decimal, f"cell {n}: {ast.unparse(node)}"


def test_every_figure_is_drawn_for_the_book_and_described(chapter):
    for n, options, code in code_cells(chapter):
        if str(options.get("label", "")).startswith("fig-"):
            assert "show.figure(" in code.splitlines()[-1], f"cell {n}: end with show.figure(…)"
            assert len(options.get("fig-alt", "")) > 40, f"cell {n}: say in fig-alt what is seen"


def test_every_figure_is_followed_by_the_table_of_its_numbers(chapter):
    labels = [str(options.get("label", "")) for _, options, _ in code_cells(chapter)]
    for label, following in pairwise([*labels, ""]):
        if label.startswith("fig-"):
            assert following == f"tbl-{label[4:]}", f"after {label}"


def test_every_table_has_a_label_and_a_caption(chapter):
    for n, options, code in code_cells(chapter):
        if "show.table(" in code:
            assert str(options.get("label", "")).startswith("tbl-"), f"cell {n}"
            assert options.get("tbl-cap"), f"cell {n}"


def own_modules(stem: str) -> set[str]:
    """Modules of the project that a chapter's key is made of."""
    one = chapters._chapter(ROOT, f"notebooks/{stem}.ipynb")
    modules = keys.Modules(ROOT / "src")
    return modules.closure(keys.notebook_imports(one.cells)) & modules.paths.keys()


def test_only_the_chapter_that_audits_is_run_again_when_a_check_changes():
    checks = {"helpers.audit.compare", "helpers.audit.run", "helpers.audit.significance"}
    assert checks <= own_modules("published-02-perception-audit")
    assert not any("audit" in name for name in own_modules("published-01-perception-tables"))
    assert not checks & own_modules("published-03-perception-checks")
    assert not checks & own_modules("perception-02-instrument")


def test_what_is_told_about_the_published_tables_runs_no_chapter(chapter):
    for name in chapter.declaration.data:
        if name.startswith("data/published"):
            assert name.endswith(("/*.csv", "/relations.yml"))
