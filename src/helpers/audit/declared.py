"""`relations.yml`: what the figures of a paper must satisfy, read strictly and refused in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from helpers.audit.compare import Compare
from helpers.audit.concordance import Concordance, SameRaters
from helpers.audit.fit import FitSummary
from helpers.audit.people import LabelSpan, Numbered, Roles, SameColumn, SameLabels
from helpers.audit.relation import Relation
from helpers.audit.significance import PValue, Ratio
from helpers.audit.sums import Arithmetic, Reliability, Sum, TauAndAccuracy, Thresholds
from helpers.audit.t_test import TTest
from helpers.errors import HelpersError, did_you_mean
from helpers.printed import DecimalSign
from helpers.yaml_lines import Place, doubles, find, line, row

KINDS: dict[str, type[Relation]] = {
    get_args(kind.model_fields["relation"].annotation)[0]: kind
    for kind in (
        *(Ratio, PValue, Concordance, SameRaters, TTest, FitSummary, Compare, Sum, Thresholds),
        *(LabelSpan, Arithmetic, TauAndAccuracy, Reliability),
        *(Numbered, SameColumn, SameLabels, Roles),
    )
}
"""Every kind of relation, by its name in `relations.yml`."""


class Decimals(BaseModel):
    """The decimal sign that a paper prints; the other one of point and comma sets off thousands.

    `tables` are those meant, among them "text" for `text.csv`; none for all that have no sign of
    their own. It must be declared where a number has a comma, and is a point elsewhere.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    decimal_sign: DecimalSign
    tables: tuple[str, ...] = ()


_EXPECTED = {
    "string_type": "a text; write it in quotes if it looks like a number",
    "tuple_type": "a list",
    "dict_type": "lines of the form `key: value`",
    "model_type": "lines of the form `key: value`",
    "model_attributes_type": "lines of the form `key: value`",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a number"),
}


@dataclass(frozen=True)
class Declared:
    """One entry of the list, and where it stands.

    Attributes
    ----------
    entry : Relation or Decimals
        What it declares.
    file : str
        Name of the file, for messages.
    number : int
        Its place in the list, from 1.
    node : yaml.Node
        The entry as YAML has it.
    """

    entry: Relation | Decimals
    file: str
    number: int
    node: yaml.Node

    def asks(self, name: str) -> str:
        """Where the entry asks for `name`: file, line, entry and key, for a message."""
        place = find(self.node, name) or ()
        return _where(self.file, self.number, self.node, place)


def declarations(path: Path) -> list[Declared]:
    """Entries of a YAML file: a list of mappings, each a relation or a decimal sign.

    A relation has its kind as `relation`, a sign is given as `decimal_sign`.

    Raises
    ------
    HelpersError
        If the file is not YAML, or a relation is unknown, misspelt or incomplete; all faults are
        named at once, each with its line, its key and what was expected.
    """
    node, entries = _loaded(path)
    found: list[Declared] = []
    faults = [
        f"{path.name}, line {row(key.start_mark)}, {key.value}: the same key twice; keep one"
        for key in doubles(node)
    ]
    for number, (entry, own) in enumerate(zip(entries, node.value, strict=True), 1):
        try:
            found.append(Declared(_kind(entry).model_validate(entry), path.name, number, own))
        except ValidationError as error:
            faults += [
                f"{_where(path.name, number, own, place)}: {told}"
                for place, told in _explained(error, _kind(entry))
            ]
        except ValueError as error:
            place = ("relation",) if isinstance(entry, dict) else ()
            faults.append(f"{_where(path.name, number, own, place)}: {error}")
    if faults:
        raise HelpersError("\n".join(faults))
    return found


def _loaded(path: Path) -> tuple[yaml.Node, list[Any]]:
    """The list as nodes, which know their lines, and as values."""
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
        values, node = yaml.safe_load(text), yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        broken = content.count(b"\n", 0, error.start) + 1
        raise HelpersError(f"{path.name}, line {broken}: not UTF-8; save it as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        where = f"{path.name}, line {row(error.problem_mark or error.context_mark)}"
        raise HelpersError(f"{where}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:  # a control character, a date that is none
        raise HelpersError(f"{path.name}: not valid YAML: {error}") from None
    if not isinstance(values, list) or node is None:
        raise HelpersError(
            f"{path.name}: expected a list of relations, each beginning with `- relation: `"
        )
    return node, values


def _kind(entry: object) -> type[Relation] | type[Decimals]:
    """The kind that an entry names.

    Raises
    ------
    ValueError
        In words, if it names none that is known.
    """
    if not isinstance(entry, dict):
        raise ValueError(f"found {_shown(entry)}, expected lines of the form `key: value`")
    if "decimal_sign" in entry:
        return Decimals
    name = entry.get("relation")
    if name is None:
        raise ValueError(f"is missing; expected one of {', '.join(KINDS)}")
    if not isinstance(name, str) or name not in KINDS:
        near = did_you_mean(str(name), KINDS) or f"; expected one of {', '.join(KINDS)}"
        raise ValueError(f"{_shown(name)} is unknown{near}")
    return KINDS[name]


def _explained(error: ValidationError, known: type[BaseModel]) -> Iterator[tuple[Place, str]]:
    """Place of each fault within its entry, and what is wrong there."""
    wrong = error.errors(include_url=False)
    unknown = [str(fault["loc"][-1]) for fault in wrong if fault["type"] == "extra_forbidden"]
    keys = list(known.model_fields)
    for fault in wrong:
        place, key = fault["loc"], str(fault["loc"][-1]) if fault["loc"] else ""
        nested = len(place) > 1
        if fault["type"] == "extra_forbidden":
            near = "" if nested else did_you_mean(key, keys) or f"; known are {', '.join(keys)}"
            yield place, f"unknown key{near}"
        elif fault["type"] == "missing":
            if not any(did_you_mean(name, [key]) for name in unknown):  # asked for already
                yield place, "is missing"
        else:
            yield place, _expectation(fault)


def _expectation(fault: Any) -> str:  # noqa: ANN401 (pydantic's error details)
    context = fault.get("ctx", {})
    if fault["type"] == "value_error":
        return str(context["error"])
    if fault["type"] == "too_short":
        return f"expected at least {context['min_length']}, found {context['actual_length']}"
    if fault["type"] == "literal_error":
        expected = str(context["expected"])
        if isinstance(fault["input"], str):
            expected += did_you_mean(fault["input"], expected.replace("'", "").split(" or "))
    else:
        told = str(fault["msg"]).removeprefix("Input should be ")
        expected = _EXPECTED.get(fault["type"], told)
    return f"found {_shown(fault['input'])}, expected {expected}"


def _where(file: str, number: int, node: yaml.Node, place: Place) -> str:
    """File, line, entry with its kind, and the keys that lead to the fault."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    kinds = [value.value for key, value in pairs if key.value == "relation"]
    entry = f"no. {number}" + (f" ({kinds[0]})" if kinds else "")
    keys = " ".join(str(step + 1) if isinstance(step, int) else step for step in place)
    return f"{file}, line {line(node, place)}, {entry}" + (f", {keys}" if keys else "")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
