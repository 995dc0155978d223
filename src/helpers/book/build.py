"""`make report`: run what changed, stage it, render it when that changed anything."""

import fcntl
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tqdm import tqdm

from helpers.book import chapters, execute, keys, parameters, render
from helpers.book.chapters import Book, Chapter
from helpers.book.places import Places
from helpers.book.plan import Plan, Task, plan
from helpers.book.stage import Run, provenance, recorded, site_files, stage
from helpers.errors import HelpersError
from helpers.files import digest, digest_tree, write_text
from helpers.paths import ROOT

MARK = ".book.json"
"""In a book's folder: that this project made it, from what, and which files belong to it."""

SOURCES = "notebooks data src tests benchmarks .ci .git .venv _build".split()


def report(
    out: Path | None = None,
    engine: render.Engine = "auto",
    settings: Sequence[str] = (),
    time_limit: float = execute.TIME_LIMIT,
    root: Path = ROOT,
    study: Path | None = None,
) -> Path:
    """Build the book; run only chapters, and render only pages, whose inputs changed.

    Parameters
    ----------
    out : Path, optional
        The folder of the book; made, or replaced if it is a book of this project. If not given,
        `_book`, or `_book-` and the name of the study's folder.
    engine : {"auto", "quarto", "pandoc"}
        What renders it.
    settings : sequence of str
        Parameters of chapters, such as `"resamples=500 seed=1"`.
    time_limit : float
        Seconds that one chapter may take.
    root : Path
        The project.
    study : Path, optional
        The folder of a study, wherever it is: the book is then about this study alone.

    Returns
    -------
    Path
        The book's folder.

    Raises
    ------
    HelpersError
        If anything is wrong with the study, the sources, the settings, a chapter, the pages or
        `out`. The book that was there before is then still there, whole.
    """
    places = _places(study, root)
    out = out or places.book
    with turn(places.lock):
        _refuse_foreign(out, places, study)
        chosen = render.choose(engine)
        planned = plan(root, settings, study, places.sound)
        if study and (card := planned.tasks[0].study):
            _tell(card.summary)
        runs = bring_up_to_date(planned, places, time_limit)
        _render(planned.book, runs, places, out, chosen)
    return out


def _places(study: Path | None, root: Path) -> Places:
    if study is None:
        return Places(root)
    with turn(root / "_build" / "lock"):  # two studies of one name must not both take it
        return Places.claim(root, study)


@contextmanager
def turn(lock: Path) -> Iterator[None]:
    """Wait until no other build holds `lock`, then hold it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _tell("another build is running; this one goes on when that one has ended")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def bring_up_to_date(planned: Plan, places: Places, time_limit: float) -> list[Run]:
    """Run the chapters whose keys changed, each after those it needs.

    Returns
    -------
    list of Run
        One for each chapter, in reading order.
    """
    tasks = {task.chapter.stem: task for task in planned.tasks}
    modules = keys.Modules(planned.book.root / "src")
    runs: dict[str, Run] = {}
    order = chapters.in_order(planned.book.chapters)
    with tqdm(order, unit="chapter", leave=False, disable=None) as bar:
        for chapter in bar:
            bar.set_description(chapter.stem)
            task = tasks[chapter.stem]
            if task.lacks:
                runs[chapter.stem] = _left_out(task, places)
                continue
            made_of = keys.ingredients(chapter, task.values, places, modules)
            if why := stale(chapter, made_of, places):
                _tell(f"{chapter.stem} runs: {why}")
                changed = parameters.changed(task.parameters, task.values)
                results = execute.run(chapter, changed, places, time_limit)
                _keep(chapter, made_of, results, places)
            results = json.loads(places.results(chapter.stem).read_text("utf-8"))
            runs[chapter.stem] = Run(task, made_of, results)
    return [runs[chapter.stem] for chapter in planned.book.chapters]


def _left_out(task: Task, places: Places) -> Run:
    """Record that a chapter has no results, since its study lacks what it needs."""
    stem = task.chapter.stem
    results: dict[str, Any] = {"entries": []}
    places.key(stem).unlink(missing_ok=True)  # of results that are gone
    write_text(places.results(stem), _canonical(results))
    return Run(task, {"notebook": digest([task.chapter.text.encode()])}, results)


def stale(chapter: Chapter, made_of: keys.Ingredients, places: Places) -> str:
    """Say why a chapter must be run; empty if what is there was made of the same ingredients."""
    stored = _read(places.key(chapter.stem))
    made = (places.executed(chapter.stem), places.results(chapter.stem))
    if not stored or not all(path.exists() for path in made):
        return "there is no run of it"
    return keys.changes(stored["ingredients"], made_of)


def _keep(
    chapter: Chapter, made_of: keys.Ingredients, results: Mapping[str, Any], places: Places
) -> None:
    """Put a run in its place; at no moment does a key stand beside what it was not made of."""
    stem = chapter.stem
    places.key(stem).unlink(missing_ok=True)
    places.failed(stem).unlink(missing_ok=True)
    places.executed(stem).parent.mkdir(exist_ok=True)
    places.running(stem).replace(places.executed(stem))
    write_text(places.results(stem), _canonical(results))
    write_text(places.key(stem), _canonical({"key": keys.key(made_of), "ingredients": made_of}))


def _render(book: Book, runs: list[Run], places: Places, out: Path, engine: render.Engine) -> None:
    commit = provenance(book.root)
    key = keys.key(_pages_ingredients(book, runs, places, commit, engine))
    if _is_whole(out, key):
        _tell("nothing has changed")
        return
    _tell(f"rendering with {engine}")
    stage(book, runs, places, commit)
    write_text(
        places.rendered, _canonical({"out": places.name(out)})
    )  # ours, even if killed before MARK
    render.render(places.stage, out, engine)
    merged = {run.chapter.stem: {"key": keys.key(run.made_of), **recorded(run)} for run in runs}
    write_text(out / "results.json", _canonical({"chapters": merged}))
    files = {str(p.relative_to(out)): p.stat().st_size for p in out.rglob("*") if p.is_file()}
    write_text(out / MARK, _canonical({"key": key, "files": files}))


def _pages_ingredients(
    book: Book, runs: list[Run], places: Places, commit: str, engine: str
) -> keys.Ingredients:
    """Everything that can change the rendered pages."""
    own = keys.Modules(ROOT / "src")
    code = own.files(own.closure(["helpers.book.stage"]))
    inputs = {str(path.relative_to(ROOT)): path for path in render.inputs()}
    made = {"engine": engine, "commit": commit, "config": json.dumps(book.config, default=str)}
    made |= {f"site {name}": digest_tree(book.root / name) for name in site_files(book)}
    made |= {f"code {name}": digest_tree(path) for name, path in (code | inputs).items()}
    for run in runs:
        stem = run.chapter.stem
        made[f"chapter {stem}"] = keys.key(run.made_of)
        if study := run.task.study:
            made[f"study of {stem}"] = json.dumps([asdict(study), run.task.lacks])
        if not run.task.lacks:
            made[f"executed {stem}"] = digest_tree(places.executed(stem))
    return made | {keys.LOCK: digest_tree(book.root / keys.LOCK)}


def _is_whole(out: Path, key: str) -> bool:
    """Tell whether `out` is the book with this key, none of its files missing or altered in size.

    Contents are not read: that would take longer than anything else when nothing has changed.
    """
    mark = _read(out / MARK)
    if mark is None or mark["key"] != key:
        return False
    files = {out / name: size for name, size in mark["files"].items()}
    return all(path.is_file() and path.stat().st_size == size for path, size in files.items())


def _refuse_foreign(out: Path, places: Places, study: Path | None) -> None:
    """Raise unless `out` may be replaced by a book.

    Raises
    ------
    HelpersError
        If it holds anything but a book of this project, or lies among the sources.
    """
    name = places.name(out)
    if out.is_relative_to(places.root):
        first = out.relative_to(places.root).parts[:1]
        if not first or first[0] in SOURCES:
            raise HelpersError(f"the book cannot go to {name}: that is where its sources are")
    if places.root.is_relative_to(out):
        raise HelpersError(f"the book cannot go to {name}: the project lies in it")
    if study and study.resolve().is_relative_to(out.resolve()):
        raise HelpersError(f"the book cannot go to {name}: the study lies in it")
    if out.exists() and not out.is_dir():
        raise HelpersError(f"the book cannot go to {name}: that is a file; give a folder")
    ours = (out / MARK).exists() or (_read(places.rendered) or {}).get("out") == name
    if out.is_dir() and any(out.iterdir()) and not ours:
        raise HelpersError(
            f"the book cannot go to {name}: the folder holds files that this project did not make; "
            "give a new folder, or empty that one"
        )
    above = next(parent for parent in out.parents if parent.exists())
    if not os.access(above, os.W_OK):
        raise HelpersError(f"the book cannot go to {name}: {above} cannot be written to")


def _read(path: Path) -> dict[str, Any] | None:
    """JSON of a file that a build wrote; None if it is missing or damaged."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _canonical(content: object) -> str:
    """The one way to write something as JSON, so that the same content has the same digest."""
    return json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _tell(line: str) -> None:
    """Print a line without tearing the progress bar apart."""
    tqdm.write(line, file=sys.stderr)
