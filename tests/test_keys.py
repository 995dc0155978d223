import ast
import json
from pathlib import Path

import nbformat
import pytest

from conftest import Project
from helpers.book import execute, keys, run
from helpers.book.places import Places
from helpers.book.plan import plan
from helpers.errors import HelpersError


@pytest.fixture
def ran(project, monkeypatch):
    """Chapters that a build runs, without kernels: a-01's result is the first of its numbers."""
    names: list[str] = []

    def running(chapter, values, places, *_):
        names.append(chapter.stem)
        places.running(chapter.stem).parent.mkdir(parents=True, exist_ok=True)
        places.running(chapter.stem).write_text(chapter.text)
        first = (places.root / "data/numbers.csv").read_text().split()[0]
        return {"entries": [{"result": first}] if chapter.stem == "a-01" else []}

    monkeypatch.setattr(execute, "run", running)
    monkeypatch.setattr(keys, "r_versions", lambda: {"R": "4.2.2", "R package lme4": "1.1"})
    return names


def rerun(project: Project, names: list[str], *settings: str) -> set[str]:
    names.clear()
    run.bring_up_to_date(plan(project.root, settings), Places(project.root), 60)
    return set(names)


def cell(index: int, **changes: object):
    return lambda notebook: notebook.cells[index].update(changes)


def write(name: str, text: str):
    return lambda project: project.write(name, text)


def edit(stem: str, change):
    return lambda project: project.edit(stem, change)


CHANGES = {
    "code": (edit("c-03", cell(3, source="f()")), {"c-03"}),
    "prose": (edit("b-02", cell(0, source="# Other")), {"b-02"}),
    "a tag": (edit("b-02", lambda n: n.cells[0].metadata.update(tags=["x"])), {"b-02"}),
    "the order of cells": (edit("c-03", lambda n: n.cells.append(n.cells.pop(2))), {"c-03"}),
    "what it declares": (
        edit("c-03", lambda n: n.metadata.helpers.update(kinds=["published"])),
        {"c-03"},
    ),
    "data that changes a result": (write("data/numbers.csv", "2\n2\n3\n"), {"a-01", "b-02"}),
    "data that changes no result": (write("data/numbers.csv", "1\n2\n4\n"), {"a-01"}),
    "a file in a folder of data": (write("data/more/x.csv", "2\n"), {"c-03"}),
    "a new file in a folder of data": (write("data/more/y.csv", ""), {"c-03"}),
    "a module": (write("src/helpers/stats.py", "from . import adding\n"), {"a-01"}),
    "a module imported by a module": (write("src/helpers/adding.py", "X = 1\n"), {"a-01"}),
    "a module imported in a function": (write("src/helpers/late.py", "VALUE = 2\n"), {"c-03"}),
    "the package": (write("src/helpers/__init__.py", "X = 1\n"), {"a-01", "c-03"}),
    "a file of the package": (write("src/helpers/words.json", "{}"), {"a-01", "c-03"}),
    "the lock": (write("requirements.lock", "nothing==2.0\n"), {"a-01", "b-02", "c-03"}),
}
NO_CHANGES = {
    "outputs": edit(
        "a-01", cell(1, outputs=[nbformat.v4.new_output("stream", text="x")], execution_count=3)
    ),
    "ids": edit("a-01", cell(1, id="other")),
    "editor metadata": edit("a-01", lambda n: n.metadata.update(toc={"base_numbering": 1})),
    "editor metadata of a cell": edit("a-01", lambda n: n.cells[1].metadata.update(collapsed=True)),
    "another module": write("src/helpers/unrelated.py", "VALUE = 2\n"),
    "other data": write("data/other.csv", "1"),
    "the page before the chapters": write("index.qmd", "# Hello"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_runs_exactly_the_chapters_that_depend_on_it(project, ran, what):
    change, expected = CHANGES[what]
    assert rerun(project, ran) == {"a-01", "b-02", "c-03"}
    change(project)
    assert rerun(project, ran) == expected
    assert rerun(project, ran) == set()


@pytest.mark.parametrize("what", NO_CHANGES)
def test_what_no_chapter_depends_on_runs_none(project, ran, what):
    rerun(project, ran)
    NO_CHANGES[what](project)
    assert rerun(project, ran) == set()


def test_a_parameter_runs_the_chapters_that_have_it_unless_its_value_is_the_same(project, ran):
    rerun(project, ran)
    assert rerun(project, ran, "seed=1") == set()
    assert rerun(project, ran, "seed=2") == {"c-03"}
    assert rerun(project, ran, "seed=2") == set()
    assert rerun(project, ran) == {"c-03"}


def test_a_file_named_by_a_parameter_is_data_too(project, ran):
    project.write("theirs.csv", "1")
    project.notebook("b-02", ("parameters", "file: str = 'data/none.csv'  # what to read"))
    rerun(project, ran)
    assert rerun(project, ran, "file=theirs.csv") == {"b-02"}
    project.write("theirs.csv", "2")
    assert rerun(project, ran, "file=theirs.csv") == {"b-02"}
    assert rerun(project, ran, "file=theirs.csv") == set()


def test_another_python_runs_all(project, ran, monkeypatch):
    rerun(project, ran)
    monkeypatch.setattr(keys.platform, "python_version", lambda: "3.11.99")
    assert rerun(project, ran) == {"a-01", "b-02", "c-03"}


def test_another_r_package_runs_the_chapters_that_reach_r_through_whatever_module(
    project, ran, monkeypatch
):
    project.write("src/helpers/adding.py", "def add(path):\n    import rpy2.robjects\n")
    rerun(project, ran)
    monkeypatch.setattr(keys, "r_versions", lambda: {"R": "4.2.2", "R package lme4": "1.2"})
    assert rerun(project, ran) == {"a-01"}


@pytest.mark.parametrize("first", ["1", "folder: str = 'data/more'  # what to read"])
def test_of_a_folder_only_the_files_that_are_declared_count(project, ran, first):
    cell = ("parameters", first) if first != "1" else first
    project.notebook("c-03", cell, data=["data/more/*.csv"])
    rerun(project, ran)
    project.write("data/more/README.md", "about x")
    assert rerun(project, ran) == set()
    project.write("data/more/x.csv", "2")
    assert rerun(project, ran) == {"c-03"}
    project.write("data/more/y.csv", "3")
    assert rerun(project, ran) == {"c-03"}
    (project.root / "data/more/y.csv").unlink()
    assert rerun(project, ran) == {"c-03"}


def test_a_folder_named_by_a_setting_counts_whole(project, ran):
    own = "folder: str = 'data/more'  # what to read"
    project.notebook("c-03", ("parameters", own), data=["data/more/*.csv"])
    project.write("data/other/README.md", "one")
    rerun(project, ran, "folder=data/other")
    project.write("data/other/README.md", "two")
    assert rerun(project, ran, "folder=data/other") == {"c-03"}


def test_files_that_are_declared_and_not_there_are_refused(project, ran):
    project.notebook("c-03", "1", data=["data/more/*.txt"])
    with pytest.raises(HelpersError, match=r"data/more/\*\.txt stands for no file; notebooks/c-03"):
        rerun(project, ran)


@pytest.mark.parametrize("gone", ["executed/c-03.ipynb", "results/c-03.json", "keys/c-03.json"])
def test_a_missing_product_is_made_again(project, ran, gone):
    rerun(project, ran)
    (Places(project.root).build / gone).unlink()
    assert rerun(project, ran) == {"c-03"}


def test_a_damaged_key_vouches_for_nothing(project, ran):
    rerun(project, ran)
    Places(project.root).key("c-03").write_text('{"key"')
    assert rerun(project, ran) == {"c-03"}


def test_a_build_says_why_a_chapter_runs(project, ran, capsys):
    rerun(project, ran)
    assert "c-03 runs: there is no run of it" in capsys.readouterr().err
    project.write("data/more/x.csv", "2")
    rerun(project, ran, "seed=2")
    why, took = capsys.readouterr().err.splitlines()
    assert why == "c-03 runs: changed: parameter seed, data data/more"
    assert took == "c-03 took 0 s (3 of 3 chapters)"


def test_a_key_stands_with_its_ingredients(project, ran):
    rerun(project, ran)
    stored = json.loads(Places(project.root).key("c-03").read_text())
    assert stored["key"] == keys.key(stored["ingredients"])
    assert len(stored["key"]) == 64
    assert set(stored["ingredients"]) == {
        "notebook",
        "metadata",
        "requirements.lock",
        "Python",
        "parameter seed",
        "parameter scale",
        "data data/more",
        "module helpers",
        "module helpers.late",
    }


@pytest.mark.parametrize("gone", ["data/numbers.csv", "requirements.lock"])
def test_missing_data_or_lock_is_named_with_what_to_do(project, ran, gone):
    (project.root / gone).unlink()
    with pytest.raises(HelpersError, match=f"^{gone} does not exist; .*restore it"):
        rerun(project, ran)


def test_many_changes_are_told_in_one_line():
    old = {f"module {n}": "1" for n in range(9)} | {"gone": "1"}
    new = {f"module {n}": "2" for n in range(9)} | {"new": "1"}
    assert keys.changes(old, new) == (
        "changed: module 0, module 1, module 2, module 3 and 5 more; new: new; gone: gone"
    )
    assert keys.changes(old, old) == ""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import helpers.sub.deep", {"helpers", "helpers.sub", "helpers.sub.deep"}),
        ("import helpers.sub as s", {"helpers", "helpers.sub"}),
        ("from helpers import sub, attribute", {"helpers", "helpers.sub"}),
        ("from helpers.sub.deep import thing", {"helpers", "helpers.sub", "helpers.sub.deep"}),
        ("from helpers.sub import *", {"helpers", "helpers.sub", "helpers.sub.deep"}),
        ("from helpers.chain import x", {"helpers", "helpers.chain", "helpers.sub", "pandas"}),
        ("from helpers.up import x", {"helpers", "helpers.up", "helpers.sub", "helpers.sub.deep"}),
        ("import importlib; importlib.import_module('helpers.up')", {"helpers.up", "helpers.sub"}),
        ("if 1:\n    def f():\n        import helpers.sub", {"helpers.sub"}),
        ("import numpy.linalg", {"numpy"}),
    ],
)
def test_imports_are_followed_without_running_anything(tmp_path, code, expected):
    for name, text in {
        "__init__.py": "",
        "chain.py": "def f():\n    from . import sub\n    import pandas.core\n",
        "up.py": "from .sub import deep\n",
        "sub/__init__.py": "raise RuntimeError\n",
        "sub/deep.py": "from .. import sub\nfrom ..up import nothing\n",
        "alone.py": "",
    }.items():
        Project(tmp_path).write(f"helpers/{name}", text)
    closure = keys.Modules(tmp_path).closure(keys.imports(ast.parse(code)))
    assert closure >= expected
    assert "helpers.alone" not in closure


def test_a_broken_module_is_named_only_if_a_chapter_reaches_it(project, ran):
    project.write("src/helpers/unrelated.py", "def (")
    rerun(project, ran)
    project.write("src/helpers/late.py", "\ndef (")
    with pytest.raises(HelpersError, match=r"^src/helpers/late\.py, line 2: invalid syntax"):
        rerun(project, ran)


@pytest.mark.parametrize(
    "source",
    [
        "%matplotlib inline\nimport helpers.late",
        "%%time\nimport helpers.late",
        "if True:\n    !ls\nimport helpers.late",
        "x = ('%s'\n    % 1)\nimport helpers.late",
    ],
)
def test_imports_are_seen_beside_ipythons_own_lines(project, ran, source):
    project.notebook("b-02", source)
    rerun(project, ran)
    project.write("src/helpers/late.py", "VALUE = 3\n")
    assert rerun(project, ran) == {"b-02", "c-03"}


def test_versions_of_r_and_its_packages_come_from_r():
    versions = keys.r_versions()
    assert versions["R"][0].isdigit()
    assert "R package stats" in versions
    assert all(Path(name).name == name for name in versions)


def test_r_that_does_not_answer_is_told_in_words(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(HelpersError, match="Rscript"):
        keys.r_versions.__wrapped__()
