"""Run one chapter from its source, and say in one line why it failed if it did."""

import re
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helpers.book import cells
from helpers.book.chapters import Chapter
from helpers.book.kernels import Kernels, Stopped
from helpers.book.keys import Values
from helpers.book.places import Places
from helpers.errors import HelpersError, in_words
from helpers.files import write_text
from helpers.results import MIME

TIME_LIMIT = 3600.0
"""Seconds that a chapter may take unless the build says otherwise."""

START_LIMIT = 600
"""Seconds in which a kernel must answer, on a machine however busy."""

_R_ERROR = re.compile(r"^(?:R\b[^:\n]*: ?)?(Error(?:: | in ).*(?:\n[ \t]+.*)?)", re.MULTILINE)
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(.*)")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class CellError(Exception):
    """What is wrong with a cell, in a few words."""


def run(
    chapter: Chapter, values: Values, places: Places, time_limit: float, kernels: Kernels
) -> dict[str, Any]:
    """Run a chapter into `places.running`; its source is never written to.

    Parameters
    ----------
    chapter : Chapter
        What to run.
    values : dict
        Parameters to inject: those that differ from the notebook's own.
    places : Places
        Where to put the executed notebook.
    time_limit : float
        Seconds the whole chapter may take.
    kernels : Kernels
        Where to get a kernel.

    Returns
    -------
    dict
        The chapter's results, `{"entries": [...]}`; no entries if it shows none.

    Raises
    ------
    HelpersError
        If a cell fails, or shows an error, or a figure or table cell shows nothing, or the kernel
        dies, or time is up, or results are not as they should be. The notebook as far as it came
        is kept.
    Stopped
        If the build has ended meanwhile.
    """
    running = places.running(chapter.stem)
    running.parent.mkdir(parents=True, exist_ok=True)
    watch = _Watch(time_limit)
    scratch = kernels.scratch()
    try:
        _papermill(chapter, values, places, watch, _manager(kernels, places, scratch))
    except Exception as error:
        if kernels.stopped:
            raise Stopped from error
        cause = _cause(error, watch, time_limit) + _last_words(scratch / "log", error)
        raise HelpersError(_failure(chapter, values, places, watch.cell, cause)) from error
    return results(running, chapter.name)


class _Watch:
    """Follows a running notebook: which cell it is in, whether that cell came out well."""

    def __init__(self, time_limit: float) -> None:
        self.cell: int | None = None
        self._end = time.monotonic() + time_limit

    def remaining(self, _cell: object) -> int:
        return max(1, round(self._end - time.monotonic()))

    def started(self, cell: object, cell_index: int) -> None:
        self.cell = cell_index

    def executed(self, cell: Any, cell_index: int, execute_reply: Any) -> None:  # noqa: ANN401
        if fault := fault_of(cell):
            raise CellError(fault)
        reply = execute_reply["content"]
        if reply["status"] == "error":
            raise CellError(f"{reply['ename']}: {reply['evalue']}")
        if any(payload["source"] == "ask_exit" for payload in reply.get("payload", [])):
            raise CellError("the cell ends the notebook: later cells would not run")


def fault_of(cell: Any) -> str:  # noqa: ANN401
    """Say what is wrong with an executed cell; empty if all is well.

    Not every fault stops a kernel: an error while a value is shown, one that only R or a thread
    printed, or a cell labelled as a figure or table that shows none would stand in the page while
    the build says success.
    """
    printed = {"stdout": "", "stderr": ""}
    shown: list[Any] = []
    for output in cell.outputs:
        if output.output_type == "error":
            return f"{output.ename}: {output.evalue}"
        if output.output_type == "stream":
            printed[output.name] += output.text
        else:
            shown.append(output)
    for text in printed.values():
        if found := _TRACEBACK.search(text):
            return f"printed an error: {found[1]}"
    if found := _R_ERROR.search(printed["stderr"]):
        return f"R printed an error: {found[1]}"
    return _nothing_to_show(cell, shown, printed["stdout"])


def _nothing_to_show(cell: Any, shown: list[Any], printed: str) -> str:  # noqa: ANN401
    option, _ = cells.options(cell, cells.Place("", 0, Path()))
    label = str(option.get("label", ""))
    kind = {"fig": "figure", "tbl": "table"}.get(label.partition("-")[0])
    as_is = option.get("output") == "asis" and _holds(kind, printed)
    if not kind or as_is or any(_is_kind(kind, output) for output in shown):
        return ""
    return f"labelled {label}, but it shows no {kind}"


def _is_kind(kind: str, output: Any) -> bool:  # noqa: ANN401
    """Whether an output is a figure or table, or says why there is none (see `show.figure`)."""
    from helpers import (
        show,
    )  # late: it imports polars, which a build that runs nothing can do without

    html = cells.joined(output.data.get("text/html", ""))
    drawn = cells.IMAGES.keys() & output.data.keys() or (html and "<table" not in html)
    laid_out = show.CSV in output.data or "<table" in html
    return bool(
        (drawn if kind == "figure" else laid_out)
        or show.REASON in output.metadata
        or _holds(kind, cells.joined(output.data.get("text/markdown", "")))
    )


def _holds(kind: str | None, markdown: str) -> bool:
    """Whether Markdown has an image or a table in it."""
    wanted = r"!\[" if kind == "figure" else r"^ *\||<table|^ *[-+=]{3}"
    return bool(re.search(wanted, markdown, re.MULTILINE))


def results(executed: Path, name: str) -> dict[str, Any]:
    """Take the results out of an executed notebook; `name` is its source, for messages.

    Raises
    ------
    HelpersError
        If results are shown more than once, or not in the form `{"entries": [...]}`.
    """
    import nbformat  # late: slow to import, as papermill is

    found = [
        (number, output.data[MIME])
        for number, cell in enumerate(nbformat.read(executed, as_version=4).cells, 1)
        for output in cell.get("outputs", [])
        if MIME in output.get("data", {})
    ]
    if len(found) > 1:
        where = " and ".join(str(number) for number, _ in found)
        raise HelpersError(f"{name}: cells {where} show results; a chapter shows them once")
    shown = found[0][1] if found else {"entries": []}
    if not isinstance(shown, dict) or not isinstance(shown.get("entries"), list):
        raise HelpersError(f"{name}: its results are not of the form {{'entries': [...]}}")
    return dict(shown)


def _papermill(
    chapter: Chapter, values: Values, places: Places, watch: _Watch, manager: type
) -> None:
    import papermill  # late: it is slow to import, and not needed when nothing has changed

    # Papermill reads what the key was made of, not the source, which an author may be editing.
    running = str(places.running(chapter.stem))
    write_text(Path(running), chapter.text)
    papermill.execute_notebook(
        running,
        running,
        parameters=values,
        language="python",
        kernel_name="python3",
        kernel_manager_class=manager,
        progress_bar=False,
        start_timeout=START_LIMIT,
        timeout_func=watch.remaining,
        on_cell_start=watch.started,
        on_cell_executed=watch.executed,
    )


@contextmanager
def quietly() -> Iterator[None]:
    """Keep the libraries' notices off the terminal: what matters becomes an error.

    It is for the thread that waits for others to `run`: warnings are a matter of the process.
    """
    import logging

    for name in ("papermill", "traitlets", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _manager(kernels: Kernels, places: Places, scratch: Path) -> type:
    """What Jupyter manages a chapter's kernel with: ours, whatever the user's home has set up."""
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    class OwnSpecs(KernelSpecManager):
        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            argv = [*kernels.command, "-f", "{connection_file}"]
            return KernelSpec(argv=argv, language="python", env=kernels.environment(scratch))

    class OwnKernel(AsyncKernelManager):
        def __init__(self, **settings: Any) -> None:  # noqa: ANN401
            # Sockets in the scratch folder: nothing listens on the network or is left in the home.
            super().__init__(**settings, transport="ipc", ip=str(scratch / "socket"))
            self.kernel_spec_manager = OwnSpecs()
            self.connection_file = str(scratch / "kernel.json")
            self.shutdown_wait_time = 2.0  # now and then a kernel does not hear that it should end

        async def start_kernel(self, **settings: Any) -> None:  # type: ignore[override] # noqa: ANN401
            # Told to papermill, the folder would become that of the build, and of all its threads.
            settings["cwd"] = str(places.root / "notebooks")
            with (scratch / "log").open("wb") as log:  # what cells print comes by another way
                await super().start_kernel(stdout=log, stderr=log, **settings)

    return OwnKernel


def _cause(error: Exception, watch: _Watch, time_limit: float) -> str:
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    if isinstance(error, CellError):
        return str(error)
    if isinstance(error, CellTimeoutError):
        return f"the chapter took longer than its limit of {time_limit:g} seconds"
    if isinstance(error, DeadKernelError):
        return "the kernel died, of too little memory or a crash in compiled code"
    if isinstance(error, OSError):
        return in_words(error)
    if isinstance(error, RuntimeError) and watch.cell is None:
        return f"the kernel did not start: {error}"
    return f"{type(error).__name__}: {error}"


def _last_words(log: Path, error: Exception) -> str:
    """Last line that the kernel itself wrote, which may say why it died or did not start."""
    if not isinstance(error, RuntimeError) or not log.exists():
        return ""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return f"; it last wrote: {lines[-1]}" if lines else ""


def _failure(chapter: Chapter, values: Values, places: Places, cell: int | None, cause: str) -> str:
    """One line: notebook, cell, cause and where the partial notebook is kept."""
    where = chapter.name
    if cell is not None:
        where += f", cell {_number(chapter, bool(values), cell)}"
    failed = places.failed(chapter.stem)
    kept = places.running(chapter.stem).exists()
    if kept:
        failed.parent.mkdir(exist_ok=True)
        places.running(chapter.stem).replace(failed)
    told = " ".join(_COLOUR.sub("", cause).split())
    told = told if len(told) < 400 else told[:400] + "…"
    return f"{where}: {told}" + (f" (partial notebook: {places.name(failed)})" if kept else "")


def _number(chapter: Chapter, injected: bool, index: int) -> str:
    """A cell as its author finds it in JupyterLab: its place among all cells, and its `In [n]`."""
    cells = chapter.cells
    parameters = next((i for i, cell in enumerate(cells) if "parameters" in cell.tags), len(cells))
    if injected and index > parameters:
        index -= 1
    run = sum(cell.cell_type == "code" and bool(cell.source.strip()) for cell in cells[: index + 1])
    return f"{index + 1} (In [{run}])"
