"""A study as models of the mapping from scores to ranks need it."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from helpers.choice.logit import Floats
from helpers.choice.rankings import Rankings, read_rankings
from helpers.not_estimable import NotEstimableError
from helpers.study import Study

SCORE = "score"
"""Column of the mean over the dimensions, from 0 to 1, less its mean over all rows."""


@dataclass(frozen=True)
class Mapped:
    """Ranks and scores of a study.

    Attributes
    ----------
    study : Study
        A study of the perception kind.
    ratings : polars.DataFrame
        Its ratings, or those of some evaluators.
    """

    study: Study
    ratings: pl.DataFrame

    @cached_property
    def labels(self) -> dict[str, str]:
        """Label of each dimension that anyone who ranked scored, by its column in `frame`."""
        ranked = self.ratings.drop_nulls("rank")
        scored = [d for d in self.study.config.dimensions if ranked[d.code].count()]
        return {f"dimension{number}": d.label for number, d in enumerate(scored, 1)}

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Rows with a rank and all scores: keys, rank, dimensions and `SCORE`.

        Raises
        ------
        NotEstimableError
            If there is no such row.
        """
        codes = {d.label: d for d in self.study.config.dimensions}
        own = {column: codes[label] for column, label in self.labels.items()}
        if not own:
            raise NotEstimableError("the mapping is", "nothing was both ranked and scored")
        keys = [pl.col(key).cast(pl.String) for key in ("evaluator", "case", "analyst")]
        share = [(pl.col(d.code) - d.min) / (d.max - d.min) for d in own.values()]
        found = self.ratings.select(
            *keys,
            "rank",
            *(pl.col(d.code).cast(pl.Float64).alias(column) for column, d in own.items()),
            pl.mean_horizontal(share).alias(SCORE),
        ).drop_nulls()
        if found.is_empty():
            raise NotEstimableError("the mapping is", "no row has a rank and every score")
        return found.with_columns(pl.col(SCORE) - pl.col(SCORE).mean())

    @property
    def dropped(self) -> int:
        """Rows without a rank or without some score."""
        return self.ratings.height - self.frame.height

    @cached_property
    def rankings(self) -> Rankings:
        """Whole rankings of what is in `frame`.

        Raises
        ------
        NotEstimableError
            If no two analyses of a case can be compared.
        """
        found = read_rankings(self.frame, list(self.labels))
        return replace(found, dimensions=tuple(self.labels.values()))

    @cached_property
    def physician(self) -> Floats:
        """By row of `rankings`: 1 where a physician wrote the analysis, 0 where a model did.

        Raises
        ------
        NotEstimableError
            If there are not both kinds, or a kind is not given.
        """
        kinds = dict(self.study["analysts"].select("analyst", "kind").iter_rows())
        own = [kinds.get(item) for item in self.rankings.item.tolist()]
        if None in own or len(set(own)) < 2:
            told = "a kind is not given" if None in own else f"all are of kind {own[0]}"
            raise NotEstimableError("a difference between kinds is", f"of the analysts, {told}")
        return np.array([kind == "physician" for kind in own], dtype=float)

    @cached_property
    def everywhere(self) -> list[str]:
        """Evaluators who ranked every case, where others did not."""
        counts = self.frame.group_by("evaluator").agg(pl.col("case").n_unique()).sort("evaluator")
        most = self.frame["case"].n_unique()
        whole = counts.filter(pl.col("case") == most)["evaluator"].to_list()
        return whole if 0 < len(whole) < counts.height else []

    def without_everywhere(self) -> "Mapped":
        """The same without the evaluators who ranked every case.

        Raises
        ------
        NotEstimableError
            If there are none, or no others.
        """
        if not self.everywhere:
            raise NotEstimableError(
                "a comparison without evaluators of all cases is",
                "evaluators of all cases and others are not both there",
            )
        return Mapped(
            self.study,
            self.ratings.filter(~pl.col("evaluator").cast(pl.String).is_in(self.everywhere)),
        )


def mapped(study: Study) -> Mapped:
    """Ranks and scores of a study."""
    return Mapped(study, study["ratings"])
