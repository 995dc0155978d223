"""Read the declared relations of a paper and check them all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helpers.audit.declared import Decimals, Declared, declarations
from helpers.audit.finding import Finding
from helpers.audit.quotes import check_quotes
from helpers.audit.relation import Relation
from helpers.errors import HelpersError
from helpers.printed import DecimalSign
from helpers.published import TEXT, Paper, UnknownNameError, load

ADVICE = (
    "a comma for decimals or for thousands; declare which in relations.yml, as "
    '`- decimal_sign: ","` or `- decimal_sign: "."`'
)


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
        If a file is missing or faulty, a relation names what is not there, or a number has a comma
        that no declaration gives a meaning.
    """
    path = folder / "relations.yml"
    if not path.exists():
        raise HelpersError(f"{path.name}: missing in {folder}; it declares what to check")
    paper, declared = load(folder), declarations(path)
    paper = paper.with_signs(_signs(declared, paper))
    found: list[Finding] = []
    used: set[str] = set()
    faults: list[str] = []
    for one in declared:
        if isinstance(one.entry, Relation):
            used.update(one.entry.strings())
            with _unknown_names(one, faults):
                found += one.entry.findings(paper)
    _refuse(faults)
    found += check_quotes(paper, used)
    return sorted(found, key=lambda finding: (finding.table == TEXT, finding.table))


def _signs(declared: list[Declared], paper: Paper) -> dict[str, DecimalSign]:
    """Declared decimal signs, by name of the table, or "text".

    Raises
    ------
    HelpersError
        If a number has a comma and no sign is declared for its table.
    """
    everywhere: dict[str, DecimalSign] = {}
    own: dict[str, DecimalSign] = {}
    faults: list[str] = []
    for one in declared:
        if isinstance(one.entry, Decimals):
            for name in one.entry.tables:
                with _unknown_names(one, faults):
                    own[name if name == TEXT else paper.table(name).name] = one.entry.decimal_sign
            if not one.entry.tables:
                everywhere = dict.fromkeys((*paper.tables, TEXT), one.entry.decimal_sign)
    signs = everywhere | own
    open_cells = [(place, cell) for name, place, cell in paper.with_commas() if name not in signs]
    if open_cells:
        place, cell = open_cells[0]
        more = f" (and {len(open_cells) - 1} more cells)" if len(open_cells) > 1 else ""
        faults.append(f"{place}: “{cell}”{more}: {ADVICE}")
    _refuse(faults)
    return signs


@contextmanager
def _unknown_names(one: Declared, faults: list[str]) -> Iterator[None]:
    """Note what an entry asks for and the paper does not have, and go on."""
    try:
        yield
    except UnknownNameError as error:
        faults.append(f"{one.asks(error.name)}: {error}")


def _refuse(faults: list[str]) -> None:
    if faults:
        raise HelpersError("\n".join(faults))
