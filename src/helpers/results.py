"""Results that a chapter hands on: to the ledger on page one, and to chapters that need them."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from helpers.errors import HelpersError
from helpers.paths import inside

MIME = "application/vnd.helpers.results+json"
FOLDER = "HELPERS_RESULTS"


@dataclass(frozen=True)
class Entry:
    """One line of the ledger.

    Attributes
    ----------
    question : str
        What was asked: a hypothesis, or the printed figure that was checked.
    result : str
        The answer in a few words, with its interval where it has one.
    decision : str
        The decision, or the class of an audit's finding.
    published : str
        What the paper prints; empty where it prints nothing.
    explanation : str
        One line in plain words.
    anchor : str
        Label of the figure or table that shows it, such as "tbl-audit-table10".
    """

    question: str
    result: str
    decision: str
    published: str
    explanation: str
    anchor: str


@dataclass(frozen=True)
class Results:
    """What the last cell of a chapter displays; the build takes it from there."""

    entries: tuple[Entry, ...]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {
            MIME: {"entries": [asdict(entry) for entry in self.entries]},
            "text/plain": f"{len(self.entries)} results for the ledger",
        }


def entries(recorded: Sequence[dict[str, Any]]) -> tuple[Entry, ...]:
    """Entries from their recorded form.

    Raises
    ------
    HelpersError
        If a recorded entry has other fields than `Entry`.
    """
    try:
        return tuple(Entry(**fields) for fields in recorded)
    except TypeError as error:
        raise HelpersError(f"a recorded result is not an entry of the ledger: {error}") from None


def read(chapter: str) -> tuple[Entry, ...]:
    """Entries of a chapter that this chapter names in its `needs`.

    Parameters
    ----------
    chapter : str
        The chapter's notebook without its ending.

    Returns
    -------
    tuple of Entry
        In the order in which that chapter gave them; none where the study lacks what it requires.

    Raises
    ------
    HelpersError
        If the chapter has not been run yet.
    """
    path = inside(os.environ.get(FOLDER, "_build/default/results")) / f"{chapter}.json"
    if not path.exists():
        raise HelpersError(f"{chapter}: no results yet; run it first, or `make report`")
    return entries(json.loads(path.read_text(encoding="utf-8"))["entries"])
