"""Plackett–Luce: whole rankings as one choice after another, not broken into dependent pairs.

An evaluator picks the best item of all, then the best of what remains, and so on. With strengths
α = exp(β·x) a ranking a₁, a₂, … has probability

    Π_k α(a_k) / Σ_{l ≥ k} α(a_l)        (Plackett 1975, "The analysis of permutations"; Luce 1959)

With one parameter for each item, log α is its ability; with covariates of the items it is the
rank-ordered logit (Beggs, Cardell & Hausman 1981, "Assessing the potential demand for electric
cars"). It agrees with Bradley–Terry on what any single pair does, but a ranking of n items counts
as n − 1 choices and not as n(n − 1)/2 pairs. For ties see `helpers.choice.sets`.
"""

from collections.abc import Sequence

from helpers.choice.abilities import (
    Abilities,
    abilities_from_rankings,
    require_order,
    require_scores,
)
from helpers.choice.fit import Fit, fit_choices
from helpers.choice.rankings import Rankings
from helpers.choice.sets import placewise

MODEL = "Plackett–Luce"


def regression(rankings: Rankings) -> Fit:
    """Fit the rank-ordered logit: what a point on each dimension adds to an item's utility.

    Parameters
    ----------
    rankings : Rankings
        Whole rankings with scores.

    Returns
    -------
    Fit
        A positive weight means that higher scores go with better ranks.

    Raises
    ------
    HelpersError
        If the rankings have no scores.
    NotEstimableError
        If everything is tied, no dimension differs within rankings, or the scores separate them.
    """
    require_scores(rankings, MODEL)
    require_order(rankings, MODEL, "weights")
    choices, ties = placewise(rankings, rankings.scores)
    return fit_choices(choices, [*rankings.dimensions, *ties], MODEL, "weights", ties)


def abilities(
    rankings: Rankings, reference: str | None = None, adjust: Sequence[str] = ()
) -> Abilities:
    """Fit one ability for each item.

    Items that the rankings cannot place on the scale of the others are left out and named.

    Parameters
    ----------
    rankings : Rankings
        Whole rankings; they need not all be of the same items.
    reference : str, optional
        The item whose ability is set to zero; by default abilities sum to zero.
    adjust : sequence of str
        Dimensions to hold constant: abilities beyond what these scores explain.

    Returns
    -------
    Abilities
        On the scale log α.

    Raises
    ------
    NotEstimableError
        If no two items can be compared both ways, or covariates take the place of abilities.
    """
    return abilities_from_rankings(rankings, placewise, MODEL, reference, adjust)
