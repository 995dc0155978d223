"""The studies that a book is about: each checked in full before any chapter runs over it."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from helpers.book import keys
from helpers.book.chapters import PLACEHOLDER, Chapter
from helpers.errors import did_you_mean
from helpers.files import digest_tree, write_text
from helpers.paths import ROOT
from helpers.stamp import marked


@dataclass(frozen=True)
class Card:
    """What the book itself must know of a study; the ratings are its chapters' business.

    Attributes
    ----------
    folder : str
        Where it is, relative to the project.
    title, kind, simulated, parameters
        As its `study.yml` says.
    has : mapping of str to list of str
        Its tables, and of each the columns in which anything stands.
    may_have : mapping of str to list of str
        The tables that a study of its kind can have, and their columns but for the scores.
    summary : str
        What was read, used and dropped, in a few lines.
    """

    folder: str
    title: str
    kind: str
    simulated: bool
    parameters: Mapping[str, Any]
    has: Mapping[str, list[str]]
    may_have: Mapping[str, list[str]]
    summary: str

    @property
    def name(self) -> str:
        """The title, marked where the data are simulated, safe wherever a renderer puts it."""
        bare = self.title.removesuffix(".md").removesuffix(".qmd").translate(_HARMLESS)
        return marked(bare, self.simulated)

    def lacks(self, required: str) -> bool:
        """Tell whether a table (`benchmarks`) or column (`ratings.position`) is not there."""
        table, _, column = required.partition(".")
        return table not in self.has or (column != "" and column not in self.has[table])


# Titles of books and parts are Markdown to one engine and text to the other; neither must take one
# for markup, or for the name of a page.
_HARMLESS = str.maketrans("<>[]{}`\\", "‹›()()'/")


def look(folder: Path, root: Path, settings: Mapping[str, Any], sound: Path | None = None) -> Card:
    """Check a study and say what the book must know of it.

    Parameters
    ----------
    folder : Path
        The study's folder, as messages are to name it.
    root : Path
        The project.
    settings : mapping
        What studies may set of chapters, as `parameters.settable` gives it.
    sound : Path, optional
        Where to remember that it is sound, so that an unchanged study is not checked again.

    Raises
    ------
    HelpersError
        With every fault of every file in one message.
    """
    name = os.path.relpath(folder.resolve(), root.resolve())
    key = _key(folder, settings)
    known = _known(sound)
    if key and known.get(name, {}).get("key") == key:
        return Card(**known[name]["card"])
    card = _card(folder, name, settings)
    if sound:
        entry = {"key": key, "card": asdict(card)}
        write_text(sound, json.dumps(known | {name: entry}, ensure_ascii=False) + "\n")
    return card


def lacking(chapter: Chapter, card: Card | None) -> tuple[str, ...]:
    """List what a chapter cannot do without and the study lacks."""
    return tuple(r for r in chapter.declaration.requires if card and card.lacks(r))


def misdeclared(chapter: Chapter, card: Card) -> list[str]:
    """Faults in what a chapter declares of a study: names that no study of its kind has."""
    faults = []
    if card.kind not in chapter.declaration.kinds:
        kinds = ", ".join(chapter.declaration.kinds)
        faults.append(f"the study {card.folder} is of kind {card.kind}; expected {kinds}")
    for required in chapter.declaration.requires:
        table = required.partition(".")[0]
        if table not in card.may_have:  # any column may be one of a study's dimensions
            near = did_you_mean(table, card.may_have)
            faults.append(f"requires '{table}', no table of a {card.kind} study{near}")
    files = [f"{PLACEHOLDER}/{table}.csv" for table in card.may_have]
    for data in chapter.declaration.data:
        folder, _, file = data.rpartition("/")
        if folder == PLACEHOLDER and file.endswith(".csv") and data not in files:
            near = did_you_mean(data, files)
            faults.append(f"data '{data}': no table of a {card.kind} study{near}")
    return [f"{chapter.name}: {fault}" for fault in faults]


def _key(folder: Path, settings: Mapping[str, Any]) -> str:
    """Digest of a study and of all that it is checked by; empty if the study cannot be read."""
    modules = keys.Modules(ROOT / "src")
    code = modules.files(modules.closure(["helpers.study"]))
    try:
        data = keys.digest_study(folder)
    except OSError:
        return ""
    names = [(kind, name, own) for kind, has in settings.items() for name, own in has.items()]
    made_of = {name: digest_tree(path) for name, path in code.items()}
    return keys.key({"study": data, "settings": repr(sorted(names))} | made_of)


def _known(sound: Path | None) -> dict[str, Any]:
    try:
        found = json.loads(sound.read_text("utf-8")) if sound else {}
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _card(folder: Path, name: str, settings: Mapping[str, Any]) -> Card:
    from helpers.study import (
        load,
        summary,
    )  # late: slow to import, for a study that has not changed
    from helpers.study.perception import tables

    study = load(folder, settings)
    config = study.config
    return Card(
        folder=name,
        title=config.title,
        kind=config.kind,
        simulated=config.simulated,
        parameters=dict(config.parameters),
        has={
            table: [column.name for column in frame if column.null_count() < len(column)]
            for table, frame in study.tables.items()
        },
        may_have={table.name: [column.name for column in table.columns] for table in tables(None)},
        summary=summary(study),
    )
