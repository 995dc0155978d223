"""The generator `clmm`: each rank an independent ordinal draw from a cumulative link mixed model.

P(rank ≤ k) = logistic(θ_k − η), η = slopes · scores + random intercepts. Ranks may repeat within
an evaluator's case and need not all occur, so that these are no rankings: the generator is there
to see whether a fit of this model finds the parameters that were planted, and for nothing else.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from helpers.published import Paper
from helpers.simulate.design import DIMENSIONS, Design
from helpers.simulate.effects import effect, stream
from helpers.simulate.settings import Settings
from helpers.simulate.utility import Sample, draw_scores, rated_sample


@dataclass(frozen=True)
class Cumulative:
    """Parameters of a cumulative logit model with random intercepts.

    Attributes
    ----------
    slopes : tuple of float
        Change of η for one point, by dimension; negative where high scores go with rank 1.
    cutpoints : tuple of float
        θ₁ < θ₂ < …, one less than there are ranks.
    variances : mapping of str to float
        Variances of the random intercepts by term, such as "case:analyst".
    """

    slopes: tuple[float, ...]
    cutpoints: tuple[float, ...]
    variances: Mapping[str, float]


def published_model(paper: Paper) -> Cumulative:
    """Read the model from the perception paper's Tables 4, 5 and 9.

    Table 5 prints shares of the variance, the residual among them; the residual of a logit link
    is π²/3, which gives the others their size.

    Returns
    -------
    Cumulative
        Seven slopes, eight cutpoints, six variances.
    """
    slopes = paper.cells("table04", "Estimate", tuple(DIMENSIONS.values()))
    cutpoints = paper.cells("table09", "Estimate")
    terms = [label.lower() for label in paper.table("table05").labels]
    shares = [cell.number for cell in paper.cells("table05", "Variance (%)")]
    share = dict(zip(terms, shares, strict=True))
    residual = share.pop("residual")
    return Cumulative(
        tuple(cell.number for cell in slopes),
        tuple(cell.number for cell in cutpoints),
        {term: part / residual * math.pi**2 / 3 for term, part in share.items()},
    )


def simulate_cumulative(design: Design, settings: Settings, model: Cumulative, seed: int) -> Sample:
    """Draw ordinal ranks from `model` over scores drawn as for `utility`; not a study.

    Parameters
    ----------
    design : Design
        Who rates what.
    settings : Settings
        What scores are made of; nothing of it that concerns utilities is used.
    model : Cumulative
        The truth.
    seed : int
        Seed; each component has a stream of its own.

    Returns
    -------
    Sample
        Its `rank` holds categories 1 to k that may repeat within a ranking.
    """
    scores = draw_scores(design, settings, seed)
    latent = stream(seed, "clmm logistic").logistic(size=scores.shape[:3])
    for dimension, slope in enumerate(model.slopes):
        latent = latent + slope * scores[..., dimension]
    for term, variance in model.variances.items():
        drawn = effect(stream(seed, f"clmm {term}"), term, design.sizes, exact=False)
        latent = latent + math.sqrt(variance) * drawn[..., 0]
    rank = np.searchsorted(np.array(model.cutpoints), latent) + 1
    return rated_sample(design, scores, rank)
