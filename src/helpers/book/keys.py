"""What a chapter's result depends on, and the key made of it.

A chapter is run again when its key changes. The key is a digest over named ingredients; they are
stored beside it, so that a build can say which of them changed.
"""

import ast
import contextlib
import functools
import json
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from helpers.book.chapters import PLACEHOLDER, STUDY, Cell, Chapter
from helpers.book.places import Places
from helpers.errors import HelpersError
from helpers.files import digest, digest_tree
from helpers.paths import inside

LOCK = "requirements.lock"
PACKAGE = "helpers"
R_BRIDGES = {"rpy2", "pymer4"}

ABSENT = "absent"
"""Stands for the digest of a file that a study need not have."""

Values = dict[str, Any]
"""Names of a chapter's parameters and their final values."""

Ingredients = dict[str, str]
"""Names such as `data data/published` and a digest, or a version, of each."""


class Modules:
    """The project's own modules and what each of them imports, read without running them.

    Parameters
    ----------
    source : Path
        The folder that holds the package (`src`).
    """

    def __init__(self, source: Path) -> None:
        self.source = source
        self.paths = {
            ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
            for path in sorted((source / PACKAGE).rglob("*.py"))
        }
        self._imports: dict[str, set[str]] = {}

    def closure(self, imported: Iterable[str]) -> set[str]:
        """All that is imported by importing the given names, directly or through own modules.

        Parameters
        ----------
        imported : iterable of str
            Dotted names as `imports` returns them.

        Returns
        -------
        set of str
            Own modules by dotted name (packages on the way included), and the top-level names of
            everything else.
        """
        found: set[str] = set()
        todo = list(imported)
        while todo:
            name = todo.pop()
            for module in self._modules(name):
                if module not in found:
                    found.add(module)
                    todo += self.imports_of(module)
        return found

    def files(self, modules: Iterable[str]) -> dict[str, Path]:
        """Files of own modules, and what else their packages hold (a schema, a table of words).

        Returns
        -------
        dict
            Dotted module name, or path relative to the source folder, to the file.
        """
        files = {name: self.paths[name] for name in modules if name in self.paths}
        for path in [p for p in files.values() if p.name == "__init__.py"]:
            for beside in path.parent.iterdir():
                if beside.is_file() and beside.suffix != ".py" and beside.name[0] != ".":
                    files[str(beside.relative_to(self.source))] = beside
        return files

    def imports_of(self, module: str) -> set[str]:
        """Names that an own module imports, wherever in it; none for others' modules."""
        if module not in self.paths:
            return set()
        if module not in self._imports:
            path = self.paths[module]
            package = module if path.name == "__init__.py" else module.rpartition(".")[0]
            try:
                tree = ast.parse(path.read_bytes())
            except SyntaxError as error:
                name = path.relative_to(self.source.parent)
                raise HelpersError(f"{name}, line {error.lineno}: {error.msg}") from None
            self._imports[module] = set(imports(tree, package))
        return self._imports[module]

    def _modules(self, name: str) -> Iterator[str]:
        """Own modules run by importing `name` (its packages first), or its top-level name."""
        parts = name.split(".")
        if parts[0] != PACKAGE:
            yield parts[0]
            return
        for length in range(1, len(parts) + 1):
            if (dotted := ".".join(parts[:length])) in self.paths:
                yield dotted
        if parts[-1] == "*":
            within = ".".join(parts[:-1])
            yield from (module for module in self.paths if module.rpartition(".")[0] == within)


def imports(tree: ast.AST, package: str = "") -> Iterator[str]:
    """Dotted names that code imports, inside functions too.

    Parameters
    ----------
    tree : ast.AST
        Parsed code.
    package : str
        The package that relative imports start from.

    Yields
    ------
    str
        For `from a import b` both `a` and `a.b`, since `b` may be a module.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module, names, level):
                base = package.split(".")[: len(package.split(".")) - (level or 0) + 1]
                within = ".".join([*(base if level else []), *([module] if module else [])])
                yield within
                yield from (f"{within}.{alias.name}" for alias in names)
            case ast.Call(
                ast.Attribute(attr="import_module") | ast.Name("import_module"),
                [ast.Constant(str(name)), *_],
            ):
                yield name


def notebook_imports(cells: Iterable[Cell]) -> set[str]:
    """Dotted names that a notebook's code imports, as `imports` gives them."""
    return {
        name for cell in cells if cell.cell_type == "code" for name in imports(_parsed(cell.source))
    }


def ingredients(chapter: Chapter, values: Values, places: Places, modules: Modules) -> Ingredients:
    """Everything that can change what a chapter shows.

    Parameters
    ----------
    chapter : Chapter
        The chapter; the results of the chapters it needs must be there.
    values : dict
        Its parameters' final values.
    places : Places
        Where data, results and the lock file are.
    modules : Modules
        The project's own code.

    Raises
    ------
    HelpersError
        If declared data or the lock file is missing, or R is needed and does not answer.
    """
    declared = chapter.declaration
    closure = modules.closure(notebook_imports(chapter.cells))
    made = {
        "notebook": digest(
            part.encode()
            for cell in chapter.cells
            for part in (cell.cell_type, cell.source, json.dumps(sorted(cell.tags)))
        ),
        "metadata": digest([declared.model_dump_json().encode()]),
        LOCK: _digest(places, LOCK, "it is part of the project: restore it"),
        "Python": platform.python_version(),
    }
    made |= {f"parameter {name}": json.dumps(value) for name, value in values.items()}
    advice = f"{chapter.name} declares it in metadata.helpers.data: restore it or correct that"
    for name in (*declared.data, *_named_by(values, places.root, declared.data)):
        if name.startswith(PLACEHOLDER):
            made |= _of_study(name, values, places)
        else:
            made[f"data {name}"] = _digest(places, name, advice)
    made |= {f"results {need}": digest_tree(places.results(need)) for need in declared.needs}
    made |= {f"module {n}": digest_tree(path) for n, path in modules.files(closure).items()}
    return made | (r_versions() if closure & R_BRIDGES else {})


def digest_study(folder: Path) -> str:
    """Digest of what reading a study can depend on: names of its files, contents of its tables."""
    files = [file for file in sorted(folder.iterdir()) if file.name[0] not in ".~"]
    return digest(
        part
        for file in files
        if file.is_file()
        for part in (
            file.name.encode(),
            file.read_bytes() if file.suffix in {".csv", ".yml"} else b"",
        )
    )


def key(made_of: Mapping[str, str]) -> str:
    """Digest over ingredients, 64 hexadecimal digits, whatever their order."""
    return digest(part.encode() for item in sorted(made_of.items()) for part in item)


def changes(old: Mapping[str, str], new: Mapping[str, str], most: int = 4) -> str:
    """Say in one line which ingredients differ; empty if none does.

    Returns
    -------
    str
        For example `changed: data data/published, parameter seed; new: module helpers.show`.
    """
    groups = {
        "changed": [name for name in new if name in old and old[name] != new[name]],
        "new": [name for name in new if name not in old],
        "gone": [name for name in old if name not in new],
    }
    return "; ".join(
        f"{what}: {', '.join(names[:most])}"
        + (f" and {len(names) - most} more" if len(names) > most else "")
        for what, names in groups.items()
        if names
    )


@functools.cache
def r_versions() -> Ingredients:
    """Versions of R and of every R package installed, asked once per process.

    Raises
    ------
    HelpersError
        If R does not answer.
    """
    script = (
        "p <- installed.packages()[, c('Package', 'Version')];"
        "cat(paste0('R ', getRversion()), paste('R package', p[, 1], p[, 2]), sep = '\\n')"
    )
    try:
        answer = subprocess.run(
            ["Rscript", "--vanilla", "-e", script], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        raise HelpersError(
            "chapters with mixed models need R, and `Rscript` does not answer: install R "
            "(on Debian: apt install r-base-core; elsewhere see renv-free-env.yml)"
        ) from None
    found: Ingredients = {}
    for line in answer.splitlines():
        name, _, version = line.rpartition(" ")
        found.setdefault(name, version)  # the first library on R's path wins
    return found


def _digest(places: Places, name: str, advice: str) -> str:
    if "*" in name:
        files = sorted(file for file in places.root.glob(name) if file.is_file())
        if not files:
            raise HelpersError(f"{name} stands for no file; {advice}")
        return digest(part for file in files for part in (file.name.encode(), file.read_bytes()))
    if not (places.root / name).exists():
        raise HelpersError(f"{name} does not exist; {advice}")
    return digest_tree(places.root / name)


def _of_study(name: str, values: Values, places: Places) -> Ingredients:
    """Digest of a study (`{study}`) or of a file in it, which it need not have."""
    folder = places.root / values[STUDY]
    rest = name.removeprefix(PLACEHOLDER).lstrip("/")
    path = inside(rest, folder)
    told = f"data {name.replace(PLACEHOLDER, values[STUDY])}"
    if not rest:
        return {told: digest_study(folder)}
    return {told: digest_tree(path) if path.exists() else ABSENT}


def _named_by(values: Values, root: Path, declared: Iterable[str]) -> list[str]:
    """Parameters' texts that name a file or folder below the project: data, declared or not.

    Of a study, and of a folder whose files are declared, counts only what is declared, so that a
    change re-runs the chapters that read it.
    """
    told = {os.path.dirname(name) for name in declared}
    texts = [text for name, text in values.items() if isinstance(text, str) and name != STUDY]
    paths = [(text, (root / text).resolve()) for text in texts]
    return [
        text
        for text, path in paths
        if path.exists() and root.resolve() in path.parents and text.rstrip("/") not in told
    ]


def _parsed(source: str) -> ast.AST:
    """Code of a cell, without IPython's own lines if it has any; nothing if it is not Python.

    Such a cell is reported when it is run; its text is in the key in any case.
    """
    plain = re.sub(r"^(\s*)(\w+\s*=\s*)?[%!].*$", r"\1pass", source, flags=re.MULTILINE)
    for code in (source, plain):
        with contextlib.suppress(SyntaxError):
            return ast.parse(code)
    return ast.Module([], [])
