"""Books in a real browser: reachable, readable, silent, in both themes and widths."""

import io
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import sync_playwright

import sample_book
from helpers.book import render

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
FAULTS = {"resultTypes": ["violations"]}  # half the time that telling what is well would take
PAGES = ["index", "tea-01-tables", "tea-02-models", "tea-90-notes"]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    render.render(sample_book.write(folder / "stage"), folder / "_book", "pandoc")
    return folder / "_book"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, book):
    """Open a page of the book; all that it asks for and complains of is recorded on it."""
    contexts = []

    def open_page(name, scheme="light", width=1280, **options):
        size = {"width": width, "height": 800}
        context = browser.new_context(color_scheme=scheme, viewport=size, **options)
        contexts.append(context)
        page = context.new_page()
        page.requests, page.complaints = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto((book / f"{name}.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_silent_and_fits_its_window(visit, book, name, scheme, width):
    page = visit(name, scheme, width)
    # Before axe, which asks for the style sheets again, and is refused from disk.
    assert page.complaints == []
    assert len(page.requests) >= 3
    assert all(url.startswith(book.as_uri()) for url in page.requests)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page, options=FAULTS)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [1280, 360])
def test_every_page_of_the_real_book_is_accessible_silent_and_fits_its_window(
    browser, real_book, width
):
    pages = sorted(real_book.glob("*.html"))
    assert len(pages) >= 5
    context = browser.new_context(viewport={"width": width, "height": 800})
    faults = []
    for path in pages:
        page = context.new_page()
        page.on("pageerror", lambda error, name=path.name: faults.append(f"{name}: {error}"))
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(box => box.open = true)")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append(f"{path.name}: wider than {width} pixels")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page, options=FAULTS)
            if found.violations_count:
                faults.append(f"{path.name}, {scheme}: {found.generate_report()}")
        page.close()
    context.close()
    assert faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_opened_menu_folded_code_and_search_are_accessible_too(visit, scheme):
    page = visit("tea-02-models", scheme, 360)
    page.get_by_role("button", name="Contents").click()
    page.get_by_role("searchbox").fill("lapsang")
    page.locator("#hits a").first.wait_for()
    page.evaluate("document.querySelectorAll('details').forEach(box => box.open = true)")
    found = Axe().run(page, options=FAULTS)
    assert found.violations_count == 0, found.generate_report()


def test_search_finds_words_from_disk_whatever_their_accents(visit):
    page = visit("index")
    page.get_by_role("searchbox").fill("láPsang")
    hit = page.locator("#hits a").first
    hit.wait_for()
    assert "Lapsang" in hit.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**/tea-0*")
    assert page.complaints == []


def test_search_says_when_nothing_is_found(visit):
    page = visit("index")
    page.get_by_role("searchbox").fill("zebra")
    page.get_by_text("Nothing found").wait_for()


def test_theme_follows_the_system_until_chosen_and_is_remembered(visit):
    page = visit("index", "dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.get_by_role("button", name="Light theme").click()
    light = page.evaluate(paper)
    assert (dark, light) == ("rgb(21, 24, 28)", "rgb(255, 255, 255)")
    page.reload()
    assert page.evaluate(paper) == light
    assert page.get_by_role("button", name="Dark theme").is_visible()


def test_the_menu_of_a_phone_works_by_keyboard(visit):
    page = visit("tea-01-tables", width=360)
    menu = page.get_by_role("button", name="Contents")
    assert not page.locator(".sidebar").is_visible()
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the text"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator(".sidebar").is_visible()
    assert menu.get_attribute("aria-expanded") == "true"
    page.locator("#query").focus()
    page.keyboard.press("Escape")
    assert not page.locator(".sidebar").is_visible()
    assert menu.evaluate("element => element === document.activeElement")


def test_the_keyboard_goes_through_a_page_in_reading_order(visit):
    page = visit("index")
    stops = []
    for _ in range(14):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.textContent.trim().split('\\n')[0]"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", stops
    assert stops[:2] == ["Skip to the text", "Six Teas & <Twelve> Tasters"]
    assert stops[2] == ""  # the search field
    assert stops[3:9] == [
        "What was tasted",
        "1Tables of all kinds",
        "2Models & pictures",
        "ANotes on method",
        "PDF",
        "Dark theme",
    ]
    assert stops[9] == "Table\xa01.1"


def test_slash_leads_to_the_search_and_is_a_letter_there(visit):
    page = visit("index")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.type("/")
    assert page.locator("#query").input_value() == "/"


def test_the_skip_link_leads_to_the_text(visit):
    page = visit("index")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_tabs_follow_the_arrow_keys_and_links_open_them(visit):
    page = visit("tea-02-models")
    first, second = page.get_by_role("tab").all()
    assert page.get_by_text("In the first tab.").is_visible()
    assert not page.get_by_text("In the second tab.").is_visible()
    first.focus()
    page.keyboard.press("ArrowRight")
    assert second.get_attribute("aria-selected") == "true"
    assert page.get_by_text("In the second tab.").is_visible()
    first.click()
    page.evaluate("location.hash = 'tbl-tab'")
    page.locator("#tbl-tab").wait_for(state="visible")


def test_a_wide_table_scrolls_by_keyboard_and_a_narrow_one_is_no_stop(visit):
    page = visit("tea-01-tables", width=360)
    wide, narrow = page.locator("#tbl-wide .scroll"), page.locator("#tbl-ranks .scroll")
    assert narrow.get_attribute("tabindex") is None
    wide.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('#tbl-wide .scroll').scrollLeft > 0")


LEDGER = "#tbl-findings tbody tr:not([hidden])"


def topics(page) -> list[str]:
    return [row.inner_text().split(" ")[0] for row in page.locator(LEDGER).all()]


def test_the_ledger_sorts_by_any_column_and_says_so(visit):
    page = visit("index")
    head = page.locator("#tbl-findings th").first
    for order, expected in [("ascending", "T1 T2 T10"), ("descending", "T10 T2 T1")]:
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
        assert topics(page) == expected.split()
    page.get_by_role("button", name="Decision").click()
    assert head.get_attribute("aria-sort") is None
    assert topics(page)[0] == "T2"  # "not supported" comes first
    page.get_by_role("button", name="p", exact=True).click()
    assert topics(page) == ["T10", "T1", "T2"]  # < .001, .050, .200


def test_the_ledger_is_filtered_by_study_topic_decision_and_words(visit):
    page = visit("index")
    said = page.get_by_role("group", name="Choose lines of the ledger").get_by_role("status")
    assert said.inner_text() == "3 lines"
    page.get_by_label("Decision").select_option("supported")
    assert (topics(page), said.inner_text()) == (["T1", "T10"], "2 of 3 lines")
    page.get_by_label("Hypothesis or topic").select_option("T10")
    assert topics(page) == ["T10"]
    page.get_by_label("Direction").select_option("differs")
    assert topics(page) == []
    page.get_by_label("Direction").select_option("agrees")
    assert topics(page) == ["T10"]
    page.get_by_label("Words").fill("no such thing")
    assert (topics(page), said.inner_text()) == ([], "0 of 3 lines")
    assert not page.locator("#tbl-findings").is_visible()
    page.get_by_role("button", name="Show all").click()
    assert len(topics(page)) == 3
    assert page.get_by_label("Study").locator("option").all_inner_texts() == ["all", "Tasting"]
    assert page.complaints == []


def test_the_ledger_is_whole_on_paper_and_without_javascript(visit):
    page = visit("index", java_script_enabled=False)
    assert len(topics(page)) == 3
    assert page.get_by_role("group").count() == 0
    page = visit("index")
    page.emulate_media(media="print")
    assert not page.locator(".ledger-tools").is_visible()
    assert len(topics(page)) == 3


@pytest.mark.parametrize(("scheme", "paper"), [("light", 255), ("dark", 24)])
def test_figures_of_the_real_book_lie_on_the_page_itself(browser, real_book, scheme, paper):
    """The background shows through, and what is drawn stands out from it."""
    page = browser.new_page(color_scheme=scheme)
    page.goto((real_book / "published-02-perception-audit.html").as_uri())
    picture = Image.open(io.BytesIO(page.locator("img.drawn").first.screenshot())).convert("L")
    page.close()
    assert abs(picture.getpixel((2, 2)) - paper) < 5
    low, high = picture.getextrema()
    assert high - low > 180


def test_everything_is_there_without_javascript(visit):
    page = visit("tea-02-models", width=360, java_script_enabled=False)
    assert page.get_by_text("In the first tab.").is_visible()
    assert page.get_by_text("In the second tab.").is_visible()
    assert page.locator(".sidebar").is_visible()
    assert not page.locator(".search").is_visible()
    assert not page.locator(".theme").is_visible()
    page.get_by_role("link", name="Contents").click()
    assert page.url.endswith("#contents")


def test_print_shows_the_text_alone_in_black_on_white(visit):
    page = visit("tea-02-models", "dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator(".sidebar").is_visible()
    assert page.get_by_text("In the second tab.").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
