import pytest

from conftest import Project
from helpers.book import chapters, parameters
from helpers.errors import HelpersError


def only(project: Project, source: str) -> chapters.Book:
    project.notebook("a-01", "# Title", ("parameters", source), "1")
    project.notebook("b-02", "1")
    project.notebook("c-03", "1")
    return chapters.load(project.root)


def settle(book: chapters.Book, *settings: str) -> dict:
    return parameters.settle(book.chapters, settings)


def refusal(book: chapters.Book, *settings: str) -> str:
    with pytest.raises(HelpersError) as error:
        settle(book, *settings)
    return str(error.value)


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        ("x: int = 1", "500", 500),
        ("x: int = 1", "-3", -3),
        ("x: float = 1", "2", 2.0),
        ("x: float = .5", "1e-3", 0.001),
        ("x: bool = True", "false", False),
        ("x: str = 'a'", "12", "12"),
        ("x: str = 'a = b # c'", "'two words'", "two words"),
        ("x: list[int] = [1]", "1,2", [1, 2]),
        ("x: list[int] = [1]", "'[1, 2]'", [1, 2]),
        ("x: list[str] = ['a']", '\'["a", "b"]\'', ["a", "b"]),
        ("x: list[str] = ['a']", "''", []),
        ("from typing import Literal\nx: Literal['a', 'b'] = 'a'", "b", "b"),
        ("from typing import Literal\nx: Literal[1, 2] = 1", "2", 2),
    ],
)
def test_a_setting_is_read_as_the_type_written_in_the_notebook(project, line, text, expected):
    value = settle(only(project, f"{line}  # what it is"), f"x={text}")["a-01"]["x"]
    assert value == expected
    assert type(value) is type(expected)


def test_defaults_and_meanings_are_those_of_the_notebook(project):
    book = only(project, "#| echo: false\n# settings\n\nx: int = 3  # how many # really\n")
    assert settle(book) == {"a-01": {"x": 3}, "b-02": {}, "c-03": {}}
    assert parameters.read(book.chapters[0])["x"].meaning == "how many # really"


def test_a_default_may_span_lines(project):
    book = only(project, "x: list[int] = [\n    1,  # one\n    2,\n]  # which")
    assert settle(book)["a-01"]["x"] == [1, 2]
    assert parameters.read(book.chapters[0])["x"].meaning == "which"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("x: int = 1", "many"),
        ("x: int = 1", "2.5"),
        ("x: int = 1", "True"),
        ("x: float = 1", "nan"),
        ("x: bool = True", "2"),
        ("x: list[int] = [1]", "1,b"),
        ("from typing import Literal\nx: Literal['a', 'b'] = 'a'", "c"),
    ],
)
def test_a_wrong_type_names_chapter_parameter_value_and_type(project, line, text):
    message = refusal(only(project, f"{line}  # meaning"), f"x={text}")
    kind = line.rpartition("x: ")[2].partition(" =")[0]
    assert f"notebooks/a-01.ipynb: x={text} is not of type {kind}, for example x=" in message


def test_a_misspelt_parameter_is_refused_with_the_near_name_and_all_that_exist(project):
    message = refusal(chapters.load(project.root), "sed=2")
    assert message.splitlines() == [
        "no chapter has a parameter 'sed'; did you mean 'seed'?",
        "the parameters are:",
        "  seed: int = 1  # where chance begins (c-03)",
        "  scale: float = 2.0  # times | what (c-03)",
    ]


def test_a_setting_applies_to_every_chapter_that_has_the_parameter(project):
    project.notebook("a-01", ("parameters", "seed: int = 5  # where chance begins"))
    values = settle(chapters.load(project.root), "seed=7")
    assert (values["a-01"]["seed"], values["c-03"]["seed"]) == (7, 7)
    assert values["b-02"] == {}


def test_all_faults_come_in_one_message(project):
    project.notebook("a-01", ("parameters", "n: int = 5"))
    message = refusal(chapters.load(project.root), "seed=x odd=1", "seed=2 nothing", "'open")
    assert "notebooks/a-01.ipynb, cell 1, line 1: n has no meaning" in message
    assert "no chapter has a parameter 'odd'" in message
    assert "seed is set twice: x and 2" in message
    assert "notebooks/c-03.ipynb: seed=x is not of type int" in message
    assert "'nothing' sets nothing; write name=value" in message
    assert "No closing quotation" in message


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1  # meaning", "x has no type; write `name: type = value  # meaning`"),
        ("x: int = 1", "x has no meaning"),
        ("x: int  # meaning", "nothing but lines"),
        ("print(1)  # meaning", "nothing but lines"),
        ("import os", "nothing but lines"),
        ("x: dict = {}  # meaning", "x has the type dict; expected int, float"),
        ("x: int = 2.5  # meaning", "x = 2.5 is not a plain value of type int"),
        ("x: int = len('a')  # meaning", "x = len('a') is not a plain value of type int"),
        ("x: int = 1  # meaning\nx: int = 2  # meaning", "line 2: x is given twice"),
        ("x: int = = 1  # meaning", "line 1: invalid syntax"),
    ],
)
def test_a_parameters_cell_holds_nothing_but_documented_parameters(project, source, expected):
    message = refusal(only(project, source))
    assert message.startswith("notebooks/a-01.ipynb, cell 2, line ")
    assert expected in message


def test_parameters_stand_in_the_first_code_cell(project):
    project.notebook("a-01", "# Title", "1", ("parameters", "x: int = 1  # meaning"))
    assert "cell 3: the tag `parameters` belongs to the first code cell" in refusal(
        chapters.load(project.root)
    )


def test_only_what_differs_from_the_notebook_is_injected(project):
    book = chapters.load(project.root)
    values = settle(book, "seed=2 scale=2")["c-03"]
    assert parameters.changed(parameters.read(book.chapters[2]), values) == {"seed": 2}
