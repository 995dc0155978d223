"""Fit summaries of two models of one outcome: R², residual SD and mean absolute error."""

import math
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, model_validator

from helpers import say
from helpers.audit.finding import Finding, Verdict
from helpers.audit.relation import Level, Relation, checked
from helpers.audit.t_test import p_from_t
from helpers.printed import Interval
from helpers.published import Paper

SAME = "R² = 1 − (residual SD / SD)² for both models"
SCALE = "SD of the outcome against the ranges it may have had"
ERRORS = "MAE within the root mean square error"


def outcome_sd(r2: Interval, residual_sd: Interval) -> Interval:
    """SD of the outcome that R² = 1 − (residual SD / SD)² implies, divisors alike.

    Returns
    -------
    Interval
        Without ends where R² may stand for 1.
    """
    unexplained = Interval(max(0.0, 1 - r2.high), max(0.0, 1 - r2.low))
    return residual_sd / unexplained.map(math.sqrt)


def largest_sd(low: float, high: float, n: int, divisor: int) -> float:
    """Largest SD that n values between `low` and `high` can have, squares divided by `divisor`.

    References
    ----------
    Popoviciu's inequality for variances, sharp form for whole n.
    """
    return (high - low) * math.sqrt((n // 2) * (n - n // 2) / (n * divisor))


def correlation_p(r2: Interval, n: int) -> Interval:
    """Two-sided p of the correlation whose square is R² of a straight line through n points.

    What rounding adds to `r2` below 0 or above 1 is left out.
    """
    r = _root(r2)
    t = r.map(lambda value: value * math.sqrt((n - 2) / (1 - value**2)) if value < 1 else math.inf)
    return p_from_t(t, n - 2)


def _root(share: Interval) -> Interval:
    return Interval(max(0.0, share.low), min(1.0, share.high)).map(math.sqrt)


def least_divisor(mae: Interval, residual_sd: Interval, n: int) -> float:
    """Least divisor of the residual variance at which the MAE stays within the RMS error.

    It is not finite where the residual SD may stand for zero.
    """
    return n * (mae / residual_sd).low ** 2


class FitSummary(Relation):
    """A table with R², residual SD and MAE as rows and models of the same outcome as columns.

    `scales` are the ranges that the outcome may have had; `line` names the model that is a straight
    line, and `verdict` the quote of what the text decides on a linear relation ("not supported").
    """

    relation: Literal["fit_summary"]
    table: str
    r2: str
    residual_sd: str
    mae: str
    models: tuple[str, str]
    n: str
    scales: Annotated[dict[str, tuple[FiniteFloat, FiniteFloat]], Field(min_length=1)]
    line: str
    verdict: str
    alpha: Level = 0.05

    @model_validator(mode="after")
    def _names_and_ranges(self) -> "FitSummary":
        if self.line not in self.models:
            raise ValueError(f"line: expected one of the models, {' or '.join(self.models)}")
        for name, (low, high) in self.scales.items():
            if low >= high:
                raise ValueError(f"scales, {name}: expected the lower end first")
        return self

    def _interval(self, paper: Paper, row: str, model: str) -> Interval:
        table = paper.table(self.table)
        return paper.figure(self.table, model, table.select([row])[0]).interval

    def _r2(self, paper: Paper, model: str, least: float = -math.inf) -> Interval:
        """R² as printed, which no rounding brings above 1 or below `least`."""
        r2 = self._interval(paper, self.r2, model)
        if r2.low > 1 or r2.high < least:
            row = paper.table(self.table).select([self.r2])[0]
            reach = "above 1" if r2.low > 1 else f"below {least:g}"
            raise paper.unusable(self.table, model, row, f"is {reach}, which no such R² can be")
        return r2

    def _sd(self, paper: Paper, model: str) -> Interval:
        """SD of the outcome by one model, where its figures imply one."""
        sd = outcome_sd(self._r2(paper, model), self._interval(paper, self.residual_sd, model))
        if not sd.bounded:
            row = paper.table(self.table).select([self.r2])[0]
            raise paper.unusable(
                self.table, model, row, "may stand for 1, which implies no SD of the outcome"
            )
        return sd

    def check(self, paper: Paper) -> Iterator[Finding]:
        """The outcome's SD by both models and on each scale, and MAE against residual SD."""
        n = paper.quote(self.n).count(least=3)
        yield checked(SAME, self._same_outcome, paper, n)
        yield checked(SCALE, self._scale, paper, n)
        yield checked(f"correlation that R² of the line implies, n = {n}", self._line, paper, n)
        for model in self.models:
            yield checked(ERRORS, self._errors, paper, model, n)

    def _same_outcome(self, paper: Paper, n: int) -> Finding:
        sds = [self._sd(paper, model) for model in self.models]
        shown = [say.span(sd.low, sd.high, 3) for sd in sds]
        first, second = self.models
        squares = [sd.map(lambda value: value**2) for sd in sds]
        divisors = [
            (a, b)
            for a in range(1, n + 1)
            for b in range(1, n + 1)
            if a != b and (squares[0] * Interval(a, a)).meets(squares[1] * Interval(b, b))
        ]
        agree = sds[0].meets(sds[1])
        verdict = Verdict.CONSISTENT if agree or divisors else Verdict.INCONSISTENT
        why = (
            "Both models imply one SD of the outcome."
            if agree
            else f"Residual variances divided by {divisors[0][0]} and {divisors[0][1]} agree."
            if divisors
            else f"R² and residual SD imply an outcome SD of {shown[0]} by {first} and {shown[1]} "
            f"by {second}: close, yet further apart than the decimals allow with whole divisors. "
            "R² or residual SD of one may be defined otherwise, by centred residuals say."
        )
        return Finding(
            self.table,
            "SD of the outcome",
            SAME,
            f"{first}; {second}",
            f"{shown[0]}; {shown[1]}",
            verdict,
            why,
        )

    def _scale(self, paper: Paper, n: int) -> Finding:
        sds = [self._sd(paper, model) for model in self.models]
        divisor = max(1, n - 2)
        bounds = {
            name: largest_sd(low, high, n, divisor) for name, (low, high) in self.scales.items()
        }
        least = min(sd.low for sd in sds)
        wide = [name for name, bound in bounds.items() if bound >= least]
        narrow = [f"{name} ({say.number(b, 1)})" for name, b in bounds.items() if b < least]
        implied = say.number(least, 1)
        return Finding(
            self.table,
            "scale of the outcome",
            SCALE,
            f"SD {implied} implied",
            say.listing(wide, "or"),
            Verdict.CONSISTENT if wide else Verdict.INCONSISTENT,
            f"{say.count(n, 'value')} with an SD of {implied} can be {say.listing(wide, 'or')}; "
            f"too large for {say.listing(narrow, 'or')}.",
        )

    def _line(self, paper: Paper, n: int) -> Finding:
        r2, quote = self._r2(paper, self.line, least=0), paper.quote(self.verdict)
        p, r = correlation_p(r2, n), _root(r2)
        rejects = p.high < self.alpha
        refused = "not" in quote.printed
        found = f"r = {say.span(r.low, r.high, 3)}, {say.p_span(p.low, p.high)}"
        contested = (rejects and refused) or p.low < self.alpha <= p.high
        return Finding(
            self.table,
            quote.about,
            f"correlation that R² of the line implies, n = {n}",
            quote.printed,
            found,
            Verdict.UNCHECKABLE if contested else Verdict.CONSISTENT,
            f"By the printed R² the linear correlation is significant ({found}); the text refuses "
            "a linear relation because a smoother fits closer, for which it prints no test."
            if rejects and refused
            else f"The printed R² implies {found}.",
        )

    def _errors(self, paper: Paper, model: str, n: int) -> Finding:
        mae = self._interval(paper, self.mae, model)
        residual_sd = self._interval(paper, self.residual_sd, model)
        least = least_divisor(mae, residual_sd, n)
        if not math.isfinite(least):
            row = paper.table(self.table).select([self.residual_sd])[0]
            raise paper.unusable(self.table, model, row, "may stand for zero")
        fits = least <= n
        return Finding(
            self.table,
            model,
            ERRORS,
            f"MAE {_middle(mae)}, residual SD {_middle(residual_sd)}",
            f"divisor of at least {say.number(least, 2)} for n = {n}",
            Verdict.CONSISTENT if fits else Verdict.INCONSISTENT,
            f"They agree if the residual variance was divided by {math.ceil(least)} or more."
            if fits
            else "The mean absolute error exceeds the root mean square error for any divisor.",
        )


def _middle(interval: Interval) -> str:
    return say.number((interval.low + interval.high) / 2, 2)
