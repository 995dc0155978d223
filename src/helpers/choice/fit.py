"""From choices to coefficients: what can be estimated, its covariance, and refits of resamples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from helpers.choice.estimable import free_columns, listed, separated
from helpers.choice.logit import Choices, Floats, Maximum, maximise
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError


@dataclass(frozen=True)
class Fit:
    """Coefficients of a model of choices.

    Attributes
    ----------
    model : str
        Its name.
    names : tuple of str
        Names of the coefficients: covariates, then log δ of ties where there are any.
    estimate : ndarray
        Shape (names,); nan where `reasons` says why there is none.
    covariance : ndarray
        Inverse of the information, nan likewise. It takes choices for independent, which pairs
        out of one ranking and rankings by one evaluator are not: see `clustered`, or resample.
    solution : ndarray
        Shape (names,), finite: predicts as well as any coefficients do. It differs from `estimate`
        only where columns depend on one another.
    loglik, null_loglik : float
        Log-likelihood, and the same with all coefficients zero.
    units : int
        Number of units (rankings).
    reasons : mapping of str to str
        Why a coefficient is not estimable.
    refit : callable
        Takes weights of shape (resamples, units) and gives coefficients of shape (resamples,
        names); rows of nan for resamples that have no estimate.
    scores : callable
        Gives the gradient of the log-likelihood at the estimate by unit, shape (units, names).
    """

    model: str
    names: tuple[str, ...]
    estimate: Floats
    covariance: Floats
    solution: Floats
    loglik: float
    null_loglik: float
    units: int
    reasons: Mapping[str, str]
    refit: Callable[[Floats], Floats]
    scores: Callable[[], Floats]

    @property
    def se(self) -> Floats:
        """Standard errors that take choices for independent."""
        return np.sqrt(np.diag(self.covariance))

    def clustered(self, labels: ArrayLike) -> Floats:
        """Covariance that lets the choices of a cluster depend on one another.

        The sandwich of Liang & Zeger (1986) with the factor G/(G − 1) for G clusters.

        Parameters
        ----------
        labels : array_like
            The cluster of each unit, such as its evaluator.

        Returns
        -------
        ndarray
            Shape (names, names).

        Raises
        ------
        NotEstimableError
            If there are not more clusters than coefficients.
        """
        names, cluster = np.unique(np.asarray(labels), return_inverse=True)
        known = np.flatnonzero(np.isfinite(self.estimate))
        if len(names) <= len(known):
            raise NotEstimableError(
                "clustered standard errors are",
                f"{len(names)} clusters for {len(known)} coefficients",
            )
        total = np.zeros((len(names), len(self.names)))
        np.add.at(total, cluster, self.scores())
        sandwich = self.covariance[np.ix_(known, known)] @ total[:, known].T
        result = np.full_like(self.covariance, np.nan)
        result[np.ix_(known, known)] = sandwich @ sandwich.T * len(names) / (len(names) - 1)
        return result

    def table(self) -> pl.DataFrame:
        """Columns `name`, `estimate`, `se` (null where not estimable) and `reason`."""
        return pl.DataFrame(
            {
                "name": self.names,
                "estimate": self.estimate,
                "se": self.se,
                "reason": [
                    f"not estimable: {self.reasons[name]}" if name in self.reasons else ""
                    for name in self.names
                ],
            }
        ).with_columns(pl.col("estimate", "se").fill_nan(None))


def fit_choices(choices: Choices, names: Sequence[str], model: str, what: str) -> Fit:
    """Fit a conditional logit, or say what is not estimable.

    Parameters
    ----------
    choices : Choices
        The choices.
    names : sequence of str
        Names of their columns.
    model, what : str
        What the model and its coefficients are called in messages, such as "Plackett–Luce" and
        "weights".

    Returns
    -------
    Fit
        With a reason for each column that has no coefficient of its own.

    Raises
    ------
    NotEstimableError
        If no coefficient has an estimate: no choices, nothing differs, or separation.
    """
    subject = f"{model} {what} are"
    if not len(choices.rows):
        raise NotEstimableError(subject, "no two items were put in order")
    free = free_columns(choices, names)
    if not len(free.kept):
        told = "; ".join(f"'{name}' {reason}" for name, reason in free.reasons.items())
        raise NotEstimableError(subject, told)
    kept = choices.columns(free.kept)
    best = maximise(kept)
    if not best.found[0]:
        _explain(kept, [names[k] for k in free.kept], subject)
    own = np.array([name not in free.reasons for name in names])
    covariance = np.full((len(names), len(names)), np.nan)
    inside = own[free.kept]
    covariance[np.ix_(own, own)] = np.linalg.inv(best.information[0])[np.ix_(inside, inside)]
    solution = np.zeros(len(names))
    solution[free.kept] = best.beta[0]

    def refit(weights: Floats) -> Floats:
        found = maximise(kept, weights, best.beta[0])
        result = np.zeros((len(weights), len(names)))
        result[:, free.kept] = found.beta
        result[~found.found] = np.nan
        return result

    def scores() -> Floats:
        result = np.zeros((choices.units, len(names)))
        result[:, free.kept] = kept.by_unit(best.beta[0]).gradient
        return result

    return Fit(
        model=model,
        names=tuple(names),
        estimate=np.where(own, solution, np.nan),
        covariance=covariance,
        solution=solution,
        loglik=_loglik(best),
        null_loglik=choices.null_loglik(),
        units=choices.units,
        reasons=free.reasons,
        refit=refit,
        scores=scores,
    )


def _loglik(best: Maximum) -> float:
    return float(best.loglik[0])


def _explain(choices: Choices, names: Sequence[str], subject: str) -> None:
    """Say why Newton's method found no maximum."""
    runaway = separated(choices, names)
    if not runaway:
        raise HelpersError(f"{subject} not found: Newton's method did not settle")
    raise NotEstimableError(
        subject,
        f"{listed(runaway, 10)} separate{'s' if len(runaway) == 1 else ''} the choices: no choice "
        "speaks against larger and larger coefficients, so that none fits best; more data or "
        "fewer coefficients are needed",
    )
