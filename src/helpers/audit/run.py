"""Read the declared relations of a paper and check them all."""

from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from helpers.audit.compare import Compare
from helpers.audit.concordance import Concordance, SameRaters
from helpers.audit.finding import Finding
from helpers.audit.fit import FitSummary
from helpers.audit.people import LabelSpan, Numbered, Roles, SameColumn, SameLabels
from helpers.audit.quotes import check_quotes
from helpers.audit.relation import Relation
from helpers.audit.significance import PValue, Ratio
from helpers.audit.sums import Arithmetic, Reliability, Sum, TauAndAccuracy, Thresholds
from helpers.audit.t_test import TTest
from helpers.errors import HelpersError
from helpers.published import load

AnyRelation = Annotated[
    Ratio
    | PValue
    | Concordance
    | SameRaters
    | TTest
    | FitSummary
    | Compare
    | Sum
    | Thresholds
    | LabelSpan
    | Arithmetic
    | TauAndAccuracy
    | Reliability
    | Numbered
    | SameColumn
    | SameLabels
    | Roles,
    Field(discriminator="relation"),
]
_RELATIONS: TypeAdapter[list[AnyRelation]] = TypeAdapter(list[AnyRelation])


def relations(path: Path) -> list[Relation]:
    """Relations declared in a YAML file: a list of mappings, each with its kind as `relation`.

    Raises
    ------
    HelpersError
        If the file is not YAML, or a relation is unknown, misspelt or incomplete; all faults are
        named at once.
    """
    content = path.read_bytes()
    try:
        declared = yaml.safe_load(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        broken = content.count(b"\n", 0, error.start) + 1
        raise HelpersError(f"{path.name}, line {broken}: not UTF-8; save it as UTF-8") from None
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where else ""
        raise HelpersError(f"{path.name}{line}: not valid YAML") from None
    try:
        return list(_RELATIONS.validate_python(declared))
    except ValidationError as error:
        faults = [f"relation {_place(fault['loc'])}: {fault['msg']}" for fault in error.errors()]
        raise HelpersError("\n".join(f"{path.name}, {fault}" for fault in faults)) from None


def _place(location: tuple[int | str, ...]) -> str:
    if not location:
        return "list"
    return ", ".join([f"no. {int(location[0]) + 1}", *map(str, location[1:])])


def audit(folder: Path) -> list[Finding]:
    """Check all that a folder of published tables declares.

    Parameters
    ----------
    folder : Path
        `tableNN.csv`, `text.csv` (see `helpers.published.load`) and `relations.yml`.

    Returns
    -------
    list of Finding
        In the order of the tables, the text last.

    Raises
    ------
    HelpersError
        If a file is missing or faulty, or a relation names what is not there.
    """
    path = folder / "relations.yml"
    if not path.exists():
        raise HelpersError(f"{path.name}: missing in {folder}; it declares what to check")
    paper = load(folder)
    declared = relations(path)
    found = [finding for one in declared for finding in one.findings(paper)]
    found += check_quotes(paper, used={name for one in declared for name in one.strings()})
    return sorted(found, key=lambda finding: (finding.table == "text", finding.table))
