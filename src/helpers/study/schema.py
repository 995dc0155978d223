"""The words in which a kind of study says what its files hold."""

from dataclasses import dataclass
from typing import Literal

Type = Literal["id", "text", "words", "whole", "number", "choice", "flag", "time"]


@dataclass(frozen=True)
class Column:
    """One column of a CSV file.

    Attributes
    ----------
    name : str
        Its header.
    type : str
        `id` (a name that links files), `text`, `words` (several, with `;` between), `whole` or
        `number` (from `low` to `high`), `choice` (one of `options`), `flag` (true or false),
        `time` (ISO 8601).
    needed : bool
        Whether the column must be there.
    blank : bool
        Whether cells may be blank, which means missing.
    of : str
        For an id: the table in which it must stand; "" where this column defines it.
    """

    name: str
    type: Type
    needed: bool = True
    blank: bool = True
    of: str = ""
    options: tuple[str, ...] = ()
    low: float = float("-inf")
    high: float = float("inf")


@dataclass(frozen=True)
class Table:
    """One CSV file.

    Attributes
    ----------
    name : str
        Its name without `.csv`.
    columns : tuple of Column
        What it holds.
    key : tuple of str
        The columns that name a row: no two rows have the same.
    relative : tuple of str
        Columns whose cells mean something only beside those of other rows, such as ranks.
    needed : bool
        Whether a study must have it.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    relative: tuple[str, ...] = ()
    needed: bool = True

    @property
    def file(self) -> str:
        """Name of the file in the study's folder."""
        return f"{self.name}.csv"


def key_id(name: str, of: str = "") -> Column:
    """Make a column of ids: always there, never blank."""
    return Column(name, "id", blank=False, of=of)
