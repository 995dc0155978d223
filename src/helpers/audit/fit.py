"""Fit summaries of two models of one outcome: R², residual SD and mean absolute error."""

import math
from collections.abc import Iterator
from typing import Literal

from helpers import say
from helpers.audit.finding import Finding, Verdict
from helpers.audit.relation import Relation
from helpers.printed import Interval
from helpers.published import Paper


def outcome_sd(r2: Interval, residual_sd: Interval) -> Interval:
    """SD of the outcome that R² = 1 − (residual SD / SD)² implies, divisors alike."""
    unexplained = Interval(1 - r2.high, 1 - r2.low)
    return residual_sd / unexplained.map(math.sqrt)


def largest_sd(low: float, high: float, n: int) -> float:
    """Largest SD, divisor n − 1, that n values between `low` and `high` can have.

    References
    ----------
    Popoviciu's inequality for variances, sharp form for whole n.
    """
    return (high - low) * math.sqrt((n // 2) * (n - n // 2) / (n * (n - 1)))


def least_divisor(mae: Interval, residual_sd: Interval, n: int) -> float:
    """Least divisor of the residual variance at which the MAE stays within the RMS error."""
    return n * (mae / residual_sd).low ** 2


class FitSummary(Relation):
    """A table with R², residual SD and MAE as rows and models of the same outcome as columns."""

    relation: Literal["fit_summary"]
    table: str
    r2: str
    residual_sd: str
    mae: str
    models: tuple[str, str]
    n: str
    scales: dict[str, tuple[float, float]]

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
        for scale, (low, high) in self.scales.items():
            yield self._on_scale(sds, scale, low, high, n)
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
            f"by {second}: close, yet further apart than six decimals allow, whichever whole "
            "divisors were used; one of them may be defined in another way."
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

    def _on_scale(
        self, sds: list[Interval], scale: str, low: float, high: float, n: int
    ) -> Finding:
        bound = largest_sd(low, high, n)
        fits = min(sd.low for sd in sds) <= bound
        implied = say.number(sds[0].low, 1)
        limits = f"{say.number(low, 0)} and {say.number(high, 0)}"
        return Finding(
            self.table,
            f"outcome: {scale}",
            "SD of the outcome against the range of its scale",
            f"SD {implied} implied",
            f"SD at most {say.number(bound, 1)}",
            Verdict.CONSISTENT if fits else Verdict.INCONSISTENT,
            f"{say.count(n, 'value')} between {limits} can have an SD of {implied}."
            if fits
            else f"{say.count(n, 'value')} between {limits} have an SD of "
            f"{say.number(bound, 1)} at most, so the outcome was on another scale.",
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
