"""The ledger as page, JSON and CSV."""

import csv
import io
import json
import re

import jsonschema
import pytest

from helpers import ledger
from helpers.book import render
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
    assert rows(page)[2] == [
        "**H1** Scores differ by \\*specialty\\*",
        "−0.12 (95 % CI −0.30 to 0.06)",
        ".020 (.020)",
        "not supported",
        "0.07",
        "The interval includes no difference. *paired t test*",
        "@tbl-used",
    ]


def test_the_script_finds_study_and_decision():
    page = ledger.fragment(chapters(study(LINE, title='A "b" {c} <d>'), {"entries": [CHECK]}))
    for name, column, head in re.findall(r'ledger study="(.*?)" decision="(\d)"}\n(.*)', page):
        assert name in {"A b c d", "Published tables"}
        assert rows(head)[0][int(column) - 1] in {"Decision", "Class"}


def test_simulated_studies_say_so_in_heading_rows_and_caption():
    page = ledger.fragment(chapters(study(LINE, simulated=True)))
    assert "Real \\*one\\* (SIMULATED) {.unnumbered}" in page
    assert '::: {.callout-warning title="SIMULATED"}' in page
    assert rows(page)[2][3] == "not supported (SIMULATED)"
    assert ": Results (SIMULATED) {#tbl-ledger-perception}" in page


def test_studies_come_first_and_the_audit_where_there_is_one():
    assert ledger.fragment({}) == ledger.NOTHING
    audit = ledger.fragment(chapters({"entries": [CHECK]}))
    assert "@sec-audit" in audit
    assert "SIMULATED" not in audit
    alone = ledger.fragment(chapters(study(LINE)))
    assert "audit" not in alone
    both = ledger.fragment(chapters({"entries": [CHECK]}, study(LINE)))
    assert both.index("{#tbl-ledger-perception}") < both.index("{#tbl-ledger-audit}")


def test_a_study_without_results_says_so():
    page = ledger.fragment(chapters(study(simulated=True)))
    assert page.endswith(ledger.NOTHING)


def test_results_of_no_study_have_a_place_too():
    page = ledger.fragment(chapters({"entries": [LINE]}))
    assert "## Other results" in page
    assert "{#tbl-ledger-other}" in page


def test_findings_are_listed_one_by_one_and_consistent_checks_by_table():
    fault = CHECK | {"decision": "inconsistent"}
    page = ledger.fragment(chapters({"entries": [CHECK, CHECK, fault]}))
    listed = rows(page)[-2:]
    assert [row[:2] for row in listed] == [
        ["**Table 4** Scores differ by \\*specialty\\*", "inconsistent"],
        ["**Table 4** 2 checks", "consistent"],
    ]


def test_json_follows_the_schema_that_is_in_the_package():
    text = ledger.as_json(chapters(study(LINE), {"entries": [CHECK]}), "commit 0123abc")
    schema = json.loads((render.ASSETS / "results.schema.json").read_text("utf-8"))
    assert schema == json.loads(ledger.schema()), "run `.venv/bin/python -m helpers.ledger`"
    jsonschema.Draft202012Validator.check_schema(schema)
    content = json.loads(text)
    jsonschema.validate(content, schema)
    assert content["sources"] == "commit 0123abc"
    assert content["chapters"]["chapter-1"]["entries"][0]["p_holm"] == 0.02
    content["chapters"]["chapter-1"]["entries"][0]["p"] = 2
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, schema)


def test_csv_has_a_line_for_each_entry_with_its_link():
    text = ledger.as_csv(chapters(study(LINE), {"entries": [CHECK]}))
    first, second = csv.DictReader(io.StringIO(text))
    assert first["link"] == "chapter-1.html#tbl-used"
    assert (first["study"], first["simulated"], second["study"]) == ("Real *one*", "false", "")
    assert (first["estimate"], first["p"], first["p_holm"], second["p"]) == (
        "-0.12",
        "0.02",
        "0.02",
        "",
    )
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
