import pytest

from conftest import Project
from helpers.book import chapters
from helpers.errors import HelpersError


def refusal(project: Project) -> str:
    with pytest.raises(HelpersError) as error:
        chapters.load(project.root)
    return str(error.value)


def test_chapters_come_in_reading_order_with_what_they_declare(project):
    book = chapters.load(project.root)
    assert [chapter.stem for chapter in book.chapters] == ["a-01", "b-02", "c-03"]
    assert book.chapters[0].declaration.data == ("data/numbers.csv",)
    assert book.chapters[1].declaration.needs == ("a-01",)


def test_chapters_are_run_after_those_they_need_else_in_reading_order(project):
    project.notebook("a-01", "1", needs=["c-03"])
    book = chapters.load(project.root)
    assert [chapter.stem for chapter in chapters.in_order(book.chapters)] == [
        "c-03",
        "a-01",
        "b-02",
    ]


def test_appendices_are_chapters_too(project):
    project.notebook("z-99", "1")
    text = (project.root / "_quarto.yml").read_text()
    project.write(
        "_quarto.yml", text.replace("bib", "  appendices: [notebooks/z-99.ipynb]\nbib", 1)
    )
    assert [chapter.stem for chapter in chapters.load(project.root).chapters][-1] == "z-99"


def test_the_book_of_a_kind_has_no_empty_appendices(project):
    project.notebook("a-01", "1", kinds=["perception"])
    project.notebook("z-99", "1")
    text = (project.root / "_quarto.yml").read_text()
    project.write(
        "_quarto.yml", text.replace("bib", "  appendices: [notebooks/z-99.ipynb]\nbib", 1)
    )
    book = chapters.of_kind(chapters.load(project.root), "perception")
    assert [chapter.stem for chapter in book.chapters] == ["a-01"]
    assert "appendices" not in book.config["book"]


def test_a_circle_of_needs_is_refused_naming_its_chapters(project):
    project.notebook("a-01", "1", needs=["b-02"])
    assert "a-01 needs b-02 needs a-01" in refusal(project) + " needs a-01"


def test_an_unknown_need_is_refused_naming_both_and_offering_the_near_one(project):
    project.notebook("b-02", "1", needs=["a-1"])
    message = refusal(project)
    assert message.startswith("notebooks/b-02.ipynb needs the chapter 'a-1'")
    assert "did you mean 'a-01'?" in message


def test_a_listed_notebook_that_is_missing_is_named(project):
    (project.root / "notebooks/c-03.ipynb").rename(project.root / "notebooks/c-04.ipynb")
    message = refusal(project)
    assert "lists notebooks/c-03.ipynb, which does not exist; did you mean" in message
    assert "notebooks/c-04.ipynb is not listed in _quarto.yml" in message


def test_a_notebook_in_no_list_is_named_but_jupyters_checkpoints_are_not(project):
    project.notebook("d-04", "1")
    project.notebook(".ipynb_checkpoints/a-01-checkpoint", "1")
    message = refusal(project)
    assert message == "notebooks/d-04.ipynb is not listed in _quarto.yml: " + (
        "add it under a part, or delete it"
    )


@pytest.mark.parametrize("name", ["notebooks/more/a-01.ipynb", "notebooks/index.ipynb"])
def test_two_pages_of_one_name_are_refused(project, name):
    project.notebook(name.removeprefix("notebooks/").removesuffix(".ipynb"), "1")
    text = (project.root / "_quarto.yml").read_text()
    project.write(
        "_quarto.yml", text.replace("    - notebooks/c", f"    - {name}\n    - notebooks/c")
    )
    assert "two pages would be called" in refusal(project)


def test_a_chapter_outside_the_project_is_refused(project):
    project.list_chapters("../elsewhere.ipynb")
    assert "leads out of" in refusal(project)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({"date": []}, "unknown key 'date'; did you mean 'data'?"),
        ({"zzz": []}, "unknown key 'zzz'; known are kinds, data, needs, requires"),
        ({"data": "data/numbers.csv"}, "data: expected a list of texts, found 'data/numbers.csv'"),
        ({"needs": [1]}, "needs.0: expected a text, found 1"),
        ({"data": ["../../secret"]}, "leads out of"),
        ({"data": ["{study}/*.csv"]}, "'{study}/*.csv': name the files of a study"),
    ],
)
def test_a_wrong_declaration_is_refused_in_words(project, declared, expected):
    project.notebook("c-03", "1", **declared)
    message = refusal(project)
    assert "notebooks/c-03.ipynb" in message or "leads out of" in message
    assert expected in message


def test_all_faults_of_all_notebooks_come_in_one_message(project):
    project.notebook("a-01", "1", nedds=[])
    project.write("notebooks/b-02.ipynb", "not json")
    project.edit("c-03", lambda notebook: notebook.metadata.kernelspec.update(name="ir"))
    message = refusal(project)
    assert "'nedds'; did you mean 'needs'?" in message
    assert "notebooks/b-02.ipynb is not a notebook" in message
    assert "c-03.ipynb, metadata.kernelspec.name: expected 'python3', found 'ir'" in message


def test_json_that_is_no_notebook_is_refused(project):
    project.write("notebooks/b-02.ipynb", '{"cells": [{"cell_type": "odd"}], "nbformat": 4}')
    message = refusal(project)
    assert "notebooks/b-02.ipynb, metadata.kernelspec.name is missing" in message
    assert "cells.0.cell_type: expected 'code', 'markdown' or 'raw', found 'odd'" in message


@pytest.mark.parametrize("text", ["[]", '"text"', "3", "null", "[{}]"])
def test_json_that_is_no_mapping_is_refused(project, text):
    project.write("notebooks/b-02.ipynb", text)
    assert refusal(project).startswith("notebooks/b-02.ipynb is not a notebook: expected a mapping")


def test_a_misspelt_cell_option_is_refused_before_anything_runs(project):
    project.notebook("c-03", "# Third", "#| lable: fig-x\n1")
    assert "notebooks/c-03.ipynb, cell 2: unknown option lable; did you mean label?" in refusal(
        project
    )


@pytest.mark.parametrize("text", ["book: [", "- a", "title: x"])
def test_a_broken_quarto_yml_is_refused(project, text):
    project.write("_quarto.yml", text)
    assert refusal(project).startswith("_quarto.yml")


def test_no_quarto_yml_is_told_in_words(tmp_path):
    assert "does not exist" in refusal(Project(tmp_path))
