"""The questions of a kind of study, and what its chapters decide of them: the ledger's first lines.

Research questions have parts, the analysis questions, and these have hypotheses. Only hypotheses
are tested. A question has no test and no decision of its own: its line says what became of its
hypotheses, and no more.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from pydantic.dataclasses import dataclass

from helpers import beside, say
from helpers.direction import compared, together
from helpers.results import STRICT, Entry, Recorded

TESTED = ("supported", "partly supported", "not supported")
NOT_TESTED, SUMMARY = "not tested", "by its hypotheses"
PAGE = "index"
"""The page that holds the ledger."""


@dataclass(frozen=True)
class Question:
    """A research question, an analysis question or a hypothesis.

    Attributes
    ----------
    name : str
        "RQ1", "ARQ1", "H1".
    asked : str
        The question.
    part_of : str
        The question that it is a part of; empty for a research question.
    """

    name: str
    asked: str
    part_of: str = ""


QUESTIONS: Mapping[str, tuple[Question, ...]] = {
    "perception": (
        Question("RQ1", "How do evaluators perceive the answers and the capability of LLMs?"),
        Question("ARQ1", "What do dimension scores depend on, and how far do they agree?", "RQ1"),
        Question("H1", "Do evaluators score and emphasise otherwise in their specialty?", "ARQ1"),
        Question("H2", "Do scores agree less on some cases, and on difficult ones?", "ARQ1"),
        Question("ARQ2", "How far do rankings agree, and does that depend on the case?", "RQ1"),
        Question("H3", "Are rankings consistent, and physicians ranked by level?", "ARQ2"),
        Question("H4", "Do rankings agree less on some cases, and on difficult ones?", "ARQ2"),
        Question("ARQ3", "What does the way from scores to rankings depend on?", "RQ1"),
        Question("H5", "Does it vary with evaluators, cases and analysts?", "ARQ3"),
        Question("RQ2", "How does perceived capability go with performance on benchmarks?"),
        Question("ARQ4", "How do perceived capability and benchmark accuracy relate?", "RQ2"),
        Question("H6", "Do they rise together, and along a straight line?", "ARQ4"),
        Question("ARQ5", "Do perception and benchmarks emphasise the same dimensions?", "RQ2"),
        Question("H7", "Do benchmarks emphasise other dimensions than evaluators do?", "ARQ5"),
    )
}
"""By kind of study, each question before its parts."""


@dataclass(frozen=True, config=STRICT)
class Line(Entry):
    """A line of the complete ledger: a question or hypothesis, and what became of it.

    Attributes
    ----------
    part_of : str
        The question that it is a part of.
    chapter : str
        Page that shows it.
    shown : tuple of str
        Labels of the tables and figures that decide it; of a question, those of its hypotheses.
    """

    part_of: str = ""
    chapter: str = PAGE
    shown: tuple[str, ...] = ()


def hypotheses(kind: str) -> set[str]:
    """Names of what is tested: of the questions that have no parts."""
    asked = QUESTIONS.get(kind, ())
    return {question.name for question in asked} - {question.part_of for question in asked}


def lines(kind: str, chapters: Mapping[str, Recorded], label: str) -> list[Line]:
    """The questions of a kind of study, each with a line, parts after what they are parts of.

    Parameters
    ----------
    kind : str
        The kind; a kind without questions has no lines.
    chapters : mapping of str to Recorded
        What the chapters about the study recorded, by name.
    label : str
        Label of the table that holds the lines; what is shown nowhere else leads there.

    Returns
    -------
    list of Line
        A hypothesis that no chapter could test is "not tested", with the reason.
    """
    asked = QUESTIONS.get(kind, ())
    within = {question.name: question.part_of for question in asked}
    decided = {
        question.name: _decided(question, chapters, label)
        for question in asked
        if question.name in hypotheses(kind)
    }
    told: list[Line] = []
    for question in asked:
        own = [
            line
            for name, found in decided.items()
            if question.name in _above(name, within)
            for line in found
        ]
        told += decided.get(question.name) or [_summary(question, own, label)]
    return told


def _above(name: str, within: Mapping[str, str]) -> list[str]:
    """The question that a hypothesis is a part of, the one above that, and so on."""
    part_of = within.get(name)
    return [part_of, *_above(part_of, within)] if part_of else []


def _decided(question: Question, chapters: Mapping[str, Recorded], label: str) -> list[Line]:
    """What chapters recorded of a hypothesis, or why they recorded nothing."""
    found = [
        Line(
            **asdict(entry)
            | {
                "decision": entry.decision if entry.decision in TESTED else NOT_TESTED,
                "direction": entry.direction or compared(entry.decision, _printed(question.name)),
            },
            part_of=question.part_of,
            chapter=stem,
            shown=(entry.anchor,),
        )
        for stem, one in chapters.items()
        for entry in one.entries
        if entry.topic == question.name
    ]
    return found or [_untested(question, chapters, label)]


def _untested(question: Question, chapters: Mapping[str, Recorded], label: str) -> Line:
    own = {
        stem: one for stem, one in chapters.items() if re.search(rf"\b{question.name}\b", one.title)
    }
    stem, one = next(iter(own.items()), (PAGE, None))
    if one is None:
        reason = "no chapter of this book is about it"
    elif one.lacks:
        reason = f"the study has {say.listing([_lacking(name) for name in one.lacks])}"
    else:
        reason = "its chapter records no decision"
    printed = _printed(question.name)
    return Line(
        question=question.asked,
        result="",
        decision=NOT_TESTED,
        published=printed,
        explanation=f"Not tested: {reason}.",
        anchor=(one and one.section) or label,
        topic=question.name,
        direction=compared(NOT_TESTED, printed),
        part_of=question.part_of,
        chapter=stem if one and one.section else PAGE,
        shown=(one.section,) if one and one.section else (),
    )


def _lacking(name: str) -> str:
    """What a study lacks, as in "no benchmarks.csv"."""
    table, _, column = name.partition(".")
    return f"no {column} in {table}.csv" if column else f"no {table}.csv"


def _summary(question: Question, own: Sequence[Line], label: str) -> Line:
    """The line of a question: what became of its hypotheses."""
    topics = list(dict.fromkeys(line.topic for line in own))
    names = say.listing(topics)
    printed = {line.topic: _printed(line.topic) for line in own}
    published = "; ".join(f"{name} {verdict}" for name, verdict in printed.items() if verdict)
    return Line(
        question=question.asked,
        result="; ".join(f"{line.topic} {line.decision}" for line in own),
        decision=SUMMARY,
        published=published,
        explanation="No test of its own.",
        anchor=label,
        topic=question.name,
        method=f"decided by {names}",
        direction=together(line.direction for line in own if line.direction),
        part_of=question.part_of,
        shown=tuple(dict.fromkeys(anchor for line in own for anchor in line.shown)),
    )


def _printed(name: str) -> str:
    """The published verdict on a hypothesis; empty where none is printed."""
    about = f"verdict on {name}"
    quotes = beside.paper().quotes
    return next((quote.printed for quote in quotes if quote.about == about), "")
