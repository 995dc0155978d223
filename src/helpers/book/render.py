"""Turn a staged book into a site and a PDF, and put it in place whole.

Two engines read the same staged folder. `quarto` is used when it is installed; `pandoc`, with
typst for the PDF, comes with the project and always works. Whichever it is, the result is
rendered beside its place and checked there; only a book without faults replaces the old one.
"""

import ctypes
import errno
import fcntl
import glob
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import pypandoc
import typst

from helpers.book import cells, links, sources
from helpers.errors import HelpersError

Engine = Literal["auto", "quarto", "pandoc"]

ASSETS = Path(__file__).parent / "assets"
SOURCES = {".qmd", ".ipynb", ".yml", ".bib"}
IMAGES = {".png", ".jpg", ".jpeg", ".svg", ".gif", ".webp"}
# What Quarto prints, without failing, when a reference leads nowhere.
UNRESOLVED = re.compile(r"Unable to resolve .*|.*[Cc]iteproc: citation .* not found.*")


def render(stage: Path, out: Path, engine: Engine = "auto") -> None:
    """Render a staged book to `out`: the pages, and `book.pdf` beside them.

    Parameters
    ----------
    stage : Path
        Folder with `_quarto.yml`, its chapters (notebooks already executed) and `references.bib`.
        It is only read.
    out : Path
        Folder of the finished book. An older book there stays until the new one is complete and
        free of faults, also when this process is killed.
    engine : {"auto", "quarto", "pandoc"}
        See `choose`.

    Raises
    ------
    HelpersError
        Naming chapter and reference, page and target, or notebook and cell of every fault found.
    """
    chosen = choose(engine)
    try:
        with _workplace(out) as work:
            book = work / "book"
            (_quarto if chosen == "quarto" else _pandoc)(stage, book, work)
            _refuse("the rendered book has faults", links.check(book))
            _swap(book, out)
    except OSError as error:
        told = error.strerror or error
        raise HelpersError(f"the book cannot be written to {out}: {told}") from error


def choose(engine: Engine) -> Literal["quarto", "pandoc"]:
    """Return the engine to use: `auto` means quarto when it is on PATH, else pandoc.

    Raises
    ------
    HelpersError
        If quarto is asked for by name and not installed, or the name is unknown.
    """
    found = shutil.which("quarto")
    if engine == "pandoc" or (engine == "auto" and not found):
        return "pandoc"
    if engine not in {"auto", "quarto"}:
        raise HelpersError(f"engine {engine}: expected auto, quarto or pandoc")
    if not found:
        raise HelpersError("engine quarto: no quarto on PATH; install it, or use engine pandoc")
    return "quarto"


def inputs() -> list[Path]:
    """Return the renderer's own files, all of which belong in the key of a rendered book."""
    modules = [Path(module.__file__ or "") for module in (cells, links, sources)]
    return sorted([*ASSETS.iterdir(), *modules, Path(__file__)])


def _pandoc(stage: Path, book: Path, work: Path) -> None:
    """Render with pandoc and typst, the site and the PDF side by side."""
    paper = work / "paper"
    book.mkdir()
    paper.mkdir()
    with ThreadPoolExecutor(max_workers=2) as pool:
        site = pool.submit(_write, stage, book, "html")
        document = pool.submit(_write_pdf, stage, paper)
        site.result()
        _bring_along(stage, book)
        # The pages name a fault better than typst does, so theirs are told first.
        (book / "book.pdf").touch()
        _refuse("the rendered book has faults", links.check(book))
        document.result()
    os.replace(paper / "book.pdf", book / "book.pdf")


def _write(stage: Path, out: Path, target: cells.Target) -> None:
    """Read the book for one target and let the Lua half write it to `out`."""
    book = sources.read(stage, out / "figures", target)
    run = subprocess.run(
        [pypandoc.get_pandoc_path(), "lua", ASSETS / "book.lua", out],
        input=book.as_json(),
        cwd=stage,
        capture_output=True,
        encoding="utf-8",
    )
    if run.returncode:
        if (full := os.strerror(errno.ENOSPC)) in run.stderr:
            raise OSError(errno.ENOSPC, full)
        raise HelpersError(f"pandoc failed on the book: {run.stderr.strip()}")
    _refuse("the book cannot be rendered", run.stdout.splitlines())


def _write_pdf(stage: Path, paper: Path) -> None:
    _write(stage, paper, "typst")
    for image in stage.rglob("*"):
        if image.suffix in IMAGES:
            _copy(image, paper / image.relative_to(stage))
    try:
        pdf, warnings = typst.compile_with_warnings(
            paper / "book.typ", root=paper, ignore_system_fonts=True
        )
    except typst.TypstError as error:
        where = _at(getattr(error, "diagnostic", ""), paper / "book.typ")
        raise HelpersError(f"{where}the PDF cannot be set: {error}") from None
    _refuse("the PDF has faults", [str(warning) for warning in warnings])
    (paper / "book.pdf").write_bytes(pdf)


def _at(diagnostic: str, source: Path) -> str:
    """Chapter and line of an error of typst, "a-01.ipynb, at `#foo`: "; empty if unknown."""
    found = re.search(r"┌─ .*book\.typ:(\d+):", diagnostic)
    if not found:
        return ""
    lines = source.read_text("utf-8").splitlines()[: int(found[1])]
    files = [line[3:] for line in lines if re.fullmatch(r"// \S+\.(ipynb|qmd|md)", line)]
    return f"{files[-1]}, at `{lines[-1].strip()[:80]}`: " if files else ""


def _bring_along(stage: Path, book: Path) -> None:
    """Copy the files of the stage that pages show or link to, as Quarto does."""
    for name, page in links.pages(book).items():
        for _, path, _ in links.local(page.links, name):
            source = stage / path
            wanted = not path.startswith("..") and source.suffix not in SOURCES
            if wanted and source.is_file() and not (book / path).exists():
                _copy(source, book / path)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _quarto(stage: Path, book: Path, work: Path) -> None:
    """Render with Quarto, in a copy: it leaves files of its own beside the sources."""
    copy = work / "stage"
    shutil.copytree(stage, copy)
    run = subprocess.run(
        ["quarto", "render", copy],
        cwd=copy,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    if run.returncode:
        last = "\n".join(run.stdout.strip().splitlines()[-15:])
        raise HelpersError(f"quarto render ended with status {run.returncode}:\n{last}")
    _refuse("quarto left references unresolved", UNRESOLVED.findall(run.stdout))
    project = sources.settings(copy).get("project") or {}
    rendered = copy / project.get("output-dir", "_book")
    if not rendered.is_dir():
        raise HelpersError(f"quarto render left no folder {rendered.name}")
    os.replace(rendered, book)


def _refuse(heading: str, faults: Sequence[str]) -> None:
    """Raise one error that tells all faults, if there are any."""
    if faults:
        told = [faults[0]] if len(faults) == 1 else [f"{heading}:", *faults]
        raise HelpersError("\n  ".join(told))


@contextmanager
def _workplace(out: Path) -> Iterator[Path]:
    """Give a folder beside `out` that is gone afterwards, and clear away those of killed runs.

    A run holds a lock on its folder for as long as it lives, so one that can be locked is a
    leftover.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    for leftover in out.parent.glob(f".{glob.escape(out.name)}.*.tmp"):
        with suppress(OSError), _locked(leftover):
            _clear(leftover, out)
    work = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".tmp", dir=out.parent))
    with _locked(work):
        try:
            yield work
        finally:
            _clear(work, out)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _clear(work: Path, out: Path) -> None:
    """Remove a work folder, saving an old book that a kill in `_swap` left in it."""
    if (work / "old").exists() and not out.exists():
        os.replace(work / "old", out)
    shutil.rmtree(work, ignore_errors=True)


def _swap(book: Path, out: Path) -> None:
    """Put a complete book in the place of the old one, which ends up in the work folder."""
    if not out.exists():
        os.replace(book, out)
    elif not _exchange(book, out):
        os.replace(out, book.with_name("old"))
        os.replace(book, out)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, if the system can (Linux, most file systems)."""
    at_cwd, exchange = -100, 2
    try:
        rename = ctypes.CDLL(None).renameat2
    except AttributeError:
        return False
    status: int = rename(at_cwd, os.fsencode(one), at_cwd, os.fsencode(other), exchange)
    return status == 0
