"""The book as built: what stands with every figure and table, and where its ledger leads."""

import csv
import json
import re

import jsonschema
import pytest

from helpers.book import links
from helpers.book.sources import settings
from helpers.paths import ROOT

FLOAT = re.compile(r'<figure class="float float-(fig|tbl)" id="([\w-]+)">(.*?)</figure>', re.DOTALL)


@pytest.fixture(scope="module")
def pages(real_book) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in real_book.glob("*.html")}


@pytest.fixture(scope="module")
def floats(pages) -> list[tuple[str, str, str]]:
    """Return page, label and content of each figure and table of the chapters."""
    found = [
        (name, label, content)
        for name, page in pages.items()
        for _, label, content in FLOAT.findall(page)
        if name != "index"
    ]
    assert len(found) > 40
    return found


def test_every_figure_and_table_names_its_chapters_key_and_data(floats, real_book):
    chapters = json.loads((real_book / "results.json").read_text("utf-8"))["chapters"]
    for page, label, content in floats:
        small = re.sub(r"<[^>]*>", "", content.split('class="provenance"')[-1])
        assert f"Chapter key {chapters[page]['key'][:12]} · Data " in small, label


def test_every_table_is_a_file_and_every_figure_leads_to_its_table(floats, real_book):
    for _, label, content in floats:
        if label.startswith("tbl-"):
            link = re.search(r'href="(tables/[\w-]+\.csv)"', content)
            assert link and label in link[1], label
            with (real_book / link[1]).open(encoding="utf-8") as file:
                assert len(next(csv.reader(file))) >= 1, label
        else:
            assert f'href="#tbl-{label[4:]}"' in content, label


def test_every_page_tells_once_from_which_commit_it_was_made(pages):
    told = {
        name: len(re.findall("Sources: (?:commit|no git)", page)) for name, page in pages.items()
    }
    assert set(told.values()) == {1}, told


def test_every_line_of_the_ledger_leads_to_a_place_in_the_book(real_book):
    places = {name: page.ids for name, page in links.pages(real_book).items()}
    with (real_book / "results.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) > 300
    for line in lines:
        page, _, anchor = line["link"].partition("#")
        assert anchor in places[page], line["link"]


def test_the_ledger_follows_its_schema(real_book):
    content, schema = (
        json.loads((real_book / name).read_text("utf-8"))
        for name in ("results.json", "results.schema.json")
    )
    jsonschema.validate(content, schema)
    assert set(content["chapters"]) == {
        path.stem for path in (ROOT / "_build/default/stage").glob("*.ipynb")
    }


def test_the_book_has_a_pdf_and_a_title(real_book, pages):
    title = settings(ROOT)["book"]["title"]
    assert title in pages["index"]
    assert (real_book / "book.pdf").stat().st_size > 100_000
