"""A small book of three chapters, to build without touching the real one."""

import json
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from helpers.book.build import report

QUARTO = """\
project:
  type: book
book:
  title: A small book
  chapters:
    - index.qmd
    - part: First
      chapters:
        - notebooks/a-01.ipynb
        - notebooks/b-02.ipynb
    - notebooks/c-03.ipynb
bibliography: references.bib
"""

ENTRY = {
    "question": "mean",
    "result": "",
    "decision": "",
    "published": "",
    "explanation": "",
    "anchor": "sec-first",
}

A = """\
from helpers import stats
from helpers.results_shim import show
show({**%s, "result": str(stats.total("../data/numbers.csv"))})"""

B = """\
import json, os
from pathlib import Path
folder = Path("..") / os.environ["HELPERS_RESULTS"]
print("a says", json.loads((folder / "a-01.json").read_text())["entries"][0]["result"])"""

MODULES = {
    "__init__.py": "",
    "stats.py": "from . import adding\n\ndef total(path):\n    return adding.add(path)\n",
    "adding.py": "def add(path):\n    return sum(map(float, open(path).read().split()))\n",
    "late.py": "VALUE = 1\n",
    "unrelated.py": "VALUE = 1\n",
    "results_shim.py": (
        "from IPython.display import display\n\n"
        "def show(entry):\n"
        "    mime = 'application/vnd.helpers.results+json'\n"
        "    display({mime: {'entries': [entry]}, 'text/plain': '1 result'}, raw=True)\n"
    ),
}


class Project:
    """Files of a small book, easy to change."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def notebook(self, stem: str, *cells: str | tuple[str, str], **helpers: object) -> Path:
        """Write a notebook: a text starting with `# ` is prose; (tag, source) is tagged code."""
        made = []
        for number, cell in enumerate(cells):
            tag, source = cell if isinstance(cell, tuple) else ("", cell)
            new = nbformat.v4.new_markdown_cell if source[:2] == "# " else nbformat.v4.new_code_cell
            metadata = {"tags": [tag]} if tag else {}
            made.append(new(source, id=f"cell-{number}", metadata=metadata))
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        metadata = {"kernelspec": kernel} | ({"helpers": helpers} if helpers else {})
        return self.write(
            f"notebooks/{stem}.ipynb",
            nbformat.writes(nbformat.v4.new_notebook(cells=made, metadata=metadata)),
        )

    def edit(self, stem: str, change: Callable[[nbformat.NotebookNode], object]) -> None:
        path = self.root / f"notebooks/{stem}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        change(notebook)
        path.write_text(json.dumps(notebook), "utf-8")

    def list_chapters(self, *names: str) -> None:
        lines = "".join(f"    - {name}\n" for name in names)
        self.write("_quarto.yml", f"book:\n  title: A small book\n  chapters:\n{lines}")


def small_book(root: Path) -> Project:
    project = Project(root)
    project.write("_quarto.yml", QUARTO)
    project.write("index.qmd", "# Welcome {.unnumbered}\n\n{{< include _ledger.qmd >}}\n")
    project.write("references.bib", "")
    project.write("requirements.lock", "nothing==1.0\n")
    project.write("data/numbers.csv", "1\n2\n3\n")
    project.write("data/more/x.csv", "1\n")
    for name, text in MODULES.items():
        project.write(f"src/helpers/{name}", text)
    project.notebook("a-01", "# First {#sec-first}", A % ENTRY, data=["data/numbers.csv"])
    project.notebook("b-02", "# Second", B, needs=["a-01"])
    project.notebook(
        "c-03",
        "# Third",
        ("parameters", "seed: int = 1  # where chance begins\nscale: float = 2  # times | what"),
        "def f():\n    from helpers.late import VALUE\n    return VALUE",
        "seed * scale * f()",
        data=["data/more"],
    )
    return project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return small_book(tmp_path / "a böök")


@pytest.fixture(scope="session")
def new_book() -> Callable[[Path], Project]:
    return small_book


@pytest.fixture(scope="session")
def real_book(tmp_path_factory) -> Path:
    """Return the book itself, built with what `make report` has run already or will not run again.

    Its staged sources are in `_build/default/stage`.
    """
    return report(tmp_path_factory.mktemp("real") / "_book", "pandoc")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the project with ratings from other fields, which are never committed."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no ../shared/data here")
    return folder
