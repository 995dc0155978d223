"""LOESS as in R, interpolated between points, with what it spends of the data.

Cleveland and Devlin (1988), *Journal of the American Statistical Association* 83, 596–610, and
Cleveland (1979), the same journal 74, 829–836, for the older lowess. Without
robust iterations the fit is linear in the outcomes, ŷ = H y, and traces of H say how far it bends
to them; with robust iterations they are of the fit before these.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from skmisc.loess import loess as fitted_loess
from statsmodels.nonparametric.smoothers_lowess import lowess as fitted_lowess

from helpers import say
from helpers.benchmark.association import EDGE
from helpers.benchmark.fit import Fit
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError

Floats = NDArray[np.float64]


def loess(x: ArrayLike, y: ArrayLike, span: float = 0.7, degree: int = 1, robust: int = 0) -> Fit:
    """Smooth y over x.

    Parameters
    ----------
    x, y : array_like
        Shape (n,).
    span : float
        Share of the points that have weight in each local fit.
    degree : int
        Of the local polynomials: 0, 1 or 2.
    robust : int
        Further fits that give far-off points less weight; 0 for least squares.

    Returns
    -------
    Fit
        Its predictions are nan beyond the points.

    Raises
    ------
    HelpersError
        If a setting has no meaning.
    NotEstimableError
        If a local fit has too few points apart from each other.
    """
    check(span, degree, robust)
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(x) < 3 or int(len(x) * span + 1e-5) < degree + 1:
        raise NotEstimableError("the smoother is", _reason(len(x), span, degree))
    try:
        model = _robust(x, y, span, degree, robust)
        values = np.asarray(model.outputs.fitted_values, dtype=float)
        found = bool(np.isfinite(values).all())
    except ValueError:
        found = False
    if not found:
        raise NotEstimableError("the smoother is", _reason(len(x), span, degree))

    def predict(new: Floats) -> Floats:
        inside = (new >= x.min()) & (new <= x.max())
        values = np.full(len(new), np.nan)
        if inside.any():
            values[inside] = model.predict(new[inside]).values
        return values

    def smooth() -> Floats:
        every = (_model(x, unit, np.ones(len(x)), span, degree) for unit in np.eye(len(x)))
        return np.column_stack([own.outputs.fitted_values for own in every])

    return Fit("LOESS", y, values, predict, smooth)


def lowess(x: ArrayLike, y: ArrayLike, frac: float = 0.7, robust: int = 3) -> Fit:
    """Smooth y over x by statsmodels' function, whose argument for the span is called `frac`.

    It is Cleveland's (1979) first method: degree one, and a fit of its own at each place. Without
    robust iterations and for up to seven points it is the same as `loess`, which interpolates
    between fewer places for more. Where points lose all weight it keeps to those that are left.

    Parameters
    ----------
    x, y : array_like
        Shape (n,).
    frac : float
        Share of the points that have weight in each local fit.
    robust : int
        Further fits that give far-off points less weight; three if the function is not told.

    Returns
    -------
    Fit
        Its predictions go on beyond the points.

    Raises
    ------
    HelpersError
        If a setting has no meaning.
    NotEstimableError
        If a local fit has too few points apart from each other.
    """
    check(frac, 1, robust)
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)

    def values(outcome: Floats, iterations: int) -> Floats:
        if len(x) < 3 or int(len(x) * frac + 1e-10) < 2:
            raise NotEstimableError("the smoother is", _reason(len(x), frac, 1))
        found = fitted_lowess(outcome, x, frac=frac, it=iterations, return_sorted=False)
        if not np.isfinite(found).all():
            raise NotEstimableError("the smoother is", _reason(len(x), frac, 1))
        return np.asarray(found, dtype=float)

    fitted = values(y, robust)

    def predict(new: Floats) -> Floats:
        return np.asarray(fitted_lowess(y, x, frac=frac, it=robust, xvals=new), dtype=float)

    def smooth() -> Floats:
        return np.column_stack([values(unit, 0) for unit in np.eye(len(x))])

    return Fit("lowess", y, fitted, predict, smooth)


def check(span: float, degree: int, robust: int) -> None:
    """Refuse settings that have no meaning.

    Raises
    ------
    HelpersError
        Naming the setting.
    """
    if not 0 < span <= 1:
        raise HelpersError(f"span {span:g}: expected a share above 0 and up to 1")
    if degree not in (0, 1, 2):
        raise HelpersError(f"degree {degree}: expected 0, 1 or 2")
    if robust < 0:
        raise HelpersError(f"robust {robust}: expected a number of iterations, 0 for none")


def _robust(x: Floats, y: Floats, span: float, degree: int, iterations: int) -> Any:  # noqa: ANN401
    """Fit once, and again as often as asked with weights by the residuals of the fit before.

    The library's own iterations are not used: they number one more than R's and write past the end
    of an array of fewer than seven points.
    """
    weights = np.ones(len(x))
    model = _model(x, y, weights, span, degree)
    for _ in range(iterations):
        size = np.abs(y - model.outputs.fitted_values)
        limit = 6 * float(np.median(size))
        if limit <= EDGE * float(np.ptp(y)):
            break
        weights = np.where(size < limit, (1 - np.minimum(size / limit, 1) ** 2) ** 2, 0)
        weights[size <= 0.001 * limit] = 1
        weights[size > 0.999 * limit] = 0
        model = _model(x, y, weights, span, degree)
    return model


def _model(x: Floats, y: Floats, weights: Floats, span: float, degree: int) -> Any:  # noqa: ANN401
    model = fitted_loess(
        x,
        y,
        weights=weights,
        span=span,
        degree=degree,
        family="gaussian",
        surface="interpolate" if degree else "direct",  # it cannot interpolate constants
        statistics="exact",
    )
    model.fit()
    return model


def _reason(n: int, span: float, degree: int) -> str:
    return (
        f"too few distinct points near each other for LOESS of degree {degree} "
        f"(span {say.number(span, 2)} of {say.count(n, 'point')})"
    )
