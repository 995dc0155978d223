import subprocess

import nbformat
import pytest
import yaml

from conftest import ENTRY
from helpers.book import chapters, keys, parameters, stage
from helpers.book.places import Places
from helpers.book.plan import Task
from helpers.results import MIME


def executed(chapter: chapters.Chapter, when: str) -> nbformat.NotebookNode:
    """Return the chapter as papermill might leave it; what differs between two runs is `when`."""
    notebook = nbformat.reads(chapter.text, as_version=4)
    injected = nbformat.v4.new_code_cell("seed = 7", metadata={"tags": ["injected-parameters"]})
    notebook.cells.insert(2, injected)
    for number, cell in enumerate(notebook.cells):
        cell.metadata.setdefault("tags", [])
        cell.metadata["papermill"] = {"start_time": when}
        cell.metadata["execution"] = {"shell.execute_reply": when}
        cell.id = f"{when}-{number}"
        if cell.cell_type == "code":
            cell.execution_count = 10 + number
            shown = nbformat.v4.new_output("execute_result", {"text/plain": "4"}, execution_count=9)
            recorded = nbformat.v4.new_output("display_data", {MIME: {}, "text/plain": "1 result"})
            cell.outputs = [shown, recorded]
    notebook.metadata["papermill"] = {"start_time": when}
    notebook.metadata["language_info"] = {"name": "python", "version": when}
    return notebook


@pytest.fixture
def staged(project):
    def make(when: str = "2026", commit: str = "commit 0123abc", **values):
        book, places = chapters.load(project.root), Places(project.root)
        runs = []
        for chapter in book.chapters:
            path = places.executed(chapter.stem)
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(executed(chapter, when), path)
            has = parameters.read(chapter)
            settled = {name: parameter.default for name, parameter in has.items()} | values
            made_of = {"Python": "3.11.2", "data data/more": "ab" * 32}
            results = {"entries": [ENTRY] if chapter.stem == "a-01" else []}
            runs.append(stage.Run(Task(chapter, has, settled), made_of, results))
        stage.stage(book, runs, places, commit)
        return {
            str(path.relative_to(places.stage)): path.read_bytes()
            for path in places.stage.rglob("*")
            if path.is_file()
        }

    return make


def page(files: dict[str, bytes], name: str = "c-03.ipynb") -> nbformat.NotebookNode:
    return nbformat.reads(files[name].decode(), as_version=4)


def test_all_of_the_book_lies_flat_in_one_folder(staged, project):
    project.write("pictures/cover.png", "")
    text = (project.root / "_quarto.yml").read_text()
    project.write(
        "_quarto.yml", text.replace("title:", "cover-image: pictures/cover.png\n  title:")
    )
    project.write("index.qmd", "# Hello\n\n{{< include _ledger.qmd >}}\n{{< include more.qmd >}}\n")
    project.write("more.qmd", "More.\n")
    files = staged()
    assert set(files) == {
        "_quarto.yml",
        "_ledger.qmd",
        "_methods.qmd",
        "index.qmd",
        "more.qmd",
        "references.bib",
        "pictures/cover.png",
        "a-01.ipynb",
        "b-02.ipynb",
        "c-03.ipynb",
        "results.json",
        "results.csv",
        "results.schema.json",
        "methods.txt",
    }
    config = yaml.safe_load(files["_quarto.yml"])
    assert config["book"]["chapters"] == [
        "index.qmd",
        {"part": "First", "chapters": ["a-01.ipynb", "b-02.ipynb"]},
        "c-03.ipynb",
    ]
    assert config["book"]["output-file"] == "book"
    assert config["execute"] == {"enabled": False}
    assert set(config["project"]["resources"]) >= {"tables/*.csv", "results.json"}


def test_the_same_inputs_give_the_same_bytes_whenever_they_ran(staged):
    assert staged(when="2026") == staged(when="2027")


def test_what_was_staged_before_and_is_no_longer_part_goes(staged, project):
    staged()
    project.list_chapters("index.qmd", "notebooks/a-01.ipynb", "notebooks/b-02.ipynb")
    (project.root / "notebooks/c-03.ipynb").unlink()
    assert "c-03.ipynb" not in staged()


def test_a_page_shows_neither_the_injected_cell_nor_recorded_results(staged):
    cells = page(staged()).cells
    assert [cell.source for cell in cells if "injected" in str(cell.metadata)] == []
    assert "seed = 7" not in [cell.source for cell in cells]
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert [[dict(out.data) for out in cell.outputs] for cell in code] == [
        [{"text/plain": "4"}]
    ] * 3
    assert [cell.execution_count for cell in code] == [1, 2, 3]


def test_a_page_ends_with_how_it_was_made(staged):
    made = page(staged(seed=7)).cells[-1].source
    assert made.startswith('::: {#made-c-03 .callout-note collapse="true"}\n')
    assert made.endswith("\n:::")
    key = keys.key({"Python": "3.11.2", "data data/more": "ab" * 32})
    for told in (
        "## How this page was made",
        f"- Chapter key: `{key[:12]}`",
        "- Data: `data/more`, digest `abababababab`",
        "- Sources: commit 0123abc",
        "- Run with: Python 3.11.2",
        "| seed | 7 | where chance begins |",
        "| scale | 2.0 | times \\| what |",
    ):
        assert told in made
    assert "Parameter" not in page(staged(), "a-01.ipynb").cells[-1].source


def test_pages_that_are_no_chapters_tell_the_commit_once(staged):
    assert staged()["index.qmd"].decode().count("Sources: commit 0123abc") == 1
    assert staged()["index.qmd"].decode().endswith("\nSources: commit 0123abc\n:::\n")


def test_values_of_tables_become_files_and_leave_the_page(staged, project, monkeypatch):
    plain = executed

    def shows_a_table(chapter, when):
        notebook = plain(chapter, when)
        cell = notebook.cells[-1]
        cell.source = f"#| label: tbl-{chapter.stem}\n{cell.source}"
        data = {"text/markdown": "| x |\n|--:|\n| 0.33 |", "text/csv": "x\n0.3333333333333333\n"}
        cell.outputs = [nbformat.v4.new_output("display_data", data)]
        return notebook

    monkeypatch.setitem(globals(), "executed", shows_a_table)
    files = staged()
    assert files["tables/tbl-c-03.csv"] == b"x\n0.3333333333333333\n"
    shown, line, made = page(files).cells[-3:]
    assert set(shown.outputs[0].data) == {"text/markdown"}
    assert "(tables/tbl-c-03.csv)" in line.source
    assert "## How this page was made" in made.source


def test_provenance_tells_commit_changes_and_the_lack_of_git(tmp_path):
    def git(*command):
        subprocess.run(
            ["git", "-c", "user.name=N", "-c", "user.email=e@example.org", *command],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )

    assert stage.provenance(tmp_path) == "no git"
    git("init")
    assert stage.provenance(tmp_path) == "no git"
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "One")
    clean = stage.provenance(tmp_path)
    assert clean.startswith("commit ")
    assert len(clean) == len("commit 0123456789")
    (tmp_path / "b").write_text("1")
    assert stage.provenance(tmp_path) == f"{clean} with uncommitted changes"
    (tmp_path / "below").mkdir()
    assert stage.provenance(tmp_path / "below") == "no git"
