"""The sample book, rendered by either engine: what a reader finds in it, and what is refused."""

import html
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
import typst
from PIL import Image

import sample_book
from helpers import show
from helpers.book import render
from helpers.errors import HelpersError
from sample_book import code, markdown, notebook, says, shows

MINIMAL = (
    "book:\n  title: Small\n  chapters: [index.qmd, a-01.ipynb]\nbibliography: references.bib\n"
)


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    return sample_book.write(tmp_path_factory.mktemp("sample") / "stage")


@pytest.fixture(scope="module")
def book(stage):
    out = stage.parent / "_book"
    render.render(stage, out, "pandoc")
    return out


@pytest.fixture(scope="module")
def page(book):
    """Read a page as one line without the spaces that browsers ignore."""
    return lambda name: re.sub(r"\s+", " ", (book / f"{name}.html").read_text("utf-8"))


@pytest.fixture(scope="module")
def paper(stage):
    """Typst source of the sample book, with its images."""
    folder = stage.parent / "paper"
    folder.mkdir()
    render._write_pdf(stage, folder)
    return folder


@pytest.fixture
def small(tmp_path):
    """Write a book of an index and one notebook, and render it; returns the pages' folder."""

    def write(*cells, index="# Index {.unnumbered}\n", config=MINIMAL):
        folder = tmp_path / "stage"
        folder.mkdir(exist_ok=True)
        (folder / "_quarto.yml").write_text(config, "utf-8")
        (folder / "index.qmd").write_text(index, "utf-8")
        (folder / "references.bib").write_text(sample_book.REFERENCES, "utf-8")
        (folder / "a-01.ipynb").write_text(notebook(list(cells) or [markdown("# A")]), "utf-8")
        render.render(folder, tmp_path / "_book", "pandoc")
        return tmp_path / "_book"

    return write


LABEL = 'a -- b "c" &lt;x&gt; ... -3 ’90s it\'s {{< var x >}} --- 1. &#65; C:\\dir'


def test_a_label_from_data_stands_in_both_targets_as_it_was_given(small, tmp_path):
    cell = show.table(pl.DataFrame({"label": [LABEL], LABEL: ["x"]}))
    made = small(markdown(f"# A\n\n{show.escape(LABEL)}"), code("x", shows(markdown=str(cell))))
    text = re.sub(r"<[^>]+>", "", re.sub(r"\s+", " ", (made / "a-01.html").read_text("utf-8")))
    assert html.unescape(text).count(LABEL) == 3
    (tmp_path / "paper").mkdir()
    render._write_pdf(tmp_path / "stage", tmp_path / "paper")
    source = (tmp_path / "paper/book.typ").read_text("utf-8")
    told = 'a -\\- b \\"c\\" &lt;x&gt; #"..."; #"-3"; #"’90s"; it\\\'s {{\\< var x \\>}} '
    assert source.count(told) == 3, source


# ---- the site -----------------------------------------------------------------------------------


def test_pages_keep_the_names_of_their_sources(book):
    names = {path.name for path in book.glob("*.html")}
    stems = {"index", "tea-01-tables", "tea-02-models", "tea-90-notes"}
    assert names == {f"{stem}.html" for stem in stems}


def test_tables_and_figures_are_numbered_by_chapter(page):
    tables = page("tea-01-tables")
    assert (
        '<span class="caption-label">Table 1.1:</span> Mean ranks of <em>three</em> teas' in tables
    )
    assert '<span class="caption-label">Table 1.5:</span> A table typed into the text' in tables
    assert '<span class="caption-label">Figure 2.1:</span> Liking by tea' in page("tea-02-models")


@pytest.mark.parametrize(
    "link",
    [
        '<a href="tea-01-tables.html#tbl-ranks" class="xref">Table 1.1</a>',
        '<a href="tea-02-models.html#fig-liking" class="xref">Figure 2.1</a>',
        '<a href="tea-02-models.html#eq-model" class="xref">Equation 2.1</a>',
        '<a href="tea-90-notes.html#sec-notes" class="xref">Appendix A</a>',
        '<a href="tea-02-models.html">the models</a>',
        '<a href="tea-02-models.html#summary">how often they agreed</a>',
    ],
)
def test_references_lead_across_chapters(page, link):
    assert link in page("index")


def test_references_take_prefixes_lists_and_bare_numbers(page):
    models = page("tea-02-models")
    assert 'The model <a href="#eq-model" class="xref">2.1</a>, told in' in models
    assert '<a href="#fig-liking" class="xref">Fig. 2.1</a>' in models
    pair = '<a href="#fig-liking" class="xref">Figure 2.1</a>, <a href="#fig-halves" class="xref">'
    assert pair in models


def test_sidebar_shows_parts_and_where_the_reader_is(page):
    models = page("tea-02-models")
    assert '<p class="part">The tasting</p>' in models
    here = 'href="tea-02-models.html" aria-current="page"><span class="number">2</span>'
    assert here in models
    assert models.count('aria-current="page"') == 1


def test_neighbours_and_headings_of_the_page_are_linked(page):
    models = page("tea-02-models")
    assert 'rel="prev" href="tea-01-tables.html"' in models
    assert 'rel="next" href="tea-90-notes.html"' in models
    assert '<a href="#detail"><span class="number">2.1.1</span> Detail</a>' in models


def test_front_matter_and_first_heading_both_give_titles(page):
    assert '<h1 id="title"><span class="heading-number">2</span> Models &amp; pictures</h1>' in (
        page("tea-02-models")
    )
    assert "<title>2 Models &amp; pictures – Six Teas &amp; &lt;Twelve&gt; Tasters</title>" in (
        page("tea-02-models")
    )
    assert '<h1 class="unnumbered" id="what-was-tasted">' in page("index")


def test_prose_from_a_cell_reads_like_prose(page):
    tables = page("tea-01-tables")
    assert (
        "<p>The best tea had a mean rank of <strong>2.08</strong>, <em>p</em> &lt; .001" in tables
    )
    assert "say()" not in tables


def test_code_is_folded_shown_or_left_out_as_the_cell_says(page):
    tables = page("tea-01-tables")
    assert '<details class="code-fold"><summary>Code</summary>' in tables
    assert '<details class="code-fold" open><summary>Code</summary>' in tables
    assert "injected" not in tables and "rounds = 3" not in tables


def test_stored_html_tables_become_tables_of_the_book(page):
    tables = page("tea-01-tables")
    assert "Sencha &amp; co" in tables
    assert '<td style="text-align: right;">12.50</td>' in tables
    assert "<style" not in tables and "dataframe" not in tables


def test_columns_of_numbers_are_set_flush_right(page):
    tables = page("tea-01-tables")
    for cell in ("2.08", "−.67", "[1.34, 2.82]", "1,204", "12 %"):
        assert f'<td style="text-align: right;">{cell}</td>' in tables
    assert "<td>Sencha</td>" in tables


def test_given_column_widths_are_kept_and_equal_ones_ignored(page):
    tables = page("tea-01-tables")
    wide, long = tables.split('id="tbl-wide"')[1].split('id="tbl-long"')
    assert "<colgroup>" not in wide.split("</table>")[0]
    assert re.search(r'<col style="width: 4\d%" />', long)


def test_tables_scroll_in_a_named_region(page):
    region = '<div class="scroll shares" role="region" tabindex="0" aria-labelledby="tbl-long-cap'
    assert region in page("tea-01-tables")
    assert 'aria-label="Unnumbered table' in page("tea-01-tables")


def test_math_needs_no_script(page):
    models = page("tea-02-models")
    assert '<math display="block"' in models and '<math display="inline"' in models
    assert '<span class="equation-number">(2.1)</span>' in models


def test_figures_have_their_text_and_their_width(page, book):
    models = page("tea-02-models")
    drawn = 'src="figures/tea-02-models/fig-%s" class="drawn" %s'
    liking = drawn % ("liking.svg", 'alt="Six dots that rise from left to right"')
    assert liking in models
    halves = drawn % ("halves.png", 'width="320" alt="A light and a dark half"')
    assert halves in models
    assert 'alt="Two grey halves, pasted"' in models and 'alt="Dots again"' in models
    assert (book / "figures/tea-02-models/fig-halves.png").read_bytes()[:4] == b"\x89PNG"


def test_small_print_belongs_to_the_figure_or_table_above(page, paper):
    ranks = page("tea-01-tables").split('id="tbl-ranks"')[1].split("</figure>")[0]
    assert ranks.endswith(
        '<div class="provenance"> <p><a href="data/teas.csv">teas.csv</a> · Chapter key '
        "<code>0123456789ab</code></p> </div> "
    )
    caption = page("tea-02-models").split("</figcaption>")[0]
    assert "Liking by tea </div>" in caption and 'class="provenance"' in caption
    source = (paper / "book.typ").read_text("utf-8")
    assert source.count("#small-print[") == 2 and source.count("teas.csv") == 1


def test_a_figure_scrolls_on_narrow_screens_in_a_region_with_its_name(page):
    assert (
        '<div class="scroll" role="region" tabindex="0" aria-labelledby="fig-liking-caption"> '
        '<img src="figures/tea-02-models/fig-liking.svg"'
    ) in page("tea-02-models")


def test_callouts_tabs_and_margin_notes(page):
    models = page("tea-02-models")
    assert (
        '<div class="callout callout-warning"> <details><summary class="callout-title">' in models
    )
    assert (
        '<div class="callout callout-tip"> <div class="callout-title"> A tip with a title' in models
    )
    first, second = models.split('<div class="tabset">')[1].split('<div class="tab-title"> Second')
    assert "In the first tab." in first
    assert "In the second tab." in second and 'id="tbl-tab"' in second
    assert '<div class="margin-note"> <p>A note in the margin.</p>' in models


def test_content_for_one_target_stays_in_it(page, paper):
    assert "Only on the screen." in page("tea-02-models")
    assert "Only on paper." not in page("tea-02-models")
    source = (paper / "book.typ").read_text("utf-8")
    assert "Only on paper." in source
    assert "Only on the screen." not in source


def test_included_text_is_in_and_shortcodes_in_code_are_left_alone(page):
    assert '<h2 id="findings">Findings</h2>' in page("index")
    assert "{{&lt; this stays &gt;}}" in page("tea-90-notes")


def test_footnotes_and_references_stand_at_the_end_of_their_page(page):
    assert "Half points were allowed" in page("tea-90-notes")
    assert 'id="ref-cohen1988"' in page("index")
    assert 'id="ref-cohen1988"' not in page("tea-01-tables")


def test_output_loses_its_terminal_colours(page):
    assert "plain text</code>" in page("tea-01-tables")


def test_linked_files_come_along_and_sources_do_not(book):
    assert (book / "data/teas.csv").is_file()
    assert not list(book.rglob("*.qmd")) + list(book.rglob("*.ipynb"))


def test_search_index_holds_every_section(book):
    script = (book / "search-index.js").read_text("utf-8")
    index = json.loads(script.removeprefix("window.BOOK_INDEX =").strip().removesuffix(";"))
    found = {url: text for url, title, chapter, text in index}
    assert "Lapsang" in found["tea-01-tables.html"]
    assert "Careful" in found["tea-02-models.html#summary"]
    assert "<" not in found["tea-01-tables.html#summary"].replace("<  .001", "").replace(
        "< .001", ""
    )


@pytest.mark.parametrize(("target", "page"), [("html", "index.html"), ("typst", "book.typ")])
def test_a_page_that_the_disk_has_no_room_for_is_no_page(stage, tmp_path, target, page):
    """Lua itself goes on after a write that failed, and the page would be cut short."""
    (tmp_path / page).symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device"):
        render._write(stage, tmp_path, target)


def test_rendering_twice_gives_the_same_bytes(stage, book, tmp_path):
    again = tmp_path / "again"
    render.render(stage, again, "pandoc")
    files = sorted(path.relative_to(book) for path in book.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    assert [f for f in files if (book / f).read_bytes() != (again / f).read_bytes()] == []


# ---- the PDF ------------------------------------------------------------------------------------


def test_pdf_has_title_authors_language_and_bookmarks(book):
    pdf = (book / "book.pdf").read_bytes()
    assert b"Six Teas & <Twelve> Tasters" in pdf or b"Six Teas &amp; &lt;Twelve" in pdf
    assert b"/Lang(en)" in pdf
    assert b"/Title(The tasting)" in pdf


def test_pdf_embeds_typsts_own_fonts_alone(book):
    fonts = set(re.findall(rb"/BaseFont/[A-Z]{6}\+(\w+)", (book / "book.pdf").read_bytes()))
    assert fonts and all(font.startswith((b"Libertinus", b"DejaVu", b"NewCM")) for font in fonts)


def test_pdf_shows_no_code_unless_asked(small, paper):
    source = (paper / "book.typ").read_text("utf-8")
    assert "show(ranks)" not in source and "plain text" in source


def test_pdf_shows_code_where_a_cell_asks_for_it(tmp_path):
    stage = sample_book.write(tmp_path / "stage")
    cells = [markdown("# A"), code("#| echo: true\nwanted()"), code("unwanted()")]
    (stage / "tea-90-notes.qmd").write_text("# Notes {#sec-notes}\n")
    (stage / "tea-01-tables.ipynb").write_text(notebook([*sample_book.TABLES, *cells[1:]]), "utf-8")
    render._write(stage, tmp_path, "typst")
    source = (tmp_path / "book.typ").read_text("utf-8")
    assert "```python\nwanted()" in source and "unwanted()" not in source


def test_nothing_in_the_pdf_sticks_out_into_the_margins(paper):
    """The sample has a table of ten columns and one of long texts; both break across pages."""
    pages = typst.compile(paper / "book.typ", root=paper, format="png", ppi=36)
    assert len(pages) > 8
    for png in pages:
        image = Image.open(io.BytesIO(png)).convert("L")
        edge = round(20 / 25.4 * 36)
        left = image.crop((0, 0, edge, image.height))
        right = image.crop((image.width - edge, 0, image.width, image.height))
        assert left.getextrema()[0] > 250 and right.getextrema()[0] > 250


def test_a_table_too_wide_for_the_page_turns_it(small, tmp_path):
    head = "|" + "|".join(f" Measurement{i:02} " for i in range(14)) + "|\n"
    table = head + "|" + "--:|" * 14 + "\n" + ("|" + " 1234.56 |" * 14 + "\n") * 3
    small(markdown("# A"), code("#| label: tbl-w\n#| tbl-cap: Wide\nx", shows(markdown=table)))
    render._write_pdf(tmp_path / "stage", _made(tmp_path / "paper"))
    assert "#landscape[" in (tmp_path / "paper/book.typ").read_text("utf-8")
    pages = typst.compile(tmp_path / "paper/book.typ", format="png", ppi=18)
    sizes = [Image.open(io.BytesIO(png)).size for png in pages]
    assert any(width > height for width, height in sizes)


def test_a_table_too_wide_for_any_page_is_set_in_parts_that_repeat_its_first_column(
    small, tmp_path
):
    head = "| Analyst |" + "|".join(f" Case{i:02} " for i in range(40)) + "|\n"
    rows = ("| Someone |" + "|".join(f" 1234.{i:02} " for i in range(40)) + "|\n") * 3
    table = head + "|---|" + "--:|" * 40 + "\n" + rows
    small(markdown("# A"), code("#| label: tbl-w\n#| tbl-cap: Wide\nx", shows(markdown=table)))
    render._write_pdf(tmp_path / "stage", _made(tmp_path / "paper"))
    source = (tmp_path / "paper/book.typ").read_text("utf-8")
    parts = source.split("#book-table(")[2:]
    assert len(parts) > 1
    assert all(part.count("Someone") == 3 for part in parts)
    assert all(f"Case{i:02}" in source and f"1234.{i:02}" in source for i in range(40))
    for page in typst.compile(tmp_path / "paper/book.typ", format="png", ppi=36):
        image = Image.open(io.BytesIO(page)).convert("L")
        edge = image.crop((image.width - round(20 / 25.4 * 36), 0, image.width, image.height))
        assert edge.getextrema()[0] > 250


def test_a_row_higher_than_a_page_goes_on_over_the_next(small, tmp_path):
    words = " ".join(f"word{i:04}" for i in range(1500))
    table = f"| A | B |\n|---|---|\n| one | {words} |\n"
    small(markdown("# A"), code("#| label: tbl-w\n#| tbl-cap: High\nx", shows(markdown=table)))
    render._write_pdf(tmp_path / "stage", _made(tmp_path / "paper"))
    pages = typst.compile(tmp_path / "paper/book.typ", format="png", ppi=36)
    full = [Image.open(io.BytesIO(page)).convert("L") for page in pages][-3:]
    for image in full:
        foot = image.crop((60, image.height - round(8 / 25.4 * 36), image.width, image.height))
        assert foot.getextrema()[0] > 250


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


# ---- what is refused, and in what words ---------------------------------------------------------

REFUSED = [
    (
        [markdown("# A\n\nSee @tbl-nope.")],
        "a-01.ipynb: @tbl-nope is not defined anywhere in the book",
    ),
    ([markdown("# A\n\nSee @nobody1900.")], "a-01.ipynb: Citeproc: citation nobody1900 not found"),
    ([markdown("# A\n\n$\\nonsense{x}$")], "a-01.ipynb: Could not convert TeX math"),
    (
        [markdown("# A\n\n[x](gone.html)")],
        "a-01.html: links to gone.html, which is not in the book",
    ),
    (
        [markdown("# A\n\n[x](index.qmd#gone)")],
        "links to index.html#gone, but index.html has no such",
    ),
    ([markdown("# A\n\n![](gone.png){fig-alt='x'}")], "a-01.html: links to gone.png"),
    ([markdown("Text")], "a-01.ipynb: has no title"),
    ([markdown("# A\n\n# B")], 'a-01.ipynb: second title "B"; write it as ## B'),
    (
        [markdown("# A\n\n```\nopen"), code("1", says("1")), markdown("```")],
        "a-01.ipynb: a Markdown cell leaves a code",
    ),
    (
        [markdown("# A\n\n## B {#sec-x}\n\n## C {#sec-x}")],
        "label sec-x is already used in a-01.ipynb",
    ),
    ([markdown("# A\n\n{{< video x >}}")], "a-01.ipynb: the book may not use the shortcode video"),
    ([markdown("# A\n\n{{< include gone.qmd >}}")], "includes gone.qmd, which is not there"),
    ([markdown("# A\n\n{{< include ../../x >}}")], "leads out of"),
    ([markdown("---\ntitle: [\n---\n# A")], "a-01.ipynb: is not valid YAML"),
    (
        [markdown("# A"), code("#| tbl-cpa: x\n1")],
        "cell 2: unknown option tbl-cpa; did you mean tbl-cap?",
    ),
    ([markdown("# A"), code("#| label: [\n1")], "cell 2: its #| lines are not valid YAML"),
    ([markdown("# A"), code("#| label: fig-x\n1")], "cell 2: fig-x shows nothing"),
    (
        [
            markdown("# A"),
            code("1", {"output_type": "error", "ename": "KeyError", "evalue": "'x'"}),
        ],
        "a-01.ipynb, cell 2: stored an error, KeyError: 'x'",
    ),
    (
        [markdown("# A"), code("1", {"output_type": "display_data", "data": {"x/y": ""}})],
        "a-01.ipynb, cell 2: cannot show x/y; display it as Markdown",
    ),
    (
        [markdown("# A"), code("1", shows(html="<b>x</b>", plain="<IPython.HTML object>"))],
        "cell 2: the PDF cannot show text/html, text/plain; display it as Markdown",
    ),
    (
        [markdown("# A"), code("1", shows(png=sample_book.png()))],
        "image figures/a-01/cell-2.png has no",
    ),
]


@pytest.mark.parametrize(("cells", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_fault_is_told_with_its_place_and_no_book_is_left(small, tmp_path, cells, said):
    with pytest.raises(HelpersError, match=re.escape(said)):
        small(*cells)
    assert os.listdir(tmp_path) == ["stage"]


def test_all_faults_are_told_at_once(small):
    with pytest.raises(HelpersError) as refused:
        small(markdown("# A\n\n@fig-one and @fig-two"), index="# I\n\n@sec-three\n")
    assert all(name in str(refused.value) for name in ("@fig-one", "@fig-two", "@sec-three"))


@pytest.mark.parametrize(
    ("bib", "said"),
    [
        (b"@article{a, author = {X\n", "references.bib: cannot be read: (line 2, column 1): unexp"),
        (b"@article{\xe9, author = {X}}\n", "references.bib: cannot be read: UTF-8 decoding error"),
    ],
)
def test_a_broken_bibliography_is_told_in_one_line(small, tmp_path, bib, said):
    small()
    (tmp_path / "stage/references.bib").write_bytes(bib)
    with pytest.raises(HelpersError) as refused:
        render.render(tmp_path / "stage", tmp_path / "_book", "pandoc")
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)
    assert "traceback" not in str(refused.value)


def test_what_typst_cannot_set_is_told_with_its_chapter_and_line(small):
    raw = "# A\n\n```{=typst}\n#foo\n```"
    with pytest.raises(HelpersError) as refused:
        small(markdown(raw))
    told = str(refused.value)
    assert told == "a-01.ipynb, at `#foo`: the PDF cannot be set: unknown variable: foo"


def test_a_chapter_that_includes_itself_is_refused(small):
    with pytest.raises(HelpersError, match=r"index.qmd: includes itself through index.qmd"):
        small(index="# I\n\n{{< include index.qmd >}}\n")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("book: {chapters: [gone.qmd]}", "chapter gone.qmd is not there"),
        ("book: {chapters: [{part: p.qmd}]}", "part p.qmd: give a title, no file"),
        ("book: {chapters: [{text: x}]}", "write a file, or part: with chapters:"),
        ("- x", "_quarto.yml: expected `name: value` lines"),
        ("book: {chapters: [../x.qmd]}", "leads out of"),
    ],
)
def test_a_faulty_configuration_is_explained(small, config, said):
    with pytest.raises(HelpersError, match=re.escape(said)):
        small(config=config)


# ---- options ------------------------------------------------------------------------------------


def test_cell_options_follow_book_chapter_and_cell(small):
    config = MINIMAL + "execute: {echo: false}\nformat: {html: {code-summary: Show it}}\n"
    out = small(
        markdown("---\ntitle: A\nexecute: {warning: false}\ncode-fold: true\n---"),
        code("hidden()", says("careful", "stderr")),
        code("#| echo: true\n#| warning: true\nshown()", says("loud", "stderr")),
        config=config,
    )
    html = (out / "a-01.html").read_text("utf-8")
    assert "hidden()" not in html and "careful" not in html
    assert "<summary>Show it</summary>" in html and "shown()" in html and "loud" in html


def test_a_leftover_value_beside_a_figure_is_not_shown(small):
    left = {"output_type": "execute_result", "data": {"text/plain": "[<matplotlib.Line2D>]"}}
    plot = shows(png=sample_book.png())
    out = small(markdown("# A"), code("#| fig-cap: A plot\nplot()", left, plot))
    html = (out / "a-01.html").read_text("utf-8")
    assert "matplotlib" not in html
    assert 'alt="A plot"' in html


def test_raw_html_without_a_table_is_passed_on_where_paper_has_another_form(small):
    out = small(markdown("# A"), code("1", shows(html="<b>rich</b>", plain="poor")))
    assert "<b>rich</b>" in (out / "a-01.html").read_text("utf-8")


# ---- engines ------------------------------------------------------------------------------------

STAND_IN = """\
#!{python}
import json, os, pathlib, sys
book = pathlib.Path("_book")
book.mkdir()
(book / "index.html").write_text({html!r})
(book / "book.pdf").write_bytes(b"%PDF")
files = sorted(str(path) for path in pathlib.Path().rglob("*") if path.is_file())
seen = {{"arguments": sys.argv[1:], "folder": os.getcwd(), "files": files}}
pathlib.Path({log!r}).write_text(json.dumps(seen))
print({says!r})
sys.exit({status})
"""


@pytest.fixture
def quarto(tmp_path, monkeypatch):
    """Put a stand-in on PATH that records what it is given; returns the file with the record."""

    def install(html="<p>Quarto</p>", says="Output created", status=0):
        log = tmp_path / "seen.json"
        program = tmp_path / "bin/quarto"
        program.parent.mkdir(exist_ok=True)
        values = {"html": html, "log": str(log), "says": says, "status": status}
        program.write_text(STAND_IN.format(python=sys.executable, **values), "utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        return log

    return install


def test_quarto_is_given_a_copy_of_the_whole_stage(stage, tmp_path, quarto):
    log = quarto()
    before = sorted(path.relative_to(stage) for path in stage.rglob("*"))
    render.render(stage, tmp_path / "_book")
    seen = json.loads(log.read_text())
    assert seen["arguments"] == ["render", seen["folder"]]
    assert {str(path) for path in before if (stage / path).is_file()} <= set(seen["files"])
    assert sorted(path.relative_to(stage) for path in stage.rglob("*")) == before
    assert (tmp_path / "_book/index.html").read_text() == "<p>Quarto</p>"
    assert (tmp_path / "_book/book.pdf").read_bytes() == b"%PDF"
    assert not Path(seen["folder"]).exists()


@pytest.mark.parametrize(
    ("stand_in", "said"),
    [
        (
            {"status": 1, "says": "ERROR: no kernel"},
            "quarto render ended with status 1:\nERROR: no k",
        ),
        (
            {"says": "WARNING: Unable to resolve crossref @tbl-x"},
            "Unable to resolve crossref @tbl-x",
        ),
        ({"says": "[WARNING] Citeproc: citation x not found"}, "citation x not found"),
        ({"html": '<a href="gone.html">x</a>'}, "index.html: links to gone.html"),
        ({"html": '<b class="quarto-unresolved-ref">?@fig-x</b>'}, "?@fig-x is not resolved"),
    ],
)
def test_quartos_faults_are_faults(stage, tmp_path, quarto, stand_in, said):
    quarto(**stand_in)
    with pytest.raises(HelpersError, match=re.escape(said)):
        render.render(stage, tmp_path / "_book", "quarto")
    assert not (tmp_path / "_book").exists()


def test_the_engine_is_chosen(tmp_path, monkeypatch, quarto):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert render.choose("auto") == "pandoc"
    with pytest.raises(HelpersError, match="no quarto on PATH"):
        render.choose("quarto")
    quarto()
    assert render.choose("auto") == "quarto"
    assert render.choose("pandoc") == "pandoc"
    with pytest.raises(HelpersError, match="expected auto, quarto or pandoc"):
        render.choose("latex")


def test_the_renderers_own_files_are_named():
    names = {path.name for path in render.inputs()}
    assert {"render.py", "links.py", "sources.py", "cells.py", "book.lua", "book.css"} <= names
    assert all(path.is_file() for path in render.inputs())


# ---- swapping -----------------------------------------------------------------------------------


@pytest.fixture
def old(tmp_path):
    out = tmp_path / "_book"
    out.mkdir()
    (out / "index.html").write_text("old")
    return out


def test_a_new_book_replaces_the_old_one_whole(old, small):
    (old / "gone.html").write_text("old")
    small(markdown("# New"))
    assert not (old / "gone.html").exists()
    assert "New" in (old / "a-01.html").read_text("utf-8")
    assert stat.S_IMODE(old.stat().st_mode) & 0o055 == 0o055
    assert os.listdir(old.parent).count("_book") == 1 and not list(old.parent.glob(".*"))


def test_an_old_book_survives_a_fault(old, small):
    with pytest.raises(HelpersError):
        small(markdown("# A\n\n@fig-nope"))
    assert (old / "index.html").read_text() == "old"


def test_a_place_that_cannot_be_written_to_is_named(stage, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(HelpersError, match=r"cannot be written to .*file/_book"):
        render.render(stage, tmp_path / "file/_book", "pandoc")


def test_systems_without_exchange_get_two_renames(old, small, monkeypatch):
    monkeypatch.setattr(render, "_exchange", lambda one, other: False)
    small(markdown("# New"))
    assert "New" in (old / "a-01.html").read_text("utf-8")
    assert not list(old.parent.glob(".*"))


def test_a_kill_between_two_renames_loses_nothing(old, small):
    leftover = old.parent / "._book.killed.tmp"
    leftover.mkdir()
    old.rename(leftover / "old")
    with pytest.raises(HelpersError):
        small(markdown("# A\n\n@fig-nope"))
    assert (old / "index.html").read_text() == "old"
    assert not leftover.exists()


def test_a_folder_in_use_by_another_build_is_left_alone(old, small):
    busy = old.parent / "._book.busy.tmp"
    busy.mkdir()
    with render._locked(busy):
        small(markdown("# New"))
    assert busy.is_dir()


def test_a_kill_while_rendering_leaves_the_old_book_and_no_rubbish_for_long(old, stage, small):
    script = "import sys; from pathlib import Path; from helpers.book.render import render; "
    script += "render(Path(sys.argv[1]), Path(sys.argv[2]), 'pandoc')"
    source = str(Path(render.__file__).parents[2])
    build = subprocess.Popen(
        [sys.executable, "-c", script, stage, old], env={**os.environ, "PYTHONPATH": source}
    )
    deadline = time.monotonic() + 30
    while not list(old.parent.glob("._book.*.tmp/book")) and time.monotonic() < deadline:
        time.sleep(0.01)
    build.send_signal(signal.SIGKILL)
    build.wait()
    assert (old / "index.html").read_text() == "old"
    assert list(old.parent.glob("._book.*.tmp"))
    time.sleep(2)  # what the killed build started may still be writing
    small(markdown("# New"))
    assert not list(old.parent.glob("._book.*.tmp"))
