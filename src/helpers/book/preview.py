"""`make preview`: show the book in a browser, and build it anew whenever a source is saved.

Each build is a process of its own, so that changes of the project's code count at once. The folder
is looked at twice a second: that is cheap for a project of some hundred files, and works on every
file system. What is served is the finished book, so readers never see a half of one.
"""

import functools
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from helpers.book.build import MARK
from helpers.errors import HelpersError

INTERVAL = 0.5
"""Seconds between two looks at the sources."""

PORTS = range(8000, 8050)

RELOAD = f"""<script>
  // Added by the preview: load the page anew once another book is there.
  let shown;
  setInterval(async () => {{
    const answer = await fetch('/{MARK}', {{ cache: 'no-store' }}).catch(() => null);
    const book = answer?.ok ? await answer.text() : shown;
    if (shown && book !== shown) location.reload();
    shown = book;
  }}, 1000);
</script>
"""

Snapshot = dict[str, tuple[int, int]]
"""Files and when each was changed, in nanoseconds, and its size."""


def preview(command: Sequence[str], out: Path, folders: Sequence[Path]) -> None:
    """Serve a book on this machine alone, and build it as sources change, until Ctrl-C.

    Parameters
    ----------
    command : sequence of str
        What builds the book. It tells what is wrong itself; the preview goes on.
    out : Path
        The folder of the book.
    folders : sequence of Path
        Where the sources are.
    """
    with _served(out) as address:
        print(f"{address} shows the book; saving a source builds it anew, Ctrl-C ends", flush=True)
        try:
            for _ in _changes(folders):
                _build(command)
        except KeyboardInterrupt:
            print("\nthe preview has ended")


def snapshot(folders: Sequence[Path]) -> Snapshot:
    """Note the files that a build may read: none that are hidden, and none that it has made."""
    found: Snapshot = {}
    for folder in folders:
        for parent, names, files in os.walk(folder):
            names[:] = [name for name in names if _is_source(name)]
            for name in filter(_is_source, files):
                path = os.path.join(parent, name)
                try:
                    state = os.stat(path)
                except OSError:  # gone meanwhile, or a link to nothing
                    continue
                found[path] = (state.st_mtime_ns, state.st_size)
    return found


def _is_source(name: str) -> bool:
    return (
        name[0] not in ".~" and name != "__pycache__" and not name.startswith(("_build", "_book"))
    )


def _changes(folders: Sequence[Path]) -> Iterator[None]:
    """Go on at the beginning, and then whenever sources have changed and come to rest."""
    built: Snapshot = {}
    before = snapshot(folders)
    while True:
        now = snapshot(folders)
        if now == before != built:
            built = now
            yield
        before = now
        time.sleep(INTERVAL)


def _build(command: Sequence[str]) -> None:
    """Run the build to its end; if the preview is stopped, stop it and wait for that end."""
    build = subprocess.Popen(command, process_group=0)  # so that Ctrl-C reaches it once
    try:
        build.wait()
    except KeyboardInterrupt:
        build.send_signal(signal.SIGINT)
        build.wait()
        raise


class _Pages(SimpleHTTPRequestHandler):
    """Files of the book, with a few lines in each page that load it anew."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        page = path / "index.html" if path.is_dir() else path
        if page.suffix != ".html" or not page.is_file():
            super().do_GET()
            return
        content = page.read_bytes() + RELOAD.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: object) -> None:  # the terminal is for builds
        pass


@contextmanager
def _served(out: Path) -> Iterator[str]:
    """Serve a folder, which may be replaced or not yet exist, and give its address."""
    server = _listening(functools.partial(_Pages, directory=str(out)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def _listening(handler: functools.partial[_Pages]) -> ThreadingHTTPServer:
    for port in PORTS:
        try:
            return ThreadingHTTPServer(("127.0.0.1", port), handler)
        except OSError:  # someone else's
            continue
    raise HelpersError(f"no port from {PORTS[0]} to {PORTS[-1]} is free for the preview")
