"""Who is a specialist for which case: what H1 compares.

A study may say so itself, in `alignment.csv`. Otherwise an evaluator is a specialist for a case
whose specialty is one of their own, by its name but for capitals and spaces.
"""

from dataclasses import dataclass

import polars as pl

from helpers import say
from helpers.study import Study

GIVEN, BY_SPECIALTY = "alignment.csv", "specialties"


@dataclass(frozen=True)
class Alignment:
    """Specialists and others, by evaluator and case.

    Attributes
    ----------
    pairs : polars.DataFrame
        `evaluator`, `case`, `specialist`: of cases that both specialists and others rated.
    dropped : polars.DataFrame
        `Reason`, and how many `Evaluator–case pairs` and `Cases` it concerns.
    by_case : polars.DataFrame
        Each case with its specialists, others, and evaluators that are neither.
    source : str
        Where it comes from: `GIVEN` or `BY_SPECIALTY`.
    """

    pairs: pl.DataFrame
    dropped: pl.DataFrame
    by_case: pl.DataFrame
    source: str

    def sentence(self) -> str:
        """Where it comes from and what is used."""
        sizes = self.pairs.group_by("specialist").len()
        counts = dict(sizes.iter_rows())
        where = (
            "`alignment.csv` says who is a specialist."
            if self.source == GIVEN
            else "A specialist has the specialty of the case among their own."
        )
        return (
            f"{where} In use: {say.count(self.pairs['case'].n_unique(), 'case')} with "
            f"{say.count(counts.get(True, 0), 'judgement')} by specialists and "
            f"{counts.get(False, 0):,} by others."
        )


def alignment(study: Study) -> Alignment:
    """Find who is a specialist, and drop what cannot be compared, with the reasons.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    """
    rated = study["ratings"].select("evaluator", "case").unique(maintain_order=True)
    given = study.tables.get("alignment")
    if given is not None and given.height:
        source = GIVEN
        told = rated.join(given, on=["evaluator", "case"], how="left", maintain_order="left")
        told = told.with_columns(
            pl.when(pl.col("specialist").is_null())
            .then(pl.lit("not in alignment.csv"))
            .alias("reason")
        )
    else:
        source, told = BY_SPECIALTY, _by_specialty(study, rated)
    known = pl.when(pl.col("reason").is_null()).then(pl.col("specialist").cast(pl.Boolean))
    told = told.select("evaluator", "case", known.alias("specialist"), "reason")
    told = told.with_columns(pl.coalesce("reason", _lopsided()).alias("reason"))
    return Alignment(
        pairs=told.filter(pl.col("reason").is_null()).drop("reason"),
        dropped=_dropped(told),
        by_case=_by_case(study, told),
        source=source,
    )


def _by_specialty(study: Study, rated: pl.DataFrame) -> pl.DataFrame:
    own = study["evaluators"].select(
        "evaluator", pl.col("specialty").list.drop_nulls().alias("own")
    )
    cases = study["cases"].select("case", pl.col("specialty").alias("field"))
    told = rated.join(own, on="evaluator", how="left", maintain_order="left").join(
        cases, on="case", how="left", maintain_order="left"
    )
    plain = pl.element().str.strip_chars().str.to_lowercase()
    field = pl.col("field").str.strip_chars().str.to_lowercase()
    return told.with_columns(
        pl.col("own").list.eval(plain).list.contains(field).alias("specialist"),
        pl.when(pl.col("field").is_null())
        .then(pl.lit("the case has no specialty"))
        .when(pl.col("own").list.len().fill_null(0) == 0)
        .then(pl.lit("the evaluator has no specialty"))
        .alias("reason"),
    )


def _lopsided() -> pl.Expr:
    """Reason to drop a case that only specialists, or only others, rated."""
    known = pl.col("specialist").drop_nulls()
    return (
        pl.when(~known.any().over("case"))
        .then(pl.lit("no specialist rated the case"))
        .when(known.all().over("case"))
        .then(pl.lit("specialists alone rated the case"))
    )


def _dropped(told: pl.DataFrame) -> pl.DataFrame:
    return (
        told.drop_nulls("reason")
        .group_by("reason", maintain_order=True)
        .agg(pl.len().alias("Evaluator–case pairs"), pl.col("case").n_unique().alias("Cases"))
        .rename({"reason": "Reason"})
    )


def _by_case(study: Study, told: pl.DataFrame) -> pl.DataFrame:
    known = pl.col("specialist").drop_nulls()
    counts = told.group_by("case").agg(
        known.sum().alias("Specialists"),
        (~known).sum().alias("Others"),
        pl.col("specialist").null_count().alias("Not known"),
        pl.col("reason").is_null().any().alias("used"),
    )
    return (
        study["cases"]
        .join(counts, on="case", how="inner", maintain_order="left")
        .select(
            pl.col("case").alias("Case"),
            pl.col("specialty").alias("Specialty"),
            "Specialists",
            "Others",
            "Not known",
            pl.when("used").then(pl.lit("yes")).otherwise(pl.lit("no")).alias("Used"),
        )
    )
