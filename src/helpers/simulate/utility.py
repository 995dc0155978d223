"""The generator `utility`: scores, then complete rankings whose truth is a rank-ordered logit.

With utilities u = weights · scores + effects, and Gumbel noise added, an evaluator's order of
analyses a₁, a₂, … has probability Π_k exp u(a_k) / Σ_{l ≥ k} exp u(a_l) (Plackett 1975; Beggs,
Cardell & Hausman 1981), and of any two analyses the first is ranked above the second with the
logistic probability of the difference of their utilities (Bradley–Terry).
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from helpers.simulate.design import Design
from helpers.simulate.effects import effect, stream, unit
from helpers.simulate.settings import KIND, Settings

Floats = NDArray[np.float64]
LOWEST, HIGHEST = 1, 5
MIDDLE = (LOWEST + HIGHEST) / 2


@dataclass(frozen=True)
class Sample:
    """Simulated ratings, a ranking being one evaluator's work on one case.

    Attributes
    ----------
    design : Design
        Who rated what.
    evaluator, case : ndarray of int
        Row of the evaluator and of the case in the design's tables, by ranking.
    scores : ndarray of int
        Shape (rankings, analysts, dimensions), whole numbers from 1 to 5.
    rank : ndarray of int
        Shape (rankings, analysts), 1 = best.
    """

    design: Design
    evaluator: NDArray[np.int64]
    case: NDArray[np.int64]
    scores: NDArray[np.int64]
    rank: NDArray[np.int64]

    @property
    def items(self) -> NDArray[np.int64]:
        """The scores as a table of rows × dimensions, in the order of `ratings`."""
        return self.scores.reshape(-1, self.scores.shape[2])

    def ratings(self) -> pl.DataFrame:
        """The study's `ratings.csv`: a row for each evaluator, case and analyst."""
        analysts = self.design.analysts["analyst"].to_list()
        each = len(analysts)
        columns: dict[str, object] = {
            "evaluator": self.design.evaluators["evaluator"].to_numpy()[
                self.evaluator.repeat(each)
            ],
            "case": self.design.cases["case"].to_numpy()[self.case.repeat(each)],
            "analyst": analysts * len(self.rank),
        }
        columns |= dict(zip(self.design.dimensions, self.items.T, strict=True))
        return pl.DataFrame(columns | {"rank": self.rank.ravel()})


def simulate(design: Design, settings: Settings, seed: int) -> Sample:
    """Draw a study in which evaluators rank by utility.

    Parameters
    ----------
    design : Design
        Who rates what.
    settings : Settings
        What scores and utilities are made of, as many numbers as the design has dimensions,
        analysts and cases.
    seed : int
        Seed; each component has a stream of its own.

    Returns
    -------
    Sample
        A complete ranking without ties for each evaluator–case of the design.

    Raises
    ------
    ValueError
        If the settings are not of the design's size.
    """
    scores = draw_scores(design, settings, seed)
    quality = _quality(design, settings, seed)
    utility = settings.halo * quality[..., 0]
    for term, sd in settings.utility.items():
        random = stream(seed, f"utility {term}")
        utility = utility + sd * effect(random, term, design.sizes, exact=True)[..., 0]
    # One dimension after the other: matrix products may round differently from machine to machine.
    for dimension, weight in enumerate(settings.weights):
        utility = utility + weight * scores[..., dimension]
    for term, sd in settings.varying.items():
        weights = sd * _weights(design, term, seed)
        for dimension in range(scores.shape[3]):
            utility = utility + weights[..., dimension] * (scores[..., dimension] - MIDDLE)
    utility = utility + stream(seed, "gumbel").gumbel(size=utility.shape)
    order = np.argsort(-utility, axis=2)
    return rated_sample(design, scores, np.argsort(order, axis=2) + 1)


def _weights(design: Design, term: str, seed: int) -> Floats:
    """How weights differ from the common ones, in units of their standard deviation."""
    random = stream(seed, f"weights {term}")
    if term != KIND:
        return effect(random, f"{term}:dimension", design.sizes, exact=True)
    physician = (design.analysts["kind"] == "physician").to_numpy()
    side = np.where(physician, 1.0, -1.0)[None, None, :, None]
    return side * effect(random, "dimension", design.sizes, exact=True)


def rated_sample(design: Design, scores: NDArray[np.int64], rank: NDArray[np.int64]) -> Sample:
    """Keep of scores and ranks of everybody on everything what the design asks for."""
    evaluator, case = np.nonzero(design.rated)
    return Sample(design, evaluator, case, scores[evaluator, case], rank[evaluator, case])


def draw_scores(design: Design, settings: Settings, seed: int) -> NDArray[np.int64]:
    """Draw scores of all evaluators on all cases, rated or not, so that the design may change.

    Returns
    -------
    ndarray of int
        Shape (evaluators, cases, analysts, dimensions), from 1 to 5.

    Raises
    ------
    ValueError
        If the settings are not of the design's size.
    """
    _check(design, settings)
    sizes = design.sizes
    latent = _quality(design, settings, seed) + np.array(settings.means)
    for term, sd in settings.score.items():
        latent = latent + sd * effect(stream(seed, f"score {term}"), term, sizes, exact=True)
    every = "evaluator:case:analyst"
    for pair, sd in settings.doublets.items():
        holds = np.array([dimension in pair for dimension in design.dimensions])
        shared = effect(stream(seed, f"doublet {'+'.join(pair)}"), every, sizes, exact=True)
        latent = latent + sd * holds * shared
    latent = latent + np.array(settings.alignment) * design.aligned[:, :, None, None]
    noise = effect(stream(seed, "noise"), f"{every}:dimension", sizes, exact=True)
    latent = latent + np.array(settings.noise) * noise
    scores: NDArray[np.int64] = np.floor(latent + 0.5).astype(np.int64).clip(LOWEST, HIGHEST)
    return scores


def _quality(design: Design, settings: Settings, seed: int) -> Floats:
    """How good each analysis is, shape (1, cases, analysts, 1), centred within each case."""
    overall = np.array(settings.quality) - np.mean(settings.quality)
    of_case = effect(stream(seed, "quality"), "case:analyst", design.sizes, exact=True)
    moved = unit(overall, axis=0)[None, None, :, None] + settings.wander * of_case
    quality: Floats = unit(moved, axis=2) * np.array(settings.spread)[None, :, None, None]
    return quality


def _check(design: Design, settings: Settings) -> None:
    """Refuse settings with a number too many or too few: adding arrays would hide some of them."""
    sizes = design.sizes
    expected = dict.fromkeys(("weights", "means", "noise", "alignment"), sizes["dimension"])
    expected |= {"quality": sizes["analyst"], "spread": sizes["case"]}
    for name, size in expected.items():
        if len(getattr(settings, name)) != size:
            raise ValueError(f"{name}: {len(getattr(settings, name))} numbers, expected {size}")
    paired = {dimension for pair in settings.doublets for dimension in pair}
    if not paired <= set(design.dimensions):
        raise ValueError(f"doublets: expected names among {', '.join(design.dimensions)}")
