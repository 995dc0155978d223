"""What a build is about to do: which chapters, over which study, with which values."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from helpers.book import chapters, citations, parameters, studies
from helpers.book.chapters import PLACEHOLDER, STUDY, Book, Chapter
from helpers.book.keys import Values
from helpers.book.parameters import Parameter
from helpers.book.studies import Card
from helpers.errors import HelpersError
from helpers.paths import ROOT
from helpers.stamp import marked


@dataclass(frozen=True)
class Task:
    """A chapter and all that is settled before it runs.

    Attributes
    ----------
    chapter : Chapter
        The source.
    parameters, values : dict
        Its parameters and their final values.
    study : Card or None
        The study it reads, if it reads one.
    lacks : tuple of str
        What the chapter cannot do without and the study lacks; it is not run then.
    """

    chapter: Chapter
    parameters: Mapping[str, Parameter]
    values: Values
    study: Card | None = None
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """The book as it will be, and a task for each of its chapters, in reading order."""

    book: Book
    tasks: tuple[Task, ...]


def plan(
    root: Path, settings: Sequence[str] = (), study: Path | None = None, sound: Path | None = None
) -> Plan:
    """Read the book, check the studies it is about, and settle its parameters.

    Parameters
    ----------
    root : Path
        The project.
    settings : sequence of str
        Parameters from the command line.
    study : Path, optional
        The folder of the one study that the book is to be about. Without it the book is about
        published tables and the shipped studies, which its chapters name.
    sound : Path, optional
        Where to remember which studies are sound.

    Raises
    ------
    HelpersError
        With all faults of the book, or of a study, or of the parameters.
    """
    book = chapters.load(root)
    _raise([*_ill_declared(book.chapters), *citations.unknown(book)])
    if study:
        card = studies.look(study, root, parameters.settable(book.chapters), sound)
        return _about(book, settings, card)
    return _planned(book, settings, _shipped(book, sound))


def check(study: Path, root: Path = ROOT) -> str:
    """Check a study, and what it sets of its chapters' parameters.

    Returns
    -------
    str
        What was read, used and dropped, in a few lines.

    Raises
    ------
    HelpersError
        With every fault.
    """
    book = chapters.load(root)
    card = studies.look(study, root, parameters.settable(book.chapters))
    _about(book, (), card)
    return card.summary


def _about(book: Book, settings: Sequence[str], card: Card) -> Plan:
    """Plan the book of one study, which gives it its titles."""
    book = chapters.of_kind(book, card.kind)
    config = _retitled(book.config, lambda *_: card.name)
    config["book"]["subtitle"] = card.name
    cards = {chapter.stem: card for chapter in book.chapters}
    return _planned(replace(book, config=config), settings, cards)


def _planned(book: Book, settings: Sequence[str], cards: Mapping[str, Card]) -> Plan:
    """Settle all that is left, and mark the parts over simulated studies."""

    def part(title: str, names: list[str]) -> str:
        found = [cards.get(Path(name).stem) for name in names]
        return marked(title, any(card.simulated for card in found if card))

    values = parameters.settle(book.chapters, settings, cards)
    _raise(f for c in book.chapters if c.of_study for f in studies.misdeclared(c, cards[c.stem]))
    tasks = tuple(_task(chapter, values, cards.get(chapter.stem)) for chapter in book.chapters)
    return Plan(replace(book, config=_retitled(book.config, part)), tasks)


def _task(chapter: Chapter, values: Mapping[str, Values], study: Card | None) -> Task:
    has = parameters.read(chapter)
    return Task(chapter, has, values[chapter.stem], study, studies.lacking(chapter, study))


def _shipped(book: Book, sound: Path | None) -> dict[str, Card]:
    """Check the studies that chapters name as their parameter's own value."""
    folders = {
        chapter.stem: parameters.read(chapter)[STUDY].default
        for chapter in book.chapters
        if chapter.of_study
    }
    known = parameters.settable(book.chapters)
    cards = {
        name: studies.look(Path(os.path.relpath(book.root / name)), book.root, known, sound)
        for name in dict.fromkeys(folders.values())
    }
    return {stem: cards[name] for stem, name in folders.items()}


def _ill_declared(book_chapters: Iterable[Chapter]) -> Iterator[str]:
    """Faults of chapters that are half of a study and half not."""
    for chapter in book_chapters:
        try:
            has = parameters.read(chapter)
        except HelpersError as fault:
            yield str(fault)
            continue
        declared = chapter.declaration
        reads = any(name.startswith(PLACEHOLDER) for name in declared.data)
        if chapter.of_study:
            if STUDY not in has or has[STUDY].type is not str:
                yield (
                    f"{chapter.name} is about a study: its first code cell needs the line "
                    f'`{STUDY}: str = "data/…"  # folder of the study`'
                )
            if not reads:
                yield (
                    f"{chapter.name} is about a study: add what it reads of it to "
                    f'metadata.helpers.data, as "{PLACEHOLDER}"'
                )
        elif STUDY in has or reads or declared.requires:
            yield f"{chapter.name} reads a study: name its kind in metadata.helpers.kinds"


def _retitled(config: dict[str, Any], retitle: Callable[[str, list[str]], str]) -> dict[str, Any]:
    """`_quarto.yml` with other titles of parts, made of the old ones and the chapters' names."""
    book = dict(config["book"])
    for key in {"chapters", "appendices"} & book.keys():
        book[key] = [
            entry | {"part": retitle(str(entry.get("part")), entry.get("chapters") or [])}
            if isinstance(entry, dict)
            else entry
            for entry in book[key] or []
        ]
    return config | {"book": book}


def _raise(faults: Iterable[str]) -> None:
    if told := "\n".join(faults):
        raise HelpersError(told)
