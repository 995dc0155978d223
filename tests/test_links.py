"""The link check finds what is missing, doubled or loaded from elsewhere."""

import pytest

from helpers.book import links


def site(folder, **pages):
    """Write pages, `index="…"` to index.html, and return the faults found."""
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(html, "utf-8")
    return links.check(folder)


def test_a_site_without_faults_passes(tmp_path):
    (tmp_path / "style.css").write_text("@font-face {src: url('data:font/woff2;base64,AA')}")
    (tmp_path / "Ü b.png").write_bytes(b"")
    faults = site(
        tmp_path,
        index='<link rel="stylesheet" href="style.css"><a id="top-of">.</a>'
        '<a href="second.html#part%20two">2</a><a href="#top-of">up</a><a href="#">up</a>'
        '<a href="https://example.org/a">out</a><a href="mailto:a@example.org">post</a>'
        '<img alt="" src="%C3%9C%20b.png"><img alt="" src="data:image/png;base64,AA">',
        second='<a href="./index.html?from=2#top-of">1</a><h2 id="part two">x</h2>'
        '<a href="./">home</a>',
    )
    assert faults == []


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ('<a href="gone.html">x</a>', "links to gone.html, which is not in the book"),
        ('<a href="#gone">x</a>', "links to #gone, but index.html has no such place"),
        ('<a href="../index.html">x</a>', "links to ../index.html, which is not in the book"),
        ('<img alt="" src="gone.png">', "links to gone.png"),
        ('<p id="a"></p><p id="a"></p><p id="a"></p>', "id a is used 3 times"),
        ('<img src="index.html">', "image index.html has no alternative text"),
        ('<script src="https://cdn.example/x.js"></script>', "loads https://cdn.example/x.js"),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', "loads //cdn.example/x.css"),
        ('<img alt="" srcset="https://cdn.example/x.png 2x">', "loads https://cdn.example/x.png"),
        ('<iframe src="https://example.org"></iframe>', "loads https://example.org"),
        ("<style>@import 'https://cdn.example/f.css';</style>", "loads https://cdn.example/f.css"),
        (
            '<p style="background: url(https://cdn.example/p.png)">x</p>',
            "loads https://cdn.example/p",
        ),
        (
            '<strong class="quarto-unresolved-ref">?@fig-x</strong>',
            "reference ?@fig-x is not resolved",
        ),
    ],
)
def test_a_fault_is_named_with_its_page(tmp_path, html, said):
    (fault,) = site(tmp_path, index=html)
    assert fault.startswith("index.html: ")
    assert said in fault


def test_style_sheets_are_checked_too(tmp_path):
    folder = tmp_path / "libs"
    folder.mkdir()
    (folder / "a.css").write_text(
        "/* url(https://example.org/comment.png) */ @import url(https://fonts.example/css?family=A);"
        " i { background: url(here.svg#part) } b { background: url('gone.svg') }"
    )
    (folder / "here.svg").write_text("<svg/>")
    faults = site(tmp_path, index="<p>x</p>")
    assert len(faults) == 2
    assert faults[0].startswith(
        "libs/a.css: loads https://fonts.example/css?family=A from elsewhere"
    )
    assert faults[1] == "libs/a.css: uses gone.svg, which is not in the book"


def test_a_hint_for_search_engines_is_not_loaded_and_no_fault(tmp_path):
    assert site(tmp_path, index='<link rel="canonical" href="https://example.org/">') == []


def test_what_quarto_repeats_in_its_own_page_furniture_is_no_fault(tmp_path):
    assert site(tmp_path, index='<i id="quarto-x"></i><i id="quarto-x"></i>') == []


def test_an_empty_folder_is_no_book(tmp_path):
    assert links.check(tmp_path) == [f"{tmp_path.name}: has no HTML page"]
