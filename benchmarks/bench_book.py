"""The book's chapters here and by papermill's command line, one by one; rebuilds; memory.

All runs are of a copy of the project, with compiled code and lists of fonts in place. Rendering is
left out where papermill, which does not render, is the peer. Seconds are those of a clock, and
mean something only on a machine that has nothing else to do; processor seconds mean something
on any.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.comparison import Comparison
from helpers.book import chapters
from helpers.book.kernels import Kernels
from helpers.book.places import Places
from helpers.paths import ROOT

SOURCES = "notebooks data src _quarto.yml index.qmd references.bib requirements.lock".split()

CHAPTERS = """
import sys
from pathlib import Path
from helpers.book.places import Places
from helpers.book.plan import plan
from helpers.book.run import bring_up_to_date
root = Path(sys.argv[1])
bring_up_to_date(plan(root), Places(root), 3600, sys.argv[2])
"""
"""What `make report` does up to the rendering."""

REPORT = [sys.executable, "-m", "helpers", "report", "--engine=pandoc"]


@dataclass
class Spent:
    """Seconds by the clock and of all processors, and the most memory held at a time, in MB."""

    seconds: float
    processor: float
    memory: float


def bench() -> Iterator[Comparison]:
    """Measure, from the slowest part to the quickest."""
    with tempfile.TemporaryDirectory(prefix="bench-book-") as folder:
        root = _copy(Path(folder) / "book")
        names = [chapter.name for chapter in chapters.in_order(chapters.load(root).chapters)]
        warm = _chapters(root, "warm")  # not yet timed: it fills caches
        peer = _papermill(root, names)
        fresh, warm = _chapters(root, "fresh"), _chapters(root, "warm")
        whole = f"chapters of the book ({len(names)})"
        yield _compared(
            f"{whole}, kernels forked", warm, "papermill, one by one", peer, "3 times as fast"
        )
        yield _compared(
            f"{whole}, kernels started anew", fresh, "the same", peer, "1.6 times as fast"
        )
        for made, how in ((warm, "forked"), (fresh, "started anew")):
            yield Comparison(
                f"the same in processor seconds, {how}", made.processor, "", peer.processor
            )
        yield Comparison("the most memory, forked", warm.memory, "", peer.memory, "MB")
        yield Comparison("the most memory, started anew", fresh.memory, "", peer.memory, "MB")
        yield Comparison("rendering all, nothing to run", _report(root).seconds)
        _change(root / names[0])
        one = _chapters(root, "warm", keep=True)
        yield _compared("one chapter changed", one, "papermill on it", _papermill(root, names[:1]))
        yield Comparison("the pages after that", _report(root).seconds)
        again = min(_report(root).seconds for _ in range(3))
        yield Comparison("rebuild, nothing changed", again, aim="at most 1.5 s")


def _compared(what: str, here: Spent, peer: str, there: Spent, aim: str = "") -> Comparison:
    return Comparison(what, here.seconds, peer, there.seconds, aim=aim)


def _copy(root: Path) -> Path:
    root.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, root / name)
    return root


def _chapters(root: Path, mode: str, keep: bool = False) -> Spent:
    """Run the chapters as `make report` does; all of them unless earlier runs are kept."""
    if not keep:
        shutil.rmtree(Places(root).build, ignore_errors=True)
    return _measured([[sys.executable, "-c", CHAPTERS, str(root), mode]], root)


def _papermill(root: Path, names: Sequence[str]) -> Spent:
    """Run chapters by papermill's command line, with what else makes them equal to ours."""
    out = root / "_build" / "papermill"
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", "--kernel", "python3"]
    into = ["--cwd", str(root / "notebooks")]
    runs = [[*command, str(root / name), str(out / Path(name).name), *into] for name in names]
    return _measured(runs, root)


def _report(root: Path) -> Spent:
    return _measured([REPORT], root)


def _change(notebook: Path) -> None:
    content = json.loads(notebook.read_text("utf-8"))
    code = next(cell for cell in content["cells"] if cell["cell_type"] == "code")
    code["source"] = [*code["source"], "\n# changed"]
    notebook.write_text(json.dumps(content), "utf-8")


def _measured(commands: Sequence[Sequence[str]], root: Path) -> Spent:
    """Run commands one after another, watching them and all that they start."""
    ended = threading.Event()
    memory = [0.0]
    watch = threading.Thread(target=_watch_memory, args=(ended, memory))
    watch.start()
    begin, before = time.perf_counter(), _children_seconds()
    try:
        for command in commands:
            done = subprocess.run(
                command, cwd=root, env=_environment(root), capture_output=True, text=True
            )
            if done.returncode:
                raise RuntimeError(done.stderr.strip().splitlines()[-1])
        seconds, processor = time.perf_counter() - begin, _children_seconds() - before
    finally:
        ended.set()
        watch.join()
    return Spent(seconds, processor, memory[0])


def _children_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _environment(root: Path) -> Mapping[str, str]:
    """What chapters find in their environment, the same for all that run them."""
    own = Kernels(Places(root)).environment(root / "_build" / "cache")
    return os.environ | own | {"JUPYTER_PREFER_ENV_PATH": "1"}


def _watch_memory(ended: threading.Event, most: list[float]) -> None:
    """Note the most memory of this process's descendants; what they share counts once."""
    while not ended.wait(0.5):
        held = 0
        for process in psutil.Process().children(recursive=True):
            try:
                held += process.memory_full_info().pss
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        most[0] = max(most[0], held / 1e6)
