"""Student's t, its p-value and Cohen's d: the tests that can have printed all three."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scipy import stats

from helpers import say
from helpers.audit.finding import Finding, Verdict
from helpers.audit.relation import Relation
from helpers.printed import EDGE, Interval
from helpers.published import Paper

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


def welch_equal(rows: list[Row], df: int) -> list[int]:
    """Equal group sizes n with n − 1 ≤ `df` ≤ 2n − 2, Welch's range, that give every d."""
    term = common([size_term(row.t, row.d) for row in rows])
    sizes = range(math.ceil(df / 2) + 1, df + 2)
    return [n for n in sizes if term and term.meets(Interval(2 / n, 2 / n))]


class TTest(Relation):
    """Columns of t, p and d, said to come from a t-test of two independent groups."""

    relation: Literal["t_test"]
    table: str
    t: str
    p: str
    d: str
    alpha: float = 0.05

    def _rows(self, paper: Paper) -> list[Row]:
        columns = (self.t, self.p, self.d)
        rows = []
        for i, item in enumerate(paper.table(self.table).items):
            t, p, d = (paper.interval(self.table, column, i) for column in columns)
            shown = [paper.shown(self.table, column, i) for column in columns]
            rows.append(Row(item, t, p, d, f"t {shown[0]}", f"p {shown[1]}"))
        return rows

    def check(self, paper: Paper) -> Iterator[Finding]:
        """Degrees of freedom by row and for all rows, d against them, and the decisions."""
        rows = self._rows(paper)
        fits = [degrees_of_freedom(row.t, row.p) for row in rows]
        for row, dfs in zip(rows, fits, strict=True):
            yield self._degrees(row, dfs)
        shared = sorted(set(fits[0]).intersection(*fits[1:]))
        yield self._shared(shared)
        yield self._signs(rows)
        estimable = [row for row in rows if row.estimable]
        if estimable:
            yield self._readings(estimable, shared)
        for row in estimable:
            yield self._decision(row)

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
        found = _range(dfs) if dfs or not possible else "a broken df, as of Welch's test"
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

    def _readings(self, rows: list[Row], dfs: list[int]) -> Finding:
        by_pairs = [df + 1 for df in dfs if paired(rows, df)]
        by_groups = [pair for df in dfs for pair in pooled(rows, df)]
        by_welch = [n for df in dfs for n in welch_equal(rows, df)]
        verdict = (
            Verdict.CONSISTENT
            if by_pairs or by_groups or by_welch
            else Verdict.INCONSISTENT
            if dfs
            else Verdict.UNCHECKABLE
        )
        found = [f"pooled: {_sizes(by_groups)}"] if by_groups else []
        found += [f"paired: {say.listing([f'{n} pairs' for n in by_pairs], 'or')}"] * bool(by_pairs)
        found += [f"Welch: {say.listing([f'{n} each' for n in by_welch], 'or')}"] * bool(by_welch)
        sizes = "; ".join(found) or "no group sizes"
        return Finding(
            self.table,
            "all rows",
            "t, p and d together: pooled, paired, or Welch with equal groups",
            f"{self.t}, {self.p}, {self.d}",
            sizes,
            verdict,
            f"{_tried(dfs, found)} {_ratio(rows)} Without standard deviations, Welch's test with "
            "unequal groups and pairs with d from the raw scores stay possible.",
        )

    def _decision(self, row: Row) -> Finding:
        total = smallest_total(size_term(row.t, row.d))
        possible = Interval(p_from_t(row.t, math.inf).low, p_from_t(row.t, max(1, total - 2)).high)
        verdict, why = self._judge_decision(row.p, possible)
        if verdict is Verdict.DECISION:
            why = (
                f"If variances were pooled, d and t mean at least {total} observations, so that "
                f"{say.p_span(possible.low, possible.high)}, unlike the printed p. {why}"
            )
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
        return Verdict.DECISION, "Without pooling, the printed figures leave it open."


def _tried(dfs: list[int], found: list[str]) -> str:
    if found:
        return f"With {_range(dfs)}, these sizes give all three: {'; '.join(found)}."
    return (
        f"With {_range(dfs)}, no sizes give all three, be it independent groups with pooled "
        "variance, pairs, or Welch's test with equal groups."
    )


def _ratio(rows: list[Row]) -> str:
    term = common([size_term(row.t, row.d) for row in rows])
    if term is None:
        return "d and t do not share one ratio."
    equal = say.span(2 / term.high, 2 / term.low)
    return f"d and t share one ratio, as of {equal} observations in each of two groups."


def _sizes(pairs: list[tuple[int, int]]) -> str:
    return say.listing([f"{a} and {b}" for a, b in pairs], "or")


def _range(dfs: list[int]) -> str:
    if not dfs:
        return "no whole df"
    if len(dfs) == 1:
        return f"{dfs[0]} df"
    end = f"{dfs[-1]} or more" if dfs[-1] == LARGEST_DF else str(dfs[-1])
    return f"{dfs[0]} to {end} df"
