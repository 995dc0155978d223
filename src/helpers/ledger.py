"""The ledger: every result of the book, on page one, and as JSON and CSV beside the pages."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import polars as pl
from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from helpers import say, show
from helpers.audit import Verdict, report
from helpers.errors import HelpersError
from helpers.multiplicity import holm
from helpers.questions import Line, hypotheses, lines
from helpers.results import STRICT, About, Entry, Recorded, entries
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
## Published tables: {title} {{.unnumbered}}

Printed figures are held against each other. Each line below is a check of a printed figure \
against the others, the gravest first, with the table of this book that shows it. A finding says \
that printed figures do not fit together as they stand, and nothing about why; {rules} explains \
the rules."""

DOWNLOAD = """\
::: {.content-visible when-format="html"}
::: {.ledger-files}
The same lines as files: [results.csv](results.csv) for a spreadsheet, \
[results.json](results.json) for a program, with [its schema](results.schema.json).
:::
:::"""

GUIDE = """\
A hypothesis is tested by the rule that its chapter states before any result; a question has no \
test of its own, and its line says what became of its hypotheses. Behind a p-value stands, in \
brackets, the one adjusted over all tests of the study after Holm. *Direction* says whether the \
decision points the same way as the published one; it is no test of either."""

WIDTHS = (22, 17, 10, 13, 13, 11, 32, 9)
AUDIT_WIDTHS = (26, 13, 15, 17, 38, 9)
MOST_KINDS = 8  # of checks that a line names
CHOICES = (("decision", "Decision"), ("decision", "Class"), ("direction", "Direction"))
"""Attributes by which the page's script finds the columns that readers choose by."""

_OTHER = About("Other results", "other", simulated=False)


@dataclass(frozen=True, config=STRICT)
class Told:
    """The questions of a study, and what became of them."""

    study: About
    lines: tuple[Line, ...]


@dataclass(frozen=True, config=STRICT)
class Content:
    """What `results.json` holds.

    Attributes
    ----------
    sources : str
        Where the sources of the book stand, such as "commit 0123abc".
    studies : tuple of Told
        The questions of each study.
    chapters : mapping of str to Recorded
        What each chapter recorded, by its name.
    """

    sources: str
    studies: tuple[Told, ...]
    chapters: dict[str, Recorded]


def collect(recorded: Mapping[str, Mapping[str, Any]]) -> dict[str, Recorded]:
    """Check what the chapters recorded, and adjust p-values over the tests of each study.

    Parameters
    ----------
    recorded : mapping of str to mapping
        By chapter, in reading order: its `key`, its `entries` and, where they are results of a
        study, `study` with its title, its kind and whether it is simulated; what else `Recorded`
        has.

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
        chapters[chapter] = Recorded(**{**given, "entries": found, "study": about})
    for about in {chapter.study for chapter in chapters.values()}:
        lines = [line for one in chapters.values() if one.study == about for line in one.entries]
        adjusted = iter(holm([line.p for line in lines]))
        for name, one in chapters.items():
            if one.study == about:
                told = tuple(replace(line, p_holm=next(adjusted)) for line in one.entries)
                chapters[name] = replace(one, entries=told)
    return chapters


def questions(chapters: Mapping[str, Recorded]) -> tuple[Told, ...]:
    """The questions of each study that the book is about, in the order of its chapters.

    Parameters
    ----------
    chapters : mapping of str to Recorded
        See `collect`.
    """
    return tuple(
        Told(study, tuple(lines(study.kind, _about(study, chapters), _label(study, number))))
        for number, study in enumerate(_studies(chapters), 1)
    )


def as_json(chapters: Mapping[str, Recorded], sources: str) -> str:
    """The ledger as JSON text, as `schema` describes it.

    Parameters
    ----------
    chapters : mapping of str to Recorded
        See `collect`.
    sources : str
        Where the sources of the book stand, such as "commit 0123abc".
    """
    found = Content(sources, questions(chapters), dict(chapters))
    content = TypeAdapter(Content).dump_python(found, mode="json", exclude_none=True)
    content = {"$schema": "results.schema.json"} | content
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(chapters: Mapping[str, Recorded]) -> str:
    """The ledger as CSV text: the questions of each study, then every other entry, with its link.

    Entries that a line of the questions already tells are not told twice.
    """
    rows = [
        _row(told.study, line.chapter, line, chapters)
        for told in questions(chapters)
        for line in told.lines
    ]
    rows += [
        _row(one.study, name, entry, chapters)
        for name, one in chapters.items()
        for entry in _others(one)
    ]
    return pl.DataFrame(rows, infer_schema_length=None).write_csv() if rows else ""


def _row(
    study: About | None, chapter: str, entry: Entry, chapters: Mapping[str, Recorded]
) -> dict[str, Any]:
    told = {
        name: value for name, value in asdict(entry).items() if name not in {"chapter", "shown"}
    }
    return {
        "study": study.title if study else None,
        "simulated": study.simulated if study else None,
        "chapter": chapter,
        "part_of": "",
        **told,
        "link": f"{chapter}.html#{entry.anchor}",
        "key": chapters[chapter].key if chapter in chapters else None,
    }


def schema() -> str:
    """The JSON Schema of `results.json`, as text."""
    content = TypeAdapter(Content).json_schema()
    content["properties"] = {"$schema": {"type": "string"}} | content["properties"]
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **content,
        "title": "Results of the book",
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
        For each study a table of its questions and one of its other results; for each audit a
        table of classes with counts, then its findings. Each line has a link to the table or
        figure that shows it. Says so when there is nothing to list.
    """
    parts = [
        part
        for number, told in enumerate(questions(chapters), 1)
        for part in _study(told, _about(told.study, chapters), number)
    ]
    loose = [entry for one in chapters.values() if not one.study for entry in _unaudited(one)]
    if loose:
        parts += [_heading(_OTHER), _results(_OTHER, loose, "tbl-ledger-other")]
    audits = [one for one in chapters.values() if _audited(one)]
    parts += [part for number, one in enumerate(audits, 1) for part in _audit(one, number)]
    if not parts:
        return NOTHING
    return "\n\n".join(part for part in [DOWNLOAD, *parts] if part) + "\n"


def _studies(chapters: Mapping[str, Recorded]) -> list[About]:
    return list(dict.fromkeys(one.study for one in chapters.values() if one.study))


def _about(study: About, chapters: Mapping[str, Recorded]) -> dict[str, Recorded]:
    return {name: one for name, one in chapters.items() if one.study == study}


def _label(study: About, number: int) -> str:
    return f"tbl-ledger-{study.kind}" + (f"-{number}" if number > 1 else "")


def _others(one: Recorded) -> list[Entry]:
    """Entries that are not among the questions of the chapter's study."""
    tested = hypotheses(one.study.kind) if one.study else set()
    return [entry for entry in one.entries if entry.topic not in tested]


def _audited(one: Recorded) -> list[Entry]:
    """Entries that are checks of printed figures."""
    return [] if one.study else [entry for entry in one.entries if entry.decision in ORDER]


def _unaudited(one: Recorded) -> list[Entry]:
    return [entry for entry in one.entries if entry.decision not in ORDER]


def _heading(study: About) -> str:
    return f"## {show.escape(marked(study.title, study.simulated))} {{.unnumbered}}"


def _study(told: Told, chapters: Mapping[str, Recorded], number: int) -> list[str]:
    """Give a heading and tables of results, marked in every row where the data are simulated."""
    study, label = told.study, _label(told.study, number)
    rest = [entry for one in chapters.values() for entry in _others(one)]
    parts = [_heading(study), BANNER.rstrip() if study.simulated else ""]
    if told.lines:
        parts += [GUIDE, _questions(told, label)]
    if rest:
        further = f"{label}-further" if told.lines else label
        parts.append(_results(study, rest, further, "Further results" if told.lines else "Results"))
    return parts if told.lines or rest else [*parts, NOTHING.rstrip()]


def _questions(told: Told, label: str) -> str:
    rows = [_cells(line, told.study, line.shown) for line in told.lines]
    caption = f"{marked('Questions and hypotheses', told.study.simulated)} {{#{label}}}"
    return _listing(rows, WIDTHS, caption, told.study.title)


def _results(study: About, found: Sequence[Entry], label: str, caption: str = "Results") -> str:
    rows = [_cells(entry, study, (entry.anchor,)) for entry in found]
    caption = f"{marked(caption, study.simulated)} {{#{label}}}"
    return _listing(rows, WIDTHS, caption, study.title)


def _cells(line: Entry, study: About, shown: Sequence[str]) -> dict[str, str]:
    return {
        "Question": _asked(line),
        "Result": line.result,
        "p (Holm)": _p_values(line),
        "Decision": marked(line.decision, study.simulated),
        "Published": line.published,
        "Direction": line.direction or ("not comparable" if line.published else "nothing printed"),
        "Method, and in plain words": _explained(line),
        "Shown in": ", ".join(f"@{anchor}" for anchor in shown),
    }


def _audit(one: Recorded, number: int) -> list[str]:
    """Give a heading, a table of classes with counts and a table of findings."""
    found, suffix = _audited(one), f"-{number}" if number > 1 else ""
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
            "Figure, and what was checked": _asked(line) + _by(line),
            "Class": line.decision,
            "Printed": line.published,
            "Implied": line.result,
            "In plain words": show.escape(line.explanation),
            "Shown in": f"@{line.anchor}",
        }
        for verdict in ORDER
        for line in _gathered([line for line in found if line.decision == verdict])
    ]
    caption = f"Checks of the published tables {{#tbl-ledger-audit{suffix}}}"
    head = AUDIT.format(
        title=show.escape(one.title) or "checks",
        rules=f"@{one.section}" if one.section else "its chapter",
    )
    return [
        head,
        f"{overview}\n\n: Checks of the published tables by class {{#tbl-ledger{suffix}}}",
        _listing(rows, AUDIT_WIDTHS, caption, "Published tables"),
    ]


def _gathered(found: list[Entry]) -> Iterable[Entry]:
    """Findings one by one, but those that are consistent one line for each table they are in."""
    if not found or found[0].decision != Verdict.CONSISTENT:
        yield from found
        return
    for anchor in dict.fromkeys(line.anchor for line in found):
        same = [line for line in found if line.anchor == anchor]
        if len(same) == 1:
            yield same[0]
            continue
        checked = Counter(report.kind(line.method) for line in same)
        told = f"Checked, and each follows as printed: {_counted(checked)}."
        head = f"{say.count(len(same), 'figure')} that are consistent"
        yield Entry(head, "", same[0].decision, "", told, anchor, topic=same[0].topic)


def _counted(checked: Counter[str]) -> str:
    """What was checked and how often, the most frequent first."""
    told = [f"{what} ({times})" for what, times in checked.most_common(MOST_KINDS)]
    rest = len(checked) - MOST_KINDS
    return "; ".join([*told, f"and {say.count(rest, 'other kind')} of check"] if rest > 0 else told)


def _listing(rows: list[dict[str, str]], widths: tuple[int, ...], caption: str, study: str) -> str:
    """A table that readers can sort and choose from, where the page's script can run.

    The script finds the name of the study and the columns to choose by in the div's attributes,
    and what a line is about in the bold words of its first cell.
    """
    columns = list(rows[0])
    written = [columns[0], *(name for name in columns if "plain words" in name), "Shown in"]
    table = show.table(pl.DataFrame(rows), widths=widths, markdown=written)
    name = " ".join(re.sub(r"[^\w .,:;()'–-]", " ", study).split())
    places = {
        attribute: columns.index(column) + 1 for attribute, column in CHOICES if column in columns
    }
    chosen = " ".join(f'{attribute}="{place}"' for attribute, place in places.items())
    return f'::: {{.ledger study="{name}" {chosen}}}\n{table}\n\n: {caption}\n:::'


def _asked(line: Entry) -> str:
    topic = f"**{show.escape(line.topic)}** " if line.topic else ""
    return topic + show.escape(line.question)


def _by(line: Entry) -> str:
    return f": *{show.escape(line.method)}*" if line.method else ""


def _explained(line: Entry) -> str:
    method = f"*{show.escape(line.method[0].upper() + line.method[1:])}.* " if line.method else ""
    return method + show.escape(line.explanation)


def _p_values(line: Entry) -> str:
    if line.p is None:
        return ""
    adjusted = "" if line.p_holm is None else f" ({say.p_value(line.p_holm, '')})"
    return say.p_value(line.p, "") + adjusted


if __name__ == "__main__":  # `python -m helpers.ledger` writes the schema after a change of Entry
    from helpers.files import write_text
    from helpers.paths import ROOT

    write_text(ROOT / "src/helpers/book/assets/results.schema.json", schema())
