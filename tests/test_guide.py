"""The guide for authors, followed word by word in a copy of the project."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from helpers.book import build
from helpers.paths import ROOT

FILE = re.compile(r"Write `([\w/.]+)`.*?:\n\n```python\n(.*?)```", re.DOTALL)
CELL = re.compile(r"^\w+ cell, (Markdown|code)(.*?):\n\n```\w+\n(.*?)```", re.DOTALL | re.MULTILINE)
NAME = "notebooks/perception-90-apart.ipynb"
BESIDE = "notebooks/perception-01-data.ipynb"


@pytest.fixture(scope="module")
def guide() -> str:
    notebook = nbformat.read(ROOT / "notebooks/guide-01-authors.ipynb", as_version=4)
    return "\n\n".join(cell.source for cell in notebook.cells)


@pytest.fixture(scope="module")
def clone(tmp_path_factory, guide):
    """Copy what the guide's steps touch, and take those steps; one chapter stays of the book."""
    root = tmp_path_factory.mktemp("guide") / "clone"
    kept = ("src", "tests", "data", "index.qmd", "references.bib", "requirements.lock", BESIDE)
    for name in kept:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, root / name)
    for name in ("pyproject.toml", "_quarto.yml"):
        (root / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    for name, text in FILE.findall(guide):
        (root / name).write_text(text, "utf-8")
    nbformat.write(written(guide), root / NAME)
    listed = re.search(r"```yaml\n(.*?)```", guide, re.DOTALL)[1]
    given = (root / "_quarto.yml").read_text("utf-8")
    # Whoever has followed the guide has listed its chapter already.
    given = re.sub(rf"^ *- {NAME}\n", "", given, flags=re.MULTILINE)
    config = given.replace(f"- {BESIDE}\n", f"- {BESIDE}\n{listed}")
    lines = config.splitlines(keepends=True)
    others = re.compile(r"\s*- notebooks/(?!perception-(01-data|90-apart))")
    (root / "_quarto.yml").write_text("".join(x for x in lines if not others.match(x)), "utf-8")
    settings = root / "data/perception/study.yml"  # its parameters are those of chapters left out
    settings.write_text(settings.read_text("utf-8").split("parameters:")[0], "utf-8")
    return root


def written(guide: str) -> nbformat.NotebookNode:
    """Write the notebook as the guide says, cell by cell."""
    cells = []
    for kind, rest, source in CELL.findall(guide):
        new = nbformat.v4.new_markdown_cell if kind == "Markdown" else nbformat.v4.new_code_cell
        tag = re.search(r"tag `(\w+)`", rest)
        cells.append(new(source.rstrip("\n"), metadata={"tags": [tag[1]]} if tag else {}))
    metadata = json.loads(re.search(r"```json\n(.*?)```", guide, re.DOTALL)[1])
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, **metadata})


def run(clone, *command: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(clone / "src")}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=clone, env=environment, capture_output=True, text=True
    )


def test_the_guide_has_all_steps(clone, guide):
    assert [name for name, _ in FILE.findall(guide)] == [
        "src/helpers/apart.py",
        "tests/test_apart.py",
    ]
    assert len(nbformat.read(clone / NAME, as_version=4).cells) == 6


def test_its_statistic_passes_its_tests_and_its_chapter_keeps_to_the_rules(clone):
    asked = ("pytest", "-q", "tests/test_apart.py", "tests/test_notebooks.py", "-k", "apart")
    done = run(clone, *asked)
    assert done.returncode == 0, done.stdout
    assert "9 passed" in done.stdout


def test_its_code_has_the_house_style(clone):
    files = ("src/helpers/apart.py", "tests/test_apart.py", NAME)
    for command in ("check", "format --check"):
        done = run(clone, "ruff", *command.split(), *files)
        assert done.returncode == 0, done.stdout


def test_its_chapter_becomes_a_page_with_figure_table_file_and_a_line_of_the_ledger(clone):
    book = build.report(clone / "_book", "pandoc", root=clone)
    page = (book / "perception-90-apart.html").read_text("utf-8")
    assert 'id="fig-apart"' in page
    assert 'id="tbl-apart"' in page
    with (book / "tables/tbl-apart-SIMULATED.csv").open(encoding="utf-8") as file:
        assert next(csv.reader(file)) == ["Dimension", "Scores", "Mean difference"]
    with (book / "results.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert "perception-90-apart.html#tbl-apart" in {line["link"] for line in lines}
    assert (book / "book.pdf").stat().st_size > 10_000
