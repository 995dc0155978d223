"""Studies of perception: evaluators score and rank what several analysts made of each case.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import polars as pl
from pydantic import AfterValidator, Field

from helpers.study.config import Config, Dimension, Text
from helpers.study.faults import SHOWN, Cell, Findings, counted, listed, plain, show
from helpers.study.schema import Column, Table, key_id

TIERS = ("good", "medium", "poor")
RESERVED = {"evaluator", "case", "analyst", "rank", "tier", "position", "timestamp"}
PLACEHOLDER = "example-"  # how ids of the template begin
PAIR = ["evaluator", "case"]


def _distinct(dimensions: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
    codes: set[str] = set()
    labels: set[str] = set()
    for dimension in dimensions:
        code, label = dimension.code.casefold(), dimension.label.casefold()
        if code in RESERVED:
            raise ValueError(f"code {show(dimension.code)} is the name of another column")
        if code in codes or label in labels:
            raise ValueError(f"{show(dimension.code)}: two with the same code or label")
        if dimension.min >= dimension.max:
            raise ValueError(f"{show(dimension.code)}: expected min below max")
        codes.add(code)
        labels.add(label)
    return dimensions


class PerceptionConfig(Config):
    """What `study.yml` says of a perception study.

    Attributes
    ----------
    dimensions : tuple of Dimension
        The scales, in the order of tables and figures.
    best_rank : str
        `lowest` if rank 1 is the best, `highest` if the largest number is.
    ties : str
        Whether analysts may share a rank: `refused` or `allowed`.
    partial_rankings : str
        What becomes of a ranking that leaves out an analyst: `refuse` the study or `drop` it.
    groups : dict
        Label of each group of cases; where given, `cases.csv` may name no other group.
    """

    lenient: ClassVar[Mapping[str, Any]] = {
        **Config.lenient,
        "ties": "allowed",
        "partial_rankings": "drop",
    }

    kind: Literal["perception"]
    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1), AfterValidator(_distinct)]
    best_rank: Literal["lowest", "highest"] = "lowest"
    ties: Literal["refused", "allowed"] = "refused"
    partial_rankings: Literal["refuse", "drop"] = "refuse"
    groups: dict[Text, Text] = Field(default_factory=dict)


def tables(config: PerceptionConfig | None) -> tuple[Table, ...]:
    """Say which files the study holds; without a config, all but the scores."""
    dimensions = config.dimensions if config else ()
    ties = config is None or config.ties == "allowed"
    scores = (Column(d.code, "whole", low=d.min, high=d.max) for d in dimensions)
    groups = tuple(config.groups) if config else ()
    return (
        Table(
            "evaluators",
            (
                key_id("evaluator"),
                Column("specialty", "words"),
                Column("years", "number", low=0, high=80),
            ),
            key=("evaluator",),
        ),
        Table(
            "cases",
            (
                key_id("case"),
                Column("specialty", "text"),
                Column("group", "choice" if groups else "text", options=groups),
                Column("difficulty", "text", needed=False),
            ),
            key=("case",),
        ),
        Table(
            "analysts",
            (
                key_id("analyst"),
                Column("kind", "choice", options=("llm", "physician")),
                Column("level", "text"),
                Column("family", "text"),
            ),
            key=("analyst",),
        ),
        Table(
            "ratings",
            (
                key_id("evaluator", of="evaluators"),
                key_id("case", of="cases"),
                key_id("analyst", of="analysts"),
                *scores,
                Column("rank", "number" if ties else "whole", low=1),
                Column("tier", "choice", needed=False, options=TIERS),
                Column("position", "whole", needed=False, low=1),
                Column("timestamp", "time", needed=False),
            ),
            key=("evaluator", "case", "analyst"),
            relative=("rank",),
        ),
        Table(
            "benchmarks",
            (
                key_id("analyst", of="analysts"),
                Column("benchmark", "text", blank=False),
                Column("accuracy", "number", low=0, high=100),
                Column("source", "text"),
            ),
            key=("analyst", "benchmark"),
            needed=False,
        ),
        Table(
            "assignments",
            (
                key_id("case", of="cases"),
                key_id("analyst", of="analysts"),
                Column("person", "text", blank=False),
            ),
            key=("case", "analyst"),
            needed=False,
        ),
        Table(
            "alignment",
            (
                key_id("evaluator", of="evaluators"),
                key_id("case", of="cases"),
                Column("specialist", "flag", blank=False),
            ),
            key=("evaluator", "case"),
            needed=False,
        ),
    )


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
        `ratings.csv` as read, with `row` and `faulty`.
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
    sound = pairs.filter(~pl.col("faulty"))
    partial = sound.filter((pl.col("ranked") > 0) & (pl.col("ranked") < pl.col("k")))
    _refuse_wrong(config, ratings, sound, found)
    if config.partial_rankings == "drop":
        _tell_dropped(partial, found)
    elif complete:
        _refuse_partial(ratings, partial, found)
    kept = pl.struct(PAIR).is_in(partial.select(pl.struct(PAIR)).to_series().implode()).not_()
    settled = ratings.with_columns(rank=pl.when(kept).then(pl.col("order"))).drop("order", "k")
    codes = [dimension.code for dimension in config.dimensions]
    used = settled.filter(~pl.all_horizontal(pl.col(*codes, "rank").is_null()))
    _compare_tiers(used, found)
    return Rankings(
        ratings=used,
        accounting=_account(settled.height, pairs, partial.height, used, codes),
        dropped=partial.select(*PAIR, "ranked", pl.col("k").alias("of")),
    )


def _ordered(config: PerceptionConfig, ratings: pl.DataFrame) -> pl.DataFrame:
    """Add the number of analysts of each case (`k`) and each rank with 1 as the best (`order`)."""
    sound = ratings.filter(~pl.col("faulty"))
    analysts = sound.group_by("case").agg(pl.col("analyst").n_unique().alias("k"))
    rank = pl.col("rank")
    best = -rank if config.best_rank == "highest" else rank
    return ratings.join(analysts, on="case", how="left", maintain_order="left").with_columns(
        order=best.rank("min").over(PAIR).cast(pl.Int64)
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
        pl.col("faulty").any(),
        pl.col("k").first(),
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
        ranks = _of(ratings, evaluator, case).sort("rank").select("rank", "row").rows()
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
    rows = tuple(row for rank, row in ranks if times[rank] > 1 or rank > k)
    return rows, listed([*twice, *often, *above, *absent])


def _order(ranks: list[tuple[float, int]]) -> tuple[tuple[int, ...], str]:
    return tuple(row for _, row in ranks), listed([f"{rank:g}" for rank, _ in ranks])


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
        rows = tuple((blank if blank.height else own)["row"])
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


def look_over(
    config: PerceptionConfig, frames: Mapping[str, pl.DataFrame], found: Findings
) -> None:
    """Notice what is possible but odd: names that are never used, placeholders left over."""
    ratings = frames["ratings"]
    for table, column in (("evaluators", "evaluator"), ("cases", "case"), ("analysts", "analyst")):
        ids = frames[table][column]
        idle = ids.filter(~ids.is_in(ratings[column].unique().implode()))
        if idle.len():
            named = listed([plain(name) for name in idle])
            found.notice(f"{table}.csv: nothing in ratings.csv for {named}")
        left = [name for name in ids if name.startswith(PLACEHOLDER)]
        if left and not config.simulated:
            named = listed([show(name) for name in left])
            found.fault(
                f"{table}.csv", f"{named}: an example row; put your own in its place", column
            )
