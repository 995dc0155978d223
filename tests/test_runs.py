"""Tasks that are done side by side, kept, and not done twice; and digests of code."""

import json
import sys
import types
from pathlib import Path

import joblib
import pytest
from joblib._parallel_backends import ThreadingBackend

from helpers import runs
from helpers.errors import HelpersError
from helpers.runs import run, source_digest


def squared(task):
    return {"squared": task["number"] ** 2}


def noted(task):
    """Leaves a mark for each call, whichever process it is in."""
    with (Path(task["folder"]) / "calls").open("a") as file:
        file.write(f"{task['number']}\n")
    return {"number": task["number"]}


def stopped(task):
    """The same, ended at the third task as by Ctrl-C."""
    found = noted(task)
    if task["number"] == 3:
        raise KeyboardInterrupt
    return found


def tasks(folder, *numbers):
    return [{"number": number, "folder": str(folder)} for number in numbers]


def calls(folder):
    return (folder / "calls").read_text().split()


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks(tmp_path, workers):
    found = run(squared, [{"number": n} for n in (3, 1, 2)], "code", tmp_path, "t", workers=workers)
    assert [one["squared"] for one in found] == [9, 1, 4]


def test_a_run_that_was_stopped_goes_on_where_it_ended(tmp_path):
    kept = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        run(stopped, tasks(tmp_path, 1, 2, 3), "code", kept, "t", workers=1)
    assert {json.loads(file.read_text())["number"] for file in kept.iterdir()} == {1, 2}
    found = run(noted, tasks(tmp_path, 1, 2, 3), "code", kept, "t", workers=1)
    assert [one["number"] for one in found] == [1, 2, 3]
    assert calls(tmp_path) == ["1", "2", "3", "3"]


def test_what_is_kept_is_not_done_again(tmp_path):
    kept = tmp_path / "kept"
    run(noted, tasks(tmp_path, 1, 2), "code", kept, "t", workers=1)
    found = run(noted, tasks(tmp_path, 2, 3), "code", kept, "t", workers=1)
    assert calls(tmp_path) == ["1", "2", "3"]
    assert [one["number"] for one in found] == [2, 3]


def test_other_code_or_a_damaged_result_is_done_anew(tmp_path):
    kept = tmp_path / "kept"
    run(noted, tasks(tmp_path, 1), "code", kept, "t", workers=1)
    run(noted, tasks(tmp_path, 1), "other code", kept, "t", workers=1)
    assert calls(tmp_path) == ["1", "1"]
    for file in kept.iterdir():
        file.write_text('{"number"')
    run(noted, tasks(tmp_path, 1), "code", kept, "t", workers=1)
    assert calls(tmp_path) == ["1", "1", "1"]


def test_without_dask_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(HelpersError, match=r"pip install 'dask\[distributed\]'"):
        run(squared, [{"number": 1}], "code", tmp_path, "t", scheduler="tcp://here:8786")
    assert not list(tmp_path.iterdir())


class Client:
    """Stands in for Dask's, whose work is done by threads here."""

    asked = None  # a list, by the fixture

    def __init__(self, address, timeout):
        if "nowhere" in address:
            raise OSError("Timed out")
        self.asked.append(address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.asked.append("closed")


@pytest.fixture
def dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", types.SimpleNamespace(Client=Client))
    monkeypatch.setattr(Client, "asked", [])
    monkeypatch.setitem(joblib.parallel.BACKENDS, "dask", ThreadingBackend)


def test_a_scheduler_does_the_work(tmp_path, dask):
    found = run(
        squared, [{"number": n} for n in range(5)], "code", tmp_path, "t", scheduler="tcp://a:1"
    )
    assert [one["squared"] for one in found] == [0, 1, 4, 9, 16]
    assert Client.asked == ["tcp://a:1", "closed"]
    assert len(list(tmp_path.iterdir())) == 5


def test_a_scheduler_that_does_not_answer_is_named(tmp_path, dask):
    with pytest.raises(HelpersError, match="no Dask scheduler answers at tcp://nowhere:1: Timed"):
        run(squared, [{"number": 1}], "code", tmp_path, "t", scheduler="tcp://nowhere:1")


# --- digests of code -----------------------------------------------------------------------------

CODE = '''"""What it does."""


def double(x):
    """Twice."""
    return 2 * x  # a remark
'''


@pytest.fixture
def package(tmp_path):
    (tmp_path / "some").mkdir()
    (tmp_path / "some/one.py").write_text(CODE)
    (tmp_path / "some/two.py").write_text("N = 1\n")
    return tmp_path


def test_comments_docstrings_and_line_breaks_do_not_count(package):
    before = source_digest(["some.one"], package)
    other = CODE.replace("Twice.", "Two times.").replace("What it does", "Another")
    other = other.replace("  # a remark", "").replace("2 * x", "(\n        2\n        * x\n    )")
    (package / "some/one.py").write_text(other)
    assert source_digest(["some.one"], package) == before


def test_what_code_does_counts(package):
    before = source_digest(["some.one"], package)
    (package / "some/one.py").write_text(CODE.replace("2 * x", "3 * x"))
    assert source_digest(["some.one"], package) != before


def test_a_package_stands_for_its_modules(package):
    before = source_digest(["some"], package)
    assert before == source_digest(["some.one", "some.two"], package)
    (package / "some/two.py").write_text("N = 2\n")
    assert source_digest(["some"], package) != before


def test_a_module_that_is_not_there_is_named(package):
    with pytest.raises(HelpersError, match=r"some\.three: no such module"):
        source_digest(["some.three"], package)


def test_every_source_of_evidence_is_there():
    from helpers.power import grid
    from helpers.recovery import evidence

    assert len(evidence.sources()) == len(grid.sources()) == 16
    assert runs.source_digest(evidence.SOURCES) == evidence.sources()
