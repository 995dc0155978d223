"""The ledger as page, JSON and CSV."""

import csv
import io
import json
import re

import jsonschema
import pytest

from helpers import ledger
from helpers.book import render
from helpers.direction import compared, together
from helpers.errors import HelpersError

LINE = {
    "question": "Scores differ by *specialty*",
    "result": "−0.12 (95 % CI −0.30 to 0.06)",
    "decision": "not supported",
    "published": "0.07",
    "explanation": "The interval includes no difference.",
    "anchor": "tbl-used",
    "topic": "H1",
    "method": "paired t test",
    "estimate": -0.12,
    "low": -0.3,
    "high": 0.06,
    "p": 0.02,
}
CHECK = {**LINE, "decision": "consistent", "anchor": "tbl-a", "topic": "Table 4", "p": None}
STUDY = {"title": "Real *one*", "kind": "perception", "simulated": False}


def chapters(*recorded):
    given = {f"chapter-{n}": {"key": "ab" * 32, **one} for n, one in enumerate(recorded, 1)}
    return ledger.collect(given)


def study(*lines, **about):
    return {"entries": list(lines), "study": STUDY | about}


def line(page: str, topic: str) -> list[str]:
    return next(row for row in rows(page) if row[0].startswith(f"**{topic}** "))


def rows(text: str) -> list[list[str]]:
    return [re.split(r" *(?<!\\)\| *", line)[1:-1] for line in text.splitlines() if line[:1] == "|"]


def test_p_values_are_adjusted_over_all_tests_of_a_study_and_no_other():
    second = LINE | {"topic": "H2", "p": 0.03}
    untested = LINE | {"topic": "H3", "p": None}
    other = study(LINE, title="Another")
    found = chapters(study(LINE, untested), study(second), other, {"entries": [CHECK]})
    adjusted = [[line.p_holm for line in one.entries] for one in found.values()]
    assert adjusted == [[pytest.approx(0.04), None], [pytest.approx(0.04)], [0.02], [None]]


def test_a_line_says_what_was_asked_found_decided_and_where():
    page = ledger.fragment(chapters(study(LINE)))
    assert "## Real \\*one\\* {.unnumbered}" in page
    assert "{#tbl-ledger-perception}" in page
    assert line(page, "H1") == [
        "**H1** Scores differ by \\*specialty\\*",
        "−0.12 (95 % CI −0.30 to 0.06)",
        ".020 (.020)",
        "not supported",
        "0.07",
        "agrees",
        "*Paired t test.* The interval includes no difference.",
        "@tbl-used",
    ]


def test_the_ledger_is_complete_and_in_order():
    """Two research questions, five analysis questions, seven hypotheses, each under its own."""
    (told,) = ledger.questions(chapters(study(LINE)))
    assert [one.topic for one in told.lines] == (
        "RQ1 ARQ1 H1 H2 ARQ2 H3 H4 ARQ3 H5 RQ2 ARQ4 H6 ARQ5 H7".split()
    )
    assert [one.part_of for one in told.lines] == [
        *("", "RQ1", "ARQ1", "ARQ1", "RQ1", "ARQ2", "ARQ2", "RQ1", "ARQ3"),
        *("", "RQ2", "ARQ4", "RQ2", "ARQ5"),
    ]


def test_a_question_says_what_became_of_its_hypotheses_and_decides_nothing():
    second = LINE | {"topic": "H2", "decision": "supported", "anchor": "tbl-second"}
    (told,) = ledger.questions(chapters(study(LINE, second)))
    first, arq, *_ = told.lines
    assert arq.result == "H1 not supported; H2 supported"
    assert (arq.decision, arq.p, arq.estimate) == ("by its hypotheses", None, None)
    assert (arq.method, arq.shown) == ("decided by H1 and H2", ("tbl-used", "tbl-second"))
    assert first.result.startswith("H1 not supported; H2 supported; H3 not tested")


@pytest.mark.parametrize(
    ("decision", "printed", "direction"),
    [
        ("supported", "supported", "agrees"),
        ("partly supported", "partially supported", "agrees"),
        ("supported", "partially supported", "agrees in part"),
        ("not supported", "not supported", "agrees"),
        ("not supported", "partially supported", "differs"),
        ("supported", "not supported", "differs"),
        ("not tested", "supported", "not comparable"),
        ("not estimable: one case", "supported", "not comparable"),
        ("supported", "", "nothing printed"),
    ],
)
def test_directions_are_compared(decision, printed, direction):
    assert compared(decision, printed) == direction


def test_directions_of_several_lines_are_told_together():
    assert together(["agrees", "agrees"]) == "agrees"
    assert together(["agrees", "nothing printed"]) == "agrees"
    assert together(["agrees", "differs"]) == "mixed"
    assert together(["nothing printed"]) == "nothing printed"


@pytest.mark.parametrize(
    ("about", "told", "shown"),
    [
        ({}, "Not tested: no chapter of this book is about it.", ()),
        (
            {"title": "Benchmarks (H6)", "section": "sec-six", "lacks": ["benchmarks"]},
            "Not tested: the study has no benchmarks.csv.",
            ("sec-six",),
        ),
        (
            {"title": "H6: both", "section": "sec-six", "lacks": ["ratings.position", "cases.x"]},
            "Not tested: the study has no position in ratings.csv and no x in cases.csv.",
            ("sec-six",),
        ),
        (
            {"title": "Benchmarks (H6)", "section": "sec-six"},
            "Not tested: its chapter records no decision.",
            ("sec-six",),
        ),
        ({"title": "Benchmarks (H66)"}, "Not tested: no chapter of this book is about it.", ()),
    ],
)
def test_what_no_chapter_could_test_is_not_tested_and_says_why(about, told, shown):
    (found,) = ledger.questions(chapters(study() | about))
    (six,) = [one for one in found.lines if one.topic == "H6"]
    assert (six.decision, six.explanation, six.shown) == ("not tested", told, shown)
    assert six.chapter == ("chapter-1" if shown else "index")


def test_what_a_chapter_could_not_estimate_is_not_tested_too():
    own = LINE | {"topic": "H3", "decision": "not estimable", "explanation": "One case only."}
    (found,) = ledger.questions(chapters(study(own)))
    (three,) = [one for one in found.lines if one.topic == "H3"]
    assert (three.decision, three.direction) == ("not tested", "not comparable")
    assert three.explanation == "One case only."


def test_other_results_of_a_study_stand_below():
    own = LINE | {"topic": "ARQ1", "direction": ""}
    page = ledger.fragment(chapters(study(LINE, own)))
    assert page.index("{#tbl-ledger-perception}") < page.index("{#tbl-ledger-perception-further}")
    assert rows(page)[-1][0].startswith("**ARQ1**")
    assert rows(page)[-1][5] == "not comparable"


def test_the_script_finds_study_and_decision():
    page = ledger.fragment(chapters(study(LINE, title='A "b" {c} <d>'), {"entries": [CHECK]}))
    found = re.findall(r'ledger study="(.*?)" decision="(\d)"(?: direction="(\d)")?}\n(.*)', page)
    assert len(found) == 2
    for name, column, direction, head in found:
        assert name in {"A b c d", "Published tables"}
        assert rows(head)[0][int(column) - 1] in {"Decision", "Class"}
        assert not direction or rows(head)[0][int(direction) - 1] == "Direction"


def test_simulated_studies_say_so_in_heading_rows_and_caption():
    page = ledger.fragment(chapters(study(LINE, simulated=True)))
    assert "Real \\*one\\* (SIMULATED) {.unnumbered}" in page
    assert '::: {.callout-warning title="SIMULATED"}' in page
    assert {row[3] for row in rows(page)[2:] if row[0].startswith("**")} == {
        "not supported (SIMULATED)",
        "not tested (SIMULATED)",
        "by its hypotheses (SIMULATED)",
    }
    assert ": Questions and hypotheses (SIMULATED) {#tbl-ledger-perception}" in page


def test_studies_come_first_and_the_audit_where_there_is_one():
    assert ledger.fragment({}) == ledger.NOTHING
    about = {"title": "Do figures agree?", "section": "sec-figures"}
    audit = ledger.fragment(chapters({"entries": [CHECK], **about}))
    assert "## Published tables: Do figures agree? {.unnumbered}" in audit
    assert "@sec-figures" in audit
    assert "SIMULATED" not in audit
    alone = ledger.fragment(chapters(study(LINE)))
    assert "audit" not in alone
    both = ledger.fragment(chapters({"entries": [CHECK]}, study(LINE)))
    assert both.index("{#tbl-ledger-perception}") < both.index("{#tbl-ledger-audit}")


def test_a_study_of_a_kind_without_questions_has_results_alone():
    page = ledger.fragment(chapters(study(LINE, kind="other")))
    assert ": Results {#tbl-ledger-other}" in page
    assert "RQ1" not in page
    assert ledger.fragment(chapters(study(kind="other"))).endswith(ledger.NOTHING)


def test_each_audit_has_a_part_of_its_own():
    page = ledger.fragment(chapters({"entries": [CHECK]}, {"entries": [CHECK]}))
    assert re.findall(r"\{#(tbl-.*?)\}", page) == [
        *("tbl-ledger", "tbl-ledger-audit"),
        *("tbl-ledger-2", "tbl-ledger-audit-2"),
    ]


def test_results_of_no_study_have_a_place_too():
    page = ledger.fragment(chapters({"entries": [LINE]}))
    assert "## Other results" in page
    assert "{#tbl-ledger-other}" in page


def test_findings_are_listed_one_by_one_and_consistent_checks_by_table():
    fault = CHECK | {"decision": "inconsistent", "method": "p from t 2.1, 8 df"}
    same = [CHECK | {"method": f"p from t {t}, 8 df"} for t in (1.2, 1.3)]
    page = ledger.fragment(chapters({"entries": [*same, CHECK, fault]}))
    listed = rows(page)[-2:]
    assert [row[:2] for row in listed] == [
        ["**Table 4** Scores differ by \\*specialty\\*: *p from t 2.1, 8 df*", "inconsistent"],
        ["**Table 4** 3 figures that are consistent", "consistent"],
    ]
    assert listed[1][4] == "Checked, and each follows as printed: p from t (2); paired t test (1)."


def test_a_line_names_no_more_kinds_of_check_than_one_reads():
    many = [CHECK | {"method": f"check {letter}"} for letter in "abcdefghij"]
    page = ledger.fragment(chapters({"entries": many}))
    assert "check h (1); and 2 other kinds of check." in rows(page)[-1][4]


def test_json_follows_the_schema_that_is_in_the_package():
    text = ledger.as_json(chapters(study(LINE), {"entries": [CHECK]}), "commit 0123abc")
    schema = json.loads((render.ASSETS / "results.schema.json").read_text("utf-8"))
    assert schema == json.loads(ledger.schema()), "run `.venv/bin/python -m helpers.ledger`"
    jsonschema.Draft202012Validator.check_schema(schema)
    content = json.loads(text)
    jsonschema.validate(content, schema)
    assert content["sources"] == "commit 0123abc"
    assert content["chapters"]["chapter-1"]["entries"][0]["p_holm"] == 0.02
    assert [line["topic"] for line in content["studies"][0]["lines"]][:3] == ["RQ1", "ARQ1", "H1"]
    content["chapters"]["chapter-1"]["entries"][0]["p"] = 2
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, schema)


def test_csv_has_a_line_for_each_question_and_each_other_entry_with_its_link():
    text = ledger.as_csv(chapters(study(LINE, LINE | {"topic": "ARQ1"}), {"entries": [CHECK]}))
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["topic"] for line in lines[-3:]] == ["H7", "ARQ1", "Table 4"]
    assert len(lines) == 14 + 2
    (first,) = [line for line in lines if line["topic"] == "H1"]
    assert (first["part_of"], first["link"]) == ("ARQ1", "chapter-1.html#tbl-used")
    assert (first["study"], first["simulated"], lines[-1]["study"]) == ("Real *one*", "false", "")
    assert (first["estimate"], first["p"], first["p_holm"], lines[-1]["p"]) == (
        "-0.12",
        "0.02",
        "0.04",
        "",
    )
    assert lines[0]["link"] == "index.html#tbl-ledger-perception"
    assert ledger.as_csv({}) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"p": 1.2}, "chapter-1: line 1 for the ledger: p: Input should be less than or equal"),
        ({"estimate": float("nan")}, "estimate: Input should be a finite number"),
        ({"anchor": "somewhere"}, "anchor: String should match pattern"),
        ({"pvalue": 0.1}, "pvalue: Unexpected keyword argument"),
    ],
)
def test_what_cannot_stand_in_a_ledger_is_refused_with_its_place(change, said):
    with pytest.raises(HelpersError, match=re.escape(said)):
        chapters(study(LINE | change))
