"""Rankings of a perception study: checked, dropped where they are partial, and counted.

The rules a statistician will ask for:

Missing scores
    A blank score stays missing: the row keeps its other scores and its rank, each statistic leaves
    out what it lacks, and the accounting counts the gaps by dimension.
Rankings
    A ranking is what one evaluator gave the analysts of one case. The analysts of a case are those
    in any of its rows, so a missing row and a blank rank are the same. Without a single rank the
    evaluator did not rank the case (counted). With some, the ranking is partial: `study.yml` says
    whether that refuses the study or drops the whole ranking, since what is left is no ranking of
    the case; its scores stay.
Ties
    Where `study.yml` allows them, a ranking is written in one of three ways: 1, 2, 2, 4 (as in
    sports), 1, 2, 2, 3 (dense) or 1, 2.5, 2.5, 4 (mean ranks). Anything else is taken for a slip.
    Loaded, all are 1, 2, 2, 4.
Direction
    Loaded, rank 1 is the best, also where `study.yml` says that the highest number is.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from helpers.study.faults import SHOWN, Cell, Findings, counted, listed, plain, show
from helpers.study.perception import TIERS, PerceptionConfig

PAIR = ["evaluator", "case"]


@dataclass(frozen=True)
class Rankings:
    """The ratings with their ranks settled, and what became of every row and ranking."""

    ratings: pl.DataFrame
    accounting: pl.DataFrame
    dropped: pl.DataFrame


def settle(
    config: PerceptionConfig, ratings: pl.DataFrame, complete: bool, found: Findings
) -> Rankings:
    """Check the rankings, drop what the study's policy drops, and count.

    Parameters
    ----------
    config : PerceptionConfig
        Policies for ties and partial rankings, and which end of the ranks is the best.
    ratings : DataFrame
        `ratings.csv` as read, with `_row` and `_faulty`.
    complete : bool
        Whether all its rows could be read; if not, a missing row is no new fault.
    found : Findings
        Receives faults and notices.

    Returns
    -------
    Rankings
        With rank 1 as the best.
    """
    ratings = _ordered(config, ratings)
    pairs = _pairs(config, ratings)
    sound = pairs.filter(~pl.col("_faulty"))
    partial = sound.filter((pl.col("ranked") > 0) & (pl.col("ranked") < pl.col("k")))
    _refuse_wrong(config, ratings, sound, found)
    if config.partial_rankings == "drop":
        _tell_dropped(partial, found)
    elif complete:
        _refuse_partial(ratings, _unexcused(ratings, partial), found)
    marked = ratings.join(
        partial.select(*PAIR, _partial=True), on=PAIR, how="left", maintain_order="left"
    )
    settled = marked.with_columns(rank=pl.when(pl.col("_partial").is_null()).then(pl.col("_order")))
    codes = [dimension.code for dimension in config.dimensions]
    used = settled.filter(~pl.all_horizontal(pl.col(*codes, "rank").is_null()))
    _compare_tiers(used, found)
    return Rankings(
        ratings=used.drop("_order", "_k", "_partial"),
        accounting=_account(settled.height, pairs, partial.height, used, codes),
        dropped=partial.select(*PAIR, "ranked", pl.col("k").alias("of")),
    )


def _ordered(config: PerceptionConfig, ratings: pl.DataFrame) -> pl.DataFrame:
    """Add how many analysts each case has (`_k`) and each rank with 1 as the best (`_order`)."""
    sound = ratings.filter(~pl.col("_faulty"))
    analysts = sound.group_by("case").agg(pl.col("analyst").n_unique().alias("_k"))
    rank = pl.col("rank")
    best = -rank if config.best_rank == "highest" else rank
    return ratings.join(analysts, on="case", how="left", maintain_order="left").with_columns(
        _order=best.rank("min").over(PAIR).cast(pl.Int64)
    )


def _pairs(config: PerceptionConfig, ratings: pl.DataFrame) -> pl.DataFrame:
    """Sum up each evaluator and case, in the order of the file.

    `strict` says whether the ranks are 1, 2, 3, … without ties, `weak` whether they are the sports,
    dense or mean ranks of some order.
    """
    rank = pl.col("rank")
    sports: Literal["min", "max"] = "max" if config.best_rank == "highest" else "min"
    written = (rank.rank(sports), rank.rank("dense"), rank.rank("average"))
    return ratings.group_by(PAIR, maintain_order=True).agg(
        pl.col("_faulty").any(),
        pl.col("_k").first().alias("k"),
        pl.len().alias("rows"),
        rank.count().alias("ranked"),
        ((rank == written[0]).all() & (rank.drop_nulls().n_unique() == rank.count())).alias(
            "strict"
        ),
        pl.any_horizontal((rank == ranks).all() for ranks in written).alias("weak"),
    )


def _refuse_wrong(
    config: PerceptionConfig, ratings: pl.DataFrame, sound: pl.DataFrame, found: Findings
) -> None:
    """Refuse complete rankings whose ranks are no ranking."""
    ties = config.ties == "allowed"
    wrong = sound.filter((pl.col("ranked") == pl.col("k")) & ~pl.col("weak" if ties else "strict"))
    if not wrong.height:
        return
    cells = []
    for evaluator, case, k in wrong.select(*PAIR, "k").head(SHOWN).iter_rows():
        ranks = _of(ratings, evaluator, case).sort("rank").select("rank", "_row").rows()
        rows, told = _order(ranks) if ties else _slips(ranks, k)
        cells.append(Cell(rows, f"({show(evaluator)} in case {show(case)}: {told})"))
    if ties:
        problem = "expected ranks from 1, ties as 1, 2, 2, 4 or 1, 2, 2, 3 or 1, 2.5, 2.5, 4"
    elif wrong["weak"].any():
        problem = "expected every rank once; if ties are meant, set `ties: allowed` in study.yml"
    else:
        problem = "expected every rank once"
    found.fault("ratings.csv", problem, "rank", cells, wrong.height)


def _slips(ranks: list[tuple[float, int]], k: int) -> tuple[tuple[int, ...], str]:
    """Say which ranks are repeated, too large or missing; name the rows of all but the last."""
    times = Counter(rank for rank, _ in ranks)
    twice = [f"{rank:g} twice" for rank in sorted(times) if times[rank] == 2]
    often = [f"{rank:g} {times[rank]} times" for rank in sorted(times) if times[rank] > 2]
    above = [f"{rank:,.10g} of {k}" for rank in sorted(times) if rank > k]
    absent = [f"no {rank}" for rank in range(1, k + 1) if rank not in times]
    rows = tuple(sorted(row for rank, row in ranks if times[rank] > 1 or rank > k))
    return rows, listed([*twice, *often, *above, *absent])


def _order(ranks: list[tuple[float, int]]) -> tuple[tuple[int, ...], str]:
    return tuple(sorted(row for _, row in ranks)), listed([f"{rank:g}" for rank, _ in ranks])


def _unexcused(ratings: pl.DataFrame, partial: pl.DataFrame) -> pl.DataFrame:
    """Leave out rankings that may lack a row only because its evaluator or case is misspelt."""
    misread = ratings.filter(pl.col("_faulty"))
    touched = pl.col("case").is_in(misread["case"].implode()) | pl.col("evaluator").is_in(
        misread["evaluator"].implode()
    )
    return partial.filter((pl.col("rows") == pl.col("k")) | ~touched)


def _refuse_partial(ratings: pl.DataFrame, partial: pl.DataFrame, found: Findings) -> None:
    if not partial.height:
        return
    cells = []
    for evaluator, case, ranked, k in partial.select(*PAIR, "ranked", "k").head(SHOWN).iter_rows():
        own = _of(ratings, evaluator, case)
        blank = own.filter(pl.col("rank").is_null())
        given = own.filter(pl.col("rank").is_not_null())["analyst"]
        analysts = ratings.filter(pl.col("case") == case)["analyst"].unique(maintain_order=True)
        without = [show(name) for name in analysts if name not in given]
        rows = tuple((blank if blank.height else own)["_row"])
        told = f"{ranked} of {k} ranked, not {listed(without)}"
        cells.append(Cell(rows, f"({show(evaluator)} in case {show(case)}: {told})"))
    found.fault(
        "ratings.csv",
        "expected a rank for every analyst; or set `partial_rankings: drop` in study.yml",
        "rank",
        cells,
        partial.height,
    )


def _tell_dropped(partial: pl.DataFrame, found: Findings) -> None:
    if partial.height:
        rows = partial.select(*PAIR, "ranked", "k").iter_rows()
        named = [f"{plain(e)} in case {plain(c)} ({ranked} of {k})" for e, c, ranked, k in rows]
        found.notice(
            f"ratings.csv: {counted(partial.height, 'ranking')} dropped, part of the case not "
            f"ranked: {listed(named)}"
        )


def _compare_tiers(ratings: pl.DataFrame, found: Findings) -> None:
    """Notice rankings that put an analyst of a worse tier before one of a better tier."""
    if "tier" not in ratings.columns:
        return
    grades = ratings.drop_nulls(["rank", "tier"]).with_columns(
        grade=pl.col("tier").replace_strict(TIERS, range(len(TIERS)))
    )
    crossed = (
        grades.sort("rank")
        .group_by(PAIR, maintain_order=True)
        .agg(pl.col("grade").diff().min().alias("step"))
        .filter(pl.col("step") < 0)
        .sort(PAIR)
    )
    if crossed.height:
        named = [f"{plain(e)} in case {plain(c)}" for e, c, _ in crossed.iter_rows()]
        told = counted(crossed.height, "ranking")
        found.notice(f"ratings.csv: tier and rank disagree in {told}: {listed(named)}")


def _account(
    read: int, pairs: pl.DataFrame, partial: int, used: pl.DataFrame, codes: Sequence[str]
) -> pl.DataFrame:
    """Count rows and rankings: what was read is what was dropped and what is used."""
    rankings = pairs.filter(pl.col("ranked") > 0).height
    gaps = [
        ("missing", f"no score for {code}", gap, 0)
        for code in codes
        if (gap := used[code].null_count())
    ]
    lines = [
        ("read", "in ratings.csv", read, rankings),
        ("dropped", "no score, and no rank that counts", read - used.height, 0),
        ("dropped", "ranking leaves out part of the case", 0, partial),
        ("used", "", used.height, rankings - partial),
        *gaps,
        ("missing", "no rank that counts", used["rank"].null_count(), 0),
    ]
    return pl.DataFrame(lines, schema=["status", "reason", "rows", "rankings"], orient="row")


def _of(ratings: pl.DataFrame, evaluator: str, case: str) -> pl.DataFrame:
    return ratings.filter((pl.col("evaluator") == evaluator) & (pl.col("case") == case))
