"""Each evaluator beside the others who judged the same analyses.

Whoever is described is left out of what it is held against: leniency is the own score less the mean
of the others' scores of the same analysis, agreement the rank correlation of the own order of a
case's analyses with the others' mean. Both are means over the evaluator's cases, so that each case
counts the same.
"""

from dataclasses import dataclass

import polars as pl

from helpers import say, show
from helpers.scoring import scored
from helpers.study import Study

FEWEST = 3  # analyses of a case that a correlation needs
CELL = ("case", "analyst")


@dataclass(frozen=True)
class Profiles:
    """How every evaluator judges, beside the others.

    Attributes
    ----------
    people : DataFrame
        In the order of `evaluators.csv`: "evaluator", "years", number of "cases", "leniency" (mean
        over dimensions), "ranks" and "scores" (agreement with the others on rankings and on mean
        scores). Null where there is nobody to compare with, or where orders have fewer than three
        analyses or no differences.
    leniency : DataFrame
        Leniency by "evaluator" and "dimension" (its label), as "value".
    dimensions : tuple of str
        Labels in order.
    unit : str
        What leniency counts: "points", or "% of the scale" where scales differ.
    """

    people: pl.DataFrame
    leniency: pl.DataFrame
    dimensions: tuple[str, ...]
    unit: str


def profiles(study: Study) -> Profiles:
    """Describe every evaluator who rated.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    """
    scores = scored(study)
    long = scores.frame.unpivot(
        scores.labels, index=["evaluator", *CELL], variable_name="dimension"
    ).drop_nulls("value")
    leniency = _leniency(long)
    means = (
        long.group_by("evaluator", *CELL, maintain_order=True)
        .agg(pl.col("value").mean(), pl.len().alias("n"))
        .filter(pl.col("n") == len(scores.labels))
    )
    people = study["evaluators"].select("evaluator", "years")
    for part in (
        study["ratings"]
        .group_by("evaluator", maintain_order=True)
        .agg(pl.col("case").n_unique().alias("cases")),
        leniency.group_by("evaluator", maintain_order=True).agg(
            pl.col("value").mean().alias("leniency")
        ),
        _agreement(_ranks(study), "ranks"),
        _agreement(means.drop("n"), "scores"),
    ):
        people = people.join(part, on="evaluator", how="left", maintain_order="left")
    rated = people.filter(pl.col("cases").is_not_null())
    return Profiles(rated, leniency, scores.labels, scores.unit)


def beside_others(values: pl.DataFrame, same: tuple[str, ...]) -> pl.DataFrame:
    """Add the mean of the others' values of the same thing; without others there is no row.

    Parameters
    ----------
    values : DataFrame
        With a `value` that is never null.
    same : tuple of str
        Columns that say what was judged.
    """
    value = pl.col("value")
    count = pl.len().over(same)
    others = (value.sum().over(same) - value) / (count - 1)
    return values.with_columns(others=others).filter(count > 1)


def sentence(found: Profiles) -> str:
    """How many evaluators can be described, and the ends of what is seen."""
    told = [f"{say.count(found.people.height, 'evaluator')} rated."]
    measures = (("leniency", "leniency", f" {found.unit}"), ("ranks", "agreement on ranks", ""))
    for column, name, unit in measures:
        known = found.people.drop_nulls(column).sort(column).to_dicts()
        if not known:
            told.append(f"Not estimable: {name}, since nothing was judged by two.")
            continue
        low, high = (
            f"{say.number(row[column])}{unit} ({show.escape(row['evaluator'])})"
            for row in (known[0], known[-1])
        )
        told.append(f"{name.capitalize()} runs from {low} to {high}.")
    return " ".join(told)


def _leniency(long: pl.DataFrame) -> pl.DataFrame:
    """Mean score less that of the others by evaluator and dimension; each case counts the same."""
    return (
        beside_others(long, (*CELL, "dimension"))
        .group_by("evaluator", "case", "dimension", maintain_order=True)
        .agg((pl.col("value") - pl.col("others")).mean())
        .group_by("evaluator", "dimension", maintain_order=True)
        .agg(pl.col("value").mean())
    )


def _ranks(study: Study) -> pl.DataFrame:
    ranked = study["ratings"].drop_nulls("rank")
    value = pl.col("rank").rank("average").over("evaluator", "case")
    return ranked.select("evaluator", *CELL, value.cast(pl.Float64).alias("value"))


def _agreement(values: pl.DataFrame, name: str) -> pl.DataFrame:
    """Mean over an evaluator's cases of its rank correlation with the others."""
    order = pl.col("value", "others").round(9)  # what differs by rounding alone is equal
    by_case = (
        beside_others(values, CELL)
        .with_columns(order)
        .group_by("evaluator", "case", maintain_order=True)
        .agg(pl.corr("value", "others", method="spearman").alias(name), pl.len().alias("n"))
    )
    return (
        by_case.filter((pl.col("n") >= FEWEST) & pl.col(name).is_finite())
        .group_by("evaluator", maintain_order=True)
        .agg(pl.col(name).mean())
    )
