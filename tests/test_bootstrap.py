"""Set-up on machines that are not this one: fakes stand on PATH for dpkg, apt-get, sudo and R."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from helpers import bootstrap

FAKES = {
    "dpkg-query": 'for name; do [ -e "$HERE/has-$name" ] && echo "installed $name"; done; exit 1',
    "apt-get": 'echo "$@" >> "$HERE/apt.log"',
    "sudo": 'shift; echo "$@" >> "$HERE/sudo.log"; exec "$@"',
    "R": 'printf "%s" "$LACKS"',
    "chromium": "",
}


class Machine:
    """A folder that is all of PATH, and a project beside it that is nearly empty."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.project = folder / "Prüf stand"
        (self.project / "src").mkdir(parents=True)
        self.patch = patch
        for name in ("sh", "env", "dpkg", "true"):
            self.fake(name, f'exec {"/usr/bin/" + name if name != "dpkg" else "true"} "$@"')
        patch.setenv("PATH", str(self.bin))
        patch.setenv("HERE", str(self.bin))
        patch.setenv("LACKS", "")
        patch.setattr(os, "geteuid", lambda: 1000)
        patch.setattr(bootstrap, "ROOT", self.project)
        patch.setattr(bootstrap, "LOCK", self.project / "requirements.lock")
        patch.setattr(bootstrap, "VENV", self.project / ".venv")
        patch.setattr(bootstrap, "STAMP", self.project / ".venv" / "set-up")
        patch.setattr(bootstrap, "CACHE", self.project / ".venv" / "cache")
        bootstrap.LOCK.write_text(
            "uv==1 \\\n    --hash=sha256:a \\\n    --hash=sha256:b\nx==2 \\\n"
        )

    def fake(self, name: str, script: str | None = None) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{FAKES[name] if script is None else script}\n")
        path.chmod(0o755)

    def debian(self, installed: Sequence[str] = ()) -> None:
        self.fake("apt-get")
        self.fake("dpkg-query")
        for name in installed:
            (self.bin / f"has-{name}").touch()

    def root(self) -> None:
        self.patch.setattr(os, "geteuid", lambda: 0)

    def log(self, name: str) -> list[str]:
        path = self.bin / f"{name}.log"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.fixture
def steps(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace what runs for minutes: each step leaves only the files that the next one needs."""
    done: list[str] = []

    def step(what: str, *commands: Sequence[str | Path], hold: int | None = None) -> None:
        if not what.startswith("compiling"):
            assert not bootstrap.STAMP.exists(), "unfinished work must not look finished"
        done.append(what.partition(" (")[0])
        site_packages = bootstrap.VENV / "lib" / "python3.11" / "site-packages"
        site_packages.mkdir(parents=True, exist_ok=True)
        (bootstrap.VENV / "bin").mkdir(exist_ok=True)
        (bootstrap.VENV / "bin" / "python").touch()

    monkeypatch.setattr(bootstrap, "step", step)
    monkeypatch.setattr(bootstrap, "prepare_system", lambda test: None)
    return done


FRESH = [
    "making .venv",
    "installing uv",
    "installing the Python packages of requirements.lock",
    "compiling the mixed models",
]


# Debian, conda, or neither


def test_nothing_is_built_and_conda_is_named_where_there_is_no_debian_and_no_r(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bootstrap.main([]) == 1
    message = capsys.readouterr().err
    assert bootstrap.CONDA in message
    assert "ordinal" in message
    assert "apt-get" not in message
    assert not bootstrap.VENV.exists()


def test_without_root_the_message_names_what_is_missing_and_both_ways_out(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.debian([name for name in bootstrap.DEBIAN if name != "r-cran-ordinal"])
    assert bootstrap.main([]) == 1
    message = capsys.readouterr().err
    assert "--no-install-recommends r-cran-ordinal'" in message
    assert bootstrap.CONDA in message
    assert not bootstrap.VENV.exists()
    assert machine.log("apt") == []


def test_root_installs_what_is_missing_in_one_call_and_says_what(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.debian([name for name in bootstrap.DEBIAN if name not in ("gcc", "r-cran-lme4")])
    machine.root()
    bootstrap.prepare_system(test=False)
    update, install = machine.log("apt")
    assert update.endswith("update")
    assert install.endswith("--no-install-recommends gcc r-cran-lme4")
    assert "gcc r-cran-lme4" in capsys.readouterr().out


def test_sudo_without_a_password_is_used(machine: Machine) -> None:
    machine.debian()
    machine.fake("sudo")
    bootstrap.prepare_system(test=False)
    assert len(machine.log("apt")) == 2
    assert machine.log("sudo")[0] == "true"


def test_sudo_that_asks_for_a_password_is_not_used(machine: Machine) -> None:
    machine.debian()
    machine.fake("sudo", "exit 1")
    with pytest.raises(bootstrap.SetUpError, match="takes root or sudo"):
        bootstrap.prepare_system(test=False)


def test_apt_is_not_asked_where_all_is_installed(machine: Machine) -> None:
    machine.debian(bootstrap.DEBIAN)
    machine.root()
    bootstrap.prepare_system(test=False)
    assert machine.log("apt") == []


def test_a_complete_r_of_the_users_own_needs_no_debian_packages(machine: Machine) -> None:
    machine.debian()
    machine.root()
    machine.fake("R")
    bootstrap.prepare_system(test=False)
    assert machine.log("apt") == []


def test_debians_own_r_is_no_reason_to_skip_debians_packages(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.debian([name for name in bootstrap.DEBIAN if name != "libblas-dev"])
    machine.root()
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    bootstrap.prepare_system(test=False)
    assert machine.log("apt")[1].endswith("--no-install-recommends libblas-dev")


def test_an_incomplete_r_of_the_users_own_is_named_with_what_it_lacks(machine: Machine) -> None:
    machine.debian()
    machine.root()
    machine.fake("R")
    machine.patch.setenv("LACKS", "emmeans ordinal")
    with pytest.raises(bootstrap.SetUpError, match=r"bin/R, lacks emmeans ordinal;"):
        bootstrap.prepare_system(test=False)


def test_tests_also_want_a_browser(machine: Machine) -> None:
    machine.debian(bootstrap.DEBIAN)
    machine.root()
    bootstrap.prepare_system(test=True)
    assert machine.log("apt")[1].endswith("--no-install-recommends chromium")


def test_a_browser_that_cannot_be_had_is_said_and_does_not_stop(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.fake("R")
    bootstrap.prepare_system(test=True)
    assert "no chromium" in capsys.readouterr().out


def test_a_browser_that_is_there_is_not_installed_again(machine: Machine) -> None:
    machine.debian(bootstrap.DEBIAN)
    machine.root()
    machine.fake("chromium")
    bootstrap.prepare_system(test=True)
    assert machine.log("apt") == []


def test_a_failing_installation_stops_with_what_it_printed(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.debian()
    machine.fake("apt-get", "echo E: no space left; exit 100")  # a failing update is survived
    machine.root()
    assert bootstrap.main([]) == 1
    assert "E: no space left" in capsys.readouterr().err
    assert not bootstrap.VENV.exists()


# Python


def old_python(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sys, "version_info", (3, 13, 0))


def test_another_python_hands_over_to_python311(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[Sequence[str]] = []
    monkeypatch.setattr(os, "execv", lambda path, arguments: ran.append([path, *arguments]))
    old_python(monkeypatch)
    machine.fake("python3.11", "")
    with pytest.raises(bootstrap.SetUpError):  # only reached because execv is a fake
        bootstrap.require_python()
    assert ran[0][0] == str(machine.bin / "python3.11")


def test_without_python311_the_message_says_where_to_get_it(
    machine: Machine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old_python(monkeypatch)
    assert bootstrap.main([]) == 1
    assert "Python 3.11 is needed" in capsys.readouterr().err


# .venv


def test_set_up_runs_once_and_then_finds_all_ready(steps: list[str]) -> None:
    assert bootstrap.main([]) == 0
    assert bootstrap.main([]) == 0
    assert steps == FRESH


def test_a_changed_lock_only_changes_packages(steps: list[str]) -> None:
    bootstrap.main([])
    bootstrap.LOCK.write_text(f"{bootstrap.LOCK.read_text()}y==3\n")
    bootstrap.main([])
    assert steps == [*FRESH, *FRESH[-2:]]


def test_changed_sources_of_compiled_code_are_compiled_at_set_up(steps: list[str]) -> None:
    source = bootstrap.ROOT / bootstrap.COMPILED / "laplace.py"
    source.parent.mkdir(parents=True)
    source.write_text("one = 1\n")
    bootstrap.main([])
    source.write_text("one = 2\n")
    bootstrap.main([])
    assert steps == [*FRESH, *FRESH[-2:]]


def test_a_fault_in_compiled_sources_does_not_stop_set_up(
    steps: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = bootstrap.step

    def step(what: str, *commands: Sequence[str | Path], hold: int | None = None) -> None:
        whole(what, *commands, hold=hold)
        if what.startswith("compiling"):
            raise bootstrap.SetUpError("SyntaxError")

    monkeypatch.setattr(bootstrap, "step", step)
    assert bootstrap.main([]) == 0
    assert "going on without" in capsys.readouterr().out
    assert bootstrap.ready()


def test_an_unfinished_venv_is_made_anew_but_downloads_are_kept(steps: list[str]) -> None:
    half_installed = bootstrap.VENV / "lib" / "python3.11" / "site-packages" / "half"
    downloaded = bootstrap.CACHE / "wheel"
    for path in (half_installed, downloaded):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    bootstrap.main([])
    assert steps == FRESH
    assert not half_installed.exists()
    assert downloaded.exists()


@pytest.mark.parametrize("part", ["bin/python", "set-up"])
def test_a_venv_that_lost_its_python_or_its_stamp_is_made_anew(steps: list[str], part: str) -> None:
    bootstrap.main([])
    (bootstrap.VENV / part).unlink()
    bootstrap.main([])
    assert steps == FRESH * 2


def test_a_venv_that_is_a_link_is_left_alone_with_all_it_leads_to(
    steps: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "set-up").write_text("finished")
    bootstrap.VENV.symlink_to(theirs)
    assert bootstrap.main([]) == 1
    assert f".venv is a link to {theirs}" in capsys.readouterr().err
    assert (theirs / "set-up").read_text() == "finished"
    assert steps == []


def test_a_venv_of_another_python_or_place_is_made_anew(
    steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap.main([])
    monkeypatch.setattr(sys, "base_prefix", "/elsewhere")
    bootstrap.main([])
    assert steps == FRESH * 2


def test_an_activated_venv_can_be_made_anew(
    steps: list[str], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = machine.bin / "python3.11"
    base.touch()
    activated = bootstrap.VENV / "bin" / "python3"
    activated.parent.mkdir(parents=True)
    activated.symlink_to(base)
    monkeypatch.setattr(sys, "executable", str(activated))
    ran: list[Sequence[str | Path]] = []
    fake = bootstrap.step
    monkeypatch.setattr(
        bootstrap, "step", lambda what, *commands, hold: (ran.extend(commands), fake(what))
    )
    assert bootstrap.main([]) == 0
    assert ran[0][0] == str(base)


def test_a_missing_lock_is_said_in_words(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    bootstrap.LOCK.unlink()
    assert bootstrap.main([]) == 1
    assert "requirements.lock" in capsys.readouterr().err


def test_a_failing_step_leaves_nothing_that_looks_finished(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "prepare_system", lambda test: None)
    monkeypatch.setattr(sys, "executable", str(machine.bin / "python3"))
    machine.fake("python3", "echo no space left on device; exit 1")
    assert bootstrap.main([]) == 1
    assert "no space left on device" in capsys.readouterr().err
    assert not bootstrap.ready()


def test_the_projects_source_is_on_the_path_whatever_the_folder_is_called(
    steps: list[str],
) -> None:
    bootstrap.main([])
    site_packages = bootstrap.VENV / "lib" / "python3.11" / "site-packages"
    line = (site_packages / "judging-ai-book.pth").read_bytes().decode("ascii").strip()
    assert (site_packages / line).resolve() == (bootstrap.ROOT / "src").resolve()


def test_uv_is_installed_with_its_hashes_and_nothing_else(machine: Machine) -> None:
    assert bootstrap.locked("uv") == "uv==1 \\\n    --hash=sha256:a \\\n    --hash=sha256:b"
    with pytest.raises(bootstrap.SetUpError, match="lacks pip"):
        bootstrap.locked("pip")


# One at a time


def busy(path: Path) -> bool:
    with path.open("r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_second_set_up_says_that_it_waits_and_then_goes_on(machine: Machine) -> None:
    script = (
        "import sys, pathlib; from helpers import bootstrap\n"
        "bootstrap.LOCK = pathlib.Path(sys.argv[1])\n"
        "with bootstrap.turn(): print('its turn', flush=True)"
    )
    with bootstrap.turn():
        second = subprocess.Popen(
            [sys.executable, "-c", script, bootstrap.LOCK], stdout=subprocess.PIPE, text=True
        )
        assert second.stdout is not None
        assert "waiting" in second.stdout.readline()
    assert second.communicate(timeout=30)[0] == "its turn\n"


def test_what_a_killed_set_up_left_running_keeps_the_next_one_waiting(machine: Machine) -> None:
    with bootstrap.turn() as held:
        child = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, pass_fds=(held,))
    assert busy(bootstrap.LOCK)
    child.communicate()
    assert not busy(bootstrap.LOCK)


def test_steps_keep_the_lock_open(machine: Machine) -> None:
    machine.fake("probe", '[ -e "/proc/self/fd/$1" ]')
    with bootstrap.turn() as held:
        bootstrap.step("probing", ["probe", str(held)], hold=held)
        with pytest.raises(bootstrap.SetUpError):
            bootstrap.step("probing", ["probe", str(held)])
