"""The ledger: every result of the book, on page one, and as JSON and CSV beside the pages."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

import polars as pl
from pydantic import TypeAdapter

from helpers import say, show
from helpers.audit import Verdict
from helpers.errors import HelpersError
from helpers.multiplicity import holm
from helpers.results import About, Entry, Recorded, entries
from helpers.stamp import BANNER, marked

NOTHING = "No chapter has recorded a result.\n"

ORDER = (
    Verdict.DECISION,
    Verdict.INCONSISTENT,
    Verdict.UNCHECKABLE,
    Verdict.ROUNDING,
    Verdict.CONSISTENT,
)

AUDIT = """\
## Published tables of the perception study {.unnumbered}

The published tables of the perception study [@perception2026] are held against each other. Each \
line below is a check of a printed figure against the others, the gravest first, with the table of \
this book that shows it. A finding says that printed figures do not fit together as they stand, \
and nothing about why; @sec-audit explains the rules."""

DOWNLOAD = """\
::: {.content-visible when-format="html"}
::: {.ledger-files}
The same lines as files: [results.csv](results.csv) for a spreadsheet, \
[results.json](results.json) for a program, with [its schema](results.schema.json).
:::
:::"""

_OTHER = About("Other results", "other", simulated=False)


def collect(recorded: Mapping[str, Mapping[str, Any]]) -> dict[str, Recorded]:
    """Check what the chapters recorded, and adjust p-values over the tests of each study.

    Parameters
    ----------
    recorded : mapping of str to mapping
        By chapter, in reading order: its `key`, its `entries` and, where they are results of a
        study, `study` with its title, its kind and whether it is simulated.

    Returns
    -------
    dict of str to Recorded
        The same, with `p_holm` in every entry that has a `p`.

    Raises
    ------
    HelpersError
        Naming the chapter and the line of what cannot stand in a ledger.
    """
    chapters = {}
    for chapter, given in recorded.items():
        try:
            found = entries(given["entries"])
        except HelpersError as error:
            raise HelpersError(f"{chapter}: {error}") from None
        about = About(**given["study"]) if "study" in given else None
        chapters[chapter] = Recorded(given["key"], found, about)
    for about in {chapter.study for chapter in chapters.values()}:
        lines = [line for one in chapters.values() if one.study == about for line in one.entries]
        adjusted = iter(holm([line.p for line in lines]))
        for name, one in chapters.items():
            if one.study == about:
                told = tuple(replace(line, p_holm=next(adjusted)) for line in one.entries)
                chapters[name] = replace(one, entries=told)
    return chapters


def as_json(chapters: Mapping[str, Recorded], sources: str) -> str:
    """The ledger as JSON text, as `schema` describes it.

    Parameters
    ----------
    chapters : mapping of str to Recorded
        See `collect`.
    sources : str
        Where the sources of the book stand, such as "commit 0123abc".
    """
    content = {
        "$schema": "results.schema.json",
        "sources": sources,
        "chapters": TypeAdapter(dict[str, Recorded]).dump_python(dict(chapters), exclude_none=True),
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(chapters: Mapping[str, Recorded]) -> str:
    """The ledger as CSV text, a line for each entry, with the page and place that show it."""
    rows = [
        {
            "study": one.study.title if one.study else None,
            "simulated": one.study.simulated if one.study else None,
            "chapter": name,
            **asdict(line),
            "link": f"{name}.html#{line.anchor}",
            "key": one.key,
        }
        for name, one in chapters.items()
        for line in one.entries
    ]
    return pl.DataFrame(rows, infer_schema_length=None).write_csv() if rows else ""


def schema() -> str:
    """The JSON Schema of `results.json`, as text."""
    lines = TypeAdapter(dict[str, Recorded]).json_schema()
    text = {"type": "string"}
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of the book",
        "type": "object",
        "required": ["sources", "chapters"],
        "properties": {"$schema": text, "sources": text, "chapters": lines},
        "$defs": lines.pop("$defs"),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def fragment(chapters: Mapping[str, Recorded]) -> str:
    """Markdown of the ledger.

    Parameters
    ----------
    chapters : mapping of str to Recorded
        See `collect`.

    Returns
    -------
    str
        For each study a table of its results; for the audit a table of classes with counts, then
        its findings. Each line has a link to the table or figure that shows it. Says so when there
        is nothing to list.
    """
    audit: list[Entry] = []
    studies: dict[About, list[Entry]] = {}
    for one in chapters.values():
        if one.study:
            studies.setdefault(one.study, [])
        for line in one.entries:
            if one.study or line.decision not in ORDER:
                studies.setdefault(one.study or _OTHER, []).append(line)
            else:
                audit.append(line)
    parts = [
        part
        for number, (about, found) in enumerate(studies.items(), 1)
        for part in _study(about, found, number)
    ]
    parts += _audit(audit) if audit else []
    if not parts:
        return NOTHING
    return "\n\n".join(part for part in [DOWNLOAD, *parts] if part) + "\n"


def _study(about: About, found: list[Entry], number: int) -> list[str]:
    """Give a heading and a table of results, marked in every row where the data are simulated."""
    head = [
        f"## {show.escape(marked(about.title, about.simulated))} {{.unnumbered}}",
        BANNER.rstrip() if about.simulated else "",
    ]
    if not found:
        return [*head, NOTHING.rstrip()]
    rows = [
        {
            "Question": _asked(line),
            "Result": line.result,
            "p (Holm)": _p_values(line),
            "Decision": marked(line.decision, about.simulated),
            "Published": line.published,
            "In plain words": _explained(line),
            "Shown in": f"@{line.anchor}",
        }
        for line in found
    ]
    widths = (22, 18, 10, 13, 13, 32, 9)
    label = f"tbl-ledger-{about.kind}" + (f"-{number}" if number > 1 else "")
    caption = f"{marked('Results', about.simulated)} {{#{label}}}"
    return [*head, _listing(rows, widths, caption, about.title, decision=4)]


def _audit(found: list[Entry]) -> list[str]:
    counts = [
        {
            "Class": verdict.value,
            "Checks": sum(line.decision == verdict for line in found),
            "Meaning": verdict.meaning,
        }
        for verdict in ORDER
    ]
    overview = show.table(pl.DataFrame(counts), widths=(20, 8, 60))
    rows = [
        {
            "Figure": _asked(line),
            "Class": line.decision,
            "Printed": line.published,
            "Implied": line.result,
            "In plain words": show.escape(line.explanation),
            "Shown in": f"@{line.anchor}",
        }
        for verdict in ORDER
        for line in _gathered([line for line in found if line.decision == verdict])
    ]
    caption = "Checks of the published tables {#tbl-ledger-audit}"
    widths = (24, 14, 15, 17, 38, 9)
    return [
        AUDIT,
        f"{overview}\n\n: Checks of the published tables by class {{#tbl-ledger}}",
        _listing(rows, widths, caption, "Published tables", decision=2),
    ]


def _gathered(found: list[Entry]) -> Iterable[Entry]:
    """Findings one by one, but those that are consistent one line for each table they are in."""
    if not found or found[0].decision != Verdict.CONSISTENT:
        yield from found
        return
    for anchor in dict.fromkeys(line.anchor for line in found):
        same = [line for line in found if line.anchor == anchor]
        told = "Each follows as printed." if len(same) > 1 else same[0].explanation
        question = say.count(len(same), "check") if len(same) > 1 else same[0].question
        yield Entry(question, "", same[0].decision, "", told, anchor, topic=same[0].topic)


def _listing(
    rows: list[dict[str, str]], widths: tuple[int, ...], caption: str, study: str, decision: int
) -> str:
    """A table that readers can sort and choose from, where the page's script can run.

    The script finds the name of the study and the column of the decision in the div's attributes,
    and what a line is about in the bold words of its first cell.
    """
    first = next(iter(rows[0]))
    written = [first, "In plain words", "Shown in"]
    table = show.table(pl.DataFrame(rows), widths=widths, markdown=written)
    name = " ".join(re.sub(r"[^\w .,:;()'–-]", " ", study).split())
    head = f'::: {{.ledger study="{name}" decision="{decision}"}}'
    return f"{head}\n{table}\n\n: {caption}\n:::"


def _asked(line: Entry) -> str:
    topic = f"**{show.escape(line.topic)}** " if line.topic else ""
    return topic + show.escape(line.question)


def _explained(line: Entry) -> str:
    method = f" *{show.escape(line.method)}*" if line.method else ""
    return show.escape(line.explanation) + method


def _p_values(line: Entry) -> str:
    if line.p is None:
        return ""
    adjusted = "" if line.p_holm is None else f" ({say.p_value(line.p_holm, '')})"
    return say.p_value(line.p, "") + adjusted


if __name__ == "__main__":  # `python -m helpers.ledger` writes the schema after a change of Entry
    from helpers.files import write_text
    from helpers.paths import ROOT

    write_text(ROOT / "src/helpers/book/assets/results.schema.json", schema())
