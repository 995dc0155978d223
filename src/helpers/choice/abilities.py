"""Abilities of items on one scale, with errors that suit any comparison between them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.optimize import least_squares

from helpers.choice.estimable import Contact, contact
from helpers.choice.fit import Fit, fit_choices, reason
from helpers.choice.logit import Choices, Floats, Ints
from helpers.choice.rankings import Rankings, codes
from helpers.errors import HelpersError, did_you_mean
from helpers.not_estimable import NotEstimableError


@dataclass(frozen=True)
class Abilities:
    """Abilities, the higher the better, on the logit scale.

    Attributes
    ----------
    items : tuple of str
        Names.
    ability : ndarray
        Shape (items,), less that of the reference; with no reference they sum to zero. nan where
        `reasons` says why there is none.
    covariance : ndarray
        Shape (items, items), nan likewise; takes choices for independent.
    reference : str or None
        The item whose ability is zero.
    effects : Fit
        The fit beneath: its last coefficients are those of covariates and ties.
    reasons : mapping of str to str
        Why an item has no ability on this scale.
    contrast : ndarray
        Shape (items, coefficients of `effects`): abilities are `contrast` @ coefficients.
    deviance, df : float, int or None
        Of contests, twice the distance from the log-likelihood of a model that fits each contest
        exactly, and its degrees of freedom.
    """

    items: tuple[str, ...]
    ability: Floats
    covariance: Floats
    reference: str | None
    effects: Fit
    reasons: Mapping[str, str]
    contrast: Floats
    deviance: float | None = None
    df: int | None = None

    @property
    def se(self) -> Floats:
        """Standard errors of the difference from the reference (or from the mean)."""
        return np.sqrt(np.diag(self.covariance))

    def refit(self, weights: Floats) -> Floats:
        """Give abilities when units count anew.

        Parameters
        ----------
        weights : ndarray
            Shape (resamples, units).

        Returns
        -------
        ndarray
            Shape (resamples, items); nan for items without ability, and in rows of resamples that
            have no estimate.
        """
        own = self.contrast.any(axis=0)  # log δ of ties can be infinite
        drawn: Floats = self.effects.refit(weights)[:, own] @ self.contrast[:, own].T
        drawn[:, np.isnan(self.ability)] = np.nan
        return drawn

    def table(self) -> pl.DataFrame:
        """Columns `item`, `ability`, `se`, `quasi_se` (null where not estimable) and `reason`."""
        quasi = np.full(len(self.items), np.nan)
        known = np.isfinite(self.ability)
        if known.sum() > 2:
            quasi[known] = quasi_standard_errors(self.covariance[np.ix_(known, known)])
        return pl.DataFrame(
            {
                "item": self.items,
                "ability": self.ability,
                "se": self.se,
                "quasi_se": quasi,
                "reason": [reason(self.reasons, name) for name in self.items],
            }
        ).with_columns(pl.col("ability", "se", "quasi_se").fill_nan(None))


def quasi_standard_errors(covariance: Floats) -> Floats:
    """Standard errors that can be read as if the estimates were independent.

    The variance of the difference of any two estimates is about q_i² + q_j²: the q are those with
    least Σ (log(q_i² + q_j²) − log v_ij)² over all pairs, v_ij the pair's true variance (Firth &
    de Menezes 2004, "Quasi-variances", Biometrika 91, section 2.2). They do not depend on which
    item is the reference.

    Parameters
    ----------
    covariance : ndarray
        Shape (items, items), of at least three estimates.

    Returns
    -------
    ndarray
        Shape (items,); nan where a quasi-variance is negative, which is rare.

    Raises
    ------
    NotEstimableError
        For fewer than three items (two numbers cannot be had from one variance), or if the
        difference of two does not vary.
    """
    items = len(covariance)
    if items < 3:
        raise NotEstimableError("quasi-standard errors are", "they need at least three items")
    i, j = np.triu_indices(items, 1)
    variance = np.diag(covariance)
    goal = variance[i] + variance[j] - 2 * covariance[i, j]
    design = np.zeros((len(i), items))
    design[np.arange(len(i)), i] = design[np.arange(len(i)), j] = 1
    if goal.min() <= 1e-12 * goal.max():
        raise NotEstimableError("quasi-standard errors are", "the difference of two does not vary")
    scale = goal.mean()
    log_goal = np.log(goal / scale)
    # Weighted so, the linear problem is the first step of the one in logarithms.
    begin, *_ = np.linalg.lstsq(design / goal[:, None], np.ones(len(i)), rcond=None)
    low = (goal / scale).min() * 1e-6

    def sums(q: Floats) -> Floats:
        return np.asarray(np.maximum(design @ q, low))

    q = (
        scale
        * least_squares(
            lambda q: np.log(sums(q)) - log_goal,
            begin / scale,
            lambda q: design / sums(q)[:, None],
            xtol=1e-12,
            ftol=1e-14,
            gtol=1e-12,
        ).x
    )
    return np.sqrt(np.where(q < 0, np.nan, q))


def abilities_from_rankings(
    rankings: Rankings,
    take_apart: Callable[[Rankings, Floats], tuple[Choices, list[str]]],
    model: str,
    reference: str | None,
    adjust: Sequence[str],
) -> Abilities:
    """Fit abilities to rankings that `take_apart` makes into choices.

    Parameters
    ----------
    rankings : Rankings
        Whole rankings.
    take_apart : callable
        Makes choices of rankings and columns of covariates, and names columns that it adds.
    model : str
        Its name, for messages.
    reference : str or None
        The item whose ability is zero.
    adjust : sequence of str
        Dimensions of the rankings to be held constant.

    Returns
    -------
    Abilities
        Of the items that can be compared; the others have a reason.
    """
    require_order(rankings, model, "abilities")
    columns = [rankings.dimension(name) for name in adjust]
    first, second, _, order = rankings.pairs
    met = contact(rankings.code[first], rankings.code[second], order, rankings.items)
    kept = met.main[rankings.code]
    own = rankings.only(kept)
    x = np.column_stack([indicators(codes(own.item, rankings.items), met), own.scores[:, columns]])
    choices, ties = take_apart(own, x)
    # Units stay all rankings, so that whoever resamples these need not know which are used.
    unit = rankings.left(kept)[choices.unit]
    choices = replace(choices, unit=unit, units=len(rankings))
    names = [*met.names[1:], *adjust, *ties]
    fit = fit_choices(choices, names, model, "abilities", ties)
    return read_abilities(fit, met, reference)


def require_order(rankings: Rankings, model: str, what: str) -> None:
    """Refuse rankings in which everything is tied."""
    if not rankings.pairs.order.any():
        raise NotEstimableError(f"{model} {what} are", "all items of all rankings are tied")


def require_scores(rankings: Rankings, model: str) -> None:
    """Refuse rankings of which no dimension was read."""
    if not rankings.dimensions:
        raise HelpersError(f"{model} weights need rankings with scores; name their dimensions")


def indicators(code: Ints, met: Contact) -> Floats:
    """Columns of zeros and ones for all items that can be compared but the first.

    Parameters
    ----------
    code : ndarray of int
        Places among all items; items without contact must not be among them.
    met : Contact
        Which items can be compared.

    Returns
    -------
    ndarray
        Shape (rows, items that can be compared less one).
    """
    place = np.cumsum(met.main) - 1
    columns: Floats = np.eye(place[-1] + 1)[place[code]][:, 1:]
    return columns


def read_abilities(fit: Fit, met: Contact, reference: str | None) -> Abilities:
    """Read abilities off a fit whose first columns are `indicators`.

    Raises
    ------
    HelpersError
        If the reference is no item or has no ability.
    NotEstimableError
        If abilities cannot be told from covariates.
    """
    items, main = met.items, met.main
    blurred = [fit.reasons[name] for name in met.names if name in fit.reasons]
    if blurred:
        raise NotEstimableError(f"{fit.model} abilities are", "; ".join(dict.fromkeys(blurred)))
    if reference is not None and reference not in items:
        raise HelpersError(f"no item is called '{reference}'{did_you_mean(reference, items)}")
    if reference is not None and reference in met.reasons:
        raise HelpersError(f"'{reference}' cannot be the reference: {met.reasons[reference]}")
    inside = len(met.names) - 1
    contrast = np.zeros((len(items), len(fit.names)))
    contrast[np.flatnonzero(main)[1:], np.arange(inside)] = 1
    zero = contrast[main].mean(axis=0) if reference is None else contrast[items.index(reference)]
    contrast[main] -= zero
    part = contrast[:, :inside]
    covariance = part @ fit.covariance[:inside, :inside] @ part.T
    covariance[~main] = covariance[:, ~main] = np.nan
    return Abilities(
        items=items,
        ability=np.where(main, part @ fit.estimate[:inside], np.nan),
        covariance=covariance,
        reference=reference,
        effects=fit,
        reasons=met.reasons,
        contrast=contrast,
    )
