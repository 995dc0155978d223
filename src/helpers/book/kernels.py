"""The kernels of a build: one process starts them all, and they end with the build."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from helpers.book import kernel_server
from helpers.book.chapters import Chapter
from helpers.book.keys import R_BRIDGES, Modules, notebook_imports
from helpers.book.places import Places
from helpers.results import FOLDER

Mode = Literal["warm", "fresh"]
"""Whether a kernel is a fork of one process, with everything imported, or a Python started anew."""

_ONE_THREAD = (
    *(f"{library}_NUM_THREADS" for library in "OMP OPENBLAS MKL NUMEXPR VECLIB BLIS".split()),
    *("MC_CORES", "R_DATATABLE_NUM_THREADS", "RCPP_PARALLEL_NUM_THREADS"),
)
"""One chapter per processor is what uses a machine best, so none may use several."""

SOCKET = "kernels"

_LONGEST = 60
"""Bytes of a folder's path below which sockets still find room in the system's 108."""


class Stopped(Exception):  # noqa: N818 (no error: it was asked for)
    """Raised where a kernel is asked for after the build has ended."""


class Kernels:
    """Kernels of the interpreter that runs the build, whatever the user's home has set up.

    Nothing is started before the first kernel is asked for. Several threads may ask.

    Parameters
    ----------
    places : Places
        The project's source and where libraries may keep what they like.
    modules : iterable of str
        What to import before forking.
    mode : {"warm", "fresh"}
        See `Mode`.
    """

    def __init__(self, places: Places, modules: Iterable[str] = (), mode: Mode = "warm") -> None:
        self.places = places
        self.modules = sorted(modules)
        self.mode = mode
        self.stopped = False
        self._turn = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._scratch = Path()  # until there is one

    def __enter__(self) -> "Kernels":
        return self

    def __exit__(self, *_: object) -> None:
        """Kill what still runs."""
        with self._turn:
            self.stopped = True
        if self._server:
            self._server.terminate()
            self._server.wait()
            shutil.rmtree(self._scratch, ignore_errors=True)

    def scratch(self) -> Path:
        """Make a chapter's folder for what is gone after the build: sockets, histories, logs.

        Raises
        ------
        Stopped
            If the build has ended.
        """
        self._start()
        return Path(tempfile.mkdtemp(dir=self._scratch))

    @property
    def command(self) -> list[str]:
        """What starts a kernel, up to its own arguments."""
        stand_in = [sys.executable, "-I", "-S", kernel_server.__file__, "stand-in"]
        return [*stand_in, str(self._scratch / SOCKET)]

    def environment(self, scratch: Path) -> dict[str, str]:
        """Variables that make a chapter's output the same for every user of this machine.

        Parameters
        ----------
        scratch : Path
            Where IPython may keep what it likes.
        """
        return {
            FOLDER: str(self.places.results_folder.relative_to(self.places.root)),
            "PYTHONPATH": str(self.places.root / "src"),  # the modules that the key was made of
            "PYTHONHASHSEED": "0",
            "PYTHONSTARTUP": "",
            "IPYTHONDIR": str(scratch / "ipython"),  # no start-up files of the user
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "MPLCONFIGDIR": str(self.places.cache / "matplotlib"),  # no matplotlibrc of the user
            "LC_ALL": "C.UTF-8",  # R sorts factor levels by it
            "TZ": "UTC",
            **dict.fromkeys(_ONE_THREAD, "1"),
        }

    def _start(self) -> None:
        with self._turn:
            if self.stopped:
                raise Stopped
            if self._server:
                return
            self._scratch = _short_folder()
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(self._scratch / SOCKET))
                listener.listen(64)
                serve = [sys.executable, kernel_server.__file__, "serve", str(listener.fileno())]
                self._server = subprocess.Popen(
                    [*serve, self.mode, *self.modules],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=os.environ | self.environment(self._scratch),
                    pass_fds=[listener.fileno()],
                    start_new_session=True,  # Ctrl-C is for the build, which then ends all others
                )


def worth_importing(chapters: Iterable[Chapter], modules: Modules) -> set[str]:
    """What to import before forking: all that chapters import, and what several of them may need.

    A module that is imported late, by functions of the project, is wanted only by chapters that
    call these. So it is worth importing when it is within reach of more than one chapter.
    """
    direct: set[str] = set()
    reach: Counter[str] = Counter()
    for chapter in chapters:
        own = notebook_imports(chapter.cells)
        direct |= own
        reach.update(own.union(*map(modules.imports_of, modules.closure(own))))
    wanted = direct | {name for name, count in reach.items() if count > 1}
    return {name for name in wanted if name.partition(".")[0] not in R_BRIDGES}


def _short_folder() -> Path:
    """Make a temporary folder whose path is short enough for sockets."""
    usual = tempfile.gettempdir()
    folder = usual if len(os.fsencode(usual)) < _LONGEST else "/tmp"
    return Path(tempfile.mkdtemp(prefix="book-", dir=folder))
