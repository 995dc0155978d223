"""Kendall's W against Friedman's χ²: the whole number of raters they imply."""

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from helpers import say
from helpers.audit.finding import Finding, Verdict
from helpers.audit.relation import Relation, checked, unusable
from helpers.printed import EDGE, Interval
from helpers.published import NotAFigureError, Paper, Quote

MANY = 8  # more whole numbers in a row than this are told as a range


def raters(chi2: Interval, w: Interval, treatments: int) -> Interval:
    """Number of raters m, not yet whole, that χ² = m (k − 1) W implies.

    Parameters
    ----------
    chi2, w : Interval
        Friedman's χ² and Kendall's W, as wide as their rounding.
    treatments : int
        Number k of things that each rater ranks.

    Returns
    -------
    Interval
        All values of m.

    References
    ----------
    Kendall and Babington Smith (1939); Siegel and Castellan (1988), section 9.5.
    """
    return chi2 / (w * Interval(treatments - 1, treatments - 1))


def whole(numbers: Interval) -> list[int]:
    """Whole numbers from 1 in an interval, an edge included; none when it has no end."""
    if not numbers.bounded:
        return []
    return list(range(max(1, math.ceil(numbers.low - EDGE)), math.floor(numbers.high + EDGE) + 1))


class Concordance(Relation):
    """Columns of W and χ² that must imply a whole number of raters in every row.

    `stated` are quotes that give this number, each "exactly" or as what it is "at least"; `of` is
    a quote of how many raters the study had in all.
    """

    relation: Literal["concordance"]
    table: str
    chi2: str
    w: str
    treatments: Annotated[int, Field(ge=2)]
    stated: dict[str, Literal["exactly", "at least"]] = Field(default={})
    of: str | None = None

    @property
    def told(self) -> str:
        """The equation."""
        return f"χ² = m × {self.treatments - 1} × W with m whole"

    def raters(self, paper: Paper, row: int) -> Interval:
        """Number of raters that a row implies, not yet whole.

        Raises
        ------
        NotAFigureError
            If χ² or W of that row is no figure.
        """
        chi2 = paper.figure(self.table, self.chi2, row)
        w = paper.figure(self.table, self.w, row)
        return raters(chi2.interval, w.interval, self.treatments)

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding a row, and one on a number that fits all rows."""
        implied: list[Interval] = []
        for i, item in enumerate(paper.table(self.table).items):
            try:
                interval = self.raters(paper, i)
            except NotAFigureError as error:
                yield unusable(self.told, error)
                continue
            implied.append(interval)
            fits, reach = whole(interval), say.span(interval.low, interval.high)
            verdict, why = _judge_whole(interval, fits)
            expected = f"m = {_either(fits) if fits else reach}" if interval.bounded else "any m"
            chi2, w = (paper.shown(self.table, column, i) for column in (self.chi2, self.w))
            shown = f"χ² {chi2}, W {w}"
            yield Finding(self.table, item, self.told, shown, expected, verdict, why)
        telling = [set(whole(interval)) for interval in implied if interval.bounded]
        common = sorted(set.intersection(*telling)) if telling else []
        yield self._common(paper, common)
        for about, how in self.stated.items():
            yield checked(f"{about} against m", self._stated, paper.quote(about), how, common)

    def _stated(self, quote: Quote, how: str, common: list[int]) -> Finding:
        number = quote.count()
        fits = any(m == number or (how == "at least" and m > number) for m in common)
        verdict = Verdict.UNCHECKABLE if not common else Verdict.INCONSISTENT
        return Finding(
            self.table,
            quote.about,
            f"{quote.place} against m of all rows",
            quote.printed,
            _either(common),
            Verdict.CONSISTENT if fits else verdict,
            f"The table implies {_either(common)} in every row.",
        )

    def _common(self, paper: Paper, common: list[int]) -> Finding:
        of = paper.quote(self.of) if self.of else None
        share = f" These are {_either(common)} of {of.printed} {of.about}." if of else ""
        return Finding(
            self.table,
            "all rows",
            "one number of raters for every row",
            "not stated",
            f"m = {_either(common)}" if common else "no single m",
            Verdict.CONSISTENT if common else Verdict.UNCHECKABLE,
            f"m = {_either(common)} fits every row.{share}"
            if common
            else "No m fits every row; the paper does not print how many rated each.",
        )


def _judge_whole(interval: Interval, fits: list[int]) -> tuple[Verdict, str]:
    reach = say.span(interval.low, interval.high)
    if not interval.bounded:
        return Verdict.UNCHECKABLE, "W may stand for zero, which any number of raters can give."
    if fits:
        return Verdict.CONSISTENT, f"Rounding allows m from {reach}, which holds {_either(fits)}."
    return (
        Verdict.INCONSISTENT,
        f"Rounding allows m from {reach}: no whole number of raters in it.",
    )


def _either(numbers: Sequence[int]) -> str:
    if len(numbers) > MANY:
        return f"{numbers[0]} to {numbers[-1]}"
    return say.listing([str(n) for n in numbers], "or") if numbers else "no whole number"


class SameRaters(Relation):
    """Tables whose rows were judged by the same raters, so that their numbers must agree."""

    relation: Literal["same_raters"]
    tables: Annotated[tuple[Concordance, ...], Field(min_length=2)]

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for each row of the first table."""
        titles = [paper.table(one.table).title for one in self.tables]
        told = f"as many raters as in {say.listing(titles[:-1])}"
        for label in paper.table(self.tables[0].table).items:
            yield checked(told, self._row, paper, label, told)

    def _row(self, paper: Paper, label: str, told: str) -> Finding:
        sets = []
        for one in self.tables:
            items = paper.table(one.table).items
            row = items.index(label) if label in items else None
            sets.append([] if row is None else whole(one.raters(paper, row)))
        shown = "; ".join(
            f"{paper.table(one.table).title}: {_either(numbers)}"
            for one, numbers in zip(self.tables, sets, strict=True)
        )
        verdict, why = _same(sets)
        last = self.tables[-1].table
        return Finding(last, label, told, shown, _either(sets[0]), verdict, why)


def _same(sets: list[list[int]]) -> tuple[Verdict, str]:
    if not all(sets):
        return Verdict.UNCHECKABLE, "No whole number fits one of the tables, so none to compare."
    common = set(sets[0]).intersection(*sets[1:])
    if common:
        return Verdict.CONSISTENT, f"{_either(sorted(common))} raters fit each table."
    return (
        Verdict.INCONSISTENT,
        "The tables imply different numbers of raters for the same row; missing ratings could "
        "explain it, and the paper reports none.",
    )
