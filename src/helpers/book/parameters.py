"""A chapter's parameters: read from its `parameters` cell, set by study or command line, checked.

The cell is the notebook's first code cell, tagged `parameters`; a line each reads
`resamples: int = 2000  # meaning`. It is parsed rather than matched line by line, since papermill's
own inspection, made of regular expressions, cannot read `Literal["a", "b"]` or a `#` in a text.
"""

import ast
import io
import json
import shlex
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import GenericAlias
from typing import Any, Literal

from pydantic import FiniteFloat, TypeAdapter, ValidationError

from helpers.book.chapters import STUDY, Chapter
from helpers.book.keys import Values
from helpers.book.studies import Card
from helpers.errors import HelpersError, did_you_mean

TYPES = "int, float, bool, str, list[...] of these or Literal[...]"
SHAPE = "`name: type = value  # meaning`"

_SCALARS: dict[str, Any] = {"int": int, "float": FiniteFloat, "bool": bool, "str": str}
_SINGULAR = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "text"}
_PLURAL = {"int": "whole numbers", "float": "numbers", "bool": "true and false", "str": "texts"}


@dataclass(frozen=True)
class Parameter:
    """One documented value that a reader may change.

    Parameters
    ----------
    name, meaning : str
        As written in the notebook.
    annotation : str
        The type as written, for messages.
    type : object
        The type, for pydantic.
    default : object
        The value in the notebook.
    """

    name: str
    annotation: str
    type: Any
    default: Any
    meaning: str

    def parse(self, text: str) -> Any:  # noqa: ANN401
        """Read a value from the command line.

        Raises
        ------
        ValueError
            If it is not of the parameter's type.
        """
        adapter: TypeAdapter[Any] = TypeAdapter(self.type)
        if self.annotation.startswith("list"):
            items = text.strip().removeprefix("[").removesuffix("]").split(",")
            return adapter.validate_python([i.strip().strip("'\"") for i in items if i.strip()])
        try:
            return adapter.validate_python(text)
        except ValidationError:  # the text "2" is no member of Literal[1, 2], the number is
            return adapter.validate_python(_literal(text), strict=True)

    def check(self, value: Any) -> Any:  # noqa: ANN401
        """Take a value from a study's `study.yml`, where it is typed already.

        Raises
        ------
        ValueError
            If it is not of the parameter's type.
        """
        return TypeAdapter(self.type).validate_python(value, strict=True)

    def fits(self, value: object) -> bool:
        """Tell whether `check` takes a value."""
        try:
            self.check(value)
        except ValueError:
            return False
        return True

    @property
    def expected(self) -> str:
        """The type in words, and an example as `study.yml` has it."""
        outer, _, inner = self.annotation.rstrip("]").partition("[")
        if outer == "Literal":
            told = f"one of {inner}"
        else:
            told = f"a list of {_PLURAL[inner]}" if inner else _SINGULAR[outer]
        return f"{told}, for example {json.dumps(self.default, ensure_ascii=False)}"


def read(chapter: Chapter) -> dict[str, Parameter]:
    """Read the parameters of a chapter; none if it has no cell tagged `parameters`.

    Raises
    ------
    HelpersError
        If the cell holds anything but documented, typed parameters; all faults at once.
    """
    cells = list(enumerate(chapter.cells, 1))
    tagged = [i for i, cell in cells if "parameters" in cell.tags]
    first = next((i for i, cell in cells if cell.cell_type == "code"), None)
    if not tagged:
        return {}
    where = f"{chapter.name}, cell {tagged[0]}"
    if tagged != [first]:
        raise HelpersError(
            f"{where}: the tag `parameters` belongs to the first code cell and to no other"
        )
    source = chapter.cells[tagged[0] - 1].source
    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise HelpersError(f"{where}, line {error.lineno}: {error.msg}") from None
    comments = _comments(source)
    found, faults = {}, []
    for statement in statements:
        if isinstance(statement, ast.ImportFrom) and statement.module == "typing":
            continue  # Literal must be imported to run
        try:
            parameter = _parameter(statement, comments.get(statement.end_lineno or 0, ""))
            if parameter.name in found:
                raise ValueError(f"{parameter.name} is given twice")
            found[parameter.name] = parameter
        except ValueError as fault:
            faults.append(f"{where}, line {statement.lineno}: {fault}")
    if faults:
        raise HelpersError("\n".join(faults))
    return found


def settle(
    chapters: Iterable[Chapter], settings: Iterable[str], cards: Mapping[str, Card] | None = None
) -> dict[str, Values]:
    """Give every chapter its parameters' final values, before any of them is run.

    What the notebook says gives way to what its study says, and that to the command line.

    Parameters
    ----------
    chapters : iterable of Chapter
        The chapters that will run.
    settings : iterable of str
        Texts such as `"resamples=500 seed=1"`, quoted as in a shell. A setting applies to every
        chapter that has a parameter of that name.
    cards : mapping of str to Card, optional
        The study that a chapter reads, by the chapter's stem.

    Returns
    -------
    dict
        For each chapter's stem its parameters' names and values.

    Raises
    ------
    HelpersError
        If a cell is wrong, a setting unknown, repeated or of the wrong type; all faults at once.
    """
    found: dict[str, dict[str, Parameter]] = {}
    names, faults = {}, []
    for chapter in chapters:
        names[chapter.stem] = chapter.name
        try:
            found[chapter.stem] = read(chapter)
        except HelpersError as fault:
            faults.append(str(fault))
    given = _settings(settings, faults)
    if given.pop(STUDY, None):
        faults.append(f"{STUDY} is no setting; give the study's folder as STUDY=folder")
    if unknown := [name for name in given if not any(name in has for has in found.values())]:
        faults += _unknown(unknown, found)
    values = {stem: {name: p.default for name, p in has.items()} for stem, has in found.items()}
    for stem, settled in _of_studies(found, cards or {}).items():
        values[stem] |= settled
    for stem, has in found.items():
        for name in has.keys() & given.keys():
            try:
                values[stem][name] = has[name].parse(given[name])
            except ValueError:
                faults.append(
                    f"{names[stem]}: {name}={given[name]} is not of type {has[name].annotation}"
                    f"{_example(has[name])}"
                )
    if faults:
        raise HelpersError("\n".join(faults))
    return values


def settable(chapters: Iterable[Chapter]) -> dict[str, dict[str, list[Parameter]]]:
    """What a study may set, by its kind and the parameter's name; chapters may share a name."""
    found: dict[str, dict[str, list[Parameter]]] = {}
    for chapter in chapters:
        for name, parameter in read(chapter).items():
            for kind in chapter.declaration.kinds if name != STUDY else ():
                found.setdefault(kind, {}).setdefault(name, []).append(parameter)
    return found


def _of_studies(
    found: Mapping[str, Mapping[str, Parameter]], cards: Mapping[str, Card]
) -> dict[str, Values]:
    """Values that studies set, by chapter; they were checked with the rest of the study."""
    values: dict[str, Values] = {}
    for stem, card in cards.items():
        has = found.get(stem, {})
        values[stem] = {STUDY: card.folder} if STUDY in has else {}
        for name in has.keys() & card.parameters.keys() - {STUDY}:
            values[stem][name] = has[name].check(card.parameters[name])
    return values


def changed(parameters: Mapping[str, Parameter], values: Values) -> Values:
    """Return the values that differ from the notebook's own."""
    return {name: value for name, value in values.items() if value != parameters[name].default}


def _comments(source: str) -> dict[int, str]:
    """Comments by line number."""
    return {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }


def _parameter(statement: ast.stmt, meaning: str) -> Parameter:
    match statement:
        case ast.Assign(targets=[ast.Name(name)]):
            raise ValueError(f"{name} has no type; write {SHAPE}")
        case ast.AnnAssign(target=ast.Name(name), annotation=annotation, value=ast.expr() as value):
            pass
        case _:
            raise ValueError(f"a parameters cell holds nothing but lines {SHAPE}")
    written = ast.unparse(annotation)
    if not meaning:
        raise ValueError(f"{name} has no meaning; write {SHAPE}")
    try:
        kind = _type(annotation)
    except ValueError:
        raise ValueError(f"{name} has the type {written}; expected {TYPES}") from None
    try:
        default = TypeAdapter(kind).validate_python(ast.literal_eval(value), strict=True)
    except ValueError:
        found = ast.unparse(value)
        raise ValueError(f"{name} = {found} is not a plain value of type {written}") from None
    return Parameter(name, written, kind, default, meaning)


def _type(annotation: ast.expr) -> Any:  # noqa: ANN401
    match annotation:
        case ast.Name(name) if name in _SCALARS:
            return _SCALARS[name]
        case ast.Subscript(ast.Name("list"), ast.Name(name)) if name in _SCALARS:
            return GenericAlias(list, _SCALARS[name])
        case ast.Subscript(ast.Name("Literal"), members):
            literal: Any = Literal
            return literal[ast.literal_eval(members)]
    raise ValueError(ast.unparse(annotation))


def _literal(text: str) -> Any:  # noqa: ANN401
    try:
        return ast.literal_eval(text.strip())
    except (SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError(text) from None


def _example(parameter: Parameter) -> str:
    value = str(parameter.default)
    if parameter.annotation.startswith("list"):
        value = ",".join(map(str, parameter.default))
    return f", for example {parameter.name}={value}"


def _settings(texts: Iterable[str], faults: list[str]) -> dict[str, str]:
    """Split `"a=1 b='x y'"` into names and texts; what cannot be split is added to `faults`."""
    given: dict[str, str] = {}
    for text in texts:
        try:
            words = shlex.split(text)
        except ValueError as error:
            faults.append(f"parameters {text!r}: {error}")
            continue
        for word in words:
            name, equals, value = word.partition("=")
            if not name or not equals:
                faults.append(f"'{word}' sets nothing; write name=value, quoted if it has spaces")
            elif name in given:
                faults.append(f"{name} is set twice: {given[name]} and {value}")
            else:
                given[name] = value
    return given


def _unknown(names: list[str], found: Mapping[str, Mapping[str, Parameter]]) -> list[str]:
    known: dict[str, list[str]] = {}
    lines: dict[str, str] = {}
    for stem, has in found.items():
        for parameter in has.values():
            if parameter.name == STUDY:
                continue
            known.setdefault(parameter.name, []).append(stem)
            lines[parameter.name] = (
                f"  {parameter.name}: {parameter.annotation} = {parameter.default!r}"
                f"  # {parameter.meaning}"
            )
    faults = [f"no chapter has a parameter '{n}'{did_you_mean(n, known)}" for n in names]
    if not known:
        return [*faults, "no chapter has any parameter"]
    return [
        *faults,
        "the parameters are:",
        *(f"{line} ({', '.join(known[name])})" for name, line in lines.items()),
    ]
