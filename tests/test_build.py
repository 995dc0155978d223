import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import helpers.__main__ as command_line
from conftest import Project
from helpers.book import build, execute, render, run
from helpers.errors import HelpersError
from helpers.paths import ROOT


@pytest.fixture(scope="module")
def built(tmp_path_factory, new_book) -> Project:
    """Chapters of a small book, run once by real kernels; tests take copies."""
    project = new_book(tmp_path_factory.mktemp("built"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "render", bind)
        build.report(project.root / "_book", root=project.root)
    return project


def bind(stage: Path, out: Path, engine: str) -> None:
    """Stand in for the renderer: pages are the chapters as staged."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "index.html").write_text((stage / "index.qmd").read_text())
    for page in stage.glob("*.ipynb"):
        shutil.copy(page, out / f"{page.stem}.html")


real_render = render.render


@pytest.fixture
def book(built, tmp_path, monkeypatch) -> Project:
    """Return a built book, in which no chapter runs and no page is rendered unnoticed."""
    root = tmp_path / "book"
    shutil.copytree(built.root, root)
    project = Project(root)
    project.ran, project.rendered, project.places = [], [], build.Places(root)

    def running(chapter, *rest):
        project.ran.append(chapter.stem)
        return real_run(chapter, *rest)

    def rendering(stage, out, engine):
        project.rendered.append(engine)
        bind(stage, out, engine)

    real_run = execute.run
    monkeypatch.setattr(execute, "run", running)
    monkeypatch.setattr(render, "render", rendering)
    return project


def report(project: Project, out: str = "_book", **more) -> Path:
    return build.report(project.root / out, root=project.root, **more)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_build_runs_all_hands_results_on_and_merges_them(built):
    places = build.Places(built.root)
    assert "a says 6.0" in places.executed("b-02").read_text()
    merged = json.loads((built.root / "_book/results.json").read_text())["chapters"]
    assert set(merged) == {"a-01", "b-02", "c-03"}
    assert merged["a-01"]["entries"][0]["result"] == "6.0"
    assert merged["a-01"]["key"] == json.loads(places.key("a-01").read_text())["key"]
    assert (built.root / "_book/a-01.html").exists()


def test_a_second_build_with_nothing_changed_runs_and_renders_nothing(book, capsys):
    before = tree(book.root)
    report(book)
    assert (book.ran, book.rendered) == ([], [])
    assert tree(book.root) == before
    assert capsys.readouterr().err == "nothing has changed\n"


def test_a_staged_book_goes_through_the_embedded_renderer(book, monkeypatch):
    monkeypatch.setattr(render, "render", real_render)
    report(book, "rendered", engine="pandoc")
    pages = {path.name for path in (book.root / "rendered").iterdir()}
    assert pages >= {"index.html", "a-01.html", "c-03.html", "book.pdf", "results.json"}
    text = (book.root / "rendered/c-03.html").read_text()
    assert "How this page was made" in text
    assert "where chance begins" in text


def test_a_changed_chapter_runs_alone_and_the_book_is_rendered(book):
    book.edit("c-03", lambda notebook: notebook.cells[0].update(source="# Third, again"))
    report(book)
    assert (book.ran, book.rendered) == (["c-03"], ["pandoc"])
    assert "Third, again" in (book.root / "_book/c-03.html").read_text()


def test_the_pdf_shows_code_when_asked_and_the_book_is_rendered_again(book):
    report(book, pdf_code=True)
    assert (book.ran, book.rendered) == ([], ["pandoc"])
    stage = book.root / "_build/default/stage"
    render._write(stage, book.root / "_build", "typst")
    assert "seed * scale" in (book.root / "_build/book.typ").read_text()
    report(book)
    assert book.rendered == ["pandoc", "pandoc"]
    config = yaml.safe_load((stage / "_quarto.yml").read_text())
    assert "typst" not in config.get("format", {})


@pytest.mark.parametrize("name", ["index.qmd", "references.bib", "_quarto.yml"])
def test_a_changed_page_or_setting_renders_but_runs_nothing(book, name):
    book.write(name, (book.root / name).read_text() + "\n# Changed\n")
    if name == "_quarto.yml":
        book.write(name, (book.root / name).read_text().replace("A small", "Another small"))
    report(book)
    assert (book.ran, book.rendered) == ([], ["pandoc"])


@pytest.mark.parametrize("name", ["index.html", "b-02.html", "results.json", ".book.json"])
def test_a_book_that_lacks_a_file_is_rendered_again(book, name):
    (book.root / "_book" / name).unlink()
    if name == ".book.json":  # as after a kill between the last two steps
        assert (book.root / "_build/default/rendered.json").exists()
    report(book)
    assert (book.ran, book.rendered) == ([], ["pandoc"])
    assert (book.root / "_book" / name).exists()


def test_a_book_deleted_or_wanted_elsewhere_is_rendered_again(book):
    shutil.rmtree(book.root / "_book")
    report(book)
    report(book, "elsewhere/my book")
    assert book.rendered == ["pandoc", "pandoc"]
    assert (book.root / "_book/index.html").exists()
    assert (book.root / "elsewhere/my book/index.html").exists()


def test_a_failing_chapter_leaves_the_old_book_and_later_builds_go_on(book):
    before = tree(book.root / "_book")
    book.notebook("b-02", "# Second", "1 / 0", needs=["a-01"])
    with pytest.raises(HelpersError, match=r"cell 2 \(In \[1\]\): ZeroDivisionError"):
        report(book)
    assert tree(book.root / "_book") == before
    assert book.rendered == []
    book.notebook("b-02", "# Second", "1", needs=["a-01"])
    report(book)
    assert book.ran == ["b-02", "b-02"]
    assert not (book.root / "_build/default/failed/b-02.ipynb").exists()


def test_a_failing_renderer_leaves_the_old_book(book, monkeypatch):
    before = tree(book.root / "_book")
    book.write("index.qmd", "# Changed")

    def fail(*_):
        raise HelpersError("a page has a broken link")

    monkeypatch.setattr(render, "render", fail)
    with pytest.raises(HelpersError):
        report(book)
    assert tree(book.root / "_book") == before


def test_a_wrong_setting_is_refused_before_anything_runs(book):
    with pytest.raises(HelpersError, match="did you mean 'seed'"):
        report(book, settings=["sed=3"])
    assert book.ran == []


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        (".", "that is where its sources are"),
        ("notebooks", "that is where its sources are"),
        ("data/new", "that is where its sources are"),
        ("_build/book", "that is where its sources are"),
        ("..", "the project lies in it"),
        ("index.qmd", "that is a file"),
        ("theirs", "holds files that this project did not make"),
        (".github", "that is where its sources are"),
        (".github/new", "that is where its sources are"),
        ("_book/draft", "the book in _book is there, and the next build of that one would delete"),
        ("_book-study/draft", "the book in _book-study is there"),
        ("_book/deep/draft", "the book in _book is there"),
    ],
)
def test_a_book_never_goes_on_top_of_anything_else(book, out, reason):
    book.write("theirs/results.json", "{}")
    book.write("theirs/index.html", "mine")
    before = tree(book.root)
    with pytest.raises(HelpersError, match=reason):
        build.report((book.root / out).resolve(), root=book.root)
    assert tree(book.root) == before


def test_a_folder_that_cannot_be_replaced_is_refused_before_anything_runs(book, monkeypatch):
    book.edit("c-03", lambda notebook: notebook.cells[0].update(source="# Changed"))
    before = tree(book.root)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "is_mount", lambda path: path.name == "_book")
        with pytest.raises(HelpersError, match="cannot go to _book: a file system is mounted"):
            report(book)
    for locked in (book.root / "_book", book.root):
        monkeypatch.setattr(os, "access", lambda path, _, locked=locked: path != locked)
        with pytest.raises(HelpersError, match=r"cannot go to _book: (_book|\.) cannot be written"):
            report(book)
    assert tree(book.root) == before


def test_no_book_is_built_in_another_nor_around_one(book):
    report(book, "elsewhere/one")
    with pytest.raises(HelpersError, match="the book in elsewhere/one is there"):
        report(book, "elsewhere/one/more")
    shutil.copytree(book.root / "elsewhere/one", book.root / "_book/kept")
    with pytest.raises(HelpersError, match="there is a book in _book/kept, which it would delete"):
        report(book)
    assert (book.root / "_book/kept/index.html").exists()


def test_files_of_the_user_in_a_book_are_neither_lost_nor_published(book):
    book.write("_book/notes/mine.txt", "kept")
    book.write("_book/.DS_Store", "")
    with pytest.raises(HelpersError, match=r"_book: it holds notes/mine\.txt, which is not of the"):
        report(book)
    book.write("_book/a.txt", "")
    with pytest.raises(HelpersError, match=r"it holds a\.txt and 1 more, which is not of the book"):
        report(book)
    assert (book.root / "_book/notes/mine.txt").read_text() == "kept"
    shutil.rmtree(book.root / "_book/notes")
    (book.root / "_book/a.txt").unlink()
    report(book)
    assert book.ran == []


def test_every_folder_of_the_project_is_closed_to_books():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files"], capture_output=True, text=True
    ).stdout.splitlines()
    if not listed:
        pytest.skip("no git here")
    assert {name.split("/")[0] for name in listed if "/" in name} <= set(build.SOURCES)


def test_an_empty_folder_takes_a_book(book):
    (book.root / "empty").mkdir()
    report(book, "empty")
    assert (book.root / "empty/index.html").exists()


def test_a_kill_between_run_and_key_leaves_no_key_for_the_new_run(book, monkeypatch):
    def killed(path, content):
        raise KeyboardInterrupt

    book.edit("c-03", lambda notebook: notebook.cells[0].update(source="# Other"))
    with monkeypatch.context() as patch:
        patch.setattr(run, "write_text", killed)
        with pytest.raises(KeyboardInterrupt):
            report(book)
    book.edit("c-03", lambda notebook: notebook.cells[0].update(source="# Third"))
    report(book)
    assert book.ran == ["c-03", "c-03"]


def test_a_second_build_waits_for_the_first_and_says_so(tmp_path):
    lock = tmp_path / "lock"
    waiting = (
        "import sys; from pathlib import Path; from helpers.book.build import turn\n"
        "with turn(Path(sys.argv[1])): print('in')"
    )
    with build.turn(lock):
        second = subprocess.Popen(
            [sys.executable, "-c", waiting, lock], stderr=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert b"another build is running" in second.stderr.readline()
        assert second.poll() is None
    assert second.communicate(timeout=20)[0] == b"in\n"


MAIN = """\
import functools, sys
from pathlib import Path
import helpers.__main__ as command_line
from helpers.book import build, render
build.report = functools.partial(build.report, root=Path(sys.argv[1]))
sys.exit(command_line.main(sys.argv[2:]))
"""


def start(project: Project, *arguments: str) -> subprocess.Popen:
    """Start the command line on a small book, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, project.root, "report", *arguments],
        cwd=project.root,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def gone(pid: int) -> bool:
    """Wait until a process has ended; one that was killed may take a moment on a busy machine."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


SLEEPS = (
    "import os, pathlib, subprocess, time",
    "child = subprocess.Popen(['sleep', '60'])\n"
    "pathlib.Path('draft').write_text(f'{os.getpid()} {child.pid}')\n"
    "pathlib.Path('draft').rename('pids')",
    "time.sleep(60)",
)
"""A chapter that takes long, and says which processes it is."""


def processes(project: Project) -> list[int]:
    """Wait until a chapter sleeps, and return its processes."""
    pids = project.root / "notebooks/pids"
    deadline = time.monotonic() + 60
    while not pids.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return [int(pid) for pid in pids.read_text().split()]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopping_ends_all_processes_and_the_next_build_goes_on(book, stop, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    book.list_chapters("index.qmd", "notebooks/a-01.ipynb", "notebooks/c-03.ipynb")
    (book.root / "notebooks/b-02.ipynb").unlink()
    book.notebook("a-01", *SLEEPS)
    book.places.key("c-03").unlink()
    running = start(book)
    found = processes(book)
    while not book.places.key("c-03").exists():
        time.sleep(0.05)
    running.send_signal(stop)
    out, err = running.communicate(timeout=20)
    assert out == ""
    assert "Traceback" not in err
    if stop == signal.SIGKILL:
        assert running.returncode == -stop
    else:
        assert running.returncode == 130
        assert err.splitlines()[-1] == "stopped; the same command goes on from here"
    assert all(gone(pid) for pid in found)
    for _ in range(100):
        if not (left := list((tmp_path / "temporary").iterdir())):
            break
        time.sleep(0.1)
    assert left == []
    book.notebook("a-01", "1")
    report(book)
    assert book.ran == ["a-01"]


def test_a_failing_chapter_ends_the_one_beside_it(book):
    book.notebook("a-01", *SLEEPS)
    book.notebook("c-03", "import pathlib, time", WAIT, "1 / 0")
    with pytest.raises(HelpersError, match=r"^notebooks/c-03.ipynb, cell 3 .*ZeroDivisionError"):
        report(book)
    assert all(gone(pid) for pid in processes(book))
    assert not book.places.failed("a-01").exists()
    assert book.places.failed("c-03").exists()


WAIT = "while not pathlib.Path('pids').exists():\n    time.sleep(0.05)"


def test_faults_of_users_end_in_words_and_exit_codes(book):
    refused = start(book, "--set", "sed=3")
    out, err = refused.communicate(timeout=30)
    assert refused.returncode == 1
    assert out == ""
    assert err.startswith("no chapter has a parameter 'sed'; did you mean 'seed'?")
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [[], ["repot"], ["report", "--engine", "latex"]])
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command_line.main(arguments)
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--engine=foo"], "ENGINE: expected auto, quarto or pandoc, found 'foo'"),
        (
            ["--engine=pandok"],
            "ENGINE: expected auto, quarto or pandoc, found 'pandok'; did you mean 'pandoc'?",
        ),
        (["--kernels=cold"], "KERNELS: expected warm or fresh, found 'cold'"),
        (["--pdf-code=maybe"], "CODE: expected yes or no, found 'maybe'"),
        (["--time-limit=1h"], "TIME_LIMIT: expected seconds, a number above 0, found '1h'"),
        (["--out="], "OUT: the path is empty"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
    ],
)
def test_a_wrong_value_is_told_in_one_line(arguments, told, capsys):
    with pytest.raises(SystemExit):
        command_line.main(["report", *arguments])
    assert capsys.readouterr().err == f"{told}\n"


def test_a_full_disk_is_told_in_words(monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(28, "No space left on device", "_build/x")

    monkeypatch.setattr(build, "report", full)
    assert command_line.main(["report"]) == 1
    assert capsys.readouterr().err == "No space left on device: _build/x\n"


def test_the_lock_is_free_after_a_build(book):
    report(book)
    with (book.root / "_build/default/lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
