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
Cases
    An analyst in no row of a case may be left out on purpose or by mistake, which the ratings do
    not tell; `study.yml` does. With `analysts: all` every analyst belongs to every case, and a
    ranking without one is partial. With `analysts: differ` nothing is said. Without the key the
    rankings are taken as whole, and the cases, analysts and evaluators are named.
Ties
    Where `study.yml` allows them, a ranking is written in one of three ways: 1, 2, 2, 4 (as in
    sports), 1, 2, 2, 3 (dense) or 1, 2.5, 2.5, 4 (mean ranks). Anything else is taken for a slip.
    Loaded, all are 1, 2, 2, 4.
Direction
    Loaded, rank 1 is the best, also where `study.yml` says that the highest number is.
"""

from collections import Counter
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
    pairs = _pairs(ratings)
    partial = pairs.filter((pl.col("given") > 0) & (pl.col("given") < pl.col("k")))
    drops = config.partial_rankings == "drop"
    _refuse_wrong(
        config, ratings, pairs.join(partial, on=PAIR, how="anti") if drops else pairs, found
    )
    if drops:
        _tell_dropped(partial, found)
    elif complete:
        _refuse_partial(config, ratings, _unexcused(partial), found)
    if config.analysts is None:
        _tell_left_out(ratings, found)
    _tell_unranked(pairs, found)
    marked = ratings.join(
        partial.select(*PAIR, _partial=True), on=PAIR, how="left", maintain_order="left"
    )
    settled = marked.with_columns(rank=pl.when(pl.col("_partial").is_null()).then(pl.col("_order")))
    codes = [dimension.code for dimension in config.dimensions]
    used = settled.filter(~pl.all_horizontal(pl.col(*codes, "rank").is_null()))
    _compare_tiers(used, found)
    _compare_scores(config, used, found)
    return Rankings(
        ratings=used.drop("_order", "_k", "_most", "_partial"),
        accounting=_account(config, settled.height, pairs, partial.height, used),
        dropped=partial.select(*PAIR, "ranked", pl.col("k").alias("of")),
    )


def _ordered(config: PerceptionConfig, ratings: pl.DataFrame) -> pl.DataFrame:
    """Add how many analysts each case has (`_k`) and each rank with 1 as the best (`_order`).

    Where no row of a case is sound, it has as many as the study; `_most` counts unknown ids too.
    """
    sound = ratings.filter(~pl.col("_faulty"))
    analysts = sound.group_by("case").agg(_k=pl.col("analyst").n_unique())
    every, most = sound["analyst"].n_unique(), ratings["analyst"].drop_nulls().n_unique()
    k = pl.lit(every) if config.analysts == "all" else pl.col("_k").fill_null(every)
    rank = pl.col("rank")
    best = -rank if config.best_rank == "highest" else rank
    return ratings.join(analysts, on="case", how="left", maintain_order="left").with_columns(
        _k=k, _most=pl.lit(most), _order=best.rank("min").over(PAIR).cast(pl.Int64)
    )


def _pairs(ratings: pl.DataFrame) -> pl.DataFrame:
    """Sum up each evaluator and case, in the order of the file.

    `given` counts ranks, those that cannot be read too; `strict` says whether the ranks are 1, 2,
    3, … without ties, `repeated` whether one occurs twice in different rows. `sound` means that
    every row and rank was read, `unsure` that a row may be lost because an id in it, or in another
    row, is wrong.
    """
    bad, own = pl.col("_faulty") | pl.col("_twice") | pl.col("_unread"), pl.col("_own")
    different = own.n_unique() - (own.null_count() > 0).cast(pl.Int64)
    misread = ratings.filter(pl.col("_faulty"))
    anywhere = misread.filter(pl.all_horizontal(pl.col(PAIR).is_null())).height > 0
    return (
        ratings.with_columns(_own=pl.when(~pl.col("_twice")).then("rank"), _bad=bad)
        .group_by(PAIR, maintain_order=True)
        .agg(
            (~pl.col("_bad").any()).alias("sound"),
            pl.col("_twice").any(),
            pl.col("_k").first().alias("k"),
            pl.col("_most").first().alias("most"),
            pl.len().alias("rows"),
            pl.col("rank").count().alias("ranked"),
            pl.col("_unread").sum().alias("unread"),
            (different < own.count()).alias("repeated"),
            own.min().alias("lowest"),
            own.max().alias("highest"),
        )
        .with_columns(
            given=pl.col("ranked") + pl.col("unread"),
            strict=~pl.col("repeated")
            & (pl.col("lowest") == 1)
            & (pl.col("highest") == pl.col("ranked")),
            unsure=pl.lit(anywhere)
            | pl.col("_twice")
            | pl.col("case").is_in(misread["case"].implode())
            | pl.col("evaluator").is_in(misread["evaluator"].implode()),
        )
        .with_columns(partial=pl.col("given").is_between(1, pl.col("k") - 1))
        .filter(pl.all_horizontal(pl.col(PAIR).is_not_null()))
    )


def _weak(config: PerceptionConfig, ratings: pl.DataFrame) -> pl.DataFrame:
    """Say of each ranking whether it is the sports, dense or mean ranks of some order (`weak`)."""
    rank = pl.col("rank")
    sports: Literal["min", "max"] = "max" if config.best_rank == "highest" else "min"
    written = (rank.rank(sports), rank.rank("dense"), rank.rank("average"))
    weak = pl.any_horizontal((rank == ranks).all() for ranks in written).alias("weak")
    return ratings.group_by(PAIR).agg(weak)


def _refuse_wrong(
    config: PerceptionConfig, ratings: pl.DataFrame, pairs: pl.DataFrame, found: Findings
) -> None:
    """Refuse ranks that are no ranking.

    A ranking with a rank that is missing or cannot be read is refused for what is wrong whatever
    that rank may be: one that is given twice, and one above the number of analysts.
    """
    ties = config.ties == "allowed"
    above = pl.col("highest") > pl.col("limit")
    pairs = pairs.with_columns(
        whole=pl.col("sound") & (pl.col("ranked") == pl.col("k")) & ~pl.col("unsure"),
        limit=pl.when("unsure").then("most").otherwise("k"),
    )
    if ties:
        pairs = pairs.join(_weak(config, ratings), on=PAIR, how="left", maintain_order="left")
    wrong = pairs.filter(
        pl.when("whole")
        .then(~pl.col("weak" if ties else "strict"))
        .otherwise(above if ties else above | pl.col("repeated"))
    )
    if not wrong.height:
        return
    cells = []
    first = wrong.select(*PAIR, "limit", "whole").head(SHOWN)
    for evaluator, case, limit, whole in first.iter_rows():
        own = _of(ratings, evaluator, case).filter(~pl.col("_twice"))
        ranks = own.drop_nulls("rank").sort("rank").select("rank", "_row").rows()
        rows, told = _order(ranks) if ties and whole else _slips(ranks, limit, whole, ties)
        cells.append(Cell(rows, f"({show(evaluator)} in case {show(case)}: {told})"))
    if ties:
        problem = "expected ranks from 1, ties as 1, 2, 2, 4 or 1, 2, 2, 3 or 1, 2.5, 2.5, 4"
    elif _weak(config, ratings.join(wrong, on=PAIR, how="semi"))["weak"].any():
        problem = "expected every rank once; if ties are meant, set `ties: allowed` in study.yml"
    else:
        problem = "expected every rank once"
    high = wrong.filter("whole", pl.col("highest") > pl.col("k"))["case"]
    left_out = _left_out(ratings).filter(pl.col("case").is_in(high.implode()))
    if left_out.height:
        problem += f"; no row of anyone: {_named(ratings, left_out)}"
    found.fault("ratings.csv", problem, "rank", cells, wrong.height)


def _slips(
    ranks: list[tuple[float, int]], limit: int, whole: bool, ties: bool
) -> tuple[tuple[int, ...], str]:
    """Say which ranks are repeated, too large or missing; name the rows of all but the last."""
    times = Counter() if ties else Counter(rank for rank, _ in ranks)
    twice = [f"{rank:g} twice" for rank in sorted(times) if times[rank] == 2]
    often = [f"{rank:g} {times[rank]} times" for rank in sorted(times) if times[rank] > 2]
    above = [f"{rank:,.10g} of {limit}" for rank in sorted({r for r, _ in ranks}) if rank > limit]
    absent = [f"no {rank}" for rank in range(1, limit + 1) if whole and rank not in times]
    rows = tuple(sorted(row for rank, row in ranks if times[rank] > 1 or rank > limit))
    return rows, listed([*twice, *often, *above, *absent])


def _order(ranks: list[tuple[float, int]]) -> tuple[tuple[int, ...], str]:
    return tuple(sorted(row for _, row in ranks)), listed([f"{rank:g}" for rank, _ in ranks])


def _unexcused(partial: pl.DataFrame) -> pl.DataFrame:
    """Leave out rankings that may lack a row only because an id is misspelt."""
    return partial.filter((pl.col("rows") >= pl.col("k")) & ~pl.col("_twice") | ~pl.col("unsure"))


def _refuse_partial(
    config: PerceptionConfig, ratings: pl.DataFrame, partial: pl.DataFrame, found: Findings
) -> None:
    if not partial.height:
        return
    sound = ratings.filter(~pl.col("_faulty"))
    cells = []
    for evaluator, case, given, k in partial.select(*PAIR, "given", "k").head(SHOWN).iter_rows():
        own = _of(ratings, evaluator, case)
        blank = own.filter(pl.col("rank").is_null() & ~pl.col("_unread"))
        others = sound if config.analysts == "all" else sound.filter(pl.col("case") == case)
        analysts = others["analyst"].unique(maintain_order=True)
        absent = [name for name in analysts if name not in own["analyst"]]
        without = [show(name) for name in [*blank["analyst"], *absent][: k - given]]
        rows = tuple((blank if blank.height else own)["_row"])
        told = f"{given} of {k} ranked, not {listed(without)}"
        cells.append(Cell(rows, f"({show(evaluator)} in case {show(case)}: {told})"))
    remedy = "or set `partial_rankings: drop` in study.yml"
    if config.analysts == "all" and _left_out(ratings).height:
        remedy += ", or `analysts: differ` if cases have different analysts on purpose"
    found.fault(
        "ratings.csv",
        f"expected a rank for every analyst; {remedy}",
        "rank",
        cells,
        partial.height,
    )


def _left_out(ratings: pl.DataFrame) -> pl.DataFrame:
    """Cases in which an analyst of other cases has no row, with all who rated them."""
    sound = ratings.filter(~pl.col("_faulty"))
    every = sound["analyst"].n_unique()
    return (
        sound.group_by("case", maintain_order=True)
        .agg(pl.col("analyst", "evaluator").unique(maintain_order=True))
        .filter(pl.col("analyst").list.len() < every)
    )


def _tell_left_out(ratings: pl.DataFrame, found: Findings) -> None:
    cases = _left_out(ratings)
    if not cases.height:
        return
    found.notice(
        f"ratings.csv: no row of anyone: {_named(ratings, cases)}. If cases have different "
        "analysts on purpose, set `analysts: differ` in study.yml; if not, add the rows and set "
        "`analysts: all`"
    )


def _named(ratings: pl.DataFrame, left_out: pl.DataFrame) -> str:
    """Name the analysts left out of cases, and who rated these."""
    every = ratings.filter(~pl.col("_faulty"))["analyst"].unique(maintain_order=True)
    named = []
    for case, analysts, evaluators in left_out.head(SHOWN).iter_rows():
        absent = listed([plain(name) for name in every if name not in analysts])
        raters = listed([plain(name) for name in evaluators])
        named.append(f"{absent} in case {plain(case)} (rated by {raters})")
    return listed(named, left_out.height)


def _tell_unranked(pairs: pl.DataFrame, found: Findings) -> None:
    """Notice scores without ranks for a part of a case: they are no partial ranking."""
    short = pairs.filter((pl.col("given") == 0) & (pl.col("rows") < pl.col("k")))
    if short.height:
        rows = short.select(*PAIR, "rows", "k").head(SHOWN).iter_rows()
        named = [f"{plain(e)} in case {plain(c)} ({n} of {k})" for e, c, n, k in rows]
        found.notice(
            f"ratings.csv: not ranked, and no row for some analysts: {listed(named, short.height)}"
        )


def _tell_dropped(partial: pl.DataFrame, found: Findings) -> None:
    if partial.height:
        rows = partial.select(*PAIR, "ranked", "k").head(SHOWN).iter_rows()
        named = [f"{plain(e)} in case {plain(c)} ({ranked} of {k})" for e, c, ranked, k in rows]
        found.notice(
            f"ratings.csv: {counted(partial.height, 'ranking')} dropped, part of the case not "
            f"ranked: {listed(named, partial.height)}"
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


def _compare_scores(config: PerceptionConfig, ratings: pl.DataFrame, found: Findings) -> None:
    """Notice dimensions in which the better ranked score lower, in most rankings.

    An error in `best_rank`, or a scale on which less is better, would turn every result round.
    Most are two of three, and more than two standard errors above half.
    """
    slopes = {d.code: _slope(pl.col("rank"), pl.col(d.code)) for d in config.dimensions}
    signs = ratings.group_by(PAIR).agg(slope.sign().alias(c) for c, slope in slopes.items())
    turned = []
    for dimension in config.dimensions:
        sign = signs[dimension.code]
        against, along = int((sign > 0).sum()), int((sign < 0).sum())
        both = against + along
        if against >= 2 * along and (against - along) ** 2 > 4 * both:
            turned.append(f"{plain(dimension.label)} ({against:,} of {both:,} rankings)")
    if turned:
        found.notice(
            f"ratings.csv: better ranks go with lower scores: {listed(turned)}; are "
            f"`best_rank: {config.best_rank}` and the scales right?"
        )


def _slope(rank: pl.Expr, score: pl.Expr) -> pl.Expr:
    """Give a whole number with the sign of the regression of ranks on scores."""
    known = rank.is_not_null() & score.is_not_null()
    x, y = pl.when(known).then(rank), pl.when(known).then(score)
    return known.sum().cast(pl.Int64) * (x * y).sum() - x.sum() * y.sum()


def _account(
    config: PerceptionConfig, read: int, pairs: pl.DataFrame, partial: int, used: pl.DataFrame
) -> pl.DataFrame:
    """Count rows and rankings: what was read is what was dropped and what is used."""
    rankings = pairs.filter(pl.col("ranked") > 0).height
    policy = f"partial_rankings: {config.partial_rankings}"
    gaps = [
        ("missing", f"no score for {dimension.code}", gap, 0)
        for dimension in config.dimensions
        if (gap := used[dimension.code].null_count())
    ]
    lines = [
        ("read", "in ratings.csv", read, rankings),
        ("dropped", "no score, and no rank that counts", read - used.height, 0),
        ("dropped", f"ranking leaves out part of the case ({policy})", 0, partial),
        ("used", "", used.height, rankings - partial),
        *gaps,
        ("missing", "no rank that counts", used["rank"].null_count(), 0),
    ]
    return pl.DataFrame(lines, schema=["status", "reason", "rows", "rankings"], orient="row")


def _of(ratings: pl.DataFrame, evaluator: str, case: str) -> pl.DataFrame:
    return ratings.filter((pl.col("evaluator") == evaluator) & (pl.col("case") == case))
