"""Results that a chapter hands on: to the ledger on page one, and to chapters that need them."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from helpers.direction import Direction
from helpers.errors import HelpersError
from helpers.paths import inside

MIME = "application/vnd.helpers.results+json"
FOLDER = "HELPERS_RESULTS"

STRICT = ConfigDict(extra="forbid")
Finite = Annotated[float, Field(allow_inf_nan=False)]
Probability = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, config=STRICT)
class Entry:
    """One line of the ledger.

    Attributes
    ----------
    question : str
        What was asked: a hypothesis in words, or the printed figure that was checked.
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
    topic : str
        What the line belongs to, short, for readers who choose lines: "H1", "Table 4".
    method : str
        The test or the model, in a few words.
    estimate, low, high : float, optional
        The estimate and the ends of its interval; none where it is not estimable.
    p : float, optional
        The p-value of the test, not adjusted.
    p_holm : float, optional
        Adjusted after Holm over all tests that stand in the ledger for the same study. The book
        fills it in; a chapter leaves it out.
    direction : str
        Whether the decision points the same way as what is printed, as `helpers.direction` has it;
        empty where a chapter leaves it to the ledger, which then says whether anything is printed.
    used, dropped : int, optional
        On how many units the decision rests, and how many were left out of it.
    unit : str
        What is counted, in the plural: "cases", "rankings".
    """

    question: str
    result: str
    decision: str
    published: str
    explanation: str
    anchor: Annotated[str, Field(pattern=r"^(fig|tbl|eq|sec)-[\w-]+$")]
    topic: str = ""
    method: str = ""
    estimate: Finite | None = None
    low: Finite | None = None
    high: Finite | None = None
    p: Probability | None = None
    p_holm: Probability | None = None
    direction: Direction | Literal[""] = ""
    used: Count | None = None
    dropped: Count | None = None
    unit: str = ""


@dataclass(frozen=True, config=STRICT)
class About:
    """The study that a chapter's results are about."""

    title: str
    kind: str
    simulated: bool


@dataclass(frozen=True, config=STRICT)
class Recorded:
    """What a chapter recorded.

    Attributes
    ----------
    key : str
        Its chapter key.
    entries : tuple of Entry
        Its lines of the ledger.
    study : About, optional
        The study, if it is about one.
    title, section : str
        Its heading, without markup, and the label that leads to it.
    lacks : tuple of str
        What it cannot do without and the study lacks, such as "benchmarks" or "ratings.position":
        it was not run then.
    """

    key: str
    entries: tuple[Entry, ...]
    study: About | None = None
    title: str = ""
    section: str = ""
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Results:
    """What the last cell of a chapter displays; the build takes it from there."""

    entries: tuple[Entry, ...]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {
            MIME: {"entries": [asdict(entry) for entry in self.entries]},
            "text/plain": f"{len(self.entries)} results for the ledger",
        }


def entries(recorded: Sequence[Mapping[str, Any]]) -> tuple[Entry, ...]:
    """Entries from their recorded form.

    Raises
    ------
    HelpersError
        If a recorded entry has other fields than `Entry`, or a value that none can have.
    """
    made = []
    for number, fields in enumerate(recorded, 1):
        try:
            made.append(Entry(**fields))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise HelpersError(f"line {number} for the ledger: {where}: {first['msg']}") from None
    return tuple(made)


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
