"""Whose judgements count: all, those of evaluators who judged every case, all but one; and ties."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import polars as pl

from helpers.evaluators.influence import influence
from helpers.ranking import ranks
from helpers.specifications.specification import EVALUATORS, TIES
from helpers.study import Study

ALL, EVERY_CASE = "all", "those of every case"
KEPT, DROPPED = "kept", "rankings with ties left out"


def evaluators(study: Study, most: int) -> dict[str, Study]:
    """The study with all evaluators, and with fewer.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    most : int
        How many evaluators are left out, one at a time: those without whom mean ranks shift most.

    Returns
    -------
    dict of str to Study
        By what is included, all first. Evaluators who judged every case stand alone only where
        others did not.
    """
    ratings = study["ratings"]
    found = {ALL: study}
    counts = ratings.group_by("evaluator").agg(pl.col("case").n_unique())
    whole = counts.filter(pl.col("case") == ratings["case"].n_unique())["evaluator"]
    if 0 < whole.len() < counts.height:
        found[EVERY_CASE] = _only(study, pl.col("evaluator").is_in(whole.to_list()))
    for name in influential(study, most):
        found[f"without {name}"] = _only(study, pl.col("evaluator").cast(pl.String) != name)
    return found


def influential(study: Study, most: int) -> list[str]:
    """Evaluators without whom mean ranks shift most, the most influential first."""
    found = influence(ranks(study)).drop_nulls("shift")
    order = found.sort("shift", descending=True, maintain_order=True)
    return [str(name) for name in order["evaluator"].head(most)]


def samples(study: Study, most: int) -> Iterator[tuple[Mapping[str, str], Study]]:
    """Every choice of evaluators and, where rankings have ties, of what becomes of these."""
    for included, own in evaluators(study, most).items():
        if not _tied(study).any():
            yield {EVALUATORS: included}, own
            continue
        yield {EVALUATORS: included, TIES: KEPT}, own
        yield {EVALUATORS: included, TIES: DROPPED}, without_ties(own)


def without_ties(study: Study) -> Study:
    """The study without the ranks of rankings in which analysts share one."""
    ratings = study["ratings"]
    rank = pl.when(pl.Series(~_tied(study))).then(pl.col("rank"))
    return _with(study, ratings.with_columns(rank.alias("rank")))


def _tied(study: Study) -> pl.Series:
    """By row of the ratings, whether its ranking has a tie."""
    shared = pl.col("rank").is_not_null() & pl.struct("evaluator", "case", "rank").is_duplicated()
    return study["ratings"].select(shared.any().over("evaluator", "case").alias("tied"))["tied"]


def _only(study: Study, which: pl.Expr) -> Study:
    return _with(study, study["ratings"].filter(which))


def _with(study: Study, ratings: pl.DataFrame) -> Study:
    return replace(study, tables={**study.tables, "ratings": ratings})
