"""Read the declared relations of a paper and check them all."""

from pathlib import Path

from helpers.audit.declared import Declared, relations
from helpers.audit.finding import Finding
from helpers.audit.quotes import check_quotes
from helpers.errors import HelpersError
from helpers.published import Paper, UnknownNameError, load


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
    found = _checked(declared, paper)
    names = {name for one in declared for name in one.relation.strings()}
    found += check_quotes(paper, used=names)
    return sorted(found, key=lambda finding: (finding.table == "text", finding.table))


def _checked(declared: list[Declared], paper: Paper) -> list[Finding]:
    """What all relations find.

    Raises
    ------
    HelpersError
        If some name what the paper does not have; all at once, each with the line that asks for it.
    """
    found: list[Finding] = []
    faults: list[str] = []
    for one in declared:
        try:
            found += one.relation.findings(paper)
        except UnknownNameError as error:
            faults.append(f"{one.asks(error.name)}: {error}")
    if faults:
        raise HelpersError("\n".join(faults))
    return found
