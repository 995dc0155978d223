"""What a study says of itself in `study.yml`: read safely, refused with the line that is wrong."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, TypeVar

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
)
from pydantic_core import ErrorDetails

from helpers.errors import near
from helpers.study.faults import Cell, Findings, ask, plain, show
from helpers.study.folder import CONFIG

LARGEST = 200_000  # bytes; written by hand, a study.yml has a few thousand


def _text(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("expected one line of text")
    return text.strip()


def _code(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text):
        raise ValueError("expected a letter, then letters, digits and _ (it names a column)")
    return text


def _parameters(values: dict[str, Any]) -> dict[str, Any]:
    for name, value in values.items():
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, bool | int | float | str) for item in items):
            raise ValueError(f"{plain(name)}: expected a number, a text, true, false or a list")
    return values


Text = Annotated[str, Field(max_length=200), AfterValidator(_text)]


class Strict(BaseModel):
    """A part of `study.yml`: unknown keys are refused; a number may stand where text is meant."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)


class Dimension(Strict):
    """A scale on which answers are rated, in whole numbers from `min` to `max`.

    Attributes
    ----------
    code : str
        Name of the column that holds its scores.
    label : str
        Its name in tables and figures.
    min, max : int
        The ends of the scale, both of them possible scores.
    """

    code: Annotated[str, Field(max_length=60), AfterValidator(_code)]
    label: Text
    min: Annotated[StrictInt, Field(ge=-1_000_000, le=1_000_000)]
    max: Annotated[StrictInt, Field(ge=-1_000_000, le=1_000_000)]


class Config(Strict):
    """What every kind of study says of itself.

    Attributes
    ----------
    title : str
        Title of the study, as the book prints it.
    kind : str
        Which files the folder holds and which chapters read them.
    simulated : bool
        Whether the data are made up; the book then says so on every page.
    parameters : dict
        Values for parameters of chapters, by name, where they differ from the chapters' own.
    """

    # Values taken on trial where others are wrong: those under which fewest rows are refused.
    lenient: ClassVar[Mapping[str, Any]] = {"title": "?", "simulated": True}

    title: Text
    kind: str
    simulated: StrictBool
    parameters: Annotated[dict[str, Any], AfterValidator(_parameters)] = Field(default_factory=dict)


C = TypeVar("C", bound=Config)


def parse(data: bytes, kinds: Mapping[str, type[C]], found: Findings) -> C | None:
    """Read the bytes of `study.yml`.

    Parameters
    ----------
    data : bytes
        The file's content.
    kinds : mapping of str to type
        The model of each kind of study, by its name.
    found : Findings
        Receives the faults.

    Returns
    -------
    Config or None
        What the file says. Where only some keys are wrong it is what the others say, so that the
        tables can be checked in the same run; None when even that cannot be had.
    """
    node = _compose(data, found)
    if node is None:
        return None
    values = yaml.safe_load(data.decode("utf-8-sig"))
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        options = ", ".join(kinds)
        told = [Cell((_line(node, ("kind",)),), show(kind))] if "kind" in values else []
        found.fault(CONFIG, f"expected {options}{ask(str(kind), kinds)}", "kind", told)
        return None
    model = kinds[kind]
    try:
        return model.model_validate(values)
    except ValidationError as error:
        wrong = error.errors(include_url=False)
    _explain(wrong, model, node, found)
    rest = {key: value for key, value in values.items() if key not in {e["loc"][0] for e in wrong}}
    try:
        return model.model_validate({**model.lenient, **rest})
    except ValidationError:
        return None


def _compose(data: bytes, found: Findings) -> yaml.MappingNode | None:
    """Parse into nodes, which know their lines; refuse what a mapping of values would hide."""
    if len(data) > LARGEST:
        found.fault(CONFIG, f"is larger than {LARGEST:,} bytes")
        return None
    try:
        node = _node(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        cell = Cell((line,), f"byte 0x{data[error.start]:02X} at offset {error.start:,}")
        found.fault(CONFIG, "expected UTF-8", cells=[cell])
    except yaml.MarkedYAMLError as error:
        problem = plain(error.problem, limit=100)
        tab = "; indent with spaces, not tabs" if "'\\t'" in problem else ""
        cell = Cell((_row(error.problem_mark or error.context_mark),))
        found.fault(CONFIG, f"cannot be read: {problem}{tab}", cells=[cell])
    except (yaml.YAMLError, ValueError) as error:
        found.fault(CONFIG, f"cannot be read: {plain(str(error).partition(chr(10))[0], limit=100)}")
    except RecursionError:
        found.fault(CONFIG, "is nested too deeply")
    else:
        if isinstance(node, yaml.MappingNode):
            for key in _doubles(node):
                cell = Cell((_row(key.start_mark),), show(key.value))
                found.fault(CONFIG, "the same key twice; keep one", cells=[cell])
            return node
        told = "is empty" if node is None else "expected lines of the form `key: value`"
        found.fault(CONFIG, told)
    return None


def _node(text: str) -> yaml.Node | None:
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):  # a few of them can stand for gigabytes
            mark: Any = event.start_mark
            problem = "aliases are not allowed; write the value out"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
    yaml.safe_load(text)
    return yaml.compose(text, Loader=yaml.SafeLoader)


def _row(mark: yaml.Mark | None) -> int:
    return 1 if mark is None else int(mark.line) + 1


def _doubles(node: yaml.Node | None) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                yield key
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else None)
            yield from _doubles(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _doubles(item)


def _line(node: yaml.Node, place: tuple[int | str, ...]) -> int:
    """Line of the value at `place`, or of the nearest thing around it that is there."""
    line = _row(node.start_mark)
    if not place:
        return line
    first, rest = place[0], place[1:]
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(first):
                return _line(value, rest) if rest else _row(key.start_mark)
    elif isinstance(node, yaml.SequenceNode) and isinstance(first, int) and first < len(node.value):
        return _line(node.value[first], rest)
    return line


def _explain(
    wrong: list[ErrorDetails], model: type[Config], node: yaml.Node, found: Findings
) -> None:
    places = [error["loc"] for error in wrong]
    unknown = [error["loc"] for error in wrong if error["type"] == "extra_forbidden"]
    for error in wrong:
        place, value = error["loc"], error["input"]
        line = _line(node, place)
        if error["type"] == "extra_forbidden":
            keys = Dimension.model_fields if len(place) > 1 else model.model_fields
            problem, cells = f"unknown key{ask(str(place[-1]), keys)}", [Cell((line,))]
        elif error["type"] == "missing":
            if any(
                near(str(key), [str(place[-1])])
                for *above, key in unknown
                if (*above,) == place[:-1]
            ):
                continue  # asked for after the unknown key
            problem, cells = "is missing", [Cell((line,))] if len(place) > 1 else []
        elif error["type"] == "too_short" and any(p[:-1] and p[0] == place[0] for p in places):
            continue  # the list is short because its items are wrong
        else:
            problem, cells = (
                _expected(error),
                [Cell((line,), show(value) if _is_scalar(value) else "")],
            )
        first, *rest = place
        steps = [str(first), *(str(s + 1) if isinstance(s, int) else s for s in rest)]
        found.fault(CONFIG, problem, " ".join(plain(step) for step in steps), cells)


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _expected(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "literal_error":
            options = str(context["expected"])
            return f"expected {options.replace(chr(39), '')}"
        case "value_error":
            return str(context["error"])
        case "string_type":
            return "expected text"
        case "bool_type":
            return "expected true or false"
        case "tuple_type":
            return "expected a list, each item on a line that begins with -"
        case "too_short":
            return "expected at least one"
        case "string_too_long":
            return f"expected at most {context['max_length']} characters"
        case "int_type":
            return "expected a whole number"
        case "dict_type" | "model_type":
            return "expected lines of the form `key: value`"
        case "greater_than_equal" | "less_than_equal":
            return "expected a number between -1,000,000 and 1,000,000"
        case _:
            return error["msg"][0].lower() + error["msg"][1:]
