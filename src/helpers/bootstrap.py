"""Set-up: Debian's packages, then `.venv` from requirements.lock. Make calls it before the rest.

It runs on a bare Python, before anything is installed, so it uses the standard library alone.
A stamp inside `.venv` is written last: while it is missing, `.venv` counts as unfinished and is
made anew. So a kill at any moment costs time and nothing else.
"""

from __future__ import annotations  # an older Python must get as far as being told that it is old

import argparse
import fcntl
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"
VENV = ROOT / ".venv"
STAMP = VENV / "set-up"
CACHE = VENV / "cache"  # of uv: what was downloaded survives a set-up that did not end

R_PACKAGES = (
    "boot broom broom.mixed emmeans insight lme4 lmerTest ordinal parameters pbkrtest performance"
    " tibble"
).split()
# rpy2 is compiled against R: the libraries are those that `R CMD config --ldflags` links to.
COMPILE = (
    "gcc libblas-dev libbz2-dev libicu-dev liblzma-dev libpcre2-dev libtirpc-dev python3-dev"
    " zlib1g-dev"
).split()
DEBIAN = ["python3-venv", *COMPILE, "r-base-core", *(f"r-cran-{r.lower()}" for r in R_PACKAGES)]
BROWSER = "chromium"
COMPILED = "src/helpers/clmm"  # compiled at set-up, so that no reader waits for it

CONDA = (
    "conda env create -f renv-free-env.yml && "
    "conda run -n judging-ai-book --no-capture-output make report"
)


class SetUpError(Exception):
    """Why set-up cannot go on and what to do about it, in words for a terminal."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring this machine and `.venv` to what the lock asks for; quick when they are there.

    Returns
    -------
    int
        The exit code: 0 when all is ready.
    """
    parser = argparse.ArgumentParser(description="Set up what `make` needs.")
    parser.add_argument("--test", action="store_true", help=f"also {BROWSER}, for browser tests")
    test = parser.parse_args(arguments).test
    try:
        require_python()
        if not ready() or (test and not shutil.which(BROWSER)):
            with turn() as held:
                prepare_system(test)
                if not ready():  # the set-up that was waited for may have done it
                    prepare_venv(held)
    except (SetUpError, OSError) as error:
        print(f"set-up: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nset-up: stopped; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


def require_python() -> None:
    """Go on under Python 3.11, the one the lock is made for, or say how to get it."""
    if sys.version_info[:2] == (3, 11):
        return
    other = shutil.which("python3.11")
    if other:
        os.execv(other, [other, "-I", __file__, *sys.argv[1:]])
    raise SetUpError(
        f"Python 3.11 is needed and this is {sys.version.split()[0]}; put python3.11 on PATH "
        f"(Debian 12 has it as python3), or take all from conda:\n  {CONDA}"
    )


@contextmanager
def turn() -> Iterator[int]:
    """Let one set-up work at a time: hold a lock, which ends with the last process that has it.

    Yields
    ------
    int
        The file descriptor that holds the lock, to be handed to child processes.
    """
    with LOCK.open("r+") as file:  # r+: network file systems lock only what is open for writing
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("set-up: another one is at work here; waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


# The system ----------------------------------------------------------------------------------


def prepare_system(test: bool) -> None:
    """Install the Debian packages that are missing, or stop before anything is built.

    Parameters
    ----------
    test : bool
        Whether the browser of the tests is wanted too; tests skip what they cannot run without it.

    Raises
    ------
    SetUpError
        If something is missing and cannot be installed from here.
    """
    wanted = [] if own_r() else list(DEBIAN)
    if test and not shutil.which(BROWSER):
        wanted.append(BROWSER)
    missing = missing_packages(wanted)
    if not missing:
        return
    administrator = administrator_prefix()
    if administrator is not None:
        install(missing, administrator)
    elif missing == [BROWSER]:
        print(f"set-up: no {BROWSER} here, so the tests that need a browser are skipped")
    else:
        raise SetUpError(cannot_install(missing))


def own_r() -> bool:
    """Whether the R on PATH is the user's own (conda's, say) and has the packages; not Debian's.

    Raises
    ------
    SetUpError
        If it lacks some: Debian's R would be installed and never be found behind it.
    """
    r = shutil.which("R")
    if r is None or os.path.realpath(r) == "/usr/bin/R":
        return False
    script = "cat(setdiff(commandArgs(TRUE), rownames(installed.packages())))"
    command = [r, "--no-echo", "--no-save", "--no-restore", "-e", script, "--args", *R_PACKAGES]
    answer = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if answer.returncode or answer.stdout.strip():
        lacks = answer.stdout.strip() or f"an answer ({answer.stderr.strip()})"
        raise SetUpError(
            f"the R on PATH, {r}, lacks {lacks}; install that, take this R off PATH, "
            f"or take all from conda:\n  {CONDA}"
        )
    return True


def missing_packages(wanted: Sequence[str]) -> list[str]:
    """Those of `wanted` that dpkg does not hold installed; without dpkg, all of them."""
    if not wanted or not shutil.which("dpkg-query"):
        return list(wanted)
    form = "${db:Status-Status} ${Package}\n"
    query = ["dpkg-query", "--show", f"--showformat={form}", *wanted]
    known = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    return [name for name in wanted if f"installed {name}" not in known]


def administrator_prefix() -> list[str] | None:
    """Find what lets apt-get install without a question: nothing (root), sudo, or None at all."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if (
        shutil.which("sudo")
        and subprocess.run([*sudo, "true"], capture_output=True).returncode == 0
    ):
        return sudo
    return None


def install(packages: Sequence[str], administrator: Sequence[str]) -> None:
    """Install Debian packages, also after an earlier installation was cut off."""
    script = (
        "export DEBIAN_FRONTEND=noninteractive; dpkg --configure -a; apt-get -qq update; "
        "exec apt-get -qq -o DPkg::Lock::Timeout=600 install -y --fix-broken "
        '--no-install-recommends "$@"'
    )
    print(f"set-up: Debian packages to install: {' '.join(packages)}", flush=True)
    step(
        "installing them with apt-get (a minute or two)",
        [*administrator, "sh", "-c", script, "apt-get", *packages],
    )


def cannot_install(missing: Sequence[str]) -> str:
    """Say what is missing, and the one command that helps."""
    conda = f"Nothing was built. With conda no rights are needed; type:\n  {CONDA}"
    if not shutil.which("apt-get"):
        return f"R is missing, with its packages {' '.join(R_PACKAGES)}.\n{conda}"
    apt = f"apt-get install -y --no-install-recommends {' '.join(missing)}"
    return (
        f"{len(missing)} Debian packages are missing, and installing them takes root or sudo "
        f"without a password.\n{conda}\n"
        "Or, with an administrator's password, this, and then the same command again:\n"
        f"  sudo sh -c 'apt-get update && {apt}'"
    )


# The Python environment ----------------------------------------------------------------------


def ready() -> bool:
    """Whether `.venv` was finished from this lock, by this Python, at this place."""
    return stamp() == f"{origin()}\n{content()}" and (VENV / "bin" / "python").exists()


def stamp() -> str:
    """Text that the last finished set-up left behind; empty without one."""
    return STAMP.read_text("utf-8", "surrogateescape") if STAMP.is_file() else ""


def origin() -> str:
    """Tell what a virtual environment is tied to: the Python it was made by and its own path."""
    return f"{VENV} {sys.base_prefix} {sys.version.split()[0]}"


def content() -> str:
    """Digest of what decides the content of `.venv`: the lock, this file, what is compiled."""
    sources = (LOCK, Path(__file__), *sorted((ROOT / COMPILED).glob("*.py")))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def prepare_venv(held: int) -> None:
    """Make `.venv` hold exactly the packages of the lock, and the project's own `src`.

    Parameters
    ----------
    held : int
        Descriptor of the lock. Child processes keep it open: if this process is killed, the next
        set-up waits for what they are still writing.
    """
    if VENV.is_symlink():
        raise SetUpError(
            f"{VENV.name} is a link to {os.readlink(VENV)}, which set-up would empty: remove the "
            "link and give the same command again"
        )
    finished = stamp().partition("\n")[0] == origin()
    STAMP.unlink(missing_ok=True)
    python = VENV / "bin" / "python"
    if not finished or not python.exists():
        base = os.path.realpath(sys.executable)  # what runs may be .venv itself, activated
        clear()
        only_uv = VENV / "uv.txt"
        step("making .venv", [base, "-I", "-m", "venv", VENV], hold=held)
        only_uv.write_text(locked("uv"))
        pip = "-I -m pip install --no-cache-dir --no-deps --require-hashes -r".split()
        step("installing uv", [python, *pip, only_uv], hold=held)
    # The lock also constrains what rpy2 is built with, so that nothing comes from outside it.
    uv: list[str | Path] = [VENV / "bin" / "uv", "pip", "sync", "--require-hashes"]
    uv += ["--python", python, "--cache-dir", CACHE, "--build-constraints", LOCK, LOCK]
    step("installing the Python packages of requirements.lock (a minute or two)", uv, hold=held)
    site_packages = VENV / "lib" / "python3.11" / "site-packages"
    source = os.path.relpath(ROOT / "src", site_packages)  # relative: plain ASCII on any path
    (site_packages / "judging-ai-book.pth").write_text(f"{source}\n")
    draft = VENV / "set-up.draft"
    draft.write_text(f"{origin()}\n{content()}", "utf-8", "surrogateescape")
    draft.replace(STAMP)
    compile_models(python, held)


def compile_models(python: Path, held: int) -> None:
    """Fill the compiler's cache; a fault in those sources is for the tests to tell, not for set-up.

    Parameters
    ----------
    python : Path
        The interpreter of `.venv`.
    held : int
        Descriptor of the lock, kept open by the compiling process.
    """
    command: list[str | Path] = [python, "-c", "from helpers.clmm import warm_up; warm_up()"]
    try:
        step("compiling the mixed models", command, hold=held)
    except SetUpError:
        print("set-up: going on without; they are compiled when they are first used", flush=True)


def clear() -> None:
    """Empty `.venv`, but for what was downloaded."""
    for entry in VENV.iterdir() if VENV.is_dir() else ():
        if entry == CACHE:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def locked(name: str) -> str:
    """One package's requirement with its hashes, as it stands in the lock."""
    found = re.search(rf"^{re.escape(name)}==(?:.*\\\n)*.*", LOCK.read_text("utf-8"), re.MULTILINE)
    if not found:
        raise SetUpError(f"{LOCK.name} lacks {name}; `git checkout {LOCK.name}` restores it")
    return found.group()


def step(what: str, *commands: Sequence[str | Path], hold: int | None = None) -> None:
    """Run commands as one line on the terminal: what is done, then how long it took.

    Parameters
    ----------
    what : str
        What the reader sees.
    *commands : sequence of str or Path
        Run one after another; what they print is shown only when one fails.
    hold : int, optional
        A file descriptor that the commands keep open.

    Raises
    ------
    SetUpError
        If a command fails, with the end of what it printed.
    """
    print(f"set-up: {what} … ", end="", flush=True)
    start = time.monotonic()
    for command in commands:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            pass_fds=() if hold is None else (hold,),
        )
        if done.returncode:
            print("failed", flush=True)
            end = "\n".join(done.stdout.splitlines()[-25:])
            raise SetUpError(f"{shlex.join(map(str, command))}\n{end}")
    print(f"{time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
