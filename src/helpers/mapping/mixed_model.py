"""The paper's cumulative link mixed model of ranks, and those that stand beside it.

    rank ~ dimensions + (1 | evaluator) + (1 | case) + (1 | analyst) + their three pairs

A dimension that goes with better ranks has a negative slope, for rank 1 is the best.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from scipy import stats

from helpers import plackett_luce, say
from helpers.clmm import Clmm, clmm, random_term_tests
from helpers.clmm.fit import Link
from helpers.errors import HelpersError
from helpers.mapping import varying
from helpers.mapping.data import SCORE, Mapped
from helpers.not_estimable import NotEstimableError

TERMS = (
    "evaluator",
    "case",
    "analyst",
    "evaluator:case",
    "case:analyst",
    "evaluator:analyst",
)
LINKS: tuple[Link, ...] = ("probit", "cloglog", "loglog", "cauchit")
SLOPES = ("case", "analyst", "evaluator")
FEWER = "without evaluators of all cases"
FIXED = "rank-ordered logit with a fixed intercept of each analysis"
NOTHING = 1e-6  # a likelihood ratio that is only rounding


@dataclass(frozen=True)
class Decomposed:
    """The mixed model of a study.

    Attributes
    ----------
    mapped : Mapped
        Ranks and scores.
    """

    mapped: Mapped

    @cached_property
    def left_out(self) -> dict[str, str]:
        """Random terms that the study leaves no room for, and why."""
        frame = self.mapped.frame
        seen: dict[bytes, str] = {}
        reasons: dict[str, str] = {}
        for term in TERMS:
            levels = _partition(frame, term)
            count = int(levels.max()) + 1
            if count < 2:
                reasons[term] = "there is one level only"
            elif count == frame.height:
                reasons[term] = "each row is a level of its own"
            elif levels.tobytes() in seen:
                reasons[term] = f"has the same levels as {seen[levels.tobytes()]}"
            else:
                seen[levels.tobytes()] = term
        return reasons

    @property
    def terms(self) -> tuple[str, ...]:
        """Random terms that can be in the model."""
        return tuple(term for term in TERMS if term not in self.left_out)

    @cached_property
    def fit(self) -> Clmm:
        """The model with all of `terms`.

        Raises
        ------
        NotEstimableError
            If the data do not allow it; kept, so that nothing is fitted twice.
        """
        return self.fitted(self.terms)

    @property
    def settled(self) -> Clmm:
        """The same, refused where no maximum was found."""
        if not self.fit.converged:
            told = "; ".join(map(self.named, self.fit.notes))
            raise NotEstimableError("the mixed model is", f"it did not converge ({told})")
        return self.fit

    def fitted(self, terms: Sequence[str], link: Link = "logit", slope: str = "") -> Clmm:
        """The model with some random terms, another link, or a random slope of the score.

        Parameters
        ----------
        terms : sequence of str
            Random intercepts.
        link : str
            As for `helpers.clmm.clmm`.
        slope : str
            What the slope of `SCORE` may vary with.

        Raises
        ------
        NotEstimableError
            If it cannot be fitted to these data.
        """
        parts = [*self.mapped.labels, *(f"(1 | {term})" for term in terms)]
        parts += [f"(0 + {SCORE} | {slope})"] if slope else []
        try:
            return clmm(f"rank ~ {' + '.join(parts)}", self.mapped.frame, link=link)
        except HelpersError as error:
            raise NotEstimableError("the mixed model is", self.named(str(error))) from None

    def named(self, text: str) -> str:
        """A message with the dimensions' labels for their columns, without the formula."""
        text = text.split("': ", 1)[-1] if text.startswith("formula '") else text
        for column in sorted(self.mapped.labels, key=len, reverse=True):
            text = text.replace(column, self.mapped.labels[column])
        return text


@dataclass(frozen=True)
class Variant:
    """A model beside the paper's, or why it cannot be had.

    Attributes
    ----------
    name : str
        What is different.
    shares : mapping of str to float
        Each dimension's slope in per cent of the sum of all, by label.
    rows, loglik, parameters : int, float, int or None
        What it was fitted to and how well.
    state : str
        Whether it converged, and variances at zero; or "not estimable: …".
    """

    name: str
    shares: dict[str, float]
    rows: int | None = None
    loglik: float | None = None
    parameters: int | None = None
    state: str = ""


def random_intercepts(found: Decomposed, resamples: int, seed: int) -> pl.DataFrame:
    """Likelihood-ratio tests of the random intercepts, as `clmm.random_term_tests` gives them.

    Raises
    ------
    NotEstimableError
        If the model cannot be fitted or did not converge.
    """
    if not found.terms:
        raise NotEstimableError("tests of random terms are", "there is none")
    return random_term_tests(found.settled, found.terms, resamples, seed)


@dataclass(frozen=True)
class Slope:
    """A random slope of the score: how much it varies, and the likelihood ratio of that.

    Where there is no p, `reason` says why.
    """

    factor: str
    mean: float | None = None
    sd: float | None = None
    lr: float | None = None
    p: float | None = None
    reason: str = ""


def random_slopes(found: Decomposed) -> list[Slope]:
    """Let the slope of the score vary with cases, analysts and evaluators, one after another.

    Terms with variance zero are left out first, so that all other variances are interior and the
    likelihood ratio is 0 half of the time and χ²₁ otherwise (Self & Liang 1987).
    """
    made = []
    for factor in SLOPES:
        try:
            made.append(_slope(found, factor))
        except NotEstimableError as error:
            made.append(Slope(factor, reason=error.reason))
    return made


def _slope(found: Decomposed, factor: str) -> Slope:
    if factor in found.left_out:
        raise NotEstimableError("a slope is", found.left_out[factor])
    inside = [term for term in found.terms if term not in found.fit.boundary]
    plain = found.fit if inside == list(found.terms) else found.fitted(inside)
    freed = found.fitted(inside, slope=factor)
    if not (plain.converged and freed.converged):
        raise NotEstimableError("a slope is", "the model did not converge")
    variance = float(freed.variances[f"{SCORE} | {factor}"])
    lr = max(2 * (freed.loglik - plain.loglik), 0.0)
    mean, sd = _whole_scale(found, freed), float(np.sqrt(variance))
    zero = [term for term in inside if term in {*plain.boundary, *freed.boundary}]
    if zero and lr > NOTHING:
        reason = f"the mixture does not hold where the variance of {say.listing(zero)} is zero"
        return Slope(factor, mean, sd, lr, reason=reason)
    return Slope(factor, mean, sd, lr, 0.5 * float(stats.chi2.sf(lr, 1)) if lr > NOTHING else 1.0)


def _whole_scale(found: Decomposed, fit: Clmm) -> float:
    """Change of the latent rank when all scores go from the lowest to the highest at once."""
    ends = {d.label: d.max - d.min for d in found.mapped.study.config.dimensions}
    sizes = [ends[label] for label in found.mapped.labels.values()]
    return float((fit.coefficients[list(found.mapped.labels)] * sizes).sum())


def variants(found: Decomposed) -> list[Variant]:
    """The paper's model, each of its terms left out, other links, other evaluators, no mixture."""
    made = [_tried(found, "as in the paper", found.terms)]
    made += [
        _tried(found, f"without {term}", [t for t in found.terms if t != term])
        for term in found.terms
    ]
    made += [_tried(found, f"link {link}", found.terms, link) for link in LINKS]
    try:
        fewer = Decomposed(found.mapped.without_everywhere())
        made.append(_tried(fewer, FEWER, fewer.terms))
    except NotEstimableError as error:
        made.append(Variant(FEWER, {}, state=f"not estimable: {error.reason}"))
    return made


def _tried(found: Decomposed, name: str, terms: Sequence[str], link: Link = "logit") -> Variant:
    try:
        fit = found.fit if link == "logit" and terms == found.terms else found.fitted(terms, link)
        labels = found.mapped.labels
        slopes = {label: float(fit.coefficients[column]) for column, label in labels.items()}
    except NotEstimableError as error:
        return Variant(name, {}, state=f"not estimable: {error.reason}")
    zero = f"; zero: {', '.join(fit.boundary)}" if fit.boundary else ""
    state = "converged" if fit.converged else "NOT CONVERGED"
    return Variant(
        name,
        in_shares(slopes) if fit.converged else {},
        len(fit.design.y),
        fit.loglik,
        fit.df,
        f"{state}{zero}",
    )


def ranked(mapped: Mapped, name: str) -> Variant:
    """The rank-ordered logit of the same rows, in which nobody's mean has a part."""
    try:
        fit = plackett_luce.regression(mapped.rankings)
    except NotEstimableError as error:
        return Variant(name, {}, state=f"not estimable: {error.reason}")
    slopes = dict(zip(fit.names, fit.estimate.tolist(), strict=True))
    slopes = {label: slopes[label] for label in mapped.labels.values()}
    count = int(np.isfinite(fit.estimate).sum())
    return Variant(
        name, in_shares(slopes), len(mapped.rankings.item), fit.loglik, count, "converged"
    )


def ranked_variants(mapped: Mapped) -> list[Variant]:
    """Rank-ordered logits: plain, with fixed intercepts of analyses, and of fewer evaluators."""
    made = [ranked(mapped, "rank-ordered logit")]
    try:
        made.append(_with_intercepts(mapped))
    except NotEstimableError as error:
        made.append(Variant(FIXED, {}, state=f"not estimable: {error.reason}"))
    name = f"rank-ordered logit {FEWER}"
    try:
        made.append(ranked(mapped.without_everywhere(), name))
    except NotEstimableError as error:
        made.append(Variant(name, {}, state=f"not estimable: {error.reason}"))
    return made


def _with_intercepts(mapped: Mapped) -> Variant:
    null = varying.null_model(mapped, True)
    count = len(mapped.rankings.dimensions)
    slopes = dict(zip(null.fit.names[:count], null.fit.estimate[:count].tolist(), strict=True))
    return Variant(
        FIXED,
        in_shares(slopes),
        len(mapped.rankings.item),
        null.fit.loglik,
        len(null.fit.free.kept),
        "converged",
    )


def in_shares(slopes: dict[str, float]) -> dict[str, float]:
    """Slopes in per cent of their sum; none where one is missing or signs differ."""
    values = np.array(list(slopes.values()))
    if not (np.isfinite(values).all() and ((values > 0).all() or (values < 0).all())):
        return {}
    return {label: 100 * value / float(values.sum()) for label, value in slopes.items()}


def _partition(frame: pl.DataFrame, term: str) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Level of each row, numbered as they are met, so that equal partitions are equal arrays."""
    levels = frame.select(pl.concat_str(term.split(":"), separator="\n")).to_series()
    met: dict[str, int] = {}
    return np.array([met.setdefault(level, len(met)) for level in levels], dtype=np.int64)
