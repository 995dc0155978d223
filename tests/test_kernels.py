"""Kernels: forks that show all that others do, share nothing, and end with the build."""

import json
import os
import re
import signal
import sys
import time

import nbformat
import pytest

from helpers.book import chapters, execute, kernel_server, kernels, keys
from helpers.book.places import Places

RICH = (
    "import os, sys\nimport pandas as pd\nimport matplotlib.pyplot as plt\n"
    "from IPython.display import HTML, JSON, Latex, display, update_display",
    "plt.plot([1, 2])",
    "pd.DataFrame({'a': [1.5]})",
    "display(HTML('<b>x</b>'), Latex('$x$'), JSON({'a': 1}))",
    "display(1, display_id='one')\nupdate_display(2, display_id='one')",
    "print('out')\nprint('error', file=sys.stderr)\nos.system('echo from a child')\n''",
    "import warnings\nwarnings.warn('careful')",
)
"""Cells that show things in the ways there are: of IPython, of libraries, past Python."""

VARYING = re.compile(r"0x\w+|ipykernel_\d+")
"""Addresses and numbers of processes."""

WHO = "import sys\nprint(open('/proc/self/cmdline').read().replace('\\0', ' '))"


@pytest.fixture
def run(project):
    """Run chapters in kernels of one build, and return what each of their cells shows."""

    def run(*stems: str, modules=(), mode="warm") -> list[list]:
        book = {chapter.stem: chapter for chapter in chapters.load(project.root).chapters}
        places, shown = Places(project.root), []
        with kernels.Kernels(places, modules, mode) as started, execute.quietly():
            for stem in stems:
                execute.run(book[stem], {}, places, 60, started)
                notebook = nbformat.read(places.running(stem), as_version=4)
                shown.append([cell.get("outputs") for cell in notebook.cells])
        return shown

    return run


def texts(outputs: list) -> str:
    return "".join(out.get("text", "") for cell in outputs for out in cell or [])


def steady(outputs: list) -> list:
    """What cells show, whatever the order and the pieces in which their streams arrive."""
    steady = []
    for cell in outputs:
        streams, others = {}, []
        for out in cell or []:
            if out["output_type"] == "stream":
                streams[out["name"]] = streams.get(out["name"], "") + out["text"]
            else:
                others.append(VARYING.sub("", json.dumps(out)))
        texts = {name: sorted(VARYING.sub("", text).splitlines()) for name, text in streams.items()}
        steady.append((texts, others))
    return steady


def test_a_fork_shows_all_that_a_kernel_started_anew_shows(project, run, monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")  # ipykernel looks for it, and then leaves out a part
    project.notebook("a-01", *RICH)
    modules = ["pandas", "matplotlib.pyplot", "IPython.display"]
    [warm], [fresh] = run("a-01", modules=modules), run("a-01", mode="fresh")
    kinds = {kind for cell in warm for out in cell for kind in out.get("data", {})}
    assert {"image/png", "text/html", "text/latex", "application/json"} <= kinds
    assert "from a child" in texts(warm)
    assert "careful" in texts(warm)
    assert steady(warm) == steady(fresh)


def test_kernels_share_nothing_but_modules_as_imported(project, run):
    change = (
        "import os, random, numpy\nfrom helpers import late\n"
        "late.VALUE = 9\nos.environ['MINE'] = 'x'\nos.chdir('/')\nmine = 1\n"
        "print(random.random(), numpy.random.random())"
    )
    look = (
        "import os, random, numpy\nfrom helpers import late\n"
        "print(late.VALUE, os.environ.get('MINE'), os.getcwd(), 'mine' in dir())\n"
        "print(random.random(), numpy.random.random())"
    )
    project.notebook("a-01", change)
    project.notebook("c-03", look, WHO)
    folder = os.getcwd()
    changed, seen = run("a-01", "c-03", modules=["helpers.late", "numpy", "no_such_module"])
    state, chance, who = texts(seen).splitlines()[:3]
    assert state == f"1 None {project.root / 'notebooks'} False"
    assert not set(chance.split()) & set(texts(changed).split())
    assert "kernel_server.py" in who
    assert os.getcwd() == folder


def test_what_imports_set_in_the_environment_is_there_in_a_fork(project, run):
    project.write("src/helpers/sets.py", "import os\nos.environ.setdefault('SET', 'by import')")
    project.notebook("a-01", "import os\nimport helpers.sets\nprint(os.environ['SET'])")
    assert texts(run("a-01", modules=["helpers.sets"])[0]) == "by import\n"


def test_where_imports_have_started_threads_kernels_start_anew(project, run):
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=[60], daemon=True)"
    project.write("src/helpers/threaded.py", f"{thread}.start()")
    project.notebook("a-01", WHO)
    assert "-m ipykernel_launcher" in texts(run("a-01", modules=["helpers.threaded"])[0])


def test_a_process_in_which_r_has_started_is_not_forked(monkeypatch):
    monkeypatch.setitem(sys.modules, "rpy2.rinterface", sys)
    assert not kernel_server.forkable()


def test_an_import_that_does_not_end_is_left_to_the_chapter(monkeypatch, tmp_path):
    (tmp_path / "endless.py").write_text("import os\nos.environ['HALF'] = '1'\nwhile True: pass")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("HALF", "")
    monkeypatch.setattr(kernel_server, "PATIENCE", 1)
    assert kernel_server.load(["endless"]) == {"HALF": "1"}
    assert "endless" not in sys.modules
    assert signal.alarm(0) == 0


def test_nothing_is_left_of_kernels_after_the_build(project):
    with kernels.Kernels(Places(project.root), ["numpy"]) as started:
        folder = started.scratch().parent
        assert folder.is_dir()
        began = time.monotonic()
    assert time.monotonic() - began < 5  # though the import has hardly begun
    assert not folder.exists()
    with pytest.raises(kernels.Stopped):
        started.scratch()


def test_sockets_find_room_below_a_long_temporary_path(project, run, tmp_path, monkeypatch):
    long = tmp_path / ("long" * 20)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    project.notebook("a-01", "print('ran')")
    assert texts(run("a-01")[0]) == "ran\n"
    assert not any(long.iterdir())


def test_what_chapters_and_several_of_them_may_need_is_imported_but_never_r(project):
    project.write("src/helpers/one.py", "def f():\n    import scipy.stats, helpers.late\n")
    project.write("src/helpers/both.py", "def f():\n    import pandas\n    import pymer4\n")
    project.notebook("a-01", "from helpers import one, both\nimport rpy2.robjects")
    project.notebook("b-02", "import helpers.both as both, numpy as np")
    project.notebook("c-03", "1")
    book = chapters.load(project.root)
    wanted = kernels.worth_importing(book.chapters, keys.Modules(project.root / "src"))
    assert {"helpers.one", "helpers.both", "numpy", "pandas"} <= wanted
    assert not {"scipy.stats", "helpers.late", "pymer4", "rpy2.robjects"} & wanted
