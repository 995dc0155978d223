"""A fitted model: what was estimated, how well it was found, and how to read it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import polars as pl
from scipy import stats

from helpers.clmm import thresholds as structures
from helpers.clmm.arrays import Floats
from helpers.clmm.design import Design
from helpers.clmm.links import RESIDUAL_VARIANCE
from helpers.clmm.problem import Problem
from helpers.errors import HelpersError


@dataclass(frozen=True, repr=False, eq=False)
class Clmm:
    """A cumulative link mixed model, fitted by either engine.

    Attributes
    ----------
    link, threshold, engine : str
        What was asked for.
    design : Design
        The data as fitted.
    coefficients : pandas.Series of float
        Fixed effects by name; nan for those that are not estimable.
    threshold_parameters : pandas.Series of float
        α by name; the thresholds themselves when they are flexible.
    variances : pandas.Series of float
        Variances of the random terms by name; exactly 0 at the boundary.
    root : pandas.DataFrame of float
        A root R of the covariance matrix RRᵀ of threshold parameters, coefficients and the random
        terms' standard deviations, those at the boundary left out; nan where the Hessian is not
        positive definite.
    loglik : float
        Log-likelihood, by Laplace's approximation.
    converged : bool
        Whether this is a maximum: gradient near 0, Hessian positive definite, all finite, and the
        likelihood falling off from every variance at zero.
    gradient : float
        Largest absolute derivative of the log-likelihood by a parameter in `helpers.clmm.problem`'s
        units (native), or in the data's (r).
    condition : float
        Ratio of the extreme eigenvalues of the Hessian, in the same units.
    boundary : mapping of str to float
        Variances that are 0, with the slope of the log-likelihood there; not positive at a maximum.
    notes : tuple of str
        What a reader must know about the data and the fit.
    said : tuple of str
        What R said while it fitted, word for word.
    problem : Problem
        The likelihood that was maximised.
    parameters : ndarray of float
        Where its maximum is, in its own units.
    curvature : ndarray of float
        Negative Hessian there, with rows and columns of 0 for variances at the boundary.
    """

    link: str
    threshold: str
    engine: str
    design: Design
    coefficients: "pd.Series[float]"
    threshold_parameters: "pd.Series[float]"
    variances: "pd.Series[float]"
    root: pd.DataFrame
    loglik: float
    converged: bool
    gradient: float
    condition: float
    boundary: Mapping[str, float]
    notes: tuple[str, ...]
    said: tuple[str, ...]
    problem: Problem
    parameters: Floats
    curvature: Floats

    def __repr__(self) -> str:
        state = "converged" if self.converged else "NOT CONVERGED"
        return f"Clmm({self.design.formula.text}; log-likelihood {self.loglik:.4f}; {state})"

    def __str__(self) -> str:
        return self.summary()

    @property
    def thresholds(self) -> "pd.Series[float]":
        """The K − 1 thresholds θ, named "1|2", "2|3" and so on."""
        values = self.problem.matrix @ self.threshold_parameters.to_numpy()
        return pd.Series(values, structures.names(self.design.categories), name="threshold")

    @property
    def estimates(self) -> "pd.Series[float]":
        """Threshold parameters, estimable coefficients and standard deviations in one vector."""
        sd = (self.variances**0.5).set_axis([sd_name(term) for term in self.variances.index])
        slopes = self.coefficients[self.design.predictors]
        return pd.concat([self.threshold_parameters, slopes, sd])

    @property
    def parameter_names(self) -> list[str]:
        """Names of `estimates`."""
        return list(self.estimates.index)

    @cached_property
    def deviations(self) -> "pd.Series[float]":
        """Standard errors of `estimates`, without those at the boundary."""
        return pd.Series(_lengths(self.root.to_numpy()), self.root.index)

    @property
    def covariance(self) -> pd.DataFrame:
        """Covariance matrix of `estimates`, without those at the boundary."""
        return self.root @ self.root.T

    @property
    def standard_errors(self) -> "pd.Series[float]":
        """Standard errors of thresholds, threshold parameters and coefficients by name."""
        alpha = list(self.threshold_parameters.index)
        theta = self.problem.matrix @ self.root.loc[alpha].to_numpy()
        named = pd.Series(_lengths(theta), self.thresholds.index)
        ties = [name for name in alpha if name not in named.index]
        rest = self.deviations.reindex([*ties, *self.coefficients.index])
        return pd.concat([named, rest]).rename("std_error")

    @property
    def sd_errors(self) -> "pd.Series[float]":
        """Standard errors of the random terms' standard deviations; nan at the boundary."""
        names = [sd_name(term) for term in self.variances.index]
        return self.deviations.reindex(names).set_axis(self.variances.index)

    @property
    def shares(self) -> "pd.Series[float]":
        """Each random term's share of the latent variance, and the residual's.

        The residual is the link's own: π²/3 (logit), 1 (probit), π²/6 (cloglog, loglog); a Cauchy
        variable has no variance, and all shares are nan. A random slope counts with the mean
        square of its covariate (Johnson 2014).
        """
        size = (self.design.covariates**2).mean(axis=0)
        parts = pd.concat([self.variances * size, pd.Series({"residual": self._residual})])
        share: pd.Series[float] = parts / parts.sum(skipna=False)
        return share

    @property
    def _residual(self) -> float:
        return RESIDUAL_VARIANCE[self.link]

    @property
    def df(self) -> int:
        """Number of estimated parameters; variances at the boundary do not count."""
        return len(self.root)

    @property
    def observations(self) -> float:
        """Sum of the weights, the number of ratings where there are none."""
        return float(self.design.weights.sum())

    @property
    def aic(self) -> float:
        """Akaike's information criterion."""
        return 2 * self.df - 2 * self.loglik

    @property
    def bic(self) -> float:
        """Schwarz's information criterion."""
        return self.df * math.log(self.observations) - 2 * self.loglik

    def table(self, level: float = 0.95) -> pl.DataFrame:
        """Coefficients with standard errors, z, p and Wald intervals.

        Parameters
        ----------
        level : float
            Coverage of the intervals.

        Returns
        -------
        polars.DataFrame
            A row per coefficient: term, estimate, std_error, z, p, lower, upper.

        Raises
        ------
        HelpersError
            For a level that is not between 0 and 1.
        """
        require_level(level)
        estimate = self.coefficients.to_numpy(dtype=float)
        error = self.standard_errors[self.coefficients.index].to_numpy(dtype=float)
        reach = stats.norm.ppf((1 + level) / 2) * error
        with np.errstate(invalid="ignore", divide="ignore"):
            z = estimate / error
        return pl.DataFrame(
            {
                "term": list(self.coefficients.index),
                "estimate": estimate,
                "std_error": error,
                "z": z,
                "p": 2 * stats.norm.sf(np.abs(z)),
                "lower": estimate - reach,
                "upper": estimate + reach,
            },
            schema_overrides={"term": pl.String},
        )

    def variance_table(self) -> pl.DataFrame:
        """Random terms with levels, variance, standard deviation, its error, share and slope.

        Returns
        -------
        polars.DataFrame
            A row per random term and one for the residual: term, levels, variance, sd, sd_error,
            share, slope (of the log-likelihood, where the variance is 0).
        """
        terms = list(self.variances.index)
        blank: list[float | None] = [None]
        return pl.DataFrame(
            {
                "term": [*terms, "residual"],
                "levels": [*map(len, self.design.labels), None],
                "variance": [*self.variances, self._residual],
                "sd": [*np.sqrt(self.variances), math.sqrt(self._residual)],
                "sd_error": [*self.sd_errors.fillna(np.nan), *blank],
                "share": list(self.shares),
                "slope": [*(self.boundary.get(term) for term in terms), *blank],
            },
            schema_overrides={"levels": pl.Int64, "slope": pl.Float64, "sd_error": pl.Float64},
        )

    def summary(self) -> str:
        """The fit in words and figures, as a statistician reads it off a terminal."""
        from helpers.clmm.summary import summary

        return summary(self)


def require_level(level: float) -> None:
    """Refuse a coverage that is not between 0 and 1, such as 95."""
    if not 0 < level < 1:
        raise HelpersError(f"level {level}: expected a number between 0 and 1, such as 0.95")


def _lengths(rows: Floats) -> Floats:
    """Euclidean lengths of rows, of numbers whose squares may be out of range."""
    return np.asarray(np.hypot.reduce(rows, axis=1, initial=0.0), dtype=np.float64)


def sd_name(term: str) -> str:
    """Name of a random term's standard deviation among the parameters."""
    return f"sd({term})"
