"""What a linear mixed model found, and how it is told."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from helpers import say
from helpers.agreement import Estimate
from helpers.estimates import cells, frame, note

Floats = NDArray[np.float64]
RESIDUAL = "residual"


@dataclass(frozen=True, kw_only=True)
class Contrast(Estimate):
    """A contrast of fixed effects: `value` is its estimate, `used` counts rows.

    Attributes
    ----------
    se, df, t, p : float or None
        Standard error, Satterthwaite's degrees of freedom, and the two-sided test.
    """

    se: float | None = None
    df: float | None = None
    t: float | None = None
    p: float | None = None


@dataclass(frozen=True)
class Joint:
    """A test that several contrasts are 0 together; all None, with a reason, where there is none.

    Attributes
    ----------
    f, df1, df2, p : float or None
        F, its degrees of freedom (the second by Satterthwaite), and its p-value.
    reason : str
        Why there is no test.
    """

    f: float | None = None
    df1: float | None = None
    df2: float | None = None
    p: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Mixed:
    """A fitted model, or the reason why there is none.

    Attributes
    ----------
    used, dropped : int
        Rows with and without a response.
    terms : mapping of str to int
        Random terms of the model, with their numbers of levels.
    left_out : mapping of str to str
        Terms asked for that the data cannot tell, with the reason.
    variances : mapping of str to Estimate
        Of each random term, and of the residual.
    covariance : ndarray
        Of the estimated variances, in their order.
    contrasts : mapping of str to Contrast
        As asked for.
    joint : mapping of str to Joint
        As asked for.
    criterion : float or None
        REML criterion, −2 times the restricted log-likelihood.
    converged : bool
        Whether the optimiser arrived; where lme4 doubts it, whether another one agrees.
    singular : tuple of str
        Terms whose variance was estimated as 0.
    said : tuple of str
        Warnings and messages of R.
    reason : str
        Why nothing was fitted; empty where something was.
    """

    used: int
    dropped: int
    terms: Mapping[str, int]
    left_out: Mapping[str, str]
    variances: Mapping[str, Estimate]
    covariance: Floats
    contrasts: Mapping[str, Contrast]
    joint: Mapping[str, Joint]
    criterion: float | None = None
    converged: bool = False
    singular: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    reason: str = ""

    def share(self, term: str) -> float | None:
        """Share of the total variance; None where nothing was fitted or the term was left out."""
        if self.reason or term not in self.variances:
            return None
        return float(self.variances[term]) / sum(map(float, self.variances.values()))


def ratio(model: Mixed, first: str, second: str, confidence: float = 0.95) -> Estimate:
    """Variance of one term over that of another, its interval symmetric on the log scale.

    Parameters
    ----------
    model : Mixed
        A fit.
    first, second : str
        Terms; `RESIDUAL` is one too.
    confidence : float
        Confidence level.

    Returns
    -------
    Estimate
        The ratio; or the reason why there is none, as where the second variance is 0.
    """
    result = partial(Estimate, used=model.used, dropped=model.dropped, confidence=confidence)
    names = list(model.variances)
    missing = [name for name in (first, second) if name not in names]
    if missing:
        why = model.left_out.get(missing[0], "not in the model")
        return result(reason=model.reason or f"{missing[0]}: {why}")
    over, under = model.variances[first], model.variances[second]
    if not float(under):
        return result(reason=f"the variance of {second} is estimated as 0")
    value = float(over) / float(under)
    vague = [
        name
        for name, v in ((first, over), (second, under))
        if name != RESIDUAL and not v.has_interval
    ]
    if vague:
        return result(value=value, reason=f"the variance of {vague[0]} has none")
    slope = np.zeros(len(names))
    slope[names.index(first)], slope[names.index(second)] = 1 / float(over), -1 / float(under)
    error = np.sqrt(slope @ model.covariance @ slope)
    margin = float(np.exp(stats.norm.ppf((1 + confidence) / 2) * error))
    return result(value=value, low=value / margin, high=value * margin)


def account(models: Mapping[str, Mixed]) -> pl.DataFrame:
    """What became of each model: rows, convergence, singularity, terms left out, R's words."""
    rows = [
        {
            "Model": name,
            "Rows used": model.used,
            "Rows dropped": model.dropped,
            "Converged": "–" if model.reason else "yes" if model.converged else "no",
            "Variance estimated as 0": "–" if model.reason else say.listing(list(model.singular)),
            "Terms left out": say.listing([f"{k} ({v})" for k, v in model.left_out.items()]),
            "What R said": f"not fitted: {model.reason}" if model.reason else _said(model),
        }
        for name, model in models.items()
    ]
    return pl.DataFrame(rows)


def _said(model: Mixed) -> str:
    return "; ".join(text.strip() for text in model.said) or "nothing"


def variance_table(model: Mixed) -> pl.DataFrame:
    """Each variance of a model with its interval and the number of groups."""
    if model.reason:
        return pl.DataFrame({"Note": [f"not estimable: {model.reason}"]})
    rows = [
        {"Term": name, "Groups": model.terms.get(name)}
        | cells(estimate, "Variance")
        | {"Note": note(estimate)}
        for name, estimate in model.variances.items()
    ]
    return frame(rows)
