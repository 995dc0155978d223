"""Findings arranged for the reader: by class, by table, and as entries of the ledger."""

import re
from collections.abc import Sequence

import polars as pl

from helpers import say
from helpers.audit.finding import Finding, Verdict
from helpers.results import Entry

SEVERITY = tuple(reversed(Verdict))
MOST_NAMED = 9  # figures that one row names
_FIGURE = re.compile(r"\s[-−]?\d")


def title(table: str) -> str:
    """How the paper calls a table, "Table 4"; "Text and captions" for the text."""
    return "Text and captions" if table == "text" else f"Table {int(table.removeprefix('table'))}"


def counts(findings: Sequence[Finding]) -> pl.DataFrame:
    """Number of checks by table (rows) and class (columns), with a row of totals.

    Returns
    -------
    polars.DataFrame
        Columns "Where", one for each class, and "Checks".
    """
    tables = list(dict.fromkeys(finding.table for finding in findings))
    groups = {title(name): [f for f in findings if f.table == name] for name in tables}
    groups["All"] = list(findings)
    rows = [
        {
            "Where": where,
            **{
                verdict.value: sum(finding.verdict is verdict for finding in group)
                for verdict in Verdict
            },
            "Checks": len(group),
        }
        for where, group in groups.items()
    ]
    return pl.DataFrame(rows)


def details(findings: Sequence[Finding], table: str) -> pl.DataFrame:
    """The checks of one table, gravest first; consistent ones gathered by what was checked.

    Parameters
    ----------
    findings : sequence of Finding
        Of the whole paper.
    table : str
        Name of the table, or "text".

    Returns
    -------
    polars.DataFrame
        Columns "Figure", "Check", "Printed", "Implied", "Class", "In plain words"; the class is
        set in bold where it is a fault.
    """
    chosen = [finding for finding in findings if finding.table == table]
    flagged = [f for f in chosen if f.verdict is not Verdict.CONSISTENT]
    flagged.sort(key=lambda finding: SEVERITY.index(finding.verdict))
    consistent = [f for f in chosen if f.verdict is Verdict.CONSISTENT]
    rows = [_row(finding) for finding in flagged] + _gathered(consistent)
    return pl.DataFrame(rows, schema=dict.fromkeys(_COLUMNS, pl.String))


_COLUMNS = ("Figure", "Check", "Printed", "Implied", "Class", "In plain words")


def _row(finding: Finding) -> dict[str, str]:
    grave = finding.verdict in (Verdict.INCONSISTENT, Verdict.DECISION)
    cells = (
        finding.item,
        finding.relation,
        finding.printed,
        finding.expected,
        f"**{finding.verdict}**" if grave else finding.verdict.value,
        finding.explanation,
    )
    return dict(zip(_COLUMNS, cells, strict=True))


def _gathered(consistent: list[Finding]) -> list[dict[str, str]]:
    relations = dict.fromkeys(kind(finding.relation) for finding in consistent)
    rows = []
    for relation in relations:
        same = [finding for finding in consistent if kind(finding.relation) == relation]
        if len(same) == 1:
            rows.append(_row(same[0]))
            continue
        items = dict.fromkeys(finding.item for finding in same)
        named = say.listing(list(items))
        if len(items) > MOST_NAMED:
            named = f"{', '.join([*items][:MOST_NAMED])} and {len(items) - MOST_NAMED} more"
        cells = (named, relation, "", "", Verdict.CONSISTENT.value, "Each follows as printed.")
        rows.append(dict(zip(_COLUMNS, cells, strict=True)))
    return rows


def kind(relation: str) -> str:
    """What was checked, without the figures that tell one row from the next.

    Returns
    -------
    str
        "p from z value" for "p from z value -6.76".
    """
    checked, given, rest = relation.partition(" from ")
    return f"{checked}{given}{_FIGURE.split(rest)[0]}".rstrip(" ,")


def recorded(entries: Sequence[Entry]) -> pl.DataFrame:
    """Every check as recorded for the ledger: where, figure, printed, implied, class, why."""
    return pl.DataFrame(
        {
            "Where": [entry.topic for entry in entries],
            "Figure": [entry.question for entry in entries],
            "Printed": [entry.published for entry in entries],
            "Implied": [entry.result for entry in entries],
            "Class": [entry.decision for entry in entries],
            "In plain words": [entry.explanation for entry in entries],
        }
    )


def ledger(findings: Sequence[Finding]) -> tuple[Entry, ...]:
    """All findings as entries of the ledger, each linked to its table in the audit chapter."""
    return tuple(
        Entry(
            question=finding.item,
            result=finding.expected,
            decision=finding.verdict.value,
            published=finding.printed,
            explanation=finding.explanation,
            anchor=f"tbl-audit-{finding.table}",
            topic=title(finding.table),
            method=finding.relation,
        )
        for finding in findings
    )


def sentence(findings: Sequence[Finding]) -> str:
    """How many checks fell into each class, as one sentence."""
    tally = [(sum(f.verdict is verdict for f in findings), verdict) for verdict in SEVERITY]
    parts = [f"{number} {verdict}" for number, verdict in reversed(tally) if number]
    return f"{say.count(len(findings), 'check')}: {say.listing(parts)}."


def classes() -> pl.DataFrame:
    """The classes, mildest first, each with its meaning."""
    return pl.DataFrame(
        {"Class": [v.value for v in Verdict], "Meaning": [v.meaning for v in Verdict]}
    )
