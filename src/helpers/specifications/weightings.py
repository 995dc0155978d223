"""Weights of the dimensions under other choices: by each model, on random training parts, equal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from helpers.choice.logit import Floats
from helpers.choice.rankings import Rankings
from helpers.choice.validation import split
from helpers.errors import HelpersError
from helpers.mapping.data import mapped
from helpers.mapping.mixed_model import Decomposed
from helpers.not_estimable import NotEstimableError
from helpers.ranking_weights import METHODS, normalised, regression
from helpers.study import Study
from helpers.weighing.prediction import EQUAL
from helpers.weighing.weighed import Weighed

WEIGHTS, MIXED = "Weights", "mixed model of ranks"


@dataclass(frozen=True)
class Ways:
    """What weights are tried.

    Attributes
    ----------
    method : str
        The regression of the main decision.
    share, splits, seed
        Of the rankings that random parts train on, how many parts, and where chance begins.
    """

    method: str = "Bradley–Terry"
    share: float = 0.7
    splits: int = 3
    seed: int = 1


@dataclass(frozen=True)
class Weighted:
    """A study's rankings and several weightings of its dimensions.

    Attributes
    ----------
    weighed : Weighed
        The study, by the main method.
    shares : mapping of str to ndarray or str
        Weights that add up to one, shape (dimensions,), by name, the main method's first; or why
        there are none.
    """

    weighed: Weighed
    shares: Mapping[str, Floats | str]


def weightings(study: Study, ways: Ways, mixed: bool) -> Weighted:
    """Weigh the dimensions in every way.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    ways : Ways
        What is tried.
    mixed : bool
        Whether the mixed model of ranks is fitted too, which takes longest.

    Raises
    ------
    NotEstimableError
        If the study has no rankings with scores.
    """
    weighed = Weighed(study, ways.method, seed=ways.seed)
    rankings = weighed.rankings
    found: dict[str, Floats | str] = {}
    for method in dict.fromkeys([ways.method, *METHODS]):
        found[method] = _or_reason(lambda method=method: _fitted(method, rankings))  # type: ignore[misc]
    found |= _parts(weighed, ways)
    if mixed:
        found[MIXED] = _or_reason(lambda: _mixed(study, rankings))
    count = len(rankings.dimensions)
    return Weighted(weighed, found | {EQUAL: np.full(count, 1 / count)})


def _or_reason(make: Callable[[], Floats]) -> Floats | str:
    try:
        return make()
    except NotEstimableError as error:
        return error.reason


def _fitted(method: str, rankings: Rankings) -> Floats:
    names = rankings.dimensions
    return normalised(regression(method)(rankings).estimate[: len(names)], names)


def _parts(weighed: Weighed, ways: Ways) -> dict[str, Floats | str]:
    """By the main method on random parts of the rankings, as the paper fits them to one."""
    names = weighed.rankings.dimensions
    labels = [f"{ways.method}, random part {number + 1}" for number in range(ways.splits)]
    if not labels:
        return {}
    try:
        masks = split(weighed.rankings, ways.share, ways.splits, ways.seed)
        drawn = weighed.fit.refit(masks.astype(float))[:, : len(names)]
    except NotEstimableError as error:
        return dict.fromkeys(labels, error.reason)
    return {
        label: _or_reason(lambda own=own: normalised(own, names))  # type: ignore[misc]
        for label, own in zip(labels, drawn, strict=True)
    }


def _mixed(study: Study, rankings: Rankings) -> Floats:
    """Slopes of the paper's mixed model with their signs turned, as rank 1 is the best."""
    own = mapped(study)
    fit = Decomposed(own).settled
    slopes = dict(zip(own.labels.values(), fit.coefficients[list(own.labels)], strict=True))
    if set(slopes) != set(rankings.dimensions):
        raise HelpersError("the mixed model and the rankings have other dimensions")
    return normalised(
        -np.array([slopes[name] for name in rankings.dimensions]), rankings.dimensions
    )
