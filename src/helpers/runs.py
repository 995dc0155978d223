"""Many simulated studies, side by side and never twice: what `make evidence` and `make power` do.

Each study is a task, a few names and numbers that say all about it. Its result is kept in a file
named after a digest of the task and of the code that made it, written as soon as it is there; so a
run that was killed goes on where it ended, and a change of the code begins anew. Workers write
nothing, so that they may be on other machines.
"""

import ast
import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from helpers.errors import HelpersError
from helpers.files import canonical, digest, read_json, write_text
from helpers.paths import ROOT

Task = Mapping[str, Any]
"""What JSON can say: it is the name of a result."""

Result = dict[str, Any]
"""What JSON can say, likewise."""

DIGITS = 10  # significant; what follows may differ from machine to machine


def source_digest(modules: Iterable[str], source: Path = ROOT / "src") -> str:
    """Digest of code by what it does: comments, docstrings and line breaks do not count.

    Parameters
    ----------
    modules : iterable of str
        Dotted names of modules, and of packages for all modules in them.
    source : Path
        The folder that holds them.

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    HelpersError
        If there is no such module.
    """
    files: set[Path] = set()
    for name in modules:
        path = source / name.replace(".", "/")
        own = set(path.rglob("*.py")) if path.is_dir() else {path.with_suffix(".py")}
        if not own or not all(file.is_file() for file in own):
            raise HelpersError(f"{name}: no such module below {source}")
        files |= own
    parts = (part for file in sorted(files) for part in (file.stem, _code(file)))
    return digest(part.encode() for part in parts)[:16]


def _code(path: Path) -> str:
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return ast.dump(tree)


def as_csv(table: pl.DataFrame) -> str:
    """A table as it is committed."""
    return table.with_columns(pl.col(pl.Float64).round_sig_figs(DIGITS)).write_csv()


def run(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    sources: str,
    folder: Path,
    title: str,
    workers: int = 2,
    scheduler: str = "",
) -> list[Result]:
    """Do all tasks, those with a kept result excepted.

    Parameters
    ----------
    work : callable
        From a task to its result; it must be importable by workers.
    tasks : sequence of mapping
        What to do.
    sources : str
        Digest of the code that `work` rests on, see `source_digest`.
    folder : Path
        Where results are kept.
    title : str
        What the progress bar says.
    workers : int
        Processes; 1 runs everything here.
    scheduler : str
        Address of a Dask scheduler whose workers take the place of processes here.

    Returns
    -------
    list of dict
        Results in the order of the tasks.

    Raises
    ------
    HelpersError
        If a scheduler is given and Dask is not installed, or does not answer.
    """
    files = [folder / f"{_name(task, sources)}.json" for task in tasks]
    known = {file: result for file in files if (result := read_json(file)) is not None}
    todo = {file: task for file, task in zip(files, tasks, strict=True) if file not in known}
    begun = len(files) - len(todo)
    with tqdm(
        total=len(files), initial=begun, desc=title, unit="study", disable=None
    ) as bar:  # None: only where there is a terminal
        for name, result in _done(work, todo, workers, scheduler):
            file = folder / name
            write_text(file, canonical(result))
            known[file] = result
            bar.update()
    return [known[file] for file in files]


def _name(task: Task, sources: str) -> str:
    return hashlib.sha256((canonical(task) + sources).encode()).hexdigest()[:24]


def _done(
    work: Callable[[Task], Result], todo: Mapping[Path, Task], workers: int, scheduler: str
) -> Iterator[tuple[str, Result]]:
    """Names of files and results, in the order in which they come."""
    if not todo:
        return
    with _backend(scheduler):
        own = None if scheduler else workers
        pool = Parallel(n_jobs=own, return_as="generator_unordered", batch_size=1)
        yield from pool(delayed(_named)(work, file.name, task) for file, task in todo.items())


def _named(work: Callable[[Task], Result], name: str, task: Task) -> tuple[str, Result]:
    return name, work(task)


@contextlib.contextmanager
def _backend(scheduler: str) -> Iterator[None]:
    """Let joblib send its calls to a Dask cluster, if there is one."""
    if not scheduler:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise HelpersError(
            "SCHEDULER needs Dask, which is not installed: .venv/bin/python -m pip install "
            "'dask[distributed]', the same version as on the cluster, whose workers need this "
            "project installed too"
        ) from None
    try:
        client = Client(scheduler, timeout="20s")
    except (OSError, ValueError) as error:
        raise HelpersError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with client, parallel_config(backend="dask"):
        yield
