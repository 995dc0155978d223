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
    return abs(t).map(lambda value: float(2 * stats.t.sf(value, df)))


def degrees_of_freedom(t: Interval, p: Interval, largest: int = LARGEST_DF) -> list[int]:
    """Whole degrees of freedom, 1 to `largest`, on which some t in `t` has some p in `p`."""
    return [df for df in range(1, largest + 1) if p_from_t(t, df).meets(p)]


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
    """Intervals of one row's t, p and d, and the printed p."""

    label: str
    t: Interval
    p: Interval
    d: Interval


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
        items = paper.table(self.table).items
        columns = (self.t, self.p, self.d)
        return [
            Row(item, *(paper.interval(self.table, column, i) for column in columns))
            for i, item in enumerate(items)
        ]

    def check(self, paper: Paper) -> Iterator[Finding]:
        """Degrees of freedom by row and for all rows, d against them, and the decisions."""
        rows = self._rows(paper)
        fits = [degrees_of_freedom(row.t, row.p) for row in rows]
        for row, dfs in zip(rows, fits, strict=True):
            yield self._degrees(row, dfs)
        shared = sorted(set(fits[0]).intersection(*fits[1:]))
        yield self._shared(shared)
        yield self._readings(rows, shared)
        for row in rows:
            yield self._decision(row)

    def _degrees(self, row: Row, dfs: list[int]) -> Finding:
        found = _range(dfs)
        return Finding(
            self.table,
            row.label,
            "p from t, for some whole degrees of freedom",
            f"t {_show(row.t)}, p {_show(row.p)}",
            found,
            Verdict.CONSISTENT if dfs else Verdict.INCONSISTENT,
            f"The printed p follows from the printed t with {found}.",
        )

    def _shared(self, shared: list[int]) -> Finding:
        return Finding(
            self.table,
            "all rows",
            "degrees of freedom common to all rows",
            "not stated",
            _range(shared),
            Verdict.CONSISTENT if shared else Verdict.UNCHECKABLE,
            f"All rows follow with {_range(shared)}."
            if shared
            else "No single df fits every row; the paper does not print them.",
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
            "t, p and d together",
            f"{self.t}, {self.p}, {self.d}",
            sizes,
            verdict,
            f"{_tried(dfs, found)} {_ratio(rows)} Welch's test with unequal groups cannot be "
            "checked without standard deviations.",
        )

    def _decision(self, row: Row) -> Finding:
        total = smallest_total(size_term(row.t, row.d))
        largest_p = p_from_t(row.t, total - 2)
        claimed = row.p.high < self.alpha
        smallest_p = abs(row.t).map(lambda value: float(2 * stats.norm.sf(value)))
        below, above = largest_p.high < self.alpha, smallest_p.low >= self.alpha
        verdict, why = Verdict.CONSISTENT, "The decision is the same by either route."
        if (below and not claimed and row.p.low >= self.alpha) or (above and claimed):
            verdict = Verdict.DECISION
            why = (
                f"If t and d are right and the groups independent, at least {total} observations "
                f"were compared, so that {say.p_span(smallest_p.low, largest_p.high)}: "
                f"{'below' if below else 'not below'} {say.number(self.alpha)}, unlike the "
                "printed p."
            )
        elif not (below or above):
            verdict = Verdict.UNCHECKABLE
            why = "The group sizes that d implies leave the decision open."
        return Finding(
            self.table,
            row.label,
            f"decision at {say.number(self.alpha)} by t and d (independent groups, pooled)",
            f"p {_show(row.p)}",
            f"at least {total} observations, {say.p_span(smallest_p.low, largest_p.high)}",
            verdict,
            why,
        )


def _show(interval: Interval) -> str:
    middle, width = (interval.low + interval.high) / 2, interval.high - interval.low
    return say.number(middle, max(0, round(-math.log10(width))))


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
