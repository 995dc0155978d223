"""The book as its sources declare it: `_quarto.yml`, the notebooks it lists, what each needs."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import nbformat
import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from helpers.book import cells
from helpers.errors import HelpersError, did_you_mean
from helpers.paths import inside

RESERVED = {"index", "book", "results", "search"}
"""Names that pages and files of the rendered book already have."""


class Declaration(BaseModel):
    """A notebook's `metadata.helpers`: what the chapter is for and what it depends on.

    Attributes
    ----------
    kinds : tuple of str
        The kinds of study the chapter belongs to.
    data : tuple of str
        Files and folders it reads, relative to the project.
    needs : tuple of str
        Chapters (notebook names without `.ipynb`) whose results it reads.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kinds: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Chapter:
    """One notebook of the book.

    Parameters
    ----------
    name : str
        The notebook's path relative to the project, as `_quarto.yml` lists it.
    notebook : nbformat.NotebookNode
        Its content when the build began: what is hashed is what is run.
    declaration : Declaration
        Its `metadata.helpers`.
    """

    name: str
    notebook: Any
    declaration: Declaration

    @property
    def stem(self) -> str:
        """The name of its page and of the files a build keeps for it."""
        return Path(self.name).stem


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
    return Book(root, config, tuple(chapters))


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


def tags(cell: Any) -> list[str]:  # noqa: ANN401 (nbformat's nodes are untyped)
    """Return a cell's tags."""
    return list(cell.metadata.get("tags", []))


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
    notebook = _notebook(root / name, name)
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    if kernel != "python3":
        raise HelpersError(
            f"{name}: expected the kernel 'python3', found {kernel!r}; "
            "choose it in JupyterLab (make lab) and save"
        )
    declaration = _declaration(name, notebook.metadata.get("helpers", {}))
    for data in declaration.data:
        inside(data, root)
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code":
            cells.options(cell, cells.Place(name, number, root))  # refused now, not after the run
    return Chapter(name, notebook, declaration)


def _notebook(path: Path, name: str) -> Any:  # noqa: ANN401
    invalid: dict[str, Any] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", nbformat.warnings.MissingIDFieldWarning)
            notebook = nbformat.read(path, as_version=4, capture_validation_error=invalid)
    except (nbformat.ValidationError, nbformat.reader.NotJSONError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise HelpersError(f"{name} is not a notebook: {reason[:200]}") from None
    except (AttributeError, KeyError, TypeError):
        raise HelpersError(f"{name} is not a notebook: it lacks what every notebook has") from None
    if invalid:
        reason = str(invalid["ValidationError"]).splitlines()[0]
        raise HelpersError(f"{name} is not a valid notebook: {reason}")
    return notebook


def _declaration(name: str, metadata: object) -> Declaration:
    try:
        return Declaration.model_validate(metadata)
    except ValidationError as error:
        raise HelpersError(
            "\n".join(f"{name}, metadata.helpers: {_explain(fault)}" for fault in error.errors())
        ) from None


def _explain(fault: Any) -> str:  # noqa: ANN401 (pydantic's error details)
    key = ".".join(map(str, fault["loc"]))
    if fault["type"] == "extra_forbidden":
        known = list(Declaration.model_fields)
        near = did_you_mean(key, known) or f"; known are {', '.join(known)}"
        return f"unknown key '{key}'{near}"
    expected = "a text" if fault["type"] == "string_type" else "a list of texts"
    return f"{key or 'value'}: expected {expected}, found {fault['input']!r}"
