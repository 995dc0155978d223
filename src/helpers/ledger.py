"""The ledger on page one, written from the chapters' results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from helpers import say, show
from helpers.audit import Verdict
from helpers.results import Entry, entries
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
line below is a check of a printed figure against the others, sorted by class, with the table of \
this book that shows it. A finding says that printed figures do not fit together as they stand, \
and nothing about why; @sec-audit explains the rules."""


@dataclass(frozen=True)
class _About:
    title: str
    kind: str
    simulated: bool


_OTHER = _About("Other results", "other", simulated=False)


def fragment(recorded: Iterable[Mapping[str, Any]]) -> str:
    """Markdown of the ledger.

    Parameters
    ----------
    recorded : iterable of mapping
        What each chapter recorded, in reading order: `entries` and, where they are results of a
        study, `study` with its title, its kind and whether it is simulated.

    Returns
    -------
    str
        For the audit a table of classes with counts, then the findings of each class; for each
        study a table of its results. Each line has a link to the table or figure that shows it.
        Says so when there is nothing to list.
    """
    audit: list[Entry] = []
    studies: dict[_About, list[Entry]] = {}
    for chapter in recorded:
        about = _About(**chapter["study"]) if "study" in chapter else None
        if about:
            studies.setdefault(about, [])
        for entry in entries(chapter["entries"]):
            if about or entry.decision not in ORDER:
                studies.setdefault(about or _OTHER, []).append(entry)
            else:
                audit.append(entry)
    parts = _audit(audit) if audit else []
    for number, (about, found) in enumerate(studies.items(), 1):
        parts += _study(about, found, number)
    return "\n\n".join(part for part in parts if part) + "\n" if parts else NOTHING


def _audit(found: list[Entry]) -> list[str]:
    return [AUDIT, _overview(found), *(_listing(found, verdict) for verdict in ORDER)]


def _study(about: _About, found: list[Entry], number: int) -> list[str]:
    """Give a heading and a table of results, marked in every row where the data are simulated."""
    head = [
        f"## {show.escape(marked(about.title, about.simulated))} {{.unnumbered}}",
        BANNER.rstrip() if about.simulated else "",
    ]
    if not found:
        return [*head, NOTHING.rstrip()]
    rows = [
        {
            "Question": entry.question,
            "Result": entry.result,
            "Decision": marked(entry.decision, about.simulated),
            "Published": entry.published,
            "In plain words": entry.explanation,
            "Shown in": f"@{entry.anchor}",
        }
        for entry in found
    ]
    table = show.table(pl.DataFrame(rows), widths=(22, 18, 14, 13, 32, 9), markdown=["Shown in"])
    label = f"tbl-ledger-{about.kind}" + (f"-{number}" if number > 1 else "")
    return [*head, f"{table}\n\n: {marked('Results', about.simulated)} {{#{label}}}"]


def _overview(found: list[Entry]) -> str:
    rows = [
        {
            "Class": verdict.value,
            "Checks": sum(entry.decision == verdict for entry in found),
            "Meaning": verdict.meaning,
        }
        for verdict in ORDER
    ]
    table = show.table(pl.DataFrame(rows), widths=(20, 8, 60))
    return f"{table}\n\n: Checks of the published tables by class {{#tbl-ledger}}"


def _listing(found: list[Entry], verdict: Verdict) -> str:
    chosen = [entry for entry in found if entry.decision == verdict]
    if not chosen:
        return ""
    title = f"{verdict.capitalize()}: {say.count(len(chosen), 'check')}"
    body = _counts(chosen) if verdict is Verdict.CONSISTENT else _table(chosen)
    collapse = "false" if verdict in (Verdict.DECISION, Verdict.INCONSISTENT) else "true"
    kind = "important" if verdict is Verdict.DECISION else "note"
    return (
        f'::: {{.callout-{kind} collapse="{collapse}"}}\n'
        f"## {title}\n\n{verdict.meaning.capitalize()}.\n\n{body}\n:::"
    )


def _table(chosen: list[Entry]) -> str:
    rows = [
        {
            "Figure": entry.question,
            "Printed": entry.published,
            "Implied": entry.result,
            "In plain words": entry.explanation,
            "Shown in": f"@{entry.anchor}",
        }
        for entry in chosen
    ]
    frame = pl.DataFrame(rows)
    return show.table(frame, widths=(24, 15, 17, 38, 9), markdown=["Shown in"])


def _counts(chosen: list[Entry]) -> str:
    anchors = dict.fromkeys(entry.anchor for entry in chosen)
    return (
        say.listing(
            [
                f"{sum(entry.anchor == anchor for entry in chosen)} in @{anchor}"
                for anchor in anchors
            ]
        )
        + "."
    )
