"""The one list of what the book may use: the sample shows all of it, and nothing else gets in."""

import re

import pytest
import yaml

import sample_book
from helpers.book import cells, render
from helpers.errors import HelpersError
from helpers.paths import ROOT
from sample_book import code, markdown, notebook

LISTED = cells.CONSTRUCTS


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> str:
    """Return the text of all sources of the sample book."""
    stage = sample_book.write(tmp_path_factory.mktemp("constructs") / "stage")
    files = [path for path in stage.rglob("*") if path.suffix in {".qmd", ".ipynb", ".yml"}]
    return "\n".join(path.read_text("utf-8").replace("\\n", "\n") for path in files)


USES = {
    **{f"class {c}": rf"\.{c}\b|```{c}\b" for group in LISTED["classes"].values() for c in group},
    **{f"attribute {a}": rf"\b{a}=" for group in LISTED["attributes"].values() for a in group},
    **{f"option {name}": rf"#\| {name}:|{name}:" for name in LISTED["cell options"]},
    **{f"shortcode {name}": rf"\{{\{{< {name}" for name in LISTED["shortcodes"]},
}


@pytest.mark.parametrize("use", USES)
def test_the_sample_book_uses_all_that_is_listed(sample, use):
    assert re.search(USES[use], sample)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (markdown("::: {.callout-danger}\nx\n:::"), "Div .callout-danger"),
        (markdown('::: {.callout-note icon="false"}\nx\n:::'), 'Div icon="…"'),
        (markdown("[x]{.mark}"), "Span .mark"),
        (markdown("[x]{.smallcaps}"), "SmallCaps"),
        (markdown("<b>x</b>"), "raw html"),
        (markdown("```{=html}\n<hr>\n```"), "raw html"),
        (markdown("```{mermaid}\nx\n```"), "code that an engine runs, {mermaid}"),
        (markdown("It is `{python} x`."), "code that an engine runs, {python}"),
        (markdown("```ruby\nx\n```"), "CodeBlock .ruby"),
        (markdown("It is {{< var x >}}."), "a shortcode within a line"),
        (markdown("| a line block\n| of two lines"), "LineBlock"),
        (markdown('[x](index.qmd){target="_blank"}'), 'Link target="…"'),
        (code("x", sample_book.shows(markdown="<i>x</i>")), "raw html"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_listed_is_refused_by_name(tmp_path, cell, said):
    stage = sample_book.write(tmp_path / "stage")
    cells_ = [markdown("# Notes {#sec-tables}"), cell]
    (stage / "tea-01-tables.ipynb").write_text(notebook(cells_), "utf-8")
    with pytest.raises(HelpersError) as refused:
        render._write(stage, tmp_path, "html")
    assert f"the book may not use {said}" in str(refused.value)
    assert "tea-01-tables.ipynb" in str(refused.value)


def settings(node: object, name: str = "") -> set[str]:
    """Return the dotted names of all settings in a configuration."""
    if name in LISTED["settings"] or not isinstance(node, dict):
        return {name}
    return {
        leaf for key, value in node.items() for leaf in settings(value, f"{name}.{key}"[not name :])
    }


def test_quartos_settings_are_those_that_both_engines_know_or_may_ignore():
    config = yaml.safe_load((ROOT / "_quarto.yml").read_text("utf-8"))
    assert settings(config) - set(LISTED["settings"]) == set()


def test_the_staged_book_stays_within_the_list(real_book):
    """It was rendered, so nothing in its pages was refused; its settings are the other half."""
    config = yaml.safe_load((ROOT / "_build/default/stage/_quarto.yml").read_text("utf-8"))
    assert (real_book / "index.html").exists()
    assert settings(config) - set(LISTED["settings"]) == set()
