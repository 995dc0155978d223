import gc
import hashlib
import json
import os
import sys

import nbformat
import pytest
from IPython.core.formatters import DisplayFormatter

from conftest import ENTRY, Project
from helpers import show
from helpers.book import chapters, execute, kernels, parameters
from helpers.book.places import Places
from helpers.errors import HelpersError


def run(
    project: Project, stem: str = "a-01", *settings: str, time_limit: float = 60, mode="warm"
) -> dict:
    book = chapters.load(project.root)
    chapter = next(chapter for chapter in book.chapters if chapter.stem == stem)
    values = parameters.settle(book.chapters, settings)[stem]
    changed = parameters.changed(parameters.read(chapter), values)
    with kernels.Kernels(Places(project.root), mode=mode) as started, execute.quietly():
        return execute.run(chapter, changed, Places(project.root), time_limit, started)


def refusal(
    project: Project, *cells, stem: str = "a-01", settings=(), time_limit: float = 60
) -> str:
    project.notebook("a-01", "# Title", *cells)
    with pytest.raises(HelpersError) as error:
        run(project, stem, *settings, time_limit=time_limit)
    return str(error.value)


def printed(project: Project, stem: str = "a-01") -> str:
    notebook = nbformat.read(Places(project.root).running(stem), as_version=4)
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    return "".join(out.text for out in outputs if out.output_type == "stream")


def shown(*outputs: tuple[str, str], source: str = "1") -> nbformat.NotebookNode:
    """Return a cell that showed the given texts, by MIME type or stream."""
    made = [
        nbformat.v4.new_output("stream", name=kind, text=text)
        if kind.startswith("std")
        else nbformat.v4.new_output("display_data", {kind: text})
        for kind, text in outputs
    ]
    return nbformat.v4.new_code_cell(source, outputs=made)


def test_a_chapter_runs_beside_its_source_which_stays_untouched(project, monkeypatch, tmp_path):
    """One kernel shows all that a chapter can count on; a foreign kernel `python3` loses."""
    fake = {"argv": ["false"], "display_name": "Fake", "language": "python"}
    for variable, below in (
        ("JUPYTER_DATA_DIR", ""),
        ("JUPYTER_PATH", ""),
        ("HOME", ".local/share/jupyter/"),
    ):
        home = tmp_path / variable
        Project(home).write(f"{below}kernels/python3/kernel.json", json.dumps(fake))
        Project(home).write(".ipython/profile_default/startup/00.py", "raise SystemExit")
        monkeypatch.setenv(variable, str(home))
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED", "HELPERS_RESULTS", "TZ"]
    source = project.notebook(
        "a-01",
        ("parameters", "seed: int = 1  # where chance begins"),
        "import os, sys, json, helpers\n"
        "found = [seed, sys.executable, helpers.__file__, os.getcwd()]\n"
        f"print(json.dumps([*found, *map(os.getenv, {names})]))",
        "#| label: fig-x\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])",
        f"from helpers.results_shim import show\nshow({ENTRY})",
    )
    before = hashlib.sha256(source.read_bytes()).digest()
    results = run(project, "a-01", "seed=7")
    assert results == {"entries": [ENTRY]}
    seed, python, package, folder, *environment = json.loads(printed(project))
    assert seed == 7
    assert python == sys.executable
    assert package == str(project.root / "src/helpers/__init__.py")
    assert folder == str(project.root / "notebooks")
    assert environment == ["1", "1", "0", "_build/default/results", "UTC"]
    assert hashlib.sha256(source.read_bytes()).digest() == before
    assert sorted(os.listdir(source.parent)) == ["a-01.ipynb", "b-02.ipynb", "c-03.ipynb"]


def test_a_failing_cell_is_told_in_one_line_and_the_partial_notebook_kept(project):
    cells = (
        ("parameters", "n: int = 1  # a number"),
        "# More",
        "",
        "print('so far')",
        "def f():\n    raise ValueError('two\\n  lines \\x1b[31mred')\nf()",
        "print('never')",
    )
    message = refusal(project, *cells, settings=["n=2"])
    kept = "_build/default/failed/a-01.ipynb"
    assert message == (
        "notebooks/a-01.ipynb, cell 6 (In [3]): ValueError: two lines red"
        f" (partial notebook: {kept})"
    )
    partial = (project.root / kept).read_text()
    assert "so far" in partial
    assert "Traceback" in partial
    assert not Places(project.root).running("a-01").exists()


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("x = 1 +", "cell 2 (In [1]): SyntaxError: invalid syntax"),
        ("raise SystemExit(0)", "cell 2 (In [1]): SystemExit: 0"),
        ("exit()", "cell 2 (In [1]): the cell ends the notebook"),
        (
            "class A:\n    def __repr__(self):\n        raise ValueError('no')\nA()",
            "ValueError: no",
        ),
        (
            "class A:\n    def _repr_markdown_(self):\n        return 1 / 0\nA()",
            "cell 2 (In [1]): ZeroDivisionError: division by zero",
        ),
        ("import os\nos._exit(3)", "cell 2 (In [1]): the kernel died"),
    ],
)
def test_whatever_stops_a_cell_or_its_display_stops_the_build(project, source, cause):
    assert cause in refusal(project, source, "1")


def test_a_chapter_that_does_not_end_is_stopped_without_another_word(project, capfd):
    assert "cell 3 (In [2]): the chapter took longer than its limit of 2 seconds" in refusal(
        project, "1", "while True: pass", time_limit=2
    )
    gc.collect()  # tasks that were left waiting say so when they go
    assert capfd.readouterr() == ("", "")


def test_a_kernel_that_does_not_start_is_told_with_its_last_words(project):
    project.write("src/ipykernel_launcher.py", "raise ImportError('no such thing')")
    message = refusal(project, "1")
    assert message.startswith("notebooks/a-01.ipynb: the kernel did not start: ")
    assert "ImportError: no such thing" in message


@pytest.mark.parametrize(
    "text",
    [
        "Error in f(x) : object 'y' not found\n",
        "R[write to console]: Error in f(x) : object 'y' not found\n",
        "R callback write-console: Error in f(x) : \n  object 'y' not found\n  \n",
        "a warning\nError: object 'y' not found\n",
    ],
)
def test_errors_that_only_r_printed_are_faults(text):
    fault = execute.fault_of(shown(("stderr", text)))
    assert fault.startswith("R printed an error: Error")
    assert "object 'y' not found" in fault


@pytest.mark.parametrize("stream", ["stderr", "stdout"])
def test_a_traceback_that_was_only_printed_is_a_fault(stream):
    text = 'Exception in thread T:\nTraceback (most recent call last):\n  File "x"\nKeyError: 1\n'
    assert execute.fault_of(shown((stream, text))) == "printed an error: KeyError: 1"


@pytest.mark.parametrize(
    "outputs",
    [
        [],
        [("stdout", "Error in f(x): as an example\n")],
        [("stderr", "R[write to console]: boundary (singular) fit: see help('isSingular')\n")],
        [("stderr", "UserWarning: Errors may occur\n")],
        [("text/plain", "1")],
    ],
)
def test_other_output_is_no_fault(outputs):
    assert execute.fault_of(shown(*outputs)) == ""


@pytest.mark.parametrize(
    ("label", "outputs", "more"),
    [
        ("fig-a", [("image/png", "")], ""),
        ("fig-a", [("text/plain", "<Figure>"), ("image/svg+xml", "")], ""),
        ("tbl-a", [("text/markdown", "| a |")], ""),
        ("tbl-a", [("text/html", "<table>")], ""),
        ("tbl-a", [("text/markdown", "Nothing to list."), ("text/csv", "a\n")], ""),
        ("tbl-a", [("text/markdown", "In words:\n\n| a |\n|---|\n")], ""),
        ("fig-a", [("text/markdown", "![](a.png)")], ""),
        ("fig-a", [("text/html", "<div>a widget</div>")], ""),
        ("tbl-a", [("stdout", "| a |")], "#| output: asis\n"),
        ("lst-a", [], ""),
    ],
)
def test_a_labelled_cell_that_shows_what_it_should_is_no_fault(label, outputs, more):
    cell = shown(*outputs, source=f"#| label: {label}\n{more}1")
    assert execute.fault_of(cell) == ""


@pytest.mark.parametrize(
    ("label", "kind", "outputs", "more"),
    [
        ("fig-a", "figure", [], ""),
        ("fig-a", "figure", [("text/plain", "[<Line2D>]")], ""),
        ("tbl-a", "table", [("stdout", "| a |")], ""),
        ("tbl-a", "table", [("stdout", "\n")], "#| output: asis\n"),
        ("tbl-a", "table", [("stderr", "a warning")], ""),
        ("tbl-a", "table", [("text/markdown", "A mere paragraph.")], ""),
        ("tbl-a", "table", [("image/png", "")], ""),
        ("tbl-a", "table", [("stdout", "a paragraph")], "#| output: asis\n"),
        ("fig-a", "figure", [("text/markdown", "A mere paragraph.")], ""),
        ("fig-a", "figure", [("text/html", "<table>"), ("text/markdown", "| a |")], ""),
        ("tbl-a", "table", [("application/vnd.helpers.results+json", "{}")], ""),
    ],
)
def test_a_labelled_cell_that_shows_nothing_is_a_fault(label, kind, outputs, more):
    cell = shown(*outputs, source=f"#| label: {label}\n{more}1")
    assert execute.fault_of(cell) == f"labelled {label}, but it shows no {kind}"


@pytest.mark.parametrize(
    ("last", "fault"),
    [
        ("show.figure(show.prose('Not drawn: there is one case.'))", ""),
        ("show.prose('Not drawn: there is one case.')", "labelled fig-a, but it shows no figure"),
    ],
)
def test_a_reason_stands_for_a_figure_and_a_paragraph_does_not(last, fault):
    data, metadata = DisplayFormatter().format(eval(last, {"show": show}))
    assert data["text/markdown"] == "Not drawn: there is one case."
    output = nbformat.v4.new_output("display_data", data, metadata=metadata)
    cell = nbformat.v4.new_code_cell(f"#| label: fig-a\n{last}", outputs=[output])
    assert execute.fault_of(cell) == fault


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ([{"entries": []}, {"entries": []}], "cells 1 and 2 show results"),
        ([[1]], "not of the form"),
        ([{"entries": {}}], "not of the form"),
    ],
)
def test_results_come_once_and_in_one_form(tmp_path, contents, expected):
    cells = [shown(("application/vnd.helpers.results+json", content)) for content in contents]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "a.ipynb")
    with pytest.raises(HelpersError, match=expected):
        execute.results(tmp_path / "a.ipynb", "notebooks/a.ipynb")


def test_a_chapter_without_results_has_no_entries(tmp_path):
    nbformat.write(nbformat.v4.new_notebook(cells=[shown()]), tmp_path / "a.ipynb")
    assert execute.results(tmp_path / "a.ipynb", "a.ipynb") == {"entries": []}
