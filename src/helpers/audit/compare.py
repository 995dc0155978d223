"""Claims in words about the figures of a table: these are larger, those below a bound."""

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import FiniteFloat, model_validator

from helpers import say
from helpers.audit.finding import Finding, Verdict, judge_claim
from helpers.audit.relation import Relation
from helpers.printed import Interval, exactly
from helpers.published import Paper

_HOLDS: dict[str, Callable[[float, float], bool]] = {
    "below": operator.lt,
    "above": operator.gt,
    "at most": operator.le,
    "at least": operator.ge,
}
FEW = 3  # more cells than this are shown as a range


@dataclass(frozen=True)
class _Cell:
    """A figure that a claim speaks of, or a bound; `face` as printed, `interval` by rounding."""

    item: str
    text: str
    face: float
    interval: Interval
    is_bound: bool = False


class Compare(Relation):
    """Cells claimed to lie below or above a bound, or below or above other cells.

    `rows` are the labels meant (none: all), `column` where they stand. The other side is `value`,
    or the rows `others` (none: all the rest) of `other_column` (same column when not given; each
    row is then held against itself). `magnitude` compares sizes whatever their signs.
    """

    relation: Literal["compare"]
    table: str
    column: str
    place: str
    claim: str
    than: Literal["below", "above", "at most", "at least"]
    rows: tuple[str, ...] = ()
    value: FiniteFloat | None = None
    others: tuple[str, ...] = ()
    other_column: str | None = None
    magnitude: bool = False

    @model_validator(mode="after")
    def _one_other_side(self) -> "Compare":
        given = [self.value is not None, bool(self.others), self.other_column is not None]
        if sum(given) > 1:
            raise ValueError("expected one of value, others and other_column, not several")
        if not self.rows and not any(given):
            raise ValueError("expected rows, value, others or other_column: what is compared?")
        return self

    @property
    def told(self) -> str:
        """The claim."""
        return self.claim

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for the claim, naming the cells that break it."""
        meant, others = self._cells(paper, self.column, self.rows), self._others(paper)
        pairs = [(a, b) for a in meant for b in others if not self.other_column or a.item == b.item]
        verdict, why = self._judge(pairs, self._average(meant, others))
        yield Finding(
            self.table,
            self.claim,
            f"{self.place} against {paper.table(self.table).title}",
            _shown(meant),
            f"{self.than} {_shown(others)}{' in size' if self.magnitude else ''}",
            verdict,
            why,
        )

    def _judge(self, pairs: list[tuple[_Cell, _Cell]], average: str) -> tuple[Verdict, str]:
        if not pairs:
            return Verdict.UNCHECKABLE, "The table has no other cells to compare with."
        open_pairs = [
            pair
            for pair in pairs
            if pair[0].is_bound and self._possible(*pair) and not self._certain(*pair)
        ]
        settled = [pair for pair in pairs if pair not in open_pairs]
        broken = [pair for pair in settled if not self._holds(*pair)]
        named = say.listing([f"{a.item} against {b.item}" for a, b in broken])
        verdict, why = judge_claim(
            not broken,
            all(self._possible(a, b) for a, b in broken),
            "True of every cell meant.",
            f"Not as printed, but within rounding: {named}.",
            f"Not true of {named}.{average}",
        )
        if open_pairs and verdict is not Verdict.INCONSISTENT:
            items = say.listing(list(dict.fromkeys(a.item for a, _ in open_pairs)))
            return Verdict.UNCHECKABLE, f"Printed as a bound that leaves it open: {items}."
        return verdict, why

    def _holds(self, one: _Cell, other: _Cell) -> bool:
        if one.is_bound:
            return self._certain(one, other)
        return _HOLDS[self.than](one.face, other.face)

    def _certain(self, one: _Cell, other: _Cell) -> bool:
        """Whether the claim holds for all values of both; a strict bound may equal the other."""
        low = self.than in ("below", "at most")
        end, against = (
            (one.interval.high, other.interval.low)
            if low
            else (one.interval.low, other.interval.high)
        )
        return end <= against if low else end >= against

    def _possible(self, one: _Cell, other: _Cell) -> bool:
        """Whether the claim holds for some values of both."""
        holds, a, b = _HOLDS[self.than], one.interval, other.interval
        return holds(a.low, b.high) or holds(a.high, b.low)

    def _others(self, paper: Paper) -> list[_Cell]:
        if self.value is not None:
            bound = f"{self.value:g}"
            return [_Cell(bound, bound, self.value, exactly(self.value))]
        if self.other_column:
            return self._cells(paper, self.other_column, self.rows)
        labels = paper.table(self.table).labels
        rest = self.others or tuple(label for label in labels if label not in self.rows)
        return self._cells(paper, self.column, rest)

    def _cells(self, paper: Paper, column: str, rows: Sequence[str]) -> list[_Cell]:
        table = paper.table(self.table)
        chosen = []
        for i in table.select(rows):
            finest = paper.finest(self.table, column, i)
            face, interval = finest.number, finest.interval
            if self.magnitude:
                face, interval = abs(face), abs(interval)
            bound = finest.comparison in "<>"
            chosen.append(_Cell(table.items[i], finest.text, face, interval, bound))
        return chosen

    def _average(self, meant: list[_Cell], others: list[_Cell]) -> str:
        if len(meant) < 2 or len(others) < 2 or self.other_column:
            return ""
        means = [sum(cell.face for cell in side) / len(side) for side in (meant, others)]
        return " On average over the cells it holds." if _HOLDS[self.than](*means) else ""


def _shown(cells: list[_Cell]) -> str:
    """Cells by name when they are few, else their range; a bound alone as it is."""
    if len(cells) > FEW:
        ordered = sorted(cells, key=lambda cell: cell.face)
        return f"{ordered[0].text} to {ordered[-1].text} ({say.count(len(cells), 'cell')})"
    return "; ".join(
        cell.text if cell.item == cell.text else f"{cell.item} {cell.text}" for cell in cells
    )
