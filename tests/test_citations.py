import pytest

from helpers.book import chapters, citations

BIB = "@string{x = {y}}\n@article{friedman1937, author = {F}}\n@Book( cohen1988 , title = {C})\n"


@pytest.fixture
def unknown(project):
    """Faults of a book whose chapter c-03 is a text, and a cell with a caption."""
    project.write("references.bib", BIB)

    def found(text, caption=""):
        code = f'#| label: tbl-x\n#| tbl-cap: "{caption}"\n1'
        project.notebook("c-03", f"# Third {{#sec-third}}\n\n{text}", code)
        return citations.unknown(chapters.load(project.root))

    return found


@pytest.mark.parametrize(
    "text",
    [
        "As in [@friedman1937; see also @cohen1988, ch. 2], and @friedman1937.",
        "See @sec-third, [-@tbl-x] and @Fig-y.",
        "Write to a@b.org, `@nobody`, \\@nobody or [so](https://x.org/@nobody).",
        "```\n@nobody1900\n```",
        "In maths $a @nobody$.",
    ],
)
def test_what_is_known_or_no_citation_is_no_fault(unknown, text):
    assert unknown(text) == []


def test_an_unknown_citation_is_told_with_its_cell_and_the_near_one(unknown):
    assert unknown("See [@friedman1973] and @nobody1900.") == [
        "notebooks/c-03.ipynb, cell 1: cites @friedman1973, which is not in references.bib; did "
        "you mean 'friedman1937'?",
        "notebooks/c-03.ipynb, cell 1: cites @nobody1900, which is not in references.bib",
    ]


def test_captions_and_pages_are_looked_at_too(unknown, project):
    project.write("index.qmd", "# Welcome\n\n@nobody1900\n")
    places = [fault.partition(":")[0] for fault in unknown("Text", "As @nobody1900 said")]
    assert places == ["notebooks/c-03.ipynb, cell 2", "index.qmd"]


def test_other_bibliographies_are_left_to_the_renderer(unknown, project):
    text = (project.root / "_quarto.yml").read_text().replace("references.bib", "references.json")
    project.write("_quarto.yml", text)
    assert unknown("@nobody1900") == []
