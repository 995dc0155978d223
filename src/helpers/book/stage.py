"""The staged book: executed chapters and everything else a renderer needs, in one flat folder."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from helpers.book.chapters import STUDY, Book, Chapter, entries
from helpers.book.keys import ABSENT, Ingredients, key
from helpers.book.places import Places
from helpers.book.plan import Task
from helpers.errors import HelpersError
from helpers.paths import inside
from helpers.results import MIME

if TYPE_CHECKING:
    from helpers.ledger import Told
    from helpers.results import Recorded

CONFIG = "_quarto.yml"
LEDGER, METHODS = "_ledger.qmd", "_methods.qmd"
INJECTED = "injected-parameters"
PAGES = {".qmd", ".md", ".ipynb"}
RESULTS = ("results.json", "results.csv", "results.schema.json", "methods.txt")
DOWNLOADS = ("tables/*.csv", *RESULTS)
"""Files of the stage that pages link to; Quarto does not copy them unasked."""
_TITLE = re.compile(r"^# +(?P<title>.*?) *(?P<attributes>\{[^{}]*\})?$", re.MULTILINE)
_INCLUDE = re.compile(r"\{\{<\s*include\s+(\S+)\s*>\}\}")


@dataclass(frozen=True)
class Run:
    """A chapter that has run, or was left out, and how that came about.

    Parameters
    ----------
    task : Task
        The chapter, its study and its parameters.
    made_of : dict
        Ingredients of its key.
    results : dict
        `{"entries": [...]}`.
    """

    task: Task
    made_of: Ingredients
    results: Mapping[str, Any]

    @property
    def chapter(self) -> Chapter:
        """The source."""
        return self.task.chapter


def stage(book: Book, runs: list[Run], places: Places, commit: str) -> None:
    """Lay out the book anew in `places.stage`, the same bytes for the same inputs.

    Parameters
    ----------
    book : Book
        The sources.
    runs : list of Run
        One for each chapter, in reading order.
    places : Places
        Where the executed chapters are and where the staged book goes.
    commit : str
        What `provenance` says of the sources.
    """
    import nbformat  # late, as all that is needed only when something changed

    from helpers.book import missing, small_print

    fresh = places.stage.with_name("stage.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for name in site_files(book):
        _copy(inside(name, book.root), fresh / name)
    for name in entries(book.config):
        if (fresh / name).is_file():
            text = (fresh / name).read_text("utf-8").rstrip("\n")
            told = small_print.small(f"Sources: {commit}")
            (fresh / name).write_text(f"{text}\n\n{told}\n", "utf-8")
    _write_results(runs, book.root, fresh, commit)
    left_out = [run for run in runs if run.task.lacks]
    for run in [run for run in runs if not run.task.lacks]:
        executed = nbformat.read(places.executed(run.chapter.stem), as_version=4)
        simulated = bool(run.task.study and run.task.study.simulated)
        for name, values in small_print.add(executed, run.made_of, simulated).items():
            (fresh / name).parent.mkdir(exist_ok=True)
            (fresh / name).write_text(values, "utf-8")
        _write(page(executed, run, commit), run, fresh)
    others = [path.read_text("utf-8") for path in fresh.rglob("*") if path.suffix in PAGES]
    for run in left_out:
        if run.task.study:
            notice = missing.page(run.chapter, run.task.study, run.task.lacks, others)
            _write(page(notice, run, commit), run, fresh)
    config = yaml.safe_dump(flattened(book.config), allow_unicode=True, sort_keys=False)
    (fresh / CONFIG).write_text(config, "utf-8")
    shutil.rmtree(places.stage, ignore_errors=True)
    fresh.rename(places.stage)


def _write_results(runs: list[Run], root: Path, fresh: Path, commit: str) -> None:
    """Write ledger and methods as pages that `index.qmd` includes, and as files beside them."""
    from helpers import ledger, methods

    collected = ledger.collect({run.chapter.stem: _recorded(run) for run in runs})
    told = [
        (_methods(about, runs, collected, root, commit), about.study.simulated)
        for about in ledger.questions(collected)
    ]
    texts = (
        ledger.as_json(collected, commit),
        ledger.as_csv(collected),
        ledger.schema(),
        "\n".join(text for text, _ in told) or methods.NOTHING,
    )
    for name, text in zip(RESULTS, texts, strict=True):
        (fresh / name).write_text(text, "utf-8")
    (fresh / LEDGER).write_text(ledger.fragment(collected), "utf-8")
    (fresh / METHODS).write_text(methods.fragment(told), "utf-8")


def _methods(
    told: "Told", runs: list[Run], collected: "Mapping[str, Recorded]", root: Path, commit: str
) -> str:
    """Write the methods of one study as text."""
    from helpers import methods
    from helpers.book import software
    from helpers.study import load

    own = [run for run in runs if collected[run.chapter.stem].study == told.study]
    ran = [run for run in own if not run.task.lacks]
    folder = next(run.task.study.folder for run in own if run.task.study)
    chapters = [
        methods.Ran(
            collected[run.chapter.stem].title,
            {
                name: (_value(run.task.values[name]), parameter.meaning)
                for name, parameter in run.task.parameters.items()
                if name != STUDY
            },
            collected[run.chapter.stem].entries,
        )
        for run in ran
    ]
    used = software.versions((run.chapter, run.made_of) for run in ran)
    return methods.text(told, load(root / folder), chapters, used, commit)


def _value(value: Any) -> str:  # noqa: ANN401
    """A parameter's value as it is read in a sentence."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _recorded(run: Run) -> dict[str, Any]:
    """Results with their key, their chapter, and the study that they are about, if there is one."""
    found = {
        **run.results,
        "key": key(run.made_of),
        "lacks": run.task.lacks,
        **_heading(run.chapter),
    }
    if not (study := run.task.study):
        return found
    about = {"title": study.title, "kind": study.kind, "simulated": study.simulated}
    return {**found, "study": about}


def _heading(chapter: Chapter) -> dict[str, str]:
    """The chapter's title without markup, and the label that leads to it."""
    first = next((cell.source for cell in chapter.cells if cell.cell_type == "markdown"), "")
    title = _TITLE.search(first)
    if not title:
        return {"title": "", "section": ""}
    label = re.search(r"#(sec-[\w-]+)", title["attributes"] or "")
    return {"title": title["title"], "section": label[1] if label else ""}


def site_files(book: Book) -> list[str]:
    """Files of the project that the book uses, apart from notebooks: whatever `_quarto.yml` names.

    That is pages, bibliography, styles, pictures, and what those pages include.
    """
    named = [text for text in _texts(book.config) if _is_file(book.root, text)]
    for page_name in named:
        if page_name.endswith(".qmd"):
            text = (book.root / page_name).read_text("utf-8")
            written = {LEDGER, METHODS}
            included = [name for name in _INCLUDE.findall(text) if name not in written]
            named += [name for name in included if name not in named and _is_file(book.root, name)]
    return sorted({name for name in named if not name.endswith(".ipynb")})


def flattened(config: Mapping[str, Any]) -> dict[str, Any]:
    """`_quarto.yml` for the staged book: chapters in the root, nothing executed, `book.pdf`."""

    def move(node: Any) -> Any:  # noqa: ANN401
        if isinstance(node, dict):
            return {name: move(value) for name, value in node.items()}
        if isinstance(node, list):
            return [move(value) for value in node]
        return Path(node).name if isinstance(node, str) and node.endswith(".ipynb") else node

    moved: dict[str, Any] = dict(config)
    moved["book"] = move(config["book"]) | {"output-file": "book"}
    project = dict(config.get("project") or {})
    project["resources"] = [*(project.get("resources") or []), *DOWNLOADS]
    moved["project"] = project
    moved["execute"] = (config.get("execute") or {}) | {"enabled": False}
    return moved


def with_code(book: Book) -> Book:
    """Give back the book with its chapters' code in the PDF too, as Quarto's own setting has it."""
    formats = dict(book.config.get("format") or {})
    formats["typst"] = dict(formats.get("typst") or {}) | {"echo": True}
    return replace(book, config=book.config | {"format": formats})


def page(executed: Any, run: Run, commit: str) -> Any:  # noqa: ANN401
    """Turn an executed notebook into a page: only what readers should see, nothing that varies.

    Parameters
    ----------
    executed : nbformat.NotebookNode
        The notebook as papermill left it; it is changed.
    run : Run
        How it came about, told at the end of the page.
    commit : str
        What `provenance` says of the sources.

    Returns
    -------
    nbformat.NotebookNode
        The page.
    """
    import nbformat

    executed.metadata = {"kernelspec": executed.metadata.kernelspec}
    executed.nbformat_minor = 5
    executed.cells = [
        cell
        for cell in executed.cells
        if "injected-parameters" not in cell.metadata.get("tags", [])
    ]
    executed.cells.append(nbformat.v4.new_markdown_cell(_made(run, commit)))
    count = 0
    for number, cell in enumerate(executed.cells, 1):
        cell.id = f"cell-{number}"
        for varying in ("papermill", "execution"):
            cell.metadata.pop(varying, None)
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if MIME not in o.get("data", {})]
            count += bool(cell.source.strip())
            cell.execution_count = count
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = count
    return executed


def _write(made: Any, run: Run, fresh: Path) -> None:  # noqa: ANN401
    """Write a page, which says so if its data are simulated."""
    import nbformat

    from helpers.book import marks

    if run.task.study and run.task.study.simulated:
        marks.mark(made)
    nbformat.write(made, fresh / f"{run.chapter.stem}.ipynb")


def provenance(root: Path) -> str:
    """Say where the sources stand in git.

    Returns
    -------
    str
        "commit 0123abc", the same "with uncommitted changes", or "no git".
    """

    def git(*command: str) -> str:
        return subprocess.run(
            ["git", "-C", root, *command], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != root.resolve():
            return "no git"  # the repository of something around the project
        commit = git("rev-parse", "--short=10", "HEAD")
        changed = git("status", "--porcelain")
    except (OSError, subprocess.CalledProcessError):
        return "no git"
    return f"commit {commit}" + (" with uncommitted changes" if changed else "")


def _made(run: Run, commit: str) -> str:
    """How a page was made, as a folded note."""
    versions = [f"{name} {run.made_of[name]}" for name in ("Python", "R") if name in run.made_of]
    ran = [
        f"- Chapter key: `{key(run.made_of)[:12]}`",
        *(_data(name, value) for name, value in run.made_of.items() if name.startswith("data ")),
        *_all_data(run),
        f"- Run with: {', '.join(versions)}",
    ]
    lines = [
        f'::: {{#made-{run.chapter.stem} .callout-note collapse="true"}}',
        "## How this page was made",
        "",
        *(["- Not run"] if run.task.lacks else ran),
        f"- Sources: {commit}",
        "",
        *([] if run.task.lacks else _parameter_table(run)),
        ":::",
    ]
    return "\n".join(lines)


def _data(name: str, value: str) -> str:
    shown = name.removeprefix("data ").replace("`", "'")  # which would end the code
    told = f"- Data: `{shown}`"
    return f"{told}, not there" if value == ABSENT else f"{told}, digest `{value[:12]}`"


def _all_data(run: Run) -> list[str]:
    """Digest over all that the chapter reads, where that is more than one thing."""
    from helpers.book.small_print import data_digest

    together = data_digest(run.made_of)
    if not together or together in run.made_of.values():
        return []
    return [f"- Data and results it reads, together: digest `{together[:12]}`"]


def _parameter_table(run: Run) -> list[str]:
    if not run.task.parameters:
        return []
    import polars as pl  # late, as `show` is: slow to import, and not needed to see what changed

    from helpers import show

    rows = [
        {"Parameter": name, "Value": str(run.task.values[name]), "Meaning": parameter.meaning}
        for name, parameter in run.task.parameters.items()
    ]
    return [show.table(pl.DataFrame(rows), widths=(20, 20, 60)), ""]


def _texts(node: Any) -> Iterator[str]:  # noqa: ANN401
    """Every text anywhere in nested lists and mappings."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for value in node.values() if isinstance(node, dict) else node:
            yield from _texts(value)


def _is_file(root: Path, text: str) -> bool:
    if "\n" in text or len(text) > 200 or re.match(r"\w+:", text):
        return False
    try:
        return inside(text, root).is_file()
    except HelpersError:
        return False


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
