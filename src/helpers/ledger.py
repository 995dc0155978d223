"""The ledger on page one, written from the chapters' results."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from helpers import say, show
from helpers.audit import Verdict
from helpers.results import Entry, entries

ORDER = (
    Verdict.DECISION,
    Verdict.INCONSISTENT,
    Verdict.UNCHECKABLE,
    Verdict.ROUNDING,
    Verdict.CONSISTENT,
)


def fragment(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Markdown of the ledger.

    Parameters
    ----------
    results : mapping
        Recorded entries by chapter, as the build gathered them.

    Returns
    -------
    str
        A table of classes with counts, then the findings of each class, each with a link to the
        table that shows it. Says so when there is nothing to list.
    """
    found = [entry for recorded in results.values() for entry in entries([*map(dict, recorded)])]
    if not found:
        return "No chapter has recorded a result.\n"
    parts = [_overview(found), *(_listing(found, verdict) for verdict in ORDER)]
    return "\n\n".join(part for part in parts if part) + "\n"


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
