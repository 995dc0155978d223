"""Likelihood-ratio tests of random terms.

A variance cannot be negative, so where it is 0 the likelihood ratio does not follow χ² with one
degree of freedom. If all others are interior it is 0 half of the time and χ²₁ otherwise (Self &
Liang 1987), in large samples with many levels; nine analysts are not many. The reference is
therefore the parametric bootstrap: ratings simulated without the term, fitted with it and without.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from scipy import stats

from helpers.clmm.arrays import Ints
from helpers.clmm.bootstrap import refit, samples
from helpers.clmm.design import Design
from helpers.clmm.fit import fit_design
from helpers.clmm.result import Clmm
from helpers.errors import HelpersError, did_you_mean

NOTHING = 1e-6  # a likelihood ratio that is only rounding


def without(read: Design, term: str) -> Design:
    """The same data for a model without a random term."""
    kept = [t for t, name in enumerate(read.terms) if name != term]
    return replace(
        read,
        formula=replace(read.formula, terms=tuple(read.formula.terms[t] for t in kept)),
        levels=[read.levels[t] for t in kept],
        labels=[read.labels[t] for t in kept],
        covariates=read.covariates[:, kept],
    )


def random_term_tests(
    fit: Clmm,
    terms: Sequence[str] | None = None,
    resamples: int = 500,
    seed: int = 1,
    progress: bool = True,
) -> pl.DataFrame:
    """Test each random term by leaving it out.

    Parameters
    ----------
    fit : Clmm
        The model with all terms.
    terms : sequence of str or None
        Which terms; all if None.
    resamples : int
        Bootstrap samples by term; 0 for none.
    seed : int
        Seed of the bootstrap.
    progress : bool
        Whether to show progress bars (on terminals only).

    Returns
    -------
    polars.DataFrame
        A row per term: term, loglik_without, lr, p_mixture (null where another variance is 0, for
        the mixture does not hold there), p_bootstrap, resamples (those that could be fitted). A
        likelihood ratio of 0 has p 1 and needs no samples. All but the term are null where the
        model without it did not converge.

    Raises
    ------
    HelpersError
        If a term is not in the model, or the model did not converge.
    """
    if not fit.converged:
        raise HelpersError("tests of random terms need a fit that converged")
    chosen = list(fit.design.terms if terms is None else terms)
    for term in chosen:
        if term not in fit.design.terms:
            raise HelpersError(f"no random term '{term}'" + did_you_mean(term, fit.design.terms))
    return pl.DataFrame(
        [_test(fit, term, resamples, seed, progress) for term in chosen],
        schema={
            "term": pl.String,
            "loglik_without": pl.Float64,
            "lr": pl.Float64,
            "p_mixture": pl.Float64,
            "p_bootstrap": pl.Float64,
            "resamples": pl.Int64,
        },
    )


def _test(
    fit: Clmm, term: str, resamples: int, seed: int, progress: bool
) -> dict[str, str | float | None]:
    null = fit_design(without(fit.design, term), fit.link, fit.threshold)
    if not null.converged:
        return {"term": term, "resamples": 0}
    lr = max(2 * (fit.loglik - null.loglik), 0.0)
    if lr <= NOTHING:  # no likelihood ratio is smaller, whatever its distribution
        return {"term": term, "loglik_without": null.loglik, "lr": lr, "p_mixture": 1.0,
                "p_bootstrap": 1.0 if resamples else None, "resamples": 0}  # fmt: skip
    interior = not null.boundary and not set(fit.boundary) - {term}
    simulated = []
    title = f"test of {term}" if progress else None
    for y in samples(null, resamples, seed, title) if resamples else ():
        ratio = _simulated_ratio(fit, null, term, y)
        if ratio is not None:
            simulated.append(ratio)
    extreme = sum(ratio >= lr - NOTHING for ratio in simulated)
    return {
        "term": term,
        "loglik_without": null.loglik,
        "lr": lr,
        "p_mixture": 0.5 * float(stats.chi2.sf(lr, 1)) if interior else None,
        "p_bootstrap": (1 + extreme) / (1 + len(simulated)) if simulated else None,
        "resamples": len(simulated),
    }


def _simulated_ratio(fit: Clmm, null: Clmm, term: str, y: Ints) -> float | None:
    """Likelihood ratio in a sample that was simulated without the term."""
    place = fit.problem.fixed + fit.design.terms.index(term)
    rest = np.delete(np.arange(len(fit.parameters)), place)
    parameters = np.zeros(len(fit.parameters))
    parameters[rest] = null.parameters
    curvature = np.zeros_like(fit.curvature)
    curvature[np.ix_(rest, rest)] = null.curvature
    smaller = refit(null.problem, y, null.parameters, null.curvature)
    larger = refit(fit.problem, y, parameters, curvature)
    if smaller is None or larger is None:
        return None
    return 2 * (larger.point.loglik - smaller.point.loglik)
