"""Fit a cumulative link mixed model.

A rating y_i in one of K ordered categories is taken for a cut of a latent quantity,

    P(y_i ≤ k | u) = F(θ_k − x_iᵀβ − Σ_t z_it σ_t u_t[i]),   θ_1 < … < θ_{K−1},   u ~ N(0, I),

with F the link's distribution function (`helpers.clmm.links`), θ thresholds that may be tied
(`thresholds`), β fixed effects, and one random effect per level of every random term t (z = 1 for
random intercepts). A positive slope moves ratings up the scale. The random effects are integrated
out by Laplace's approximation (`laplace`); the maximum is found by quasi-Newton steps (`optimise`);
variances may be zero (`boundary`). Cauchy's log-density is not concave, so that with the link
cauchit the approximation can fail, and the result then says that it did not converge. Sources:
McCullagh 1980; Tutz & Hennevogl 1996; Christensen's vignettes of the R package ordinal, whose
estimates these are.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from helpers.clmm import boundary, formula, separation, start
from helpers.clmm.arrays import Floats
from helpers.clmm.describe import describe
from helpers.clmm.design import Design, Table, design
from helpers.clmm.links import LINKS
from helpers.clmm.optimise import CLOSE, Climb, climb, negative_hessian
from helpers.clmm.problem import Problem, problem
from helpers.clmm.result import Clmm
from helpers.clmm.thresholds import STRUCTURES, structure
from helpers.errors import HelpersError, did_you_mean

ENGINES = ("native", "r")
Link = Literal["logit", "probit", "cloglog", "loglog", "cauchit"]
Threshold = Literal["flexible", "symmetric", "equidistant"]
Engine = Literal["native", "r"]

FLAT = 1e-2  # least curvature, in standardised units, that needs no check for separation


def clmm(
    text: str,
    data: Table,
    link: Link = "logit",
    threshold: Threshold = "flexible",
    engine: Engine = "native",
    weights: str | ArrayLike | None = None,
) -> Clmm:
    """Fit a cumulative link mixed model by maximum likelihood (Laplace).

    Parameters
    ----------
    text : str
        For example "rating ~ temp + contact + (1 | judge)"; see `helpers.clmm.formula`.
    data : polars or pandas DataFrame, or mapping of columns
        A row per rating. Ratings are numbers or a categorical column with its categories in order.
    link : str
        "logit", "probit", "cloglog", "loglog" or "cauchit".
    threshold : str
        "flexible", "symmetric" or "equidistant".
    engine : str
        "native", or "r" for R's ordinal::clmm.
    weights : str, array_like or None
        Column, or a number per row: how often each rating counts.

    Returns
    -------
    Clmm
        The estimates. `converged` and `notes` say how far to trust them.

    Raises
    ------
    HelpersError
        For input that the model cannot be fitted to.

    Examples
    --------
    >>> fit = clmm("rating ~ temp + contact + (1 | judge)", wine)  # doctest: +SKIP
    >>> fit.coefficients["tempwarm"]  # doctest: +SKIP
    3.063
    """
    for name, value, known in (
        ("link", link, LINKS), ("threshold", threshold, STRUCTURES), ("engine", engine, ENGINES),
    ):  # fmt: skip
        if value not in known:
            expected = ", ".join(known)
            raise HelpersError(
                f"{name} '{value}': expected one of {expected}" + did_you_mean(value, known)
            )
    read = design(formula.parse(text), data, weights, spaced=threshold != "flexible")
    return fit_design(read, link, threshold, engine)


def fit_design(read: Design, link: str, threshold: str, engine: str = "native") -> Clmm:
    """Fit the model to data that were read already.

    Parameters
    ----------
    read : Design
        The data.
    link, threshold, engine : str
        As for `clmm`.

    Raises
    ------
    HelpersError
        If predictors separate the categories.
    """
    likelihood = problem(read, link, threshold)
    plain = start.without_random_terms(likelihood)
    _refuse_separation(read, likelihood, plain, threshold)
    if engine == "r":
        from helpers.clmm.by_r import fit_by_r  # starts R

        return fit_by_r(read, likelihood, link, threshold)
    found, hessian = polished(likelihood, maximise(likelihood, plain))
    return describe(
        read, likelihood, link, threshold, engine, found.point, hessian, found.decrement < CLOSE
    )


def maximise(likelihood: Problem, plain: Climb, sd: float = start.SD) -> Climb:
    """The maximum of the likelihood, found from a start with all standard deviations at `sd`."""
    parameters, curvature = start.with_random_terms(likelihood, plain, sd)
    first = likelihood.evaluate(parameters, np.zeros(likelihood.laplace.count))
    everything = np.ones(len(parameters), dtype=bool)
    found = climb(likelihood.evaluate, first, curvature, everything)
    return boundary.positive(likelihood, boundary.settle(likelihood, found, curvature))


def polished(likelihood: Problem, found: Climb) -> tuple[Climb, Floats]:
    """The Hessian at a maximum, after a Newton step with it where that gains anything.

    Returns
    -------
    tuple
        The climb with its exact Newton decrement, and the negative Hessian, with rows and columns
        of 0 for variances at the boundary.
    """
    free = found.point.parameters != 0
    free[: likelihood.fixed] = True
    inner = np.ix_(free, free)
    for _ in range(3):
        scale = np.diag(found.curvature)
        hessian = negative_hessian(likelihood.evaluate, found.point, scale, free)
        step = np.zeros(len(free))
        step[free] = np.linalg.lstsq(hessian[inner], found.point.gradient[free], rcond=None)[0]
        found = replace(found, decrement=abs(float(step @ found.point.gradient)))
        if found.decrement < CLOSE:
            break
        trial = likelihood.evaluate(found.point.parameters + step, found.point.mode)
        if not trial.loglik > found.point.loglik:
            break
        found = replace(found, point=trial)
    return found, hessian


def _refuse_separation(read: Design, likelihood: Problem, plain: Climb, threshold: str) -> None:
    """Stop where predictors separate the categories; a finite maximum shows that they don't."""
    if plain.decrement < CLOSE and np.linalg.eigvalsh(plain.curvature)[0] > FLAT:
        return
    names = [*structure(threshold, read.categories)[1], *read.predictors]
    without = separation.separating(likelihood, names)
    if without:
        raise HelpersError(
            f"complete separation by {', '.join(without)}: the fit only gets better as the slope "
            "grows without end, so that there is no estimate; leave it out, or join categories"
        )
