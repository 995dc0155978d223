"""The preview: what it notices, what it serves, how it ends."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from helpers.book import preview
from helpers.errors import HelpersError


def read(address: str, path: str = "") -> tuple[str, dict[str, str]]:
    with urllib.request.urlopen(address + path, timeout=20) as answer:
        return answer.read().decode(), dict(answer.headers)


# ---- what it notices


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("notebooks/a-01.ipynb", True),
        ("src/helpers/stats.py", True),
        ("data/new.csv", True),
        ("_quarto.yml", True),
        ("notebooks/.ipynb_checkpoints/a-01.ipynb", False),
        ("src/helpers/__pycache__/stats.pyc", False),
        ("_build/default/keys/a-01.json", False),
        ("_book/index.html", False),
        ("_book-mine/index.html", False),
        (".git/index", False),
        ("data/~lock", False),
    ],
)
def test_sources_count_and_what_is_built_or_hidden_does_not(project, name, counts):
    before = preview.snapshot([project.root])
    project.write(name, "changed")
    assert (preview.snapshot([project.root]) != before) == counts


def test_a_source_that_is_deleted_or_leads_nowhere_is_noticed_without_fuss(project):
    (project.root / "data/link").symlink_to("nowhere")
    before = preview.snapshot([project.root])
    (project.root / "data/numbers.csv").unlink()
    assert len(preview.snapshot([project.root])) == len(before) - 1


def test_it_builds_at_first_and_after_a_save_that_has_come_to_rest(project, monkeypatch):
    saves = {3: "one", 4: "other", 5: "third"}  # an editor that writes three times
    looks = []

    def sleep(_):
        looks.append(None)
        if len(looks) in saves:
            project.write("index.qmd", saves[len(looks)])
        if len(looks) > 12:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    built = []
    with pytest.raises(KeyboardInterrupt):
        for _ in preview._changes([project.root]):
            built.append((project.root / "index.qmd").read_text()[:5])
    assert built == ["# Wel", "third"]


# ---- what it serves


@pytest.fixture
def served(tmp_path):
    book = tmp_path / "a böök"
    book.mkdir()
    (book / "index.html").write_text("<p>Old</p>")
    (book / "x.csv").write_text("a,b\n")
    with preview._served(book) as address:
        yield book, address


def test_pages_load_themselves_anew_and_other_files_come_as_they_are(served):
    _, address = served
    assert address.startswith("http://127.0.0.1:")
    for path in ("", "index.html"):
        page, headers = read(address, path)
        assert page == "<p>Old</p>" + preview.RELOAD
        assert headers["Cache-Control"] == "no-store"
    assert read(address, "x.csv")[0] == "a,b\n"
    with pytest.raises(urllib.error.HTTPError, match="404"):
        read(address, ".book.json")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        read(address, "%2e%2e/secret.html")


def test_a_book_that_is_swapped_is_served_at_once(served):
    book, address = served
    book.rename(book.with_name("old"))
    book.mkdir()
    (book / "index.html").write_text("<p>New</p>")
    assert read(address)[0].startswith("<p>New</p>")


def test_it_takes_the_next_port_that_is_free_or_says_that_none_is(served, monkeypatch, tmp_path):
    taken = int(served[1].rstrip("/").rpartition(":")[2])
    monkeypatch.setattr(preview, "PORTS", range(taken, taken + 1))
    none = pytest.raises(HelpersError, match=f"no port from {taken} to {taken} is free")
    with none, preview._served(tmp_path):
        pass


# ---- how it ends


PREVIEW = """\
import json, sys
from pathlib import Path
import helpers.__main__ as command_line
from helpers.book import preview
preview.INTERVAL = 0.05
root, command = Path(sys.argv[1]), json.loads(sys.argv[2])
command_line._preview = lambda asked: preview.preview(command, root / "_book", [root])
sys.exit(command_line.main(["preview"]))
"""

BUILD = """\
import pathlib, time
log = pathlib.Path(".log")
log.open("a").write("began ")
try:
    while pathlib.Path("slow").exists():
        time.sleep(0.02)
except KeyboardInterrupt:
    log.open("a").write("interrupted ")
    time.sleep(0.5)
log.open("a").write("ended ")
"""


def until(log: Path, text: str) -> None:
    deadline = time.monotonic() + 30
    while not (log.exists() and log.read_text() == text):
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.02)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_builds_on_save_and_ends_after_its_build_without_a_fault(project, stop):
    log = project.root / ".log"
    command = [sys.executable, "-c", BUILD]
    running = subprocess.Popen(
        [sys.executable, "-c", PREVIEW, project.root, json.dumps(command)],
        cwd=project.root,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until(log, "began ended ")
    project.write("slow", "")
    until(log, "began ended began ")
    os.killpg(running.pid, stop)  # as a terminal does
    out, err = running.communicate(timeout=20)
    assert log.read_text() == "began ended began interrupted ended "
    assert (running.returncode, err) == (0, "")
    assert out.splitlines()[0].startswith("http://127.0.0.1:")
    assert out.splitlines()[-1] == "the preview has ended"
