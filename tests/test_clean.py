"""What git keeps of a notebook, and what the README says of files."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from helpers.book import clean
from helpers.paths import NOTEBOOKS, ROOT

SOURCES = sorted(NOTEBOOKS.glob("*.ipynb"))


def test_every_notebook_is_as_the_filter_leaves_it(tmp_path):
    copies = [shutil.copy(path, tmp_path) for path in SOURCES]
    subprocess.run([sys.executable, "-m", "nbstripout", "--keep-id", *copies], check=True)
    changed = [
        path.name
        for path in SOURCES
        if path.read_text("utf-8") != clean.cleaned((tmp_path / path.name).read_text("utf-8"))
    ]
    assert changed == [], "run `make lab` once and `git add --renormalize notebooks`"


@pytest.fixture(scope="module")
def filter_command() -> str:
    """What `make lab` tells git."""
    told = subprocess.run(
        ["make", "--no-print-directory", "-n", "lab"], cwd=ROOT, capture_output=True, text=True
    ).stdout
    return re.search(r"git config filter\.nbstripout\.clean '([^']*)'", told)[1]


def test_a_run_in_jupyterlab_leaves_no_change_in_git(filter_command):
    committed = SOURCES[0].read_bytes()
    notebook = json.loads(committed)
    notebook["metadata"]["kernelspec"]["display_name"] = "Python 3 (ipykernel)"
    notebook["metadata"]["language_info"] = {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": "3.11.2",
    }
    for count, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "code":
            cell["execution_count"] = count
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": ["x\n"]}]
    saved = json.dumps(notebook, ensure_ascii=False, indent=1).encode()
    left = subprocess.run(filter_command, shell=True, cwd=ROOT, input=saved, capture_output=True)
    assert (left.returncode, left.stderr) == (0, b"")
    assert left.stdout == committed


@pytest.mark.parametrize("text", ["", "<<<<<<< HEAD\n", "[]", '{"cells": []}'])
def test_what_is_no_notebook_is_left_to_git(text):
    with pytest.raises(ValueError):
        clean.cleaned(text)


def test_another_kernel_is_left_for_the_build_to_refuse():
    notebook = {"metadata": {"kernelspec": {"name": "ir"}}}
    assert json.loads(clean.cleaned(json.dumps(notebook))) == notebook


MADE = {"study.yml", "_book/index.html", "_book/book.pdf"}
MADE |= {"results.json", "results.csv", "methods.txt"}
"""Files that the README names and a build or a user makes."""


def test_what_the_readme_links_to_or_names_is_there():
    text = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)#\s]+)", text)
    local = {link for link in links if not re.match(r"\w+:", link)}
    spans = re.findall(r"`([^`\s]+)`", text)
    named = {span for span in spans if re.fullmatch(r"[\w./-]+\.\w+|[\w./-]+/|[A-Z]{4,}", span)}
    assert local
    assert len(named) > 8
    missing = [name for name in sorted(local | named - MADE) if not (ROOT / name).exists()]
    assert missing == []
