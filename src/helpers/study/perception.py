"""Studies of perception: evaluators score and rank what several analysts made of each case."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import polars as pl
from pydantic import Field

from helpers.errors import near
from helpers.study.config import Config, Dimension, Text
from helpers.study.faults import Findings, listed, plain, show
from helpers.study.schema import Column, Table, key_id

TIERS = ("good", "medium", "poor")
RESERVED = {"evaluator", "case", "analyst", "rank", "tier", "position", "timestamp"}
PLACEHOLDER = "example-"  # how ids of the template begin


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
    analysts : str or None
        Whether every analyst belongs to every case (`all`) or cases have different ones on purpose
        (`differ`); None where the study does not say.
    groups : dict
        Label of each group of cases; where given, `cases.csv` may name no other group.
    """

    lenient: ClassVar[Mapping[str, Any]] = {
        **Config.lenient,
        "ties": "allowed",
        "partial_rankings": "drop",
        "analysts": "differ",
    }

    kind: Literal["perception"]
    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1)]
    best_rank: Literal["lowest", "highest"] = "lowest"
    ties: Literal["refused", "allowed"] = "refused"
    partial_rankings: Literal["refuse", "drop"] = "refuse"
    analysts: Literal["all", "differ"] | None = None
    groups: dict[Text, Text] = Field(default_factory=dict)

    def slips(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield the dimensions that cannot stand beside each other, or have no scale."""
        codes: set[str] = set()
        labels: set[str] = set()
        for place, dimension in enumerate(self.dimensions):
            code, label = dimension.code.casefold(), dimension.label.casefold()
            if code in RESERVED:
                yield ("dimensions", place, "code"), "is the name of another column; give another"
            elif code in codes:
                yield ("dimensions", place, "code"), "the same code twice; give another"
            if label in labels:
                yield ("dimensions", place, "label"), "the same label twice; give another"
            if dimension.min >= dimension.max:
                problem = f"expected more than min, which is {dimension.min:,}"
                yield ("dimensions", place, "max"), problem
            codes.add(code)
            labels.add(label)


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


def look_over(
    config: PerceptionConfig, frames: Mapping[str, pl.DataFrame], found: Findings
) -> None:
    """Notice what is possible but odd: names that are never used, placeholders left over."""
    ratings = frames["ratings"]
    for table, column in (("evaluators", "evaluator"), ("cases", "case"), ("analysts", "analyst")):
        ids = frames[table][column].drop_nulls()
        idle = ids.filter(~ids.is_in(ratings[column].unique().implode()))
        if idle.len():
            named = listed([plain(name) for name in idle])
            found.notice(f"{table}.csv: nothing in ratings.csv for {named}")
        left = [name for name in ids if name.startswith(PLACEHOLDER)]
        if left and not config.simulated:
            named = listed([show(name) for name in left])
            found.fault(
                f"{table}.csv", f"{named}: example rows; put your own in their place", column
            )
    unknown = frames["analysts"].filter(pl.col("kind").is_null())["analyst"].drop_nulls()
    if unknown.len():
        named = listed([plain(name) for name in unknown])
        found.notice(f"analysts.csv: {named} neither llm nor physician")
    specialties = frames["cases"]["specialty"].drop_nulls().unique()
    for words in (
        frames["evaluators"]["specialty"].explode().drop_nulls().unique(maintain_order=True)
    ):
        meant = None if words in specialties else near(words, specialties, cutoff=1)
        if meant is not None:
            found.notice(
                f"evaluators.csv: specialty {show(words)} is not {show(meant)} of cases.csv; "
                "write them alike if they are one"
            )
