"""Fit summaries of two models of one outcome: R², residual SD and mean absolute error."""

import math
from collections.abc import Iterator
from typing import Literal

from helpers import say
from helpers.audit.finding import Finding, Verdict
from helpers.audit.relation import Relation
from helpers.audit.t_test import p_from_t
from helpers.printed import Interval
from helpers.published import Paper


def outcome_sd(r2: Interval, residual_sd: Interval) -> Interval:
    """SD of the outcome that R² = 1 − (residual SD / SD)² implies, divisors alike."""
    unexplained = Interval(1 - r2.high, 1 - r2.low)
    return residual_sd / unexplained.map(math.sqrt)


def largest_sd(low: float, high: float, n: int, divisor: int) -> float:
    """Largest SD that n values between `low` and `high` can have, squares divided by `divisor`.

    References
    ----------
    Popoviciu's inequality for variances, sharp form for whole n.
    """
    return (high - low) * math.sqrt((n // 2) * (n - n // 2) / (n * divisor))


def correlation_p(r2: Interval, n: int) -> Interval:
    """Two-sided p of the correlation whose square is R² of a straight line through n points."""
    r = r2.map(math.sqrt)
    t = Interval(*(value * math.sqrt((n - 2) / (1 - value**2)) for value in (r.low, r.high)))
    return p_from_t(t, n - 2)


def least_divisor(mae: Interval, residual_sd: Interval, n: int) -> float:
    """Least divisor of the residual variance at which the MAE stays within the RMS error."""
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
    scales: dict[str, tuple[float, float]]
    line: str
    verdict: str
    alpha: float = 0.05

    def _interval(self, paper: Paper, row: str, model: str) -> Interval:
        table = paper.table(self.table)
        return paper.interval(self.table, model, table.select([row])[0])

    def check(self, paper: Paper) -> Iterator[Finding]:
        """The outcome's SD by both models and on each scale, and MAE against residual SD."""
        n = int(paper.quote(self.n).figure.number)
        sds = [
            outcome_sd(
                self._interval(paper, self.r2, model),
                self._interval(paper, self.residual_sd, model),
            )
            for model in self.models
        ]
        yield self._same_outcome(sds, n)
        yield self._scale(sds, n)
        yield self._line(paper, n)
        for model in self.models:
            mae = self._interval(paper, self.mae, model)
            yield self._errors(model, mae, self._interval(paper, self.residual_sd, model), n)

    def _same_outcome(self, sds: list[Interval], n: int) -> Finding:
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
            "R² = 1 − (residual SD / SD)² for both models",
            f"{first}; {second}",
            f"{shown[0]}; {shown[1]}",
            verdict,
            why,
        )

    def _scale(self, sds: list[Interval], n: int) -> Finding:
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
            "SD of the outcome against the ranges it may have had",
            f"SD {implied} implied",
            say.listing(wide, "or"),
            Verdict.CONSISTENT if wide else Verdict.INCONSISTENT,
            f"{say.count(n, 'value')} with an SD of {implied} can be {say.listing(wide, 'or')}; "
            f"too large for {say.listing(narrow, 'or')}.",
        )

    def _line(self, paper: Paper, n: int) -> Finding:
        r2, quote = self._interval(paper, self.r2, self.line), paper.quote(self.verdict)
        p, r = correlation_p(r2, n), r2.map(math.sqrt)
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

    def _errors(self, model: str, mae: Interval, residual_sd: Interval, n: int) -> Finding:
        least = least_divisor(mae, residual_sd, n)
        fits = least <= n
        return Finding(
            self.table,
            model,
            "MAE within the root mean square error",
            f"MAE {_middle(mae)}, residual SD {_middle(residual_sd)}",
            f"divisor of at least {say.number(least, 2)} for n = {n}",
            Verdict.CONSISTENT if fits else Verdict.INCONSISTENT,
            f"They agree if the residual variance was divided by {math.ceil(least)} or more."
            if fits
            else "The mean absolute error exceeds the root mean square error for any divisor.",
        )


def _middle(interval: Interval) -> str:
    return say.number((interval.low + interval.high) / 2, 2)
