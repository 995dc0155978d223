"""Whether the weights of the dimensions vary, in a rank-ordered logit.

The null model has one weight for each dimension and, so that what an analysis is worth beyond its
scores is not taken for a weight, an intercept for each analysis of each case. Weights of their own
for each case, kind of analyst or evaluator are then tested by their efficient scores at the null,

    s_i = ∂ log L_i / ∂γ − I_γβ I_ββ⁻¹ ∂ log L_i / ∂β,     T = Sᵀ I_γ·β⁺ S,  S = Σ_i s_i,

so that the larger model need not be fitted. T is held against the same with the signs of whole
clusters drawn at random (Kline & Santos 2012, "A score based approach to wild bootstrap
inference"), which lets the choices within a cluster depend on one another. For cases and kinds
clusters are evaluators. Evaluators themselves are compared by what their own rankings have in
common, so that for them clusters are rankings.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from helpers.choice.abilities import require_order
from helpers.choice.fit import ChoiceFit, fit_choices
from helpers.choice.logit import Floats, Slopes
from helpers.choice.rankings import Rankings, codes
from helpers.choice.sets import placewise
from helpers.mapping.data import Mapped
from helpers.multiplicity import holm
from helpers.not_estimable import NotEstimableError

CASE, KIND, EVALUATOR = "case", "kind of analyst", "evaluator"
FACTORS = (CASE, KIND, EVALUATOR)
MODEL = "rank-ordered logit"
FEWEST = 6  # clusters: 2⁵ ways to choose signs, up to all at once, can give a p below .05
DEPENDENT = 1e-8


@dataclass(frozen=True)
class ScoreTest:
    """One test of whether weights vary.

    Attributes
    ----------
    factor : str
        What they may vary with.
    intercepts : bool
        Whether the null model has an intercept for each analysis.
    statistic, df, p : float, int, float or None
        Of the test; none where it cannot be made.
    rankings, clusters : int
        What it rests on.
    reason : str
        Why it cannot be made, or what to know about it.
    """

    factor: str
    intercepts: bool
    statistic: float | None = None
    df: int | None = None
    p: float | None = None
    rankings: int = 0
    clusters: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Null:
    """The null model's derivatives by ranking, those of weights that vary by kind beside."""

    fit: ChoiceFit
    by_ranking: Slopes
    weights: NDArray[np.int64]  # columns of the dimensions' weights among the derivatives
    kinds: NDArray[np.int64]  # columns of weights by kind; empty without kinds
    intercepts: bool

    @property
    def base(self) -> NDArray[np.int64]:
        """Columns that the null model estimates."""
        return np.setdiff1d(np.arange(self.by_ranking.gradient.shape[1]), self.kinds)


def tests(mapped: Mapped, resamples: int, seed: int, intercepts: bool = True) -> list[ScoreTest]:
    """Test whether the weights vary with each of `FACTORS`.

    Parameters
    ----------
    mapped : Mapped
        Ranks and scores.
    resamples : int
        Draws of signs.
    seed : int
        Their seed.
    intercepts : bool
        Whether each analysis of each case has an intercept. Where there are too few rankings for
        them, or if this is False, the kinds of analysts have one instead.
    """
    try:
        null, remark = _null(mapped, intercepts)
    except NotEstimableError as error:
        return [ScoreTest(factor, intercepts, reason=error.reason) for factor in FACTORS]
    made = []
    for factor, test in _TESTS.items():
        try:
            statistic, df, p, clusters = test(mapped, null, resamples, seed)
            count = len(mapped.rankings)
            made.append(
                ScoreTest(factor, null.intercepts, statistic, df, p, count, clusters, remark)
            )
        except NotEstimableError as error:
            made.append(ScoreTest(factor, null.intercepts, reason=error.reason))
    return made


def adjusted(made: list[ScoreTest]) -> tuple[float | None, ...]:
    """p-values after Holm's adjustment over the tests that could be made."""
    return holm([test.p for test in made])


def weights_by(mapped: Mapped, factor: str) -> list[tuple[str, Rankings]]:
    """Rankings of each case, or of each kind of analyst alone, for weights of their own.

    Raises
    ------
    NotEstimableError
        If there are not two.
    """
    own = mapped.rankings
    if factor == KIND:
        label = np.where(mapped.physician == 1, "physician", "llm")
    else:
        label = own.case[own.ranking]
    names = list(dict.fromkeys(label.tolist()))
    return [(name, own.only(label == name)) for name in names]


def _null(mapped: Mapped, intercepts: bool) -> tuple[Null, str]:
    if not intercepts:
        return null_model(mapped, False), ""
    try:
        return null_model(mapped, True), ""
    except NotEstimableError as error:
        return null_model(mapped, False), f"without intercepts of analyses: {error.reason}"


def null_model(mapped: Mapped, intercepts: bool) -> Null:
    """The model with one weight for each dimension, and its derivatives.

    Parameters
    ----------
    mapped : Mapped
        Ranks and scores.
    intercepts : bool
        Whether each analysis of each case has an intercept; kinds of analysts have one if not.

    Raises
    ------
    NotEstimableError
        If it has no estimate.
    """
    rankings = mapped.rankings
    require_order(rankings, MODEL, "weights")
    try:
        physician = mapped.physician[:, None]
    except NotEstimableError:
        physician = np.empty((len(rankings.item), 0))
    control = _analyses(rankings) if intercepts else physician
    by_kind = rankings.scores * physician if physician.size else physician
    x = np.column_stack([rankings.scores, control])
    choices, ties = placewise(rankings, x)
    names = [*rankings.dimensions, *(f"intercept {k + 1}" for k in range(control.shape[1])), *ties]
    fit = fit_choices(choices, names, MODEL, "weights")
    # The same columns, then those by kind; terms for ties come last in both.
    whole, _ = placewise(rankings, np.column_stack([x, by_kind]))
    kinds = x.shape[1] + np.arange(by_kind.shape[1])
    tied = x.shape[1] + by_kind.shape[1] + np.arange(len(ties))
    kept = np.concatenate([np.arange(x.shape[1]), tied])[fit.free.kept]
    beta = np.zeros(whole.rows.shape[1])
    beta[kept] = fit.best.beta[0]
    used = np.concatenate([kept, kinds])
    slopes = whole.columns(used).by_unit(beta[used])
    dimensions = np.flatnonzero(kept < len(rankings.dimensions))
    return Null(fit, slopes, dimensions, len(kept) + np.arange(len(kinds)), intercepts)


def _analyses(rankings: Rankings) -> Floats:
    """A column for each analysis of each case but the first of the case."""
    label = np.char.add(np.char.add(rankings.case[rankings.ranking], "\n"), rankings.item)
    names, first = np.unique(label, return_index=True)
    cases = rankings.case[rankings.ranking][first]
    _, dropped = np.unique(cases, return_index=True)
    columns = np.eye(len(names))[codes(label, names.tolist())]
    return np.asarray(np.delete(columns, dropped, axis=1))


Found = tuple[float, int, float, int]


def _by_case(mapped: Mapped, null: Null, resamples: int, seed: int) -> Found:
    rankings = mapped.rankings
    return _grouped(null, rankings.case, rankings.evaluator, "case", "evaluator", resamples, seed)


def _by_evaluator(mapped: Mapped, null: Null, resamples: int, seed: int) -> Found:
    rankings = mapped.rankings
    if np.unique(rankings.evaluator, return_counts=True)[1].max() < 2:
        raise NotEstimableError("a difference is", "no evaluator ranked two cases")
    each = np.arange(len(rankings)).astype(str)
    return _grouped(null, rankings.evaluator, each, "evaluator", "ranking", resamples, seed)


def _by_kind(mapped: Mapped, null: Null, resamples: int, seed: int) -> Found:
    _ = mapped.physician  # says why there are no kinds
    gradient, information = null.by_ranking
    base, kinds = null.base, null.kinds
    code = _enough(mapped.rankings.evaluator, "evaluator")
    summed = _sum_by(information, code)
    return _score_test(
        _sum_by(gradient[:, kinds], code),
        _sum_by(gradient[:, base], code),
        information.sum(axis=0)[np.ix_(kinds, kinds)],
        summed[:, kinds][:, :, base],
        summed[:, base][:, :, base],
        resamples,
        seed,
    )


def _grouped(
    null: Null,
    group: NDArray[np.str_],
    cluster: NDArray[np.str_],
    what: str,
    who: str,
    resamples: int,
    seed: int,
) -> Found:
    """Test weights that differ between groups of rankings: each group's own are a block."""
    names, place = np.unique(group, return_inverse=True)
    if len(names) < 2:
        raise NotEstimableError("a difference is", f"there is one {what} only")
    code = _enough(cluster, who)
    gradient, information = null.by_ranking
    base, k = null.base, len(null.weights)
    own = information[:, null.weights]
    extra = np.zeros((code.max() + 1, len(names), k))
    np.add.at(extra, (code, place), gradient[:, null.weights])
    cross = np.zeros((code.max() + 1, len(names), k, len(base)))
    np.add.at(cross, (code, place), own[:, :, base])
    blocks = _sum_by(own[:, :, null.weights], place)
    return _score_test(
        extra.reshape(len(extra), -1),
        _sum_by(gradient[:, base], code),
        np.asarray(block_diag(*blocks)),
        cross.reshape(len(extra), len(names) * k, len(base)),
        _sum_by(information[:, base][:, :, base], code),
        resamples,
        seed,
    )


def _sum_by(values: Floats, code: NDArray[np.int64]) -> Floats:
    total = np.zeros((code.max() + 1, *values.shape[1:]))
    np.add.at(total, code, values)
    return total


def _enough(labels: NDArray[np.str_], what: str) -> NDArray[np.int64]:
    names, code = np.unique(labels, return_inverse=True)
    if len(names) < FEWEST:
        raise NotEstimableError(
            "a difference is", f"{FEWEST} {what}s are needed at least, there are {len(names)}"
        )
    return code


def _score_test(
    extra: Floats,
    base: Floats,
    own: Floats,
    cross: Floats,
    whole: Floats,
    resamples: int,
    seed: int,
) -> Found:
    """The statistic, its degrees of freedom, p, and the number of clusters.

    Gradients of the extra and of the base columns and the informations `cross` and `whole` are by
    cluster. The null's estimate follows each cluster, which makes scores vary less than they would
    at the truth, by D_c I⁻¹ D_cᵀ with D_c = I_γβ,c − I_γβ I_ββ⁻¹ I_ββ,c. That much is drawn beside.
    """
    total = whole.sum(axis=0)
    share = np.linalg.solve(total, cross.sum(axis=0).T).T
    values, vectors = np.linalg.eigh(own - share @ cross.sum(axis=0).T)
    seen = values > DEPENDENT * max(values.max(), 1)
    if not seen.any():
        raise NotEstimableError("a difference is", "no dimension differs enough within groups")
    root = vectors[:, seen] / np.sqrt(values[seen])
    by_cluster = (extra - base @ share.T) @ root
    statistic = float((by_cluster.sum(axis=0) ** 2).sum())
    # Products of whole tables side by side, since products cluster by cluster take far longer.
    p = len(total)
    follows = share @ whole.swapaxes(0, 1).reshape(p, -1)
    steep = cross.swapaxes(0, 1).reshape(len(share), -1) - follows
    taken = steep.reshape(-1, p) @ np.linalg.inv(np.linalg.cholesky(total)).T
    taken = taken.reshape(len(share), -1)
    size, direction = np.linalg.eigh(root.T @ (taken @ taken.T) @ root)
    beside = direction * np.sqrt(np.maximum(size, 0))
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], size=(resamples, len(by_cluster)))
    noise = rng.standard_normal((resamples, len(size))) @ beside.T
    drawn = ((signs @ by_cluster + noise) ** 2).sum(axis=1)
    extreme = int((drawn >= statistic * (1 - DEPENDENT)).sum())
    return statistic, int(seen.sum()), (1 + extreme) / (1 + resamples), len(by_cluster)


_TESTS: dict[str, Callable[[Mapped, Null, int, int], Found]] = {
    CASE: _by_case,
    KIND: _by_kind,
    EVALUATOR: _by_evaluator,
}
