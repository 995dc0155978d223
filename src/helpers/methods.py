"""A methods section made of what was run, ready to be pasted into a paper.

Every word that could be wrong comes from the book itself: what the study holds and what was
dropped, the method of each hypothesis as its chapter recorded it, the settings that the chapters
ran with, and the versions of what computed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helpers import design, say, show
from helpers.ledger import Told
from helpers.questions import NOT_TESTED, SUMMARY, Line
from helpers.results import Entry
from helpers.stamp import BANNER, WARNING, marked
from helpers.study import Study

NOTHING = "No chapter about a study was run, so that there are no methods to tell.\n"
_WARNING = " ".join(WARNING.split())
HEAD = "## Methods, to paste into a paper {.unnumbered}"
INTRODUCTION = """\
This text is made of what was run for this book, and changes with it. The same stands in \
[methods.txt](methods.txt), without markup."""


@dataclass(frozen=True)
class Ran:
    """A chapter about a study, as it was run.

    Attributes
    ----------
    title : str
        Its heading, without markup.
    settings : mapping of str to (str, str)
        Its parameters, but for the study's folder: the value of each, and what it means.
    entries : tuple of Entry
        What it recorded for the ledger.
    """

    title: str
    settings: Mapping[str, tuple[str, str]]
    entries: tuple[Entry, ...]


def text(
    told: Told, study: Study, ran: Sequence[Ran], software: Sequence[str], sources: str
) -> str:
    """Write the methods of one study as plain text, a paragraph a line.

    Parameters
    ----------
    told : Told
        The study's questions, and what became of them.
    study : Study
        The study, for what it holds and what was dropped.
    ran : sequence of Ran
        The chapters that ran over it, in reading order.
    software : sequence of str
        What computed, with versions, such as "Python 3.11.7".
    sources : str
        Which state of the book it was, such as "commit 0123abc".
    """
    about = told.study
    paragraphs = [
        f"{marked('Data', about.simulated)}. {_data(study)}",
        f"{marked('Hypotheses', about.simulated)}. {_hypotheses(told.lines)}",
        f"{marked('Other analyses', about.simulated)}. {_others(ran, told.lines)}",
        f"Settings. {_settings(ran)}",
        f"Software. Computed with {say.listing(list(software))}; the analyses are those of this "
        f"book, {sources}.",
    ]
    head = [marked(f"Methods: {about.title}", about.simulated)]
    head += [_WARNING] if about.simulated else []
    return "\n\n".join([*head, *(line for line in paragraphs if not line.endswith(". "))]) + "\n"


def fragment(texts: Sequence[tuple[str, bool]]) -> str:
    """Markdown of the methods of all studies.

    Parameters
    ----------
    texts : sequence of (str, bool)
        What `text` gave for each study, and whether its data are simulated.
    """
    if not texts:
        return NOTHING
    parts = [HEAD, INTRODUCTION]
    for methods, simulated in texts:
        head, *paragraphs = methods.strip().split("\n\n")
        if simulated:
            parts.append(BANNER.rstrip())
        parts.append(f"**{show.escape(head)}**")
        parts += [f"> {show.escape(line)}" for line in paragraphs if line != _WARNING]
    return "\n\n".join(parts) + "\n"


def _data(study: Study) -> str:
    numbers = {status: (rows, ranked) for status, _, rows, ranked in study.accounting.rows()}
    rows, rankings = numbers.get("read", (0, 0))
    read = f"{say.count(rows, 'row')} and {say.count(rankings, 'ranking')} were read"
    dropped = [
        f"{say.count(rows, 'row')} and {say.count(ranked, 'ranking')} since {reason}"
        for status, reason, rows, ranked in study.accounting.rows()
        if status == "dropped" and (rows or ranked)
    ]
    missing = [
        f"{reason}: {say.count(ranked or rows, 'ranking' if ranked else 'row')}"
        for status, reason, rows, ranked in study.accounting.rows()
        if status == "missing" and (rows or ranked)
    ]
    left = f"Dropped were {'; '.join(dropped)}." if dropped else "Nothing was dropped."
    gaps = f" Missing among the used: {'; '.join(missing)}." if missing else ""
    return f"{read}. {left} {design.sentence(study)}{gaps}"


def _hypotheses(lines: Sequence[Line]) -> str:
    tested = [line for line in lines if line.decision not in (SUMMARY, NOT_TESTED)]
    told = [f"{line.topic} was tested by {line.method}{_units(line)}." for line in tested]
    told += [
        f"{line.topic} was not tested: {_reason(line)}."
        for line in lines
        if line.decision == NOT_TESTED
    ]
    adjusted = [line for line in lines if line.p_holm is not None]
    if adjusted:
        told.append(
            f"The p-values of {say.listing([line.topic for line in adjusted])} were also adjusted "
            "after Holm over all tests of the study that are in the ledger."
        )
    return " ".join(told)


def _units(line: Line) -> str:
    if line.used is None:
        return ""
    dropped = f", {line.dropped:,} left out" if line.dropped is not None else ""
    return f" ({line.used:,} {line.unit}{dropped})"


def _reason(line: Line) -> str:
    told = line.result.rpartition("not estimable: ")[2] or line.explanation
    return told.removeprefix("Not tested: ").rstrip(".")


def _others(ran: Sequence[Ran], lines: Sequence[Line]) -> str:
    """Questions beyond the hypotheses, each with its method."""
    tested = {line.topic for line in lines}
    found: dict[str, list[str]] = {}
    for entry in (entry for one in ran for entry in one.entries):
        if entry.method and (entry.topic not in tested or entry.topic.startswith("ARQ")):
            found.setdefault(entry.method, []).append(entry.question.rstrip("?."))
    return " ".join(f"{'; '.join(asked)}: {method}." for method, asked in found.items())


def _settings(ran: Sequence[Ran]) -> str:
    told = [
        f"{one.title}: "
        + "; ".join(f"{name} = {value} ({why})" for name, (value, why) in one.settings.items())
        for one in ran
        if one.settings
    ]
    return "".join(f"{line}. " for line in told).rstrip()
