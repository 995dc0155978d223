"""The parametric bootstrap: new ratings from a fitted model, and the model fitted to them.

Random effects are drawn anew for each sample. A refit starts from the truth of its sample and from
the curvature there, which makes it several times as fast as a first fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
from numpy.random import Generator, default_rng
from tqdm import tqdm

from helpers.clmm import boundary
from helpers.clmm.arrays import Floats, Ints
from helpers.clmm.links import LINKS
from helpers.clmm.optimise import CLOSE, Climb, climb
from helpers.clmm.problem import QUANTILES, Problem, to_reported
from helpers.clmm.result import Clmm
from helpers.errors import HelpersError

RESTART = 0.15  # where standard deviations start that are zero in the model simulated from
RESTART_CURVATURE = 50.0


@dataclass(frozen=True)
class Bootstrap:
    """Estimates from simulated samples.

    Attributes
    ----------
    estimates : polars.DataFrame
        A row per sample; columns are threshold parameters, coefficients, and "sd(term)".
    failed : int
        Samples left out, because a category did not occur in them or no maximum was found.
    """

    estimates: pl.DataFrame
    failed: int


def simulated_ratings(problem: Problem, parameters: Floats, rng: Generator) -> Ints:
    """Categories drawn from a model, with random effects drawn anew.

    Parameters
    ----------
    problem : Problem
        The model.
    parameters : ndarray of float
        Its truth, in its own units.
    rng : numpy.random.Generator
        Where randomness comes from.
    """
    laplace = problem.laplace
    link = LINKS[laplace.link]
    psi, sd = parameters[: problem.fixed], parameters[problem.fixed :]
    alpha = problem.matrix.shape[1]
    effects = rng.standard_normal(laplace.count)[laplace.effects]
    eta = problem.x @ psi[alpha:] + (laplace.covariates * sd * effects).sum(axis=1)
    latent = eta + QUANTILES[link](rng.uniform(size=len(eta)))
    return np.asarray(np.searchsorted(problem.matrix @ psi[:alpha], latent), dtype=np.int64)


def refit(problem: Problem, y: Ints, parameters: Floats, curvature: Floats) -> Climb | None:
    """Fit a model to simulated ratings.

    Parameters
    ----------
    problem : Problem
        The model; its own ratings do not matter.
    y : ndarray of int
        The simulated ratings.
    parameters, curvature : ndarray of float
        Where to start, and the negative Hessian there, as in a `Clmm`.

    Returns
    -------
    Climb or None
        The maximum; None where there is none to be found.
    """
    if len(np.unique(y)) < len(problem.matrix) + 1:
        return None
    zero = parameters == 0
    zero[: problem.fixed] = False
    start = np.where(zero, RESTART, parameters)
    guess = curvature + np.diag(np.where(zero, RESTART_CURVATURE, 0.0))
    new = problem.with_ratings(y)
    new.laplace.forget()
    point = new.evaluate(start, np.zeros(new.laplace.count))
    if not np.isfinite(point.loglik):
        return None
    found = climb(new.evaluate, point, guess, np.ones(len(start), dtype=bool))
    found = boundary.positive(new, boundary.settle(new, found, guess))
    return found if found.decrement < CLOSE else None


def samples(fit: Clmm, resamples: int, seed: int, progress: str | None) -> Iterator[Ints]:
    """Yield simulated ratings, with a progress bar on a terminal if there is a title for it."""
    if resamples < 1:
        raise HelpersError(f"resamples {resamples}: expected at least 1")
    if not (fit.design.weights == 1).all():
        raise HelpersError(
            "the parametric bootstrap draws one rating per row and cannot use weights: "
            "repeat rows instead"
        )
    if not (fit.deviations.notna().all() and fit.converged):
        raise HelpersError("the parametric bootstrap needs a fit that converged")
    streams = np.random.SeedSequence(seed).spawn(resamples)  # each sample's own, whatever the order
    silent = True if progress is None else None  # None: only where there is a terminal
    for stream in tqdm(streams, desc=progress, unit="fit", disable=silent):
        yield simulated_ratings(fit.problem, fit.parameters, default_rng(stream))


def bootstrap(fit: Clmm, resamples: int = 500, seed: int = 1, progress: bool = True) -> Bootstrap:
    """Refit `fit`'s model to ratings simulated from it.

    Parameters
    ----------
    fit : Clmm
        A fitted model, without weights.
    resamples : int
        Number of samples.
    seed : int
        Seed; samples are the same whatever their number.
    progress : bool
        Whether to show a progress bar (on terminals only).

    Raises
    ------
    HelpersError
        If the model has weights or did not converge, or there are to be no samples.
    """
    change = to_reported(fit.design, fit.problem.matrix)
    rows = []
    for y in samples(fit, resamples, seed, "bootstrap" if progress else None):
        found = refit(fit.problem, y, fit.parameters, fit.curvature)
        if found is not None:
            rows.append(change @ found.point.parameters)
    table = pd.DataFrame(rows, columns=fit.parameter_names)
    return Bootstrap(pl.from_pandas(table), resamples - len(rows))
