"""Which of the usual readings of the printed t-tests gives the printed p and d."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from helpers import say
from helpers.audit.t_test import common, degrees_of_freedom, p_from_t, size_term
from helpers.printed import EDGE, Interval, parse
from helpers.published import Paper

TABLE, T, P, D = "table10", "t", "p", "Cohen’s d"


@dataclass(frozen=True)
class _Printed:
    t: Interval
    p: Interval
    d: Interval


@dataclass(frozen=True)
class _Reading:
    """A test that may have been made.

    `df` holds the fewest and most degrees of freedom, `terms` what (d/t)² may be: 1/n₁ + 1/n₂, or
    1/n of pairs.
    """

    name: str
    df: tuple[int, int]
    terms: Sequence[float]


def fits(paper: Paper) -> pl.DataFrame:
    """For each reading, how many printed p and d follow from the printed t.

    Parameters
    ----------
    paper : Paper
        With its tables of t-tests and of cases.

    Returns
    -------
    polars.DataFrame
        `Reading`, `df`, and of all `Rows` how many `p fit` and `d fit`, with the group sizes that
        fit best. Each row may round as it likes.
    """
    count = len(paper.table("table11").rows)
    each = parse(paper.quote("evaluators per case group (target)").printed).number
    texts = parse(paper.quote("analyses per case").printed).number
    printed = _rows(paper)
    rows = []
    for reading in _readings(count, int(each), int(texts)):
        rows.append(
            {
                "Reading": reading.name,
                "df": "–".join(map(str, dict.fromkeys(reading.df))),
                "Rows": len(printed),
                "p fit": sum(_p_fits(row, reading.df) for row in printed),
                "d fit": max(
                    sum(size_term(row.t, row.d).meets(Interval(term, term)) for row in printed)
                    for term in reading.terms
                ),
            }
        )
    return pl.DataFrame(rows)


def sentence(table: pl.DataFrame) -> str:
    """Whether some reading reproduces the whole table."""
    whole = table.filter((pl.col("p fit") == pl.col("Rows")) & (pl.col("d fit") == pl.col("Rows")))
    p_only = table.filter(pl.col("p fit") == pl.col("Rows"))["Reading"].to_list()
    d_only = table.filter(pl.col("d fit") == pl.col("Rows"))["Reading"].to_list()
    if whole.height:
        return f"All of the printed table follows from: {'; '.join(whole['Reading'])}."
    return (
        "Not one of these readings gives the whole printed table; Welch's test with groups of "
        "other, unequal sizes may. Readings that give every printed p: "
        f"{'; '.join(p_only) or 'none'}. Readings that give every printed d: "
        f"{'; '.join(d_only) or 'none'}."
    )


def clues(paper: Paper) -> str:
    """Degrees of freedom that all printed p allow, and equal groups that all printed d allow."""
    rows = _rows(paper)
    shared = set(degrees_of_freedom(rows[0].t, rows[0].p))
    for row in rows[1:]:
        shared &= set(degrees_of_freedom(row.t, row.p))
    fitting = say.listing([str(df) for df in sorted(shared)]) if shared else "no whole"
    told = f"All printed p together fit {fitting} degrees of freedom and no others."
    term = common([size_term(row.t, row.d) for row in rows])
    if term is None:
        return f"{told} No ratio of d to t fits all rows."
    sizes = 2 / term.high, 2 / term.low
    whole = range(math.ceil(sizes[0] - EDGE), math.floor(sizes[1] + EDGE) + 1)
    numbers = say.listing([str(n) for n in whole], "or")
    equal = f"equal groups of {numbers}" if whole else "no two equal groups"
    return (
        f"{told} All printed ratios of d to t together fit {equal}: it would take "
        f"{say.span(*sizes)} values in each."
    )


def _readings(cases: int, each: int, texts: int) -> tuple[_Reading, ...]:
    pairs = cases * each
    return (
        _Reading("Student, case-by-group means", (2 * cases - 2, 2 * cases - 2), [2 / cases]),
        _Reading("Welch, case-by-group means", (cases - 1, 2 * cases - 2), [2 / cases]),
        _Reading("paired, case-by-group means", (cases - 1, cases - 1), [1 / cases]),
        _Reading("Student, evaluator–case means", (pairs - 2, pairs - 2), _splits(pairs)),
        _Reading("Student, rows", (texts * pairs - 2, texts * pairs - 2), _splits(texts * pairs)),
    )


def _splits(total: int) -> list[float]:
    """1/n₁ + 1/n₂ of all sizes that add to a total."""
    return [1 / n + 1 / (total - n) for n in range(1, total // 2 + 1)]


def _rows(paper: Paper) -> list[_Printed]:
    size = len(paper.table(TABLE).rows)
    return [
        _Printed(*(paper.interval(TABLE, column, i) for column in (T, P, D))) for i in range(size)
    ]


def _p_fits(row: _Printed, df: tuple[int, int]) -> bool:
    """Whether t has the printed p on some degrees of freedom between these."""
    ends = [p_from_t(row.t, each) for each in df]
    return Interval(min(e.low for e in ends), max(e.high for e in ends)).meets(row.p)
