"""Intervals that hold together, for quantities that rest on evaluators and on cases.

Evaluators and cases are both samples of many, and crossed: so both are drawn with replacement, and
a judgement counts as often as its evaluator times as often as its case was drawn (Owen 2007,
*Annals of Applied Statistics* 1, 386–411). The draws give standard errors and correlations.

With few clusters, percentiles of such draws lie too close together: G clusters drawn with
replacement vary less than G new ones, by the factor √((G − 1)/G), and the standard error itself is
uncertain. So the intervals are estimate ± q · √(G/(G − 1)) · standard error, with G the number of
evaluators or of cases, whichever is smaller, and q the quantile of the largest |t| among all
quantities, under a multivariate t distribution with G − 1 degrees of freedom and the draws'
correlations (Hothorn, Bretz & Westfall 2008, *Biometrical Journal* 50, 346–363).
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from helpers.agreement import Estimate
from helpers.agreement.jackknife import Scale

Floats = NDArray[np.float64]

LEAST = 3  # clusters that an interval needs
FEWEST = 0.9  # of all resamples must have an estimate for an interval to mean anything
SIMULATED = 50_000  # draws of the largest |t|


def drawn(evaluators: int, cases: int, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Draw evaluators and cases with replacement, independently.

    Returns
    -------
    tuple of ndarray
        Shapes (resamples, evaluators) and (resamples, cases): how often each was drawn.
    """
    random = np.random.default_rng(seed)
    people, texts = (
        random.multinomial(n, np.full(n, 1 / n), size=resamples).astype(float)
        for n in (evaluators, cases)
    )
    return people, texts


def simultaneous(
    estimate: Floats,
    draws: Floats,
    clusters: int,
    confidence: float = 0.95,
    seed: int = 0,
    scale: Scale | None = None,
) -> list[Estimate]:
    """Intervals for several quantities at once.

    Parameters
    ----------
    estimate : ndarray
        Shape (quantities,), of all data; nan where there is none.
    draws : ndarray
        Shape (resamples, quantities); nan where a resample has no estimate.
    clusters : int
        Number of clusters drawn; of evaluators or of cases, the smaller, where both are.
    confidence : float
        Probability with which all intervals cover, about.
    seed : int
        Of the quantile's simulation.
    scale : Scale, optional
        Where intervals are symmetric, if not on that of the estimates.

    Returns
    -------
    list of Estimate
        For each quantity its interval or the reason why there is none; `used` is `clusters`.
        Quantities without interval do not widen those of the others.
    """
    reasons = [_obstacle(x, own, clusters, scale) for x, own in zip(estimate, draws.T, strict=True)]
    use = np.array([not reason for reason in reasons], dtype=bool)
    whole = draws[:, use][np.isfinite(draws[:, use]).all(axis=1)]
    if len(whole) < FEWEST * len(draws):
        reasons = [reason or "too many resamples lack one of the estimates" for reason in reasons]
        use[:] = False
    margin = np.full(len(estimate), np.nan)
    if use.any():
        margin[use] = whole.std(axis=0, ddof=1) * np.sqrt(clusters / (clusters - 1))
        margin[use] *= _largest_t(_correlations(whole), clusters - 1, confidence, seed)
    return [
        _estimate(float(x), float(reach), scale, reason, confidence=confidence, used=clusters)
        for x, reach, reason in zip(estimate, margin, reasons, strict=True)
    ]


def _estimate(
    value: float, margin: float, scale: Scale | None, reason: str, confidence: float, used: int
) -> Estimate:
    result = partial(Estimate, confidence=confidence, used=used, unit="clusters")
    if reason:
        return result(value=value if np.isfinite(value) else None, reason=reason)
    if scale is None:
        return result(value=value, low=value - margin, high=value + margin)
    centre, margin = scale.forward(value), margin * scale.slope(value)
    return result(value=value, low=scale.back(centre - margin), high=scale.back(centre + margin))


def _obstacle(value: float, draws: Floats, clusters: int, scale: Scale | None) -> str:
    """Why a quantity has no interval; empty if it has one."""
    if not np.isfinite(value):
        return "there is no rating of it"
    if clusters < LEAST:
        return f"there are fewer than {LEAST} evaluators or cases to draw"
    known = np.isfinite(draws)
    if known.sum() < max(2, FEWEST * len(draws)):
        return "more than a tenth of the resamples have no estimate"
    if np.ptp(draws[known]) < 1e-12:
        return "all resamples give the same"
    if scale and not scale.low < value < scale.high:
        return f"an estimate of {value:.3g} is at the end of its range"
    return ""


def _correlations(draws: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.corrcoef(draws.T).reshape(draws.shape[1], -1))


def _largest_t(correlations: Floats, df: int, confidence: float, seed: int) -> float:
    """Quantile of the largest |t| of a multivariate t distribution."""
    random = np.random.default_rng(seed)
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    normal = random.standard_normal((SIMULATED, len(values))) @ root.T
    spread = np.sqrt(random.chisquare(df, SIMULATED) / df)
    return float(np.quantile(np.abs(normal).max(axis=1) / spread, confidence))
