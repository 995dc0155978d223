"""`make report`: run what changed, stage it, render it when that changed anything."""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from helpers.book import execute, keys, render
from helpers.book.chapters import Book
from helpers.book.kernels import Mode
from helpers.book.places import Places
from helpers.book.plan import plan
from helpers.book.progress import tell
from helpers.book.run import bring_up_to_date
from helpers.book.stage import RESULTS, Run, provenance, site_files, stage, with_code
from helpers.errors import HelpersError
from helpers.files import canonical, digest_tree, read_json, write_text
from helpers.paths import ROOT

MARK = ".book.json"
"""In a book's folder: that this project made it, from what, and which files belong to it."""

SOURCES = "notebooks data src tests benchmarks .ci .github .git .venv _build".split()

LITTER = {".DS_Store", ".directory", "Thumbs.db", "desktop.ini"}
"""Files that systems leave in any folder that is looked at."""


def report(
    out: Path | None = None,
    engine: render.Engine = "auto",
    settings: Sequence[str] = (),
    time_limit: float = execute.TIME_LIMIT,
    root: Path = ROOT,
    study: Path | None = None,
    kernels: Mode = "warm",
    pdf_code: bool = False,
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
    kernels : {"warm", "fresh"}
        How kernels are started; see `helpers.book.kernels.Mode`.
    pdf_code : bool
        Whether the PDF shows the code that the pages have folded away.

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
    places = places_of(study, root)
    out = out or places.book
    with turn(places.lock):
        _refuse_foreign(out, places, study)
        chosen = render.choose(engine)
        planned = plan(root, settings, study, places.sound)
        if study and (card := planned.tasks[0].study):
            tell(card.summary)
        runs = bring_up_to_date(planned, places, time_limit, kernels)
        book = with_code(planned.book) if pdf_code else planned.book
        _render(book, runs, places, out, chosen)
    return out


def places_of(study: Path | None, root: Path = ROOT) -> Places:
    """Where the book of a study is built; `places.book` is where it goes unless told otherwise."""
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
            tell("another build is running; this one goes on when that one has ended")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _render(book: Book, runs: list[Run], places: Places, out: Path, engine: render.Engine) -> None:
    commit = provenance(book.root)
    key = keys.key(_pages_ingredients(book, runs, places, commit, engine))
    if _is_whole(out, key):
        tell("nothing has changed")
        return
    tell(f"rendering with {engine}")
    stage(book, runs, places, commit)
    write_text(
        places.rendered, canonical({"out": places.name(out)})
    )  # ours, even if killed before MARK
    render.render(places.stage, out, engine)
    for name in RESULTS:
        shutil.copyfile(places.stage / name, out / name)
    files = {str(p.relative_to(out)): p.stat().st_size for p in out.rglob("*") if p.is_file()}
    write_text(out / MARK, canonical({"key": key, "files": files}))


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
    mark = read_json(out / MARK)
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
    if around := _book_around(out, places):
        raise HelpersError(
            f"the book cannot go to {name}: the book in {places.name(around)} is there, and the "
            "next build of that one would delete it; give a folder outside"
        )
    if places.root.is_relative_to(out):
        raise HelpersError(f"the book cannot go to {name}: the project lies in it")
    if study and study.resolve().is_relative_to(out.resolve()):
        raise HelpersError(f"the book cannot go to {name}: the study lies in it")
    if out.exists() and not out.is_dir():
        raise HelpersError(f"the book cannot go to {name}: that is a file; give a folder")
    if out.is_mount():  # which nothing can be swapped with
        raise HelpersError(
            f"the book cannot go to {name}: a file system is mounted there; give a folder in it"
        )
    ours = (out / MARK).exists() or (read_json(places.rendered) or {}).get("out") == name
    if out.is_dir() and any(out.iterdir()) and not ours:
        raise HelpersError(
            f"the book cannot go to {name}: the folder holds files that this project did not make; "
            "give a new folder, or empty that one"
        )
    if within := [mark.parent for mark in out.rglob(MARK) if mark.parent != out]:
        raise HelpersError(
            f"the book cannot go to {name}: there is a book in {places.name(within[0])}, which it "
            "would delete; give another folder"
        )
    if left := _foreign_files(out):
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        raise HelpersError(
            f"the book cannot go to {name}: it holds {left[0]}{more}, which is not of the book and "
            "would be lost; move it elsewhere, or delete it"
        )
    above = next(parent for parent in out.parents if parent.exists())
    for folder in (above, out):  # a folder that may not be written to cannot be swapped either
        if folder.exists() and not os.access(folder, os.W_OK):
            told = places.name(folder)
            raise HelpersError(f"the book cannot go to {name}: {told} cannot be written to")


def _book_around(out: Path, places: Places) -> Path | None:
    """The folder of another book that `out` lies in, whether that one is built already or not."""
    around = (p for p in out.parents if places.is_usual(p) or (p / MARK).exists())
    return next(around, None)


def _foreign_files(out: Path) -> list[str]:
    """Files in a book's folder that no build has put there; none if that cannot be known."""
    mark = read_json(out / MARK)
    if mark is None:
        return []
    found = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    return sorted(
        name for name in found - mark["files"].keys() - {MARK} if Path(name).name not in LITTER
    )
