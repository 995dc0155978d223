"""Books of studies: what is checked, run, marked, left out and kept apart."""

import json
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest
import yaml

import helpers.__main__ as command_line
from conftest import Project
from helpers import paths, simulate
from helpers.book import build, chapters, execute, keys, plan, render
from helpers.book import run as running
from helpers.book.places import Places
from helpers.errors import HelpersError
from helpers.study import new_study
from helpers.study.load import KINDS
from sample_book import png

QUARTO = """\
book:
  title: A small book
  chapters:
    - index.qmd
    - part: Printed
      chapters: [notebooks/printed-01.ipynb]
    - part: Perception study
      chapters:
        - notebooks/seen-01.ipynb
        - notebooks/seen-02.ipynb
        - notebooks/seen-03.ipynb
bibliography: references.bib
"""

PARAMETERS = ("parameters", 'study: str = "data/perception"  # folder of the study\n%s')

BENCHMARKS = """\
# Rank against benchmark {#sec-bench}

Some prose. See @tbl-used. A chapter may define an equation:

$$ y = x $$ {#eq-line}

## In detail {#sec-detail}
"""

SECOND = """\
# What was used {#sec-used}

See @fig-bench, @tbl-bench, @eq-line, @sec-bench, @sec-detail and [the detail](seen-03.ipynb#notes).

Here is ![a picture](dot.png) in a line.
"""

RESULT = {
    "question": "H1",
    "result": "0.42",
    "decision": "supported",
    "published": "",
    "explanation": "It holds.",
    "anchor": "tbl-used",
}


@pytest.fixture
def studied(project: Project) -> Project:
    """A small book about printed tables and a shipped study; chapter 3 needs benchmarks."""
    for name in ("a-01", "b-02", "c-03"):
        (project.root / f"notebooks/{name}.ipynb").unlink()
    project.write("_quarto.yml", QUARTO)
    project.notebook("printed-01", "# Printed {#sec-printed}", "1", kinds=["published"])
    tag, source = PARAMETERS
    of_study = {"kinds": ["perception"], "data": ["{study}"]}
    project.notebook("seen-01", "# Seen {#sec-seen}", (tag, source % ""), "1", **of_study)
    project.notebook(
        "seen-02",
        SECOND,
        (tag, source % "draws: int = 10  # how many draws"),
        '#| label: tbl-used\n#| tbl-cap: "What was used, in all"\n1',
        "2",
        kinds=["perception"],
        data=["{study}/cases.csv"],
        needs=["seen-01"],
    )
    project.notebook(
        "seen-03",
        BENCHMARKS,
        (tag, source % ""),
        '#| label: fig-bench\n#| fig-cap: "Rank, by accuracy"\n#| fig-alt: "Dots"\n1',
        '#| label: tbl-bench\n#| tbl-cap: "Slopes"\n1',
        "#| label: fig-unasked\n1",
        kinds=["perception"],
        data=["{study}/benchmarks.csv", "{study}/ratings.csv"],
        requires=["benchmarks"],
    )
    new_study(project.root / "data/perception")
    return project


@pytest.fixture
def ran(monkeypatch) -> list[str]:
    """Chapters that a build runs, without kernels; labelled cells show a table or a picture."""
    names: list[str] = []

    def run(chapter, values, places, *_):
        names.append(chapter.stem)
        notebook = nbformat.reads(chapter.text, as_version=4)
        for cell in notebook.cells:
            if "label:" in cell.source and cell.cell_type == "code":
                form = "image/png" if "fig-" in cell.source else "text/markdown"
                shown = png() if "fig-" in cell.source else "| a |\n|---|\n| 1 |"
                cell.outputs = [nbformat.v4.new_output("display_data", {form: shown})]
        running = places.running(chapter.stem)
        running.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, running)
        return {"entries": [RESULT] if chapter.stem == "seen-02" else []}

    monkeypatch.setattr(execute, "run", run)
    monkeypatch.setattr(running, "processors", lambda: 1)  # so that they come in one order
    return names


@pytest.fixture
def bound(monkeypatch) -> list[str]:
    """Books that are rendered, by a stand-in that copies the staged pages."""
    names: list[str] = []

    def bind(stage, out, engine):
        names.append(out.name)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(stage, out)

    monkeypatch.setattr(render, "render", bind)
    return names


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A study of someone else, outside the project."""
    folder = tmp_path / "Über uns" / "their study"
    new_study(folder)
    return folder


def report(project: Project, study: Path | None = None, *settings: str, out=None) -> Path:
    return build.report(out, "pandoc", settings, root=project.root, study=study)


def refusal(project: Project, study: Path | None = None, *settings: str) -> str:
    with pytest.raises(HelpersError) as error:
        report(project, study, *settings)
    return str(error.value)


def change(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new), "utf-8")


def page(book: Path, stem: str) -> str:
    cells = nbformat.read(book / f"{stem}.ipynb", as_version=4).cells
    return "\n\n".join(cell.source for cell in cells)


# ---- which chapters


def test_kinds_of_chapters_are_those_of_studies_and_published_tables():
    assert set(chapters.Kind.__args__) == {chapters.PUBLISHED, *KINDS}


def test_the_shipped_studies_are_a_part_of_the_default_book(studied, ran, bound):
    book = report(studied)
    assert book == studied.root / "_book"
    assert sorted(ran) == ["printed-01", "seen-01", "seen-02", "seen-03"]
    config = yaml.safe_load((book / "_quarto.yml").read_text())
    parts = [part["part"] for part in config["book"]["chapters"][1:]]
    assert parts == ["Printed", "Perception study (SIMULATED)"]
    merged = json.loads((book / "results.json").read_text())["chapters"]
    assert "study" not in merged["printed-01"]
    assert merged["seen-02"]["study"] == {
        "title": "EXAMPLE: title of the study",
        "kind": "perception",
        "simulated": True,
    }


def test_the_book_of_a_study_has_only_chapters_of_its_kind_under_its_title(
    studied, ran, bound, theirs
):
    change(theirs, "study.yml", "EXAMPLE: title of the study", "Ours, <b>[bold]</b>.md")
    book = report(studied, theirs)
    assert book == studied.root / "_book-their-study"
    assert ran == ["seen-01", "seen-02", "seen-03"]
    assert not (book / "printed-01.ipynb").exists()
    config = yaml.safe_load((book / "_quarto.yml").read_text())["book"]
    assert config["subtitle"] == "Ours, ‹b›(bold)‹/b› (SIMULATED)"
    assert config["chapters"] == [
        "index.qmd",
        {
            "part": "Ours, ‹b›(bold)‹/b› (SIMULATED)",
            "chapters": ["seen-01.ipynb", "seen-02.ipynb", "seen-03.ipynb"],
        },
    ]


def test_a_study_that_no_chapter_is_for_is_refused(studied, theirs):
    studied.list_chapters("index.qmd", "notebooks/printed-01.ipynb")
    for path in (studied.root / "notebooks").glob("seen*"):
        path.unlink()
    assert refusal(studied, theirs) == "no chapter is for a study of kind perception"


@pytest.mark.parametrize(
    ("cell", "declared", "expected"),
    [
        ("1", {"kinds": ["perception"], "data": ["{study}"]}, "its first code cell needs the line"),
        (PARAMETERS, {"kinds": ["perception"]}, 'metadata.helpers.data, as "{study}"'),
        (PARAMETERS, {"kinds": ["published"]}, "name its kind in metadata.helpers.kinds"),
        ("1", {"data": ["{study}/x.csv"]}, "name its kind in metadata.helpers.kinds"),
        ("1", {"requires": ["benchmarks"]}, "name its kind in metadata.helpers.kinds"),
        (PARAMETERS, {"kinds": ["percepton"]}, "expected 'published' or 'perception'"),
        (
            PARAMETERS,
            {"kinds": ["perception"], "data": ["{study}"], "requires": ["benchmark"]},
            "requires 'benchmark', no table of a perception study; did you mean 'benchmarks'?",
        ),
        (
            PARAMETERS,
            {"kinds": ["perception"], "data": ["{study}/rating.csv"]},
            "no table of a perception study; did you mean '{study}/ratings.csv'?",
        ),
        (
            PARAMETERS,
            {"kinds": ["perception"], "data": ["{study}"], "needs": ["printed-01"]},
            "is of kind perception, but it needs the chapter 'printed-01', which is not",
        ),
        (PARAMETERS, {"kinds": ["perception"], "data": ["{study}/../x"]}, "leads out of"),
        (
            PARAMETERS,
            {"kinds": ["perception"], "data": ["x{study}"]},
            "only {study} may stand in it, at its beginning",
        ),
        (
            PARAMETERS,
            {"kinds": ["perception"], "data": ["{stdy}"]},
            "only {study} may stand in it, at its beginning",
        ),
    ],
)
def test_a_chapter_that_is_half_of_a_study_is_refused(studied, ran, cell, declared, expected):
    if cell == PARAMETERS:
        cell = (PARAMETERS[0], PARAMETERS[1] % "")
    studied.notebook("seen-03", "# Seen", cell, **declared)
    message = refusal(studied)
    assert expected in message
    assert "seen-03.ipynb" in message or "leads out of" in message
    assert ran == []


def test_chapters_of_a_kind_refer_only_to_what_is_in_their_own_books():
    book = chapters.load(paths.ROOT)
    for kind in KINDS:
        text = "\n".join(
            cell.source
            for chapter in chapters.of_kind(book, kind).chapters
            for cell in chapter.cells
        )
        defined = set(re.findall(r"(?:#|label: )((?:sec|fig|tbl|eq)-[\w-]+)", text))
        referred = set(re.findall(r"@((?:sec|fig|tbl|eq)-[\w-]*\w)", text))
        assert referred <= defined


# ---- the study is checked first, and its parameters hold


def test_all_faults_of_a_study_are_told_at_once_before_anything_runs(studied, ran, theirs):
    change(theirs, "ratings.csv", "example-E1,example-C1,example-LLM1,5", "E1,example-C1,LLM,9")
    change(theirs, "cases.csv", "specialty", "speciality")
    message = refusal(studied, theirs)
    assert {"ratings.csv, evaluator", "ratings.csv, accuracy"} <= set(
        part for line in message.splitlines() for part in [line.strip().partition(":")[0]]
    )
    assert "cases.csv" in message
    assert ran == []
    assert not (studied.root / "_book-their-study").exists()


def test_a_path_that_is_no_study_is_refused_in_words(studied, ran, tmp_path):
    assert "expected a folder with study.yml" in refusal(studied, tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "study.yml" in refusal(studied, tmp_path / "empty")
    assert ran == []


def test_parameters_of_the_study_hold_unless_the_command_line_sets_them(
    studied, ran, bound, theirs
):
    change(theirs, "study.yml", "# parameters:\n#   resamples: 500", "parameters:\n  draws: 30")

    def draws(*settings: str) -> int:
        tasks = plan.plan(studied.root, settings, theirs).tasks
        return {task.chapter.stem: task.values for task in tasks}["seen-02"]["draws"]

    assert draws() == 30
    assert draws("draws=5") == 5
    shipped = plan.plan(studied.root).tasks
    assert {task.chapter.stem: task.values for task in shipped}["seen-02"]["draws"] == 10


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("drawz: 3", 'drawz: line {}; no chapter has this parameter (did you mean "draws"?)'),
        ("draws: many", 'draws: line {} "many"; expected a whole number, for example 10'),
        ("draws: true", 'draws: line {} "true"; expected a whole number, for example 10'),
        ("draws: 2.5", 'draws: line {} "2.5"; expected a whole number, for example 10'),
        ("study: x", "study: line {}; no chapter has this parameter; there are: draws"),
    ],
)
def test_a_wrong_parameter_in_study_yml_is_refused(studied, ran, theirs, told, expected):
    change(theirs, "study.yml", "# parameters:\n#   resamples: 500", f"parameters:\n  {told}")
    change(theirs, "ratings.csv", "example-E1,example-C1,example-LLM1,5", "E1,example-C1,LLM,9")
    line = (theirs / "study.yml").read_text("utf-8").splitlines().index(f"  {told}") + 1
    for message in (refusal(studied, theirs), _check_refusal(theirs, studied)):
        lines = message.splitlines()
        assert lines[1] == f"  study.yml, parameters {expected.format(line)}"
        assert lines[2].startswith("  ratings.csv, evaluator: row 2")
    assert ran == []


def test_a_sound_study_is_checked_again_when_chapters_lose_a_parameter(studied, theirs, tmp_path):
    change(theirs, "study.yml", "# parameters:\n#   resamples: 500", "parameters:\n  draws: 30")
    sound = tmp_path / "sound.json"
    plan.plan(studied.root, (), theirs, sound)
    studied.edit("seen-02", lambda notebook: notebook.cells[1].update(source=PARAMETERS[1] % ""))
    with pytest.raises(HelpersError, match=r"parameters draws: line .*no chapter has this param"):
        plan.plan(studied.root, (), theirs, sound)


@pytest.mark.parametrize(
    ("line", "value", "expected"),
    [
        ("names: list[str] = ['a', 'b']", "a", 'a list of texts, for example ["a", "b"]'),
        ("share: float = 0.5", "half", "a number, for example 0.5"),
        ("plain: bool = True", "1", "true or false, for example true"),
        ("way: Literal['a', 'b'] = 'a'", "c", "one of 'a', 'b', for example \"a\""),
        ("word: str = 'a'", "1", 'text, for example "a"'),
    ],
)
def test_what_a_parameter_may_be_is_told_in_words(studied, theirs, line, value, expected):
    tag, source = PARAMETERS
    cell = f"from typing import Literal\n{source % line}  # meaning"
    studied.notebook("seen-01", "# Seen", (tag, cell), kinds=["perception"], data=["{study}"])
    name = line.partition(":")[0]
    change(
        theirs, "study.yml", "# parameters:\n#   resamples: 500", f"parameters:\n  {name}: {value}"
    )
    assert refusal(studied, theirs).endswith(f'"{value}"; expected {expected}')


def _check_refusal(study: Path, project: Project) -> str:
    with pytest.raises(HelpersError) as error:
        plan.check(study, project.root)
    return str(error.value)


def test_the_study_itself_is_no_setting(studied, ran, theirs):
    assert "give the study's folder as STUDY=folder" in refusal(studied, None, "study=x")


# ---- places


def test_studies_of_one_name_are_kept_apart_and_a_moved_one_keeps_its_name(
    studied, ran, bound, theirs, tmp_path
):
    other = tmp_path / "their study"
    new_study(other)
    first, second = report(studied, theirs), report(studied, other)
    assert first.name == "_book-their-study"
    assert second.name.startswith("_book-their-study-")
    assert len(ran) == 6
    assert (report(studied, theirs), report(studied, other)) == (first, second)
    assert len(ran) == 6
    shutil.rmtree(other)
    theirs.rename(other)
    assert report(studied, other) == first


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("mine", "mine"),
        ("my_study-2.1", "my_study-2.1"),
        ("Übung für $HOME; rm *", "Ubung-fur-HOME-rm"),
        ("..hidden", "hidden"),
        ("研究", "study"),
    ],
)
def test_places_have_names_that_are_safe_anywhere(tmp_path, folder, name):
    (tmp_path / folder).mkdir()
    assert Places.claim(tmp_path / "project", tmp_path / folder).study == name


@pytest.mark.parametrize("name", ["default", "cache"])
def test_a_study_never_takes_the_places_of_the_shipped_ones(tmp_path, name):
    (tmp_path / name).mkdir()
    assert Places.claim(tmp_path / "project", tmp_path / name).study.startswith(f"{name}-")


def test_a_book_never_goes_on_top_of_its_study(studied, ran, theirs):
    for out in (theirs, theirs.parent):
        with pytest.raises(HelpersError, match="the book cannot go to"):
            report(studied, theirs, out=out)
    assert (theirs / "study.yml").exists()


def test_a_link_in_a_study_leads_nowhere_else(studied, ran, theirs):
    secret = theirs.parent / "secret.csv"
    shutil.move(theirs / "benchmarks.csv", secret)
    (theirs / "benchmarks.csv").symlink_to(secret)
    assert "benchmarks.csv: links out of the folder" in refusal(studied, theirs)


# ---- what runs again


def test_an_unchanged_study_is_neither_read_nor_run_nor_rendered_again(
    studied, ran, bound, theirs, monkeypatch, capsys
):
    report(studied, theirs)
    ran.clear()
    bound.clear()
    monkeypatch.setattr("helpers.study.load", lambda folder: pytest.fail("read again"))
    report(studied, theirs)
    assert (ran, bound) == ([], [])
    assert "is sound (SIMULATED)" in capsys.readouterr().err


CHANGED = {
    "ratings": ("ratings.csv", "LLM1,5,4", "LLM1,4,4", ["seen-01", "seen-03"]),
    "cases": ("cases.csv", "Neurology", "Oncology", ["seen-01", "seen-02"]),
    "benchmarks": ("benchmarks.csv", "45.8", "45.9", ["seen-01", "seen-03"]),
    "title": ("study.yml", "EXAMPLE: title", "EXAMPLE: other title", ["seen-01"]),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_change_of_a_study_runs_exactly_the_chapters_that_declare_it(
    studied, ran, bound, theirs, what
):
    name, old, new, expected = CHANGED[what]
    report(studied, theirs)
    ran.clear()
    change(theirs, name, old, new)
    report(studied, theirs)
    assert ran == expected
    assert bound == ["_book-their-study"] * 2


def test_other_files_of_a_study_run_only_what_declares_the_whole_folder(
    studied, ran, bound, theirs
):
    report(studied, theirs)
    ran.clear()
    (theirs / ".~lock.ratings.csv#").write_text("open")
    (theirs / "later").mkdir()
    report(studied, theirs)
    assert ran == []
    (theirs / "more.csv").write_text("a\n")  # a notice of the loader
    report(studied, theirs)
    assert ran == ["seen-01"]


def test_a_parameter_that_names_a_study_is_data_as_declared_only(studied, ran, bound):
    report(studied)
    ran.clear()
    change(studied.root / "data/perception", "ratings.csv", "LLM1,5,4", "LLM1,4,4")
    report(studied)
    assert ran == ["seen-01", "seen-03"]


# ---- what a study lacks


def test_a_chapter_without_its_table_becomes_a_short_page_until_the_table_is_there(
    studied, ran, bound, theirs
):
    benchmarks = (theirs / "benchmarks.csv").read_text()
    (theirs / "benchmarks.csv").unlink()
    book = report(studied, theirs)
    assert ran == ["seen-01", "seen-02"]
    text = page(book, "seen-03")
    assert text.startswith("# Rank against benchmark (SIMULATED) {#sec-bench}")
    assert "`benchmarks.csv`, a table with the columns `analyst`, `benchmark`," in text
    assert "EXAMPLE: title of the study" in text
    assert "Some prose" not in text
    assert "fig-unasked" not in text  # nobody refers to it
    merged = json.loads((book / "results.json").read_text())["chapters"]
    assert merged["seen-03"]["entries"] == []
    report(studied, theirs)
    assert len(bound) == 1
    (theirs / "benchmarks.csv").write_text(benchmarks)
    assert "Some prose" in page(report(studied, theirs), "seen-03")
    assert ran == ["seen-01", "seen-02", "seen-01", "seen-03"]


def test_a_column_may_be_what_is_missing(studied, ran, bound, theirs):
    studied.edit("seen-03", lambda n: n.metadata.helpers.update(requires=["evaluators.years"]))
    report(studied, theirs)
    assert "seen-03" in ran
    change(theirs, "evaluators.csv", ",12", ",")
    change(theirs, "evaluators.csv", ",4.5", ",")
    assert "`evaluators.csv` has nothing in a column `years`" in page(
        report(studied, theirs), "seen-03"
    )


def test_references_to_a_missing_chapter_lead_to_its_short_page(studied, ran, theirs):
    (theirs / "benchmarks.csv").unlink()
    studied.write("dot.png", "")
    studied.edit("seen-02", lambda n: n.cells[0].update(source=SECOND.rpartition("Here is")[0]))
    book = report(studied, theirs)
    assert 'href="seen-03.html#fig-bench"' in (book / "seen-02.html").read_text()
    there = (book / "seen-03.html").read_text()
    for anchor in ("sec-bench", "fig-bench", "tbl-bench", "eq-line", "sec-detail", "notes"):
        assert f'id="{anchor}"' in there
    assert "Not in this study" in there
    assert (book / "book.pdf").stat().st_size > 1000
    index = (book / "index.html").read_text()
    assert "SIMULATED" in index
    assert "audit" not in index


# ---- SIMULATED


def test_every_page_caption_and_ledger_line_of_a_simulated_study_says_so(studied, ran, bound):
    book = report(studied)
    for stem in ("seen-01", "seen-02", "seen-03"):
        text = page(book, stem)
        assert text.count('::: {.callout-warning title="SIMULATED"}') == 1
        assert text.splitlines()[0].startswith("# ")
        assert "(SIMULATED) {#sec-" in text.splitlines()[0]
    assert '#| tbl-cap: "What was used, in all (SIMULATED)"' in page(book, "seen-02")
    assert '#| fig-cap: "Rank, by accuracy (SIMULATED)"' in page(book, "seen-03")
    assert '#| fig-cap: "(SIMULATED)"' in page(book, "seen-03")
    rows = [line for line in (book / "_ledger.qmd").read_text().splitlines() if "@tbl-used" in line]
    assert len(rows) == 1
    assert "| supported (SIMULATED) |" in rows[0]
    assert "SIMULATED" not in page(book, "printed-01")


def test_a_real_study_is_not_called_simulated(studied, ran, bound, theirs):
    for path in theirs.glob("*.csv"):
        path.write_text(path.read_text().replace("example-", ""))
    change(theirs, "study.yml", "simulated: true ", "simulated: false ")
    book = report(studied, theirs)
    for path in book.rglob("*"):
        assert path.is_dir() or b"SIMULATED" not in path.read_bytes(), path


# ---- the command line


def test_a_study_anywhere_goes_through_real_kernels(studied, theirs, monkeypatch, capsys):
    for path in (studied.root / "notebooks").glob("seen-0[23]*"):
        path.unlink()
    names = ("index.qmd", "notebooks/printed-01.ipynb", "notebooks/seen-01.ipynb")
    studied.list_chapters(*names)
    tag, source = PARAMETERS
    studied.notebook(
        "seen-01",
        "# Seen",
        (tag, source % ""),
        "from pathlib import Path\n"
        "folder = Path('..') / study\n"
        "print(len((folder / 'ratings.csv').read_text().splitlines()), study)",
        kinds=["perception"],
        data=["{study}"],
    )
    book = report(studied, theirs)
    relative = os.path.relpath(theirs, studied.root)
    text = (book / "seen-01.html").read_text()
    assert f"10 {relative}" in text
    assert "2 evaluators, 2 cases, 3 analysts" in capsys.readouterr().err


def call(*arguments: str | Path) -> int:
    return command_line.main([str(argument) for argument in arguments])


def test_new_study_and_check_go_together(tmp_path, monkeypatch, capsys, studied):
    monkeypatch.setattr(plan.check, "__defaults__", (studied.root,))
    assert call("new-study", "--dir", tmp_path / "new") == 0
    assert call("check", "--study", tmp_path / "new") == 0
    told = capsys.readouterr().out
    assert "is sound (SIMULATED)" in told
    assert "rows: 9 read, 9 used" in told
    assert "missing: 1 row, no score for reasoning" in told
    change(tmp_path / "new", "ratings.csv", ",5,4,1", ",6,4,1")
    assert call("check", "--study", tmp_path / "new") == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "ratings.csv, accuracy: row 2" in told.err
    assert call("new-study", "--dir", tmp_path / "new") == 1
    assert "not empty" in capsys.readouterr().err


def test_platform_saves_become_a_study(tmp_path, capsys):
    ranking = {"case1": {"ranking": ["GPT-4o", "expert"], "dimensions": {}}}
    save = {"username": "E1", "evaluation_results": ranking}
    (tmp_path / "e1.json").write_text(json.dumps(save))
    assert call("import-platform", "--file", tmp_path / "*.json", "--dir", tmp_path / "new") == 0
    assert "1 save →" in capsys.readouterr().out
    assert (tmp_path / "new/study.yml").exists()


def test_make_data_writes_where_the_shipped_study_is(monkeypatch):
    written = []
    monkeypatch.setattr(simulate, "write_example", written.append)
    assert call("data") == 0
    assert written == [paths.ROOT / "data/perception"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["check"], "give the study's folder: make check STUDY=folder\n"),
        (["new-study"], "give a new folder: make new-study DIR=folder\n"),
        (["import-platform", "--dir", "x"], "give the platform's saves: make import-platform"),
        (["import-platform", "--file", "x"], "give a new folder: make import-platform FILE=saves"),
    ],
)
def test_a_command_without_its_folder_says_what_to_give(arguments, expected, capsys):
    assert call(*arguments) == 1
    assert capsys.readouterr().err.startswith(expected)


@pytest.mark.parametrize(
    "arguments", [["check", "--study", ""], ["report", "--time-limit", "0"], ["report", "--out= "]]
)
def test_an_empty_path_or_limit_is_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        call(*arguments)
    assert ended.value.code == 2


def test_a_digest_of_a_study_covers_what_reading_it_can_depend_on(theirs):
    before = keys.digest_study(theirs)
    (theirs / "notes.txt").write_text("x")
    named = keys.digest_study(theirs)
    assert named != before
    (theirs / "notes.txt").write_text("y")
    assert keys.digest_study(theirs) == named
