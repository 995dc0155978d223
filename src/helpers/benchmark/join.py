"""Benchmarks of a study joined to the Perceived Capability Scores of its language models."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from helpers.benchmark.accuracy_scale import in_percent
from helpers.capability import Capability
from helpers.not_estimable import NotEstimableError
from helpers.study import Study

Floats = NDArray[np.float64]

LLM = "llm"
BLANK, NO_ROW = "accuracy is blank", "not in benchmarks.csv"
NO_MODEL, UNRATED = "not a language model", "nobody rated it"


@dataclass(frozen=True)
class Benchmark:
    """Accuracies of language models on one benchmark.

    Attributes
    ----------
    name : str
        As `benchmarks.csv` has it.
    accuracies : mapping of str to float
        In per cent, by model, in the order of `analysts.csv`; as given where `reason` refuses them.
    read : str
        How they were read: as share or per cent, detected or as set.
    left_out : mapping of str to str
        Why an analyst is not compared.
    reason : str
        Why none of these accuracies can be used; empty where they can.
    """

    name: str
    accuracies: Mapping[str, float]
    read: str
    left_out: Mapping[str, str]
    reason: str = ""


@dataclass(frozen=True)
class Points:
    """Scores and accuracies of the models that have both.

    Attributes
    ----------
    names : tuple of str
        Models.
    scores, accuracies : ndarray
        Shape (models,); accuracies in per cent.
    draws : ndarray
        Shape (resamples, models): scores in resamples of evaluators.
    without : ndarray
        Shape (cases, models): scores without each case in turn.
    left_out : mapping of str to str
        Why another language model is not among them.
    """

    names: tuple[str, ...]
    scores: Floats
    accuracies: Floats
    draws: Floats
    without: Floats
    left_out: Mapping[str, str]


def benchmarks(study: Study, scale: str) -> list[Benchmark]:
    """Read the benchmarks of a study, in the order in which they occur.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    scale : str
        See `accuracy_scale.in_percent`.

    Returns
    -------
    list of Benchmark
        With every analyst either among the accuracies or left out with a reason; physicians only
        where they have an accuracy.

    Raises
    ------
    NotEstimableError
        If the study has no benchmarks, or no language models.
    """
    if "benchmarks" not in study.tables:
        raise NotEstimableError("the comparison is", "this study has no benchmarks.csv")
    kinds = dict(study["analysts"].select("analyst", "kind").iter_rows())
    if LLM not in kinds.values():
        raise NotEstimableError("the comparison is", "no analyst of this study is of kind llm")
    table = study["benchmarks"]
    rated = set(study["ratings"]["analyst"].to_list())
    return [
        _benchmark(name, table.filter(pl.col("benchmark") == name), kinds, rated, scale)
        for name in table["benchmark"].unique(maintain_order=True)
    ]


def _benchmark(
    name: str, table: pl.DataFrame, kinds: Mapping[str, str | None], rated: set[str], scale: str
) -> Benchmark:
    given = dict(table.select("analyst", "accuracy").iter_rows())
    left_out = {}
    for analyst, kind in kinds.items():
        if kind != LLM:
            if given.get(analyst) is not None:
                left_out[analyst] = NO_MODEL
        elif given.get(analyst) is None:
            left_out[analyst] = BLANK if analyst in given else NO_ROW
        elif analyst not in rated:
            left_out[analyst] = UNRATED
    own = {analyst: given[analyst] for analyst in kinds if analyst in given}
    used = {analyst: value for analyst, value in own.items() if analyst not in left_out}
    try:
        accuracies, read = in_percent(used, scale)
    except NotEstimableError as error:
        return Benchmark(name, used, "refused", left_out, error.reason)
    return Benchmark(name, accuracies, read if used else "–", left_out)


def points(benchmark: Benchmark, capability: Capability) -> Points:
    """Models of a benchmark with their scores; those without a score are left out.

    Raises
    ------
    NotEstimableError
        If the benchmark's accuracies cannot be used.
    """
    if benchmark.reason:
        raise NotEstimableError("the comparison is", benchmark.reason)
    analysts = capability.scores["analyst"].to_list()
    values = capability.scores["score"].to_list()
    places = {name: place for place, name in enumerate(analysts) if values[place] is not None}
    names = tuple(name for name in benchmark.accuracies if name in places)
    own = [places[name] for name in names]
    return Points(
        names=names,
        scores=np.array([values[place] for place in own], dtype=float),
        accuracies=np.array([benchmark.accuracies[name] for name in names], dtype=float),
        draws=capability.draws[:, own],
        without=capability.without[:, own],
        left_out={name: why for name, why in benchmark.left_out.items() if why != NO_MODEL},
    )
