"""Student's t, its p-value and Cohen's d: the tests that can have printed all three."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scipy import stats

from helpers import say
from helpers.audit.finding import Finding, Verdict
from helpers.audit.relation import Level, Relation, unusable
from helpers.audit.welch import LARGEST, sizes_by_welch
from helpers.printed import EDGE, Interval
from helpers.published import NotAFigureError, Paper

LARGEST_DF = 400


def p_from_t(t: Interval, df: float) -> Interval:
    """Two-sided p-values of the statistics in `t` on `df` degrees of freedom."""
    return abs(t).map(lambda value: float(2 * stats.t.sf(value, df)))  # normal when df is infinite


def degrees_of_freedom(t: Interval, p: Interval, largest: int = LARGEST_DF) -> list[int]:
    """Whole degrees of freedom, 1 to `largest`, on which some t in `t` has some p in `p`."""
    return [df for df in range(1, largest + 1) if p_from_t(t, df).meets(p)]


def any_degrees_of_freedom(t: Interval, p: Interval) -> bool:
    """Whether some t has some p on degrees of freedom of 1 or more, whole or not."""
    return Interval(p_from_t(t, math.inf).low, p_from_t(t, 1).high).meets(p)


def size_term(t: Interval, d: Interval) -> Interval:
    """1/n₁ + 1/n₂ that d = t √(1/n₁ + 1/n₂) implies for two independent groups.

    References
    ----------
    Cohen (1988), section 2.5; Student's t with pooled variance.
    """
    return (abs(d) / abs(t)).map(lambda ratio: ratio**2)


def smallest_total(term: Interval) -> int:
    """Fewest observations in two groups with 1/n₁ + 1/n₂ in `term`; equal groups need least."""
    return math.ceil(4 / term.high - EDGE)


def group_sizes(term: Interval, total: int) -> list[tuple[int, int]]:
    """Whole group sizes n₁ ≤ n₂ that add to `total` and whose 1/n₁ + 1/n₂ lies in `term`."""
    pairs = [(n, total - n) for n in range(1, total // 2 + 1)]
    return [(a, b) for a, b in pairs if term.meets(Interval(1 / a + 1 / b, 1 / a + 1 / b))]


@dataclass(frozen=True)
class Row:
    """One row: its t, p and d as intervals, and t and p as printed."""

    item: str
    t: Interval
    p: Interval
    d: Interval
    t_shown: str
    p_shown: str

    @property
    def estimable(self) -> bool:
        """Whether d / t says anything: not when either may stand for zero."""
        return all(one.low > 0 for one in (abs(self.t), abs(self.d)))


def common(intervals: list[Interval]) -> Interval | None:
    """Values that all intervals share, or None."""
    low, high = max(i.low for i in intervals), min(i.high for i in intervals)
    return Interval(low, high) if high >= low - EDGE else None


def paired(rows: list[Row], df: int) -> bool:
    """Whether a paired test on df + 1 pairs, d = t / √n, gives every printed d."""
    root = math.sqrt(df + 1)
    return all((abs(row.t) / Interval(root, root)).meets(abs(row.d)) for row in rows)


def pooled(rows: list[Row], df: int) -> list[tuple[int, int]]:
    """Group sizes with n₁ + n₂ − 2 = `df` for which pooled t-tests give every printed d."""
    term = common([size_term(row.t, row.d) for row in rows])
    return group_sizes(term, df + 2) if term else []


class TTest(Relation):
    """Columns of t, p and d, said to come from a t-test of two independent groups."""

    relation: Literal["t_test"]
    table: str
    t: str
    p: str
    d: str
    alpha: Level = 0.05

    def _row(self, paper: Paper, row: int) -> Row:
        t, d = (paper.figure(self.table, column, row).interval for column in (self.t, self.d))
        p = paper.interval(self.table, self.p, row)
        shown = [paper.shown(self.table, column, row) for column in (self.t, self.p)]
        item = paper.table(self.table).items[row]
        return Row(item, t, p, d, f"t {shown[0]}", f"p {shown[1]}")

    def check(self, paper: Paper) -> Iterator[Finding]:
        """Degrees of freedom by row and for all rows, d against them, and the decisions."""
        rows: list[Row] = []
        for i in range(len(paper.table(self.table).rows)):
            try:
                rows.append(self._row(paper, i))
            except NotAFigureError as error:
                yield unusable(f"{self.t}, {self.p} and {self.d} together", error)
        if rows:
            yield from self._check(rows)

    def _check(self, rows: list[Row]) -> Iterator[Finding]:
        fits = [degrees_of_freedom(row.t, row.p) for row in rows]
        for row, dfs in zip(rows, fits, strict=True):
            yield self._degrees(row, dfs)
        shared = sorted(set(fits[0]).intersection(*fits[1:]))
        yield self._shared(shared)
        yield self._signs(rows)
        estimable = [row for row in rows if row.estimable]
        welch = sizes_by_welch([(row.t, row.p, row.d) for row in estimable])
        if estimable:
            yield self._readings(estimable, shared, welch)
        for row in estimable:
            yield self._decision(row, welch)

    def _signs(self, rows: list[Row]) -> Finding:
        signed = [row for row in rows if row.estimable]
        opposite = [row.item for row in signed if (row.t.low > 0) != (row.d.low > 0)]
        sizes_only = all(row.d.low > 0 for row in signed)
        fits = not opposite or len(opposite) == len(signed) or sizes_only
        return Finding(
            self.table,
            "all rows",
            "t and d have one sign",
            say.listing(opposite) if opposite else "one sign",
            "one sign in every row, or the other in every row",
            Verdict.CONSISTENT if fits else Verdict.INCONSISTENT,
            "The signs go together."
            if fits
            else f"The signs of t and d differ in {say.listing(opposite)} and not elsewhere.",
        )

    def _degrees(self, row: Row, dfs: list[int]) -> Finding:
        possible = bool(dfs) or any_degrees_of_freedom(row.t, row.p)
        found = _range(dfs) if dfs or not possible else "a broken df, as of Welch’s test"
        return Finding(
            self.table,
            row.item,
            "p from t, for some degrees of freedom",
            f"{row.t_shown}, {row.p_shown}",
            found,
            Verdict.CONSISTENT if possible else Verdict.INCONSISTENT,
            f"The printed p follows from the printed t with {found}."
            if possible
            else "The printed t has no such p, whatever the degrees of freedom.",
        )

    def _shared(self, shared: list[int]) -> Finding:
        return Finding(
            self.table,
            "all rows",
            "whole degrees of freedom common to all rows",
            "not stated",
            _range(shared),
            Verdict.CONSISTENT if shared else Verdict.UNCHECKABLE,
            f"All rows follow with {_range(shared)}."
            if shared
            else "No whole df fits every row; the paper does not print them.",
        )

    def _readings(self, rows: list[Row], dfs: list[int], welch: list[tuple[int, int]]) -> Finding:
        by_pairs = [df + 1 for df in dfs if paired(rows, df)]
        by_groups = [pair for df in dfs for pair in pooled(rows, df)]
        found = [f"pooled variance: {_sizes(by_groups)}"] if by_groups else []
        found += [f"pairs: {say.listing([str(n) for n in by_pairs], 'or')}"] * bool(by_pairs)
        found += [f"Welch’s test: {_sizes(welch)}"] * bool(welch)
        return Finding(
            self.table,
            "all rows",
            "t, p and d together: pooled variance, pairs or Welch’s test",
            f"{self.t}, {self.p}, {self.d}",
            "; ".join(found) or "no group sizes",
            Verdict.CONSISTENT if found else Verdict.INCONSISTENT,
            f"{_tried(found)} {_ratio(rows)}",
        )

    def _decision(self, row: Row, welch: list[tuple[int, int]]) -> Finding:
        total = smallest_total(size_term(row.t, row.d))
        possible = Interval(p_from_t(row.t, math.inf).low, p_from_t(row.t, max(1, total - 2)).high)
        verdict, why = self._judge_decision(row.p, possible)
        if verdict is Verdict.DECISION:
            why = (
                f"With pooled variance, d and t mean at least {total} observations, so that "
                f"{say.p_span(possible.low, possible.high)}, unlike the printed p."
            )
            if welch:
                verdict = Verdict.UNCHECKABLE
                why += " By Welch’s test the printed p is possible."
        return Finding(
            self.table,
            row.item,
            f"decision at {say.number(self.alpha)} by t and d, with pooled variance",
            row.p_shown,
            f"at least {total} observations, {say.p_span(possible.low, possible.high)}",
            verdict,
            why,
        )

    def _judge_decision(self, printed: Interval, possible: Interval) -> tuple[Verdict, str]:
        sides = [
            None if p.low < self.alpha <= p.high else p.high < self.alpha
            for p in (printed, possible)
        ]
        if None in sides:
            return Verdict.UNCHECKABLE, "Rounding or the group sizes leave the decision open."
        if sides[0] == sides[1]:
            return Verdict.CONSISTENT, "The decision is the same by either route."
        return Verdict.DECISION, "The decision differs."


def _tried(found: list[str]) -> str:
    if not found:
        return (
            "No group sizes give all three, be it with pooled variance, for pairs with d = t / √n "
            f"or by Welch’s test with at most {LARGEST} observations."
        )
    return f"These sizes, and no others tried, give all three – {'; '.join(found)}."


def _ratio(rows: list[Row]) -> str:
    term = common([size_term(row.t, row.d) for row in rows])
    if term is None:
        return "d and t do not share one ratio."
    equal = say.span(2 / term.high, 2 / term.low)
    return f"d and t share one ratio, as of {equal} observations in each of two groups."


def _sizes(pairs: list[tuple[int, int]]) -> str:
    """The first few pairs of sizes in words, and how many there are."""
    few = [f"{a} and {b}" for a, b in pairs[:3]]
    if len(pairs) > len(few):
        return f"{', '.join(few)} and {say.count(len(pairs) - len(few), 'other pair')}"
    return say.listing(few, "or")


def _range(dfs: list[int]) -> str:
    if not dfs:
        return "no whole df"
    if len(dfs) == 1:
        return f"{dfs[0]} df"
    end = f"{dfs[-1]} or more" if dfs[-1] == LARGEST_DF else str(dfs[-1])
    return f"{dfs[0]} to {end} df"
