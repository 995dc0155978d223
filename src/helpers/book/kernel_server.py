"""The process that starts a build's kernels: it imports once what chapters need, then forks.

Starting Python and importing a dozen packages takes seconds before the first line of a chapter
runs, over and over for each chapter. This process does it once. A kernel is then a fork of it: an
ordinary IPython kernel in a process of its own, which shows all that it would show otherwise, and
shares with its siblings nothing but modules as they are after their import.

Only a process with a single thread can be forked safely. Where an import has started others, and
on systems other than Linux, a kernel starts Python anew, as kernels ordinarily do.

Jupyter starts a kernel by starting a program and ends it by killing that. Here this program is a
stand-in: it passes on what it was given and lives as long as the kernel. If it is killed, so is
the kernel; and when the build ends, in whatever way, all kernels are.

`helpers.book.kernels` starts this file, in two ways and with the standard library alone:

    kernel_server.py serve <descriptor of a listening socket> warm|fresh <module>…
    kernel_server.py stand-in <path of that socket> <argument of the kernel>…
"""

import contextlib
import gc
import importlib
import json
import os
import selectors
import shutil
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

FORK_SAFE_THREADS = {"jemalloc_bg_thd"}
"""Threads that polars' and pyarrow's allocator starts; it stops and restarts them at a fork."""

PATIENCE = 60
"""Seconds that one import may take; a chapter that waits for it longer has its own limit."""

KERNEL = ["ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell"]


@dataclass(frozen=True)
class Request:
    """What a kernel is to be: its arguments, environment and working folder."""

    arguments: list[str]
    environment: dict[str, str]
    folder: str


class Server:
    """Starts kernels for stand-ins until the build ends.

    Parameters
    ----------
    listener : socket
        Where stand-ins ask for kernels.
    lifeline : int
        Descriptor of a pipe that is at its end as soon as the build is.
    """

    def __init__(self, listener: socket.socket, lifeline: int) -> None:
        self.listener = listener
        self.lifeline = lifeline
        self.kernels: dict[socket.socket, int] = {}
        self.signalled, self._alarm = socket.socketpair()
        self.selector = selectors.DefaultSelector()

    def run(self) -> Request | None:
        """Serve; return None at the end of the build, and in each fork what it is to become."""
        for end in (self.signalled, self._alarm):
            end.setblocking(False)
        signal.set_wakeup_fd(self._alarm.fileno())
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        for source in (self.listener, self.signalled, self.lifeline):
            self.selector.register(source, selectors.EVENT_READ)
        while True:
            for key, _ in self.selector.select():
                if key.fileobj == self.lifeline:
                    self._end_all()
                    return None
                if key.fileobj is self.listener:
                    if request := self._start():
                        return request
                elif key.fileobj is self.signalled:
                    if signal.SIGTERM in self.signalled.recv(4096):
                        self._end_all()
                        return None
                    self._reap()
                elif key.fileobj in self.kernels:  # its stand-in has been killed
                    self.selector.unregister(key.fileobj)
                    _kill(self.kernels[key.fileobj])

    def _start(self) -> Request | None:
        """Fork for the next stand-in; return, in the fork alone, what it asks for."""
        connection, _ = self.listener.accept()
        request, output = _receive(connection)
        if request is None:
            connection.close()
            return None
        if pid := os.fork():
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)  # as the fork does itself: one of the two comes first
            for descriptor in output:
                os.close(descriptor)
            self.kernels[connection] = pid
            self.selector.register(connection, selectors.EVENT_READ)
            return None
        os.setpgid(0, 0)
        self._let_go(connection, output)
        return request

    def _let_go(self, connection: socket.socket, output: list[int]) -> None:
        """In a fork: keep nothing of the server's, and print to where the stand-in would."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        self.selector.close()
        for end in (self.listener, self.signalled, self._alarm, connection, *self.kernels):
            end.close()
        nothing = os.open(os.devnull, os.O_RDONLY)
        for target, source in enumerate([nothing, *output]):
            os.dup2(source, target)
            os.close(source)

    def _reap(self) -> None:
        """Tell stand-ins of kernels that have ended, by closing their connections."""
        ended = os.WEXITED | os.WNOHANG | os.WNOWAIT
        for connection, pid in list(self.kernels.items()):
            if os.waitid(os.P_PID, pid, ended):
                _kill(pid)  # processes that it has left behind
                os.waitpid(pid, 0)
                with contextlib.suppress(KeyError):
                    self.selector.unregister(connection)
                del self.kernels[connection]
                connection.close()

    def _end_all(self) -> None:
        for pid in self.kernels.values():
            _kill(pid)
        for pid in self.kernels.values():
            os.waitpid(pid, 0)


def _receive(connection: socket.socket) -> tuple[Request | None, list[int]]:
    """A stand-in's request, and descriptors of its output; None if it was killed meanwhile."""
    with contextlib.suppress(OSError, ValueError):
        text, output, *_ = socket.recv_fds(connection, 1 << 16, 2)
        while text and not text.endswith(b"\n"):
            text += (more := connection.recv(1 << 16))
            if not more:
                break
        return Request(**json.loads(text)), output
    return None, []


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def load(names: list[str]) -> dict[str, str]:
    """Import modules; one that fails will fail where a chapter imports it, and be told there.

    Returns
    -------
    dict
        What the imports have set in the environment.
    """
    before = dict(os.environ)
    signal.signal(signal.SIGALRM, _give_up)
    for name in names:
        with contextlib.suppress(BaseException):
            signal.alarm(PATIENCE)
            importlib.import_module(name)
    signal.alarm(0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return {name: value for name, value in os.environ.items() if before.get(name) != value}


def _give_up(*_: object) -> None:
    raise TimeoutError


def forkable() -> bool:
    """Whether a fork of this process can do all that the process could."""
    if sys.platform != "linux" or "rpy2.rinterface" in sys.modules:  # R has threads at times
        return False
    others = [task for task in Path("/proc/self/task").iterdir() if task.name != str(os.getpid())]
    return {(task / "comm").read_text().strip() for task in others} <= FORK_SAFE_THREADS


def become(request: Request, warm: bool, added: dict[str, str]) -> None:
    """Turn this process into the kernel that was asked for."""
    os.chdir(request.folder)
    environment = request.environment | {"JPY_PARENT_PID": str(os.getppid())}
    if not warm:
        kernel = [sys.executable, "-m", "ipykernel_launcher", *request.arguments]
        os.execve(sys.executable, kernel, environment)
    os.environ.clear()
    os.environ.update(environment | added)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()  # or all kernels would draw the same, as forks do
    import ipykernel_launcher  # type: ignore[import-untyped]
    from ipykernel.kernelapp import IPKernelApp

    sys.argv = [str(ipykernel_launcher.__file__), *request.arguments]
    IPKernelApp.launch_instance(parent_handle=os.getppid())


def serve(listener: socket.socket, mode: str, names: list[str]) -> None:
    """Import modules, then start kernels until standard input ends."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if folder != here]  # not for chapters
    added = load([*KERNEL, *names]) if mode == "warm" else {}
    warm = mode == "warm" and forkable()
    gc.collect()
    gc.freeze()  # else every fork would copy what it only looks through
    folder = os.path.dirname(listener.getsockname())
    if request := Server(listener, sys.stdin.fileno()).run():
        become(request, warm, added)
    else:
        shutil.rmtree(folder, ignore_errors=True)  # also if the build was killed


def stand_in(path: str, arguments: list[str]) -> int:
    """Ask for a kernel and wait for its end.

    Returns
    -------
    int
        The exit code, 0 also if the kernel failed: Jupyter looks only at whether it is alive.
    """
    request = Request(arguments, dict(os.environ), os.getcwd())
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(path)
            socket.send_fds(server, [json.dumps(vars(request)).encode() + b"\n"], [1, 2])
            server.recv(1)
        except OSError as error:
            print(f"the process that starts kernels has ended ({error})", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "stand-in":
        sys.exit(stand_in(sys.argv[2], sys.argv[3:]))
    serve(socket.socket(fileno=int(sys.argv[2])), sys.argv[3], sys.argv[4:])
