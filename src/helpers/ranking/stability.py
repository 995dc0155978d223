"""Whether one analyst's mean ranks vary more from case to case than another's.

Both have a mean rank in each case, so that their variances over cases are compared in pairs: with
F the ratio of the two variances and r the correlation of the mean ranks over n cases,

    t = (F − 1) √(n − 2) / (2 √(F (1 − r²)))

has Student's t distribution with n − 2 degrees of freedom if the true variances are equal, and the
ratios that it does not reject are between F (K − √(K² − 1)) and F (K + √(K² − 1)), where
K = 1 + 2 (1 − r²) t²/(n − 2) at t's quantile (Pitman 1939, *Biometrika* 31, 9–12; Morgan 1939,
*Biometrika* 31, 13–19). It takes mean ranks for normal over cases; resampling a variance of so few
cases would take it for too small and too certain. Evaluators' disagreement adds to both variances
and draws their ratio towards one.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from scipy import stats

from helpers import estimates
from helpers.agreement import Estimate
from helpers.multiplicity import holm
from helpers.ranking.table import Floats, Ranks


@dataclass(frozen=True, kw_only=True)
class VarianceRatio(Estimate):
    """A ratio of two variances of paired numbers.

    Attributes
    ----------
    first, second : float or None
        The two standard deviations.
    p : float or None
        Two-sided p-value of equal variances.
    """

    first: float | None = None
    second: float | None = None
    p: float | None = None


def variance_ratio(first: Floats, second: Floats, confidence: float = 0.95) -> VarianceRatio:
    """Compare the variances of two columns of paired numbers by Pitman and Morgan's test.

    Parameters
    ----------
    first, second : ndarray
        Shape (cases,); cases with a gap (nan) in either are dropped and counted.
    confidence : float
        Confidence level of the ratio's interval.

    Returns
    -------
    VarianceRatio
        Variance of `first` over that of `second`, or the reason why there is none.
    """
    both = np.isfinite(first) & np.isfinite(second)
    x, y = first[both], second[both]
    n = len(x)
    result = partial(
        VarianceRatio, confidence=confidence, used=n, dropped=len(both) - n, unit="cases"
    )
    if n < 3:
        return result(reason=f"{n} shared {'case' if n == 1 else 'cases'}; at least 3 are needed")
    deviations = x.std(ddof=1), y.std(ddof=1)
    if min(deviations) < 1e-9:
        return result(reason="mean ranks do not vary over cases")
    ratio, r = float((deviations[0] / deviations[1]) ** 2), float(np.corrcoef(x, y)[0, 1])
    result = partial(result, value=ratio, first=float(deviations[0]), second=float(deviations[1]))
    if 1 - r**2 < 1e-9:
        return result(reason="the mean ranks of the two go together without error")
    t = (ratio - 1) * np.sqrt(n - 2) / (2 * np.sqrt(ratio * (1 - r**2)))
    k = 1 + 2 * (1 - r**2) * stats.t.ppf((1 + confidence) / 2, n - 2) ** 2 / (n - 2)
    reach = k + np.sqrt(k**2 - 1)
    return result(
        low=float(ratio / reach), high=float(ratio * reach), p=float(2 * stats.t.sf(abs(t), n - 2))
    )


@dataclass(frozen=True)
class Contrast:
    """How much more a level's mean ranks vary over cases than a language model's."""

    llm: str
    ratio: VarianceRatio
    p_holm: float | None


def against_llms(
    ranks: Ranks, level: str, llms: list[str], confidence: float = 0.95
) -> list[Contrast]:
    """Compare the variance of a level's mean ranks over cases with that of each language model.

    Parameters
    ----------
    ranks : Ranks
        Whole rankings.
    level : str
        A level of physicians.
    llms : list of str
        Language models, by name.
    confidence : float
        With which the intervals hold together (Bonferroni).

    Returns
    -------
    list of Contrast
        In the order of `llms`; p-values are adjusted over them.
    """
    physicians = ranks.levels_by_case([level])[:, 0]
    each = 1 - (1 - confidence) / max(1, len(llms))
    found = [
        variance_ratio(physicians, ranks.by_case[:, ranks.analysts.index(llm)], each)
        for llm in llms
    ]
    adjusted = holm([ratio.p for ratio in found])
    return [Contrast(*own) for own in zip(llms, found, adjusted, strict=True)]


def table(contrasts: list[Contrast], level: str) -> pl.DataFrame:
    """The comparisons as a table."""
    rows = [
        {
            "LLM": contrast.llm,
            f"SD of {level}": contrast.ratio.first,
            "SD of LLM": contrast.ratio.second,
            **estimates.cells(contrast.ratio, "Ratio of variances"),
            "p": contrast.ratio.p,
            "p (Holm)": contrast.p_holm,
            "Cases": contrast.ratio.used,
            estimates.NOTE: estimates.note(contrast.ratio),
        }
        for contrast in contrasts
    ]
    return estimates.frame(rows)
