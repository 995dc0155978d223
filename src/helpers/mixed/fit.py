"""Linear mixed models with crossed random intercepts, fitted by R's lme4, tested by lmerTest.

    y = Xβ + Σ_t b_t[group] + e,   b_t ~ N(0, σ²_t),   e ~ N(0, σ²)

by restricted maximum likelihood (Bates et al. 2015, *Journal of Statistical Software* 67(1)).
Contrasts of β are tested with Satterthwaite's degrees of freedom (Kuznetsova, Brockhoff &
Christensen 2017, *Journal of Statistical Software* 82(13)). A variance v with standard error s,
both from the curvature of the likelihood, has the interval of a χ² on 2v²/s² degrees of freedom
(Satterthwaite 1946, *Biometrics Bulletin* 2, 110–114). A variance counts as 0 where setting it to 0
costs the restricted likelihood nothing; it has no interval.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from helpers import r, say
from helpers.agreement import Estimate
from helpers.errors import HelpersError
from helpers.mixed.result import RESIDUAL, Contrast, Floats, Joint, Mixed

LEAST_DF = 1.0  # of a variance's χ²; below, its interval would say nothing
NOTHING = 1e-9  # share of the variance below which a residual is one by rounding alone
NEAR = "less than its standard error from 0"

_FIT = """
function(y, x, groups, contrasts, joint, level) {
  data <- data.frame(y = y, x, lapply(groups, factor))
  bars <- sprintf("(1 | %s)", names(groups))
  model <- as.formula(paste("y ~ 0 +", paste(c(colnames(data)[1 + seq_len(ncol(x))], bars),
                                             collapse = " + ")))
  control <- lme4::lmerControl(optCtrl = list(xtol_abs = 1e-9, ftol_abs = 1e-9, maxeval = 1e4))
  fit <- lme4::lmer(model, data, control = control)
  tested <- lmerTest::as_lmerModLmerTest(fit)
  theta <- lme4::getME(fit, "theta"); sigma <- sigma(fit)
  criterion <- lme4::lmer(model, data, control = control, devFunOnly = TRUE)
  free <- sapply(seq_along(theta), function(i)  # optimisers stop a little short of a boundary
    criterion(replace(theta, i, 0)) < criterion(theta) + 1e-4)
  slopes <- rbind(cbind(diag(2 * sigma^2 * theta, length(theta)), 2 * sigma * theta^2),
                  c(numeric(length(theta)), 2 * sigma))  # of the variances in (theta, sigma)
  alone <- do.call(rbind, lapply(seq_len(nrow(contrasts)), function(i)
    unlist(lmerTest::contest1D(tested, contrasts[i, ], confint = TRUE, level = level))))
  together <- do.call(rbind, lapply(joint, function(rows)
    unlist(lmerTest::contestMD(tested, rows)[c("F value", "NumDF", "DenDF", "Pr(>F)")])))
  said <- unlist(fit@optinfo$conv$lme4$messages)
  complaints <- said[!grepl("singular", said)]
  agreed <- !length(complaints) || {  # lme4 warns too often: ask another optimiser
    again <- suppressWarnings(update(fit, control = lme4::lmerControl(optimizer = "bobyqa")))
    abs(lme4::REMLcrit(again) - lme4::REMLcrit(fit)) < 1e-3
  }
  list(terms = names(lme4::getME(fit, "flist"))[attr(lme4::getME(fit, "flist"), "assign")],
       variances = c((sigma * theta)^2, sigma^2), zero = free,
       covariance = slopes %*% tested@vcov_varpar %*% t(slopes), alone = alone,
       together = together, criterion = lme4::REMLcrit(fit),
       converged = fit@optinfo$conv$opt == 0 && agreed)
}
"""


def fit(
    y: Floats,
    x: Floats,
    groups: Mapping[str, Sequence[str]],
    contrasts: Mapping[str, Floats] | None = None,
    joint: Mapping[str, Sequence[str]] | None = None,
    confidence: float = 0.95,
) -> Mixed:
    """Fit a linear mixed model with a random intercept for each grouping.

    Parameters
    ----------
    y : ndarray
        Responses; rows with nan are dropped and counted.
    x : ndarray
        Shape (rows, effects), the fixed part, with its constant if there is to be one.
    groups : mapping of str to sequence of str
        For each random term the group of each row.
    contrasts : mapping of str to ndarray, optional
        For each name the weights of the effects.
    joint : mapping of str to sequence of str, optional
        Names of contrasts to be tested together.
    confidence : float
        Confidence level of the intervals.

    Returns
    -------
    Mixed
        The fit. Terms that have one level, a level for each row, or the same groups as an earlier
        term are left out and named; without any term, or without anything to explain, there is a
        reason in its place, as where R gives up.

    Raises
    ------
    HelpersError
        If R or lmerTest is missing.
    """
    kept = np.isfinite(y)
    y, x = y[kept], x[kept]
    codes = {name: _codes(labels, kept) for name, labels in groups.items()}
    left_out = _left_out(codes, len(y))
    terms = {name: int(c.max()) + 1 for name, c in codes.items() if name not in left_out}
    asked, together = dict(contrasts or {}), dict(joint or {})

    def without(reason: str) -> Mixed:
        none = {name: Contrast(reason=reason) for name in asked}
        return Mixed(
            len(y), int((~kept).sum()), terms, left_out, {}, np.empty((0, 0)), none,
            {name: Joint(reason=reason) for name in together}, reason=reason,
        )  # fmt: skip

    reason = _obstacle(y, x, {name: codes[name] for name in terms})
    if reason:
        return without(reason)
    names = list(asked)
    r.require("lmerTest")
    try:
        answer = r.call(
            _FIT,
            y=y,
            x=x,
            groups=pl.DataFrame({f"g{i}": codes[name].astype(str) for i, name in enumerate(terms)}),
            contrasts=np.array([asked[name] for name in names]).reshape(len(names), x.shape[1]),
            joint={k: np.array([asked[name] for name in v]) for k, v in together.items()},
            level=confidence,
        )
    except HelpersError as error:  # data that no optimiser can fit are no reason to stop a book
        return without(str(error))
    found = answer.value
    if found["variances"][-1] < NOTHING * y.var():
        return without("the groupings account for every score, which leaves nothing for the error")
    order = [*(list(terms)[int(name[1:])] for name in found["terms"]), RESIDUAL]
    variances = _variances(order, found, len(y), confidence)
    return Mixed(
        used=len(y),
        dropped=int((~kept).sum()),
        terms=terms,
        left_out=left_out,
        variances=variances,
        covariance=found["covariance"],
        contrasts={
            name: _contrast(row, len(y), confidence)
            for name, row in zip(names, _rows(found["alone"]), strict=True)
        },
        joint={
            name: _joint(row) for name, row in zip(together, _rows(found["together"]), strict=True)
        },
        criterion=float(found["criterion"][0]),
        converged=bool(found["converged"][0]),
        singular=_singular(order, found),
        said=(*answer.warnings, *answer.messages),
    )


def refused(reason: str) -> Mixed:
    """No model, for a reason found before there was anything to fit."""
    return Mixed(0, 0, {}, {}, {}, np.empty((0, 0)), {}, {}, reason=reason)


def _codes(labels: Sequence[str], kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Groups as numbers, in order of appearance: equal groups have equal numbers."""
    present = np.asarray(labels, dtype=object)[kept]
    order: dict[Any, int] = {}
    return np.array([order.setdefault(label, len(order)) for label in present], dtype=np.int64)


def _left_out(codes: Mapping[str, NDArray[np.int64]], rows: int) -> dict[str, str]:
    """Why each term that cannot be told from the rest cannot be."""
    reasons: dict[str, str] = {}
    for name, code in codes.items():
        earlier = [k for k in codes if k not in reasons][: list(codes).index(name)]
        same = next((k for k in earlier if k != name and np.array_equal(codes[k], code)), None)
        levels = len(np.unique(code))
        if levels < 2:
            reasons[name] = "one level" if levels else "no rows"
        elif levels == rows:
            reasons[name] = "a level for each row"
        elif same is not None:
            reasons[name] = f"the same groups as {same}"
    return reasons


def _obstacle(y: Floats, x: Floats, terms: Mapping[str, NDArray[np.int64]]) -> str:
    if not len(y):
        return "no scores"
    if np.ptp(y) == 0:
        return f"every score is {y[0]:g}"
    if not terms:
        return "no grouping with several levels and several rows in each"
    alone = next((name for name, code in terms.items() if not _varies_within(y, code)), None)
    if alone:
        return f"all scores of the same {alone.replace(':', ' and ')} are equal"
    if np.linalg.matrix_rank(x) < x.shape[1]:
        return "the data do not tell the effects apart"
    if len(y) <= x.shape[1] + len(terms):
        return f"{say.count(len(y), 'row')} for {x.shape[1] + len(terms) + 1} parameters"
    return ""


def _varies_within(y: Floats, code: NDArray[np.int64]) -> bool:
    """Whether some group holds different values."""
    first = np.empty(code.max() + 1)
    first[code] = y
    return bool((y != first[code]).any())


def _rows(table: Any) -> Floats:  # noqa: ANN401
    return np.empty((0, 0)) if table is None else np.atleast_2d(table)


def _variances(
    order: Sequence[str], found: Mapping[str, Any], used: int, confidence: float
) -> dict[str, Estimate]:
    """Each variance with its interval."""
    result = partial(Estimate, used=used, confidence=confidence)
    errors = np.sqrt(np.diag(found["covariance"]))
    tails = [(1 + confidence) / 2, (1 - confidence) / 2]
    variances = {}
    for name, value, error in zip(order, found["variances"].tolist(), errors, strict=True):
        df = 2 * (value / error) ** 2 if error else 0.0
        if name in _singular(order, found):
            variances[name] = result(value=0.0, reason="at the boundary")
        elif df < LEAST_DF:
            variances[name] = result(value=value, reason=NEAR)
        else:
            low, high = (df * value / stats.chi2.ppf(tails, df)).tolist()
            variances[name] = result(value=value, low=low, high=high)
    return variances


def _singular(order: Sequence[str], found: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name, zero in zip(order, found["zero"], strict=False) if zero)


def _contrast(row: Floats, used: int, confidence: float) -> Contrast:
    """From what contest1D returns: estimate, error, df, t, limits, p."""
    if not np.isfinite(row).all():
        return Contrast(reason="R gives no degrees of freedom", used=used)
    value, se, df, t, low, high, p = map(float, row)
    return Contrast(
        value=value, low=low, high=high, se=se, df=df, t=t, p=p, used=used, confidence=confidence
    )


def _joint(row: Floats) -> Joint:
    if not np.isfinite(row).all():
        return Joint(reason="R gives no degrees of freedom")
    f, df1, df2, p = map(float, row)
    return Joint(f=f, df1=df1, df2=df2, p=p)
