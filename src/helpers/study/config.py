"""What a study says of itself in `study.yml`: read safely, refused with the line that is wrong."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
)
from pydantic_core import ErrorDetails
from yaml.reader import ReaderError

from helpers.errors import near
from helpers.study.faults import EXAMPLE, Cell, Findings, ask, plain, show
from helpers.study.folder import CONFIG
from helpers.study.sheet import SPACES, UTF16
from helpers.yaml_lines import Place, doubles, line, row

LARGEST = 200_000  # bytes; written by hand, a study.yml has a few thousand


MARKED = "put a text that begins with !, & or * in double quotes"
COMMA = "put a text that holds a comma in double quotes; numbers are whole, without a comma"
WORDS = {"yes": True, "no": False, "on": True, "off": False}

# What PyYAML says, whether its first or its second mark is where the fault begins, and plain words.
PROBLEMS = (
    ("found character '\\t'", 1, "a tab; indent with spaces"),
    ("found character", 1, "put a text that begins with {} in double quotes"),
    (
        "mapping values are not allowed",
        1,
        'put a text that holds ": " in double quotes; begin keys of one level below each other',
    ),
    (
        "expected <block end>",
        1,
        "expected `key: value`; begin keys of one level below each other, and put a text that "
        "holds quotes in quotes",
    ),
    ("could not find expected ':'", 0, "expected `key: value`, with a space after the colon"),
    ("expected ',' or", 0, "{ or [ is opened and not closed"),
    ("unexpected end of stream", 0, "a quote is opened and not closed"),
    ("another document", 1, "delete this line"),
    ("unhashable key", 1, "put a text that begins with { or [ in double quotes"),
)


class Loader(yaml.SafeLoader):
    """YAML as most people take it: `no` is a word, 2026-01-31 and 01 are text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012


for kind, pattern, starts in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(0|[1-9][0-9]{0,17})", "-+0123456789"),
    ("float", r"[-+]?[0-9]{1,17}(\.[0-9]{1,17}([eE][-+]?[0-9]{1,2})?)", "-+0123456789"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(f"(?:{pattern})$"), starts)


class Setting(Protocol):
    """What `parameters` may set: a parameter of a chapter."""

    @property
    def expected(self) -> str:
        """Its type and an example, in words."""

    def fits(self, value: object) -> bool:
        """Tell whether a value is of its type."""


Settings = Mapping[str, Mapping[str, Sequence[Setting]]]  # by kind of study and name


def _text(text: str) -> str:
    text = text.translate(SPACES).strip()
    if not text or "\n" in text:
        raise ValueError("expected one line of text")
    if unseen := "".join(c for c in dict.fromkeys(text) if not c.isprintable()):
        raise ValueError(f"delete {plain(unseen)}, which cannot be seen")
    return text


def _flag(value: object) -> object:
    return WORDS.get(value.casefold(), value) if isinstance(value, str) else value


def _code(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text):
        raise ValueError("expected a letter, then letters, digits and _ (it names a column)")
    return text


def _value(value: object) -> object:
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, bool | int | float | str) for item in items):
        raise ValueError("expected a number, a text, true, false or a list")
    return value


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
    simulated: Annotated[StrictBool, BeforeValidator(_flag)]
    parameters: dict[str, Annotated[Any, AfterValidator(_value)]] = Field(default_factory=dict)

    def slips(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield the place and the fault of what is wrong only beside something else."""
        yield from ()


C = TypeVar("C", bound=Config)


def parse(
    data: bytes, kinds: Mapping[str, type[C]], found: Findings, settings: Settings | None = None
) -> C | None:
    """Read the bytes of `study.yml`.

    Parameters
    ----------
    data : bytes
        The file's content.
    kinds : mapping of str to type
        The model of each kind of study, by its name.
    found : Findings
        Receives the faults.
    settings : mapping, optional
        What `parameters` may set; without it any name is taken.

    Returns
    -------
    Config or None
        What the file says. Where only some keys are wrong it is what the others say, so that the
        tables can be checked in the same run; None when even that cannot be had.
    """
    node = _compose(data, found)
    if node is None:
        return None
    values = _construct(node)
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        hint = ask(str(kind), kinds) if len(kinds) > 1 else ""
        told = [_told(node, ("kind",), hint)] if "kind" in values else []
        found.fault(CONFIG, f"expected {', '.join(kinds)}", "kind", told)
        return None
    model = kinds[kind]
    wrong: list[ErrorDetails] = []
    config = None
    try:
        config = model.model_validate(values)
    except ValidationError as error:
        wrong = error.errors(include_url=False)
    _explain(wrong, model, node, found)
    if settings is not None:
        _check_settings(values.get("parameters"), settings.get(kind, {}), node, wrong, found)
    if config is None:
        bad = {str(error["loc"][0]) for error in wrong}
        rest = {key: value for key, value in values.items() if str(key) not in bad}
        try:
            config = model.model_validate({**model.lenient, **rest})
        except ValidationError:
            return None
    slips = list(config.slips())
    for place, problem in slips:
        found.fault(CONFIG, problem, _key(place), [_told(node, place)])
    return None if slips else config


def _check_settings(
    values: object,
    settings: Mapping[str, Sequence[Setting]],
    node: yaml.Node,
    wrong: Sequence[ErrorDetails],
    found: Findings,
) -> None:
    """Refuse parameters that no chapter has, and values of another type."""
    places = [error["loc"] for error in wrong]
    told = [place[1] for place in places if place[0] == "parameters" and len(place) > 1]
    for name, value in values.items() if isinstance(values, dict) else ():
        place = ("parameters", str(name))
        misfit = next((s for s in settings.get(str(name), ()) if not s.fits(value)), None)
        if str(name) not in settings:
            hint = ask(str(name), settings) or f"; there are: {', '.join(sorted(settings))}"
            cell = Cell((line(node, place),))
            found.fault(CONFIG, f"no chapter has this parameter{hint}", _key(place), [cell])
        elif misfit and name not in told:
            found.fault(CONFIG, f"expected {misfit.expected}", _key(place), [_told(node, place)])


def _compose(data: bytes, found: Findings) -> yaml.MappingNode | None:
    """Parse into nodes, which know their lines; refuse what a mapping of values would hide."""
    if len(data) > LARGEST:
        found.fault(CONFIG, f"is larger than {LARGEST:,} bytes; expected a few lines by hand")
        return None
    if data[:2] in UTF16:
        found.fault(CONFIG, "is UTF-16, expected UTF-8; save it as UTF-8")
        return None
    text = ""
    try:
        text = data.decode("utf-8-sig")
        node = _node(text)
        _construct(node)
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        cell = Cell((number,), f"byte 0x{data[error.start]:02X}")
        found.fault(CONFIG, "expected UTF-8; save it as UTF-8", cells=[cell])
    except yaml.MarkedYAMLError as error:
        found.fault(CONFIG, *_in_words(error))
    except ReaderError as error:
        cell = Cell((text.count("\n", 0, error.position) + 1,), f"U+{int(error.character):04X}")
        found.fault(CONFIG, "delete this character, which cannot be seen", cells=[cell])
    except RecursionError:
        found.fault(CONFIG, "is nested too deeply; expected a few levels")
    else:
        if isinstance(node, yaml.MappingNode):
            for key in doubles(node):
                cell = Cell((row(key.start_mark),), show(key.value))
                found.fault(CONFIG, "the same key twice; keep one", cells=[cell])
            return node
        told = "is empty" if node is None else "expected lines of the form `key: value`"
        found.fault(CONFIG, f"{told}; {EXAMPLE}")
    return None


def _node(text: str) -> yaml.Node | None:
    for event in yaml.parse(text, Loader=Loader):
        # Aliases: a few of them can stand for gigabytes.
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            mark: Any = event.start_mark
            raise yaml.MarkedYAMLError(problem=MARKED, problem_mark=mark)
    return yaml.compose(text, Loader=Loader)


def _construct(node: yaml.Node | None) -> Any:  # noqa: ANN401
    return None if node is None else Loader("").construct_document(node)


def _in_words(error: yaml.MarkedYAMLError) -> tuple[str, str, list[Cell]]:
    """Turn what PyYAML says into a fault: problem, no key, line."""
    problem = str(error.problem)
    marks = [error.context_mark, error.problem_mark]
    if "alphabetic or numeric" in problem or "expected ' '" in problem:  # what follows &, *, !
        problem = MARKED
    for said, which, words in PROBLEMS:
        if said in problem:
            sign = re.search("'(.)'", problem)
            words = words.format(sign[1]) if sign and "{}" in words else words
            return words, "", [Cell((row(marks[which] or marks[1 - which]),))]
    return plain(problem, limit=100), "", [Cell((row(marks[1] or marks[0]),))]


def _told(node: yaml.Node, place: Place, hint: str = "") -> Cell:
    """Show the value at a place as it is written."""
    value: yaml.Node | None = node
    for step in place:
        if isinstance(value, yaml.MappingNode):
            value = next((own for key, own in value.value if key.value == str(step)), None)
        else:
            value = value.value[step] if isinstance(value, yaml.SequenceNode) else None
    written = value.value if isinstance(value, yaml.ScalarNode) else ""
    return Cell((line(node, place),), f"{show(written)}{hint}" if written else "")


def _key(place: Place) -> str:
    """Name a place in words: `dimensions 2 max`."""
    return " ".join(plain(step + 1 if type(step) is int else step) for step in place)


def _explain(
    wrong: list[ErrorDetails], model: type[Config], node: yaml.Node, found: Findings
) -> None:
    places = [error["loc"] for error in wrong]
    unknown = [error["loc"] for error in wrong if error["type"] == "extra_forbidden"]
    for error in wrong:
        place = tuple(step for step in error["loc"] if step != "[key]")
        if error["type"] == "extra_forbidden":
            keys = Dimension.model_fields if len(place) > 1 else model.model_fields
            problem, cells = f"unknown key{ask(str(place[-1]), keys)}", [Cell((line(node, place),))]
            if error["input"] is None and len(place) > 1:  # {label: Clear, precise, min: 1}
                problem += f"; {COMMA}"
        elif error["type"] == "invalid_key":  # {min: 0,5, max: 10}
            place = (*place[:-1], str(place[-1]))
            problem, cells = f"unknown key; {COMMA}", [Cell((line(node, place),))]
        elif error["type"] == "missing":
            if any(
                near(str(key), [str(place[-1])])
                for *above, key in unknown
                if (*above,) == place[:-1]
            ):
                continue  # asked for after the unknown key
            problem, cells = (
                "is missing; add it",
                [Cell((line(node, place),))] if len(place) > 1 else [],
            )
        elif error["type"] == "too_short" and any(p[:-1] and p[0] == place[0] for p in places):
            continue  # the list is short because its items are wrong
        else:
            problem = _expected(error)
            options = re.findall("'([^']*)'", str(error.get("ctx", {}).get("expected", "")))
            hint = ask(str(error["input"]), options) if len(options) > 1 else ""
            cells = [_told(node, place, hint)]
        found.fault(CONFIG, problem, _key(place), cells)


def _expected(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "literal_error":
            options = str(context["expected"])
            return f"expected {options.replace(chr(39), '')}"
        case "value_error":
            return str(context["error"])
        case "string_type":
            given = error["input"] is not None
            return "expected text; put it in double quotes" if given else "expected text"
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
        case "model_type":
            return "expected {code: …, label: …, min: …, max: …}"
        case "dict_type":
            return "expected lines of the form `key: value`"
        case "greater_than_equal" | "less_than_equal":
            return "expected a number between -1,000,000 and 1,000,000"
        case _:
            return error["msg"][0].lower() + error["msg"][1:]
