"""What every declared relation shares: a strict, typed declaration that checks a paper."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Annotated, ParamSpec

from pydantic import BaseModel, ConfigDict, Field

from helpers.audit.finding import Finding, Verdict
from helpers.published import NotAFigureError, Paper

P = ParamSpec("P")

NO_FIGURE = "a figure"
"""What is expected of a cell that holds none."""

Level = Annotated[float, Field(gt=0, lt=1)]
"""Level of a test."""


class Relation(BaseModel, ABC):
    """A relation that printed figures must satisfy, as declared in `relations.yml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def strings(self) -> Iterator[str]:
        """All texts of the declaration, among them the names of the quotes it uses."""
        yield from _strings(self.model_dump())

    @property
    def told(self) -> str:
        """What is checked, in a few words, where the check as a whole cannot be made."""
        return str(getattr(self, "relation", "")).replace("_", " ")

    def findings(self, paper: Paper) -> Iterator[Finding]:
        """What `check` finds; where what it needs is not printed as a figure, a finding says so."""
        try:
            yield from self.check(paper)
        except NotAFigureError as error:
            yield unusable(self.told, error)

    @abstractmethod
    def check(self, paper: Paper) -> Iterator[Finding]:
        """Check the relation wherever it applies in `paper`.

        Yields
        ------
        Finding
            One for each figure checked.

        Raises
        ------
        NotAFigureError
            If nothing further can be checked, since a cell or quote holds no figure.
        """


def checked(told: str, check: Callable[P, Finding], *given: P.args, **named: P.kwargs) -> Finding:
    """What `check` finds, or that it cannot be made, since what it needs is no figure."""
    try:
        return check(*given, **named)
    except NotAFigureError as error:
        return unusable(told, error)


def unusable(told: str, error: NotAFigureError) -> Finding:
    """The finding that a check cannot be made, naming table, row, column and cell."""
    return Finding(
        error.table, error.item, told, error.printed, NO_FIGURE, Verdict.UNCHECKABLE, f"{error}."
    )


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in (*value.keys(), *value.values()):
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)
