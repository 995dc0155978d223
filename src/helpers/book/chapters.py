"""The book as its sources declare it: `_quarto.yml`, the notebooks it lists, what each needs."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from helpers.book import cells
from helpers.errors import HelpersError, did_you_mean
from helpers.paths import inside

RESERVED = {"index", "book", "results", "search"}
"""Names that pages and files of the rendered book already have."""

Kind = Literal["published", "perception"]
"""What a chapter may be about: printed tables, or studies of a kind that `helpers.study` reads."""

PUBLISHED: Kind = "published"

STUDY = "study"
"""The parameter that holds the folder of the study which a chapter reads."""

PLACEHOLDER = "{study}"
"""That folder in a chapter's declared data."""


class Declaration(BaseModel):
    """A notebook's `metadata.helpers`: what the chapter is for and what it depends on.

    Attributes
    ----------
    kinds : tuple of str
        The kinds of study that the chapter reads; `published` if it reads printed tables. A
        chapter without kinds, or of published tables, is in the book of the shipped studies alone.
    data : tuple of str
        Files and folders it reads, relative to the project. Files of one ending in a folder are
        declared as in `data/published/perception/*.csv`; `{study}` stands for the study's folder,
        as in `{study}/ratings.csv`.
    needs : tuple of str
        Chapters (notebook names without `.ipynb`) whose results it reads.
    requires : tuple of str
        What a study may lack and the chapter cannot do without: tables, as `benchmarks`, and
        columns with something in them, as `ratings.position`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kinds: tuple[Kind, ...] = ()
    data: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()


class Cell(BaseModel):
    """What matters of a cell before it has run."""

    model_config = ConfigDict(frozen=True)

    cell_type: Literal["code", "markdown", "raw"]
    source: Annotated[str, BeforeValidator(lambda s: "".join(s) if isinstance(s, list) else s)]
    tags: tuple[str, ...] = Field((), validation_alias=AliasPath("metadata", "tags"))


class Notebook(BaseModel):
    """What matters of a notebook before it has run.

    It is read as JSON: `nbformat` takes longer to import than a build in which nothing changed.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[4] = Field(validation_alias="nbformat")
    kernel: Literal["python3"] = Field(validation_alias=AliasPath("metadata", "kernelspec", "name"))
    helpers: Declaration = Field(Declaration(), validation_alias=AliasPath("metadata", "helpers"))
    cells: tuple[Cell, ...]


@dataclass(frozen=True, eq=False)
class Chapter:
    """One notebook of the book.

    Parameters
    ----------
    name : str
        Its path relative to the project, as `_quarto.yml` lists it.
    text : str
        The file's content when the build began: what is hashed is what is run.
    cells : tuple of Cell
        Its cells.
    declaration : Declaration
        Its `metadata.helpers`.
    """

    name: str
    text: str
    cells: tuple[Cell, ...]
    declaration: Declaration

    @property
    def stem(self) -> str:
        """The name of its page and of the files a build keeps for it."""
        return Path(self.name).stem

    @property
    def of_study(self) -> bool:
        """Whether it reads the ratings of a study."""
        return any(kind != PUBLISHED for kind in self.declaration.kinds)


@dataclass(frozen=True, eq=False)
class Book:
    """`_quarto.yml` and its chapters.

    Parameters
    ----------
    root : Path
        The project.
    config : dict
        The content of `_quarto.yml`.
    chapters : tuple of Chapter
        In reading order.
    """

    root: Path
    config: dict[str, Any]
    chapters: tuple[Chapter, ...]


def load(root: Path) -> Book:
    """Read `_quarto.yml` and every notebook it lists.

    Raises
    ------
    HelpersError
        If a chapter is missing, unlisted, listed twice or not a sound notebook, if its
        declaration is wrong, or if it needs an unknown chapter or itself; all faults at once.
    """
    config = _config(root / "_quarto.yml")
    listed = [entry for entry in entries(config) if entry.endswith(".ipynb")]
    faults = _misplaced(root, listed)
    chapters = []
    for name in dict.fromkeys(listed):
        if (root / name).is_file():
            try:
                chapters.append(_chapter(root, name))
            except HelpersError as fault:
                faults.append(str(fault))
    if faults:
        raise HelpersError("\n".join(faults))
    in_order(chapters)
    if faults := _unmet(chapters):
        raise HelpersError("\n".join(faults))
    return Book(root, config, tuple(chapters))


def of_kind(book: Book, kind: str) -> Book:
    """Keep what belongs in the book of one study: its chapters, and parts that have any.

    Raises
    ------
    HelpersError
        If no chapter is for studies of this kind.
    """
    kept = tuple(chapter for chapter in book.chapters if kind in chapter.declaration.kinds)
    if not kept:
        raise HelpersError(f"no chapter is for a study of kind {kind}")
    names = {chapter.name for chapter in kept}
    listed = {
        key: [*_kept(book.config["book"].get(key) or [], names)]
        for key in ("chapters", "appendices")
        if key in book.config["book"]
    }
    given = (book.config["book"] | listed).items()
    config = book.config | {"book": {k: v for k, v in given if v or k != "appendices"}}
    return replace(book, config=config, chapters=kept)


def entries(config: dict[str, Any]) -> Iterator[str]:
    """Files that `_quarto.yml` lists as chapters, in reading order, those of parts included."""
    for key in ("chapters", "appendices"):
        for entry in config["book"].get(key) or []:
            listed = entry.get("chapters") or [] if isinstance(entry, dict) else [entry]
            yield from map(str, listed)


def in_order(chapters: Iterable[Chapter]) -> list[Chapter]:
    """Sort chapters so that each comes after those it needs, else in reading order.

    Raises
    ------
    HelpersError
        If a chapter needs one that does not exist, or chapters need each other in a circle.
    """
    known = {chapter.stem: chapter for chapter in chapters}
    faults = [
        f"{chapter.name} needs the chapter '{need}', which is not in _quarto.yml"
        f"{did_you_mean(need, known)}"
        for chapter in known.values()
        for need in chapter.declaration.needs
        if need not in known
    ]
    if faults:
        raise HelpersError("\n".join(faults))
    sorter = TopologicalSorter({stem: chapter.declaration.needs for stem, chapter in known.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        circle = " needs ".join(reversed(error.args[1]))
        raise HelpersError(
            f"chapters need each other in a circle: {circle}; take one of these out of `needs`"
        ) from None
    reading = list(known)
    ready: list[str] = []
    ordered: list[Chapter] = []
    while sorter.is_active():
        ready += sorter.get_ready()
        ready.sort(key=reading.index, reverse=True)
        ordered.append(known[ready[-1]])
        sorter.done(ready.pop())
    return ordered


def _kept(listed: Iterable[Any], names: Collection[str]) -> Iterator[Any]:
    """Of a list of chapters and parts, those in `names`, and pages that are no notebooks."""
    for entry in listed:
        if isinstance(entry, dict):
            if chapters := [name for name in entry.get("chapters") or [] if name in names]:
                yield entry | {"chapters": chapters}
        elif entry in names or not str(entry).endswith(".ipynb"):
            yield entry


def _unmet(chapters: Iterable[Chapter]) -> list[str]:
    """Faults of chapters that are in the book of a study while one they need is not."""
    known = {chapter.stem: chapter for chapter in chapters}
    return [
        f"{chapter.name} is of kind {kind}, but it needs the chapter '{need}', which is not"
        for chapter in known.values()
        for need in chapter.declaration.needs
        for kind in chapter.declaration.kinds
        if kind not in (PUBLISHED, *known[need].declaration.kinds)
    ]


def _config(path: Path) -> dict[str, Any]:
    try:
        config = yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        raise HelpersError(f"{path} does not exist: run this in the book's folder") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise HelpersError(f"{path.name} is not YAML: {error}") from None
    if not isinstance(config, dict) or not isinstance(config.get("book"), dict):
        raise HelpersError(f"{path.name}: expected a mapping with `book:` and its `chapters:`")
    return config


def _misplaced(root: Path, listed: list[str]) -> list[str]:
    """Faults in what is listed: missing, unlisted or ambiguous notebooks."""
    present = {
        str(path.relative_to(root))
        for path in (root / "notebooks").rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    }
    faults = [
        f"_quarto.yml lists {name}, which does not exist{did_you_mean(name, present)}"
        for name in listed
        if not inside(name, root).is_file()
    ]
    faults += [
        f"{name} is not listed in _quarto.yml: add it under a part, or delete it"
        for name in sorted(present - set(listed))
    ]
    stems = [Path(name).stem for name in listed]
    faults += [
        f"_quarto.yml: two pages would be called {stem}.html; rename a notebook or list it once"
        for stem in dict.fromkeys(stems)
        if stems.count(stem) > 1 or stem in RESERVED
    ]
    return faults


def _chapter(root: Path, name: str) -> Chapter:
    try:
        text = (root / name).read_text("utf-8")
        content = json.loads(text)
    except ValueError as error:
        raise HelpersError(f"{name} is not a notebook: {error}") from None
    if not isinstance(content, dict):
        raise HelpersError(f"{name} is not a notebook: expected a mapping, {{…}}, at its top")
    try:
        notebook = Notebook.model_validate(content)
    except ValidationError as error:
        faults = [f"{name}, {_explain(fault)}" for fault in error.errors()]
        raise HelpersError("\n".join(faults)) from None
    for data in notebook.helpers.data:
        rest = re.fullmatch(r"(?:\{study\}(?:$|/))?([^{]*)", data)
        if not rest:
            raise HelpersError(
                f"{name}: data '{data}': only {PLACEHOLDER} may stand in it, at its beginning"
            )
        if "*" in data and rest[1] != data:
            raise HelpersError(
                f"{name}: data '{data}': name the files of a study, or declare all as {PLACEHOLDER}"
            )
        inside(rest[1], root)
    for number, cell in enumerate(content["cells"], 1):
        if cell["cell_type"] == "code":
            cells.options(cell, cells.Place(name, number, root))  # refused now, not after the run
    return Chapter(name, text, notebook.cells, notebook.helpers)


def _explain(fault: Any) -> str:  # noqa: ANN401 (pydantic's error details)
    *path, key = map(str, fault["loc"])
    where = ".".join([*path, key])
    if fault["type"] == "extra_forbidden":
        known = list(Declaration.model_fields)
        near = did_you_mean(key, known) or f"; known are {', '.join(known)}"
        return f"{'.'.join(path)}: unknown key '{key}'{near}"
    if fault["type"] == "missing":
        return f"{where} is missing: this is no notebook that JupyterLab (make lab) saved"
    expected = {"tuple_type": "a list of texts", "string_type": "a text"}.get(
        fault["type"], str(fault.get("ctx", {}).get("expected", fault["msg"]))
    )
    return f"{where}: expected {expected}, found {fault['input']!r}"
