"""From choices to coefficients: what can be estimated, its covariance, and refits of resamples."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from helpers import say
from helpers.choice.estimable import Free, free_columns, listed, separated
from helpers.choice.logit import Choices, Floats, Ints, Maximum, maximise
from helpers.choice.sets import ties_by_unit, without_ties
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError


@dataclass(frozen=True)
class Fit(ABC):
    """Coefficients of a model of rankings or contests.

    Attributes
    ----------
    model : str
        Its name.
    names : tuple of str
        Names of the coefficients: covariates, then log δ of ties where there are any.
    solution : ndarray
        Shape (names,), coefficients that predict best. Where columns depend on one another they
        are one choice out of many; see `estimate`.
    reasons : mapping of str to str
        Why a coefficient is not estimable.
    """

    model: str
    names: tuple[str, ...]
    solution: Floats
    reasons: Mapping[str, str]

    @cached_property
    def estimate(self) -> Floats:
        """Coefficients, shape (names,); nan where `reasons` says why there is none."""
        return np.where([name in self.reasons for name in self.names], np.nan, self.solution)

    @property
    @abstractmethod
    def covariance(self) -> Floats:
        """Covariance of the estimate, nan likewise.

        It takes choices for independent, which pairs out of one ranking and rankings by one
        evaluator are not: see `clustered`, or resample.
        """

    @property
    @abstractmethod
    def loglik(self) -> float:
        """Log-likelihood."""

    @property
    @abstractmethod
    def null_loglik(self) -> float:
        """Log-likelihood with all coefficients zero."""

    @property
    @abstractmethod
    def units(self) -> int:
        """Number of units: rankings or contests."""

    def refit(self, weights: Floats) -> Floats:
        """Fit anew when units count otherwise.

        Parameters
        ----------
        weights : ndarray
            Shape (resamples, units).

        Returns
        -------
        ndarray
            Shape (resamples, names), as `solution`; rows of nan for resamples without estimate. In
            resamples without ties of some size their log δ is −∞, and the rest is estimated.
        """
        weights = np.asarray(weights, dtype=float)
        if weights.ndim != 2 or weights.shape[1] != self.units:
            shape = " × ".join(map(str, weights.shape))
            raise HelpersError(f"{self.model}: weights of {self.units} units expected, got {shape}")
        return self._refit(weights)

    @abstractmethod
    def _refit(self, weights: Floats) -> Floats: ...

    @abstractmethod
    def scores(self) -> Floats:
        """Gradient of the log-likelihood at the estimate by unit, shape (units, names)."""

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
        clusters, cluster = np.unique(np.asarray(labels), return_inverse=True)
        known = np.flatnonzero(np.isfinite(self.estimate))
        count = len(clusters)
        if count <= len(known):
            told = f"{say.count(count, 'cluster')} for {say.count(len(known), 'coefficient')}"
            raise NotEstimableError("clustered standard errors are", told)
        total = np.zeros((count, len(self.names)))
        np.add.at(total, cluster, self.scores())
        sandwich = self.covariance[np.ix_(known, known)] @ total[:, known].T
        result = np.full_like(self.covariance, np.nan)
        result[np.ix_(known, known)] = sandwich @ sandwich.T * count / (count - 1)
        return result

    def table(self) -> pl.DataFrame:
        """Columns `name`, `estimate`, `se` (null where not estimable) and `reason`."""
        return pl.DataFrame(
            {
                "name": self.names,
                "estimate": self.estimate,
                "se": self.se,
                "reason": [reason(self.reasons, name) for name in self.names],
            }
        ).with_columns(pl.col("estimate", "se").fill_nan(None))


@dataclass(frozen=True)
class ChoiceFit(Fit):
    """Coefficients of a conditional logit.

    Attributes
    ----------
    choices : Choices
        What was fitted, columns that depend on others left out.
    free : Free
        Place of its columns among `names`.
    best : Maximum
        Where its log-likelihood is highest.
    tied : ndarray of int
        Which of its columns stand for ties.
    """

    choices: Choices
    free: Free
    best: Maximum
    tied: Ints

    @cached_property
    def covariance(self) -> Floats:
        """Inverse of the information; nan where there is no estimate."""
        inverse = np.asarray(np.linalg.inv(self.best.information[0]))
        return spread_out(inverse, self.free.kept, self.estimate)

    @cached_property
    def loglik(self) -> float:
        """Log-likelihood."""
        return float(self.choices.loglik(self.best.beta, self.choices.weight[None])[0])

    @property
    def null_loglik(self) -> float:
        """Log-likelihood when all alternatives are equally likely."""
        return self.choices.null_loglik()

    @property
    def units(self) -> int:
        """Number of units: rankings or contests."""
        return self.choices.units

    def _refit(self, weights: Floats) -> Floats:
        result = np.empty((len(weights), len(self.names)))
        met = weights @ ties_by_unit(self.choices, self.tied) > 0
        for sizes in np.unique(met, axis=0):
            own = (met == sizes).all(axis=1)
            result[own] = self._refit_without(self.tied[~sizes], weights[own])
        return result

    def _refit_without(self, absent: Ints, weights: Floats) -> Floats:
        """Fit anew where no tie of some sizes, by column, counts: their δ is 0."""
        choices = without_ties(self.choices, absent) if absent.size else self.choices
        result = np.zeros((len(weights), len(self.names)))
        if not len(choices.rows):
            return np.full_like(result, np.nan)
        found = maximise(choices, weights, np.delete(self.best.beta[0], absent))
        result[:, np.delete(self.free.kept, absent)] = found.beta
        result[:, self.free.kept[absent]] = -np.inf
        result[~found.found] = np.nan
        return result

    def scores(self) -> Floats:
        """Gradient of the log-likelihood at the estimate by unit, shape (units, names)."""
        result = np.zeros((self.choices.units, len(self.names)))
        result[:, self.free.kept] = self.choices.by_unit(self.best.beta[0]).gradient
        return result


def fit_choices(
    choices: Choices, names: Sequence[str], model: str, what: str, ties: Sequence[str] = ()
) -> ChoiceFit:
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
    ties : sequence of str
        Names of the last columns, as far as they stand for ties.

    Returns
    -------
    ChoiceFit
        With a reason for each column that has no coefficient of its own.

    Raises
    ------
    NotEstimableError
        If no coefficient has an estimate: no choices, nothing differs, or separation.
    """
    subject = f"{model} {what} are"
    if not len(choices.rows):
        raise NotEstimableError(subject, "no two items were put in order")
    free = Free(np.arange(len(names)), {})
    best = maximise(choices)
    if not best.found[0]:
        free = free_columns(choices, names)
        if not len(free.kept):
            raise NotEstimableError(subject, told(free.reasons))
        choices = choices.columns(free.kept)
        best = maximise(choices)
    if not best.found[0]:
        _refuse_runaways(choices, [names[k] for k in free.kept], subject)
    if not best.settled[0]:
        raise NotEstimableError(subject, "Newton's method did not settle")
    solution = np.zeros(len(names))
    solution[free.kept] = best.beta[0]
    tied = np.flatnonzero(free.kept >= len(names) - len(ties))
    return ChoiceFit(model, tuple(names), solution, free.reasons, choices, free, best, tied)


def reason(reasons: Mapping[str, str], name: str) -> str:
    """Why something is not estimable, as tables say it; empty if it is."""
    return f"not estimable: {reasons[name]}" if name in reasons else ""


def told(reasons: Mapping[str, str]) -> str:
    """All reasons in one sentence."""
    return "; ".join(f"'{name}' {text}" for name, text in reasons.items())


def spread_out(covariance: Floats, kept: Ints, estimate: Floats) -> Floats:
    """Covariance of all coefficients from that of those kept; nan where there is no estimate."""
    result = np.full((len(estimate), len(estimate)), np.nan)
    result[np.ix_(kept, kept)] = covariance
    result[np.isnan(estimate)] = np.nan
    result[:, np.isnan(estimate)] = np.nan
    return result


def _refuse_runaways(choices: Choices, names: Sequence[str], subject: str) -> None:
    runaway = separated(choices, names)
    if runaway:
        raise NotEstimableError(
            subject,
            f"{listed(runaway, 10)} separate{'s' if len(runaway) == 1 else ''} the choices: no "
            "choice speaks against larger and larger coefficients, so that none fits best; more "
            "data or fewer coefficients are needed",
        )
