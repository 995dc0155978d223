"""Figures that must add up, rise, or follow from one another."""

from collections.abc import Iterator
from typing import Literal

from pydantic import FiniteFloat, model_validator

from helpers import say
from helpers.audit.finding import Finding, Verdict, judge, judge_claim
from helpers.audit.quotes import as_share
from helpers.audit.relation import Relation, checked
from helpers.printed import Interval, exactly
from helpers.published import Paper


class Sum(Relation):
    """A column whose cells must add up to a total."""

    relation: Literal["sum"]
    table: str
    column: str
    total: FiniteFloat

    @property
    def told(self) -> str:
        """What adds up to what."""
        return f"{self.column} adds up to {say.number(self.total, 0)}"

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for the column."""
        rows = range(len(paper.table(self.table).rows))
        cells = [paper.cell(self.table, self.column, i) for i in rows]
        total = Interval(0.0, 0.0)
        for i in rows:
            total = total + paper.figure(self.table, self.column, i).interval
        face = sum(cell.number for cell in cells)
        decimals = max(cell.decimals for cell in cells)
        verdict, why = judge_claim(
            abs(face - self.total) < 10.0**-decimals / 2,
            total.meets(exactly(self.total)),
            f"The printed cells add up to {say.number(face, decimals)}.",
            f"They add up to {say.number(face, decimals)}; rounding explains the rest.",
            f"They add up to {say.number(face, decimals)}, and rounding allows no more than "
            f"{say.span(total.low, total.high, decimals)}.",
        )
        yield Finding(
            self.table,
            "all rows",
            self.told,
            say.number(face, decimals),
            say.number(self.total, decimals),
            verdict,
            why,
        )


class Thresholds(Relation):
    """Thresholds of ordered categories: they rise from row to row, one fewer than `categories`."""

    relation: Literal["thresholds"]
    table: str
    column: str
    categories: str

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding on their order and one on their number."""
        yield checked(f"{self.column} rises row by row", self._rising, paper)
        told = "one threshold fewer than categories"
        yield checked(told, self._number, paper, told)

    def _number(self, paper: Paper, told: str) -> Finding:
        quote = paper.quote(self.categories)
        n = len(paper.table(self.table).rows)
        fits = n == quote.count(least=1) - 1
        return Finding(
            self.table,
            "all rows",
            told,
            say.count(n, "threshold"),
            f"{quote.about}: {quote.printed}",
            Verdict.CONSISTENT if fits else Verdict.INCONSISTENT,
            f"{say.count(n, 'threshold')} part {say.count(n + 1, 'category', 'categories')}.",
        )

    def _rising(self, paper: Paper) -> Finding:
        labels = paper.table(self.table).labels
        cells = [paper.figure(self.table, self.column, i) for i in range(len(labels))]
        steps = list(zip(labels, cells, labels[1:], cells[1:], strict=False))
        falls = [f"{b} after {a}" for a, x, b, y in steps if y.number <= x.number]
        possible = all(y.interval.high > x.interval.low for _, x, _, y in steps)
        verdict, why = judge_claim(
            not falls,
            possible,
            "Each is larger than the one before.",
            f"Equal as printed, perhaps by rounding: {say.listing(falls)}.",
            f"Not larger: {say.listing(falls)}.",
        )
        shown = f"{cells[0].text} to {cells[-1].text}"
        return Finding(
            self.table, "all rows", f"{self.column} rises row by row", shown, "rising", verdict, why
        )


class Arithmetic(Relation):
    """Figures in the text that must add up or multiply to another."""

    relation: Literal["arithmetic"]
    total: str
    sum_of: tuple[str, ...] = ()
    product_of: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_of_both(self) -> "Arithmetic":
        if bool(self.sum_of) == bool(self.product_of):
            raise ValueError("expected the parts as sum_of or as product_of, not both or neither")
        return self

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for the total."""
        parts = [paper.quote(about).number for about in self.sum_of or self.product_of]
        face, possible = parts[0].number, parts[0].interval
        for part in parts[1:]:
            face = face + part.number if self.sum_of else face * part.number
            possible = possible + part.interval if self.sum_of else possible * part.interval
        total = paper.quote(self.total)
        counts = all(part.decimals == 0 for part in parts)
        verdict, why = judge(total.number, face, exactly(face) if counts else possible)
        sign = " + " if self.sum_of else " × "
        yield Finding(
            "text",
            total.about,
            "sum of its parts" if self.sum_of else "product of its parts",
            total.printed,
            sign.join(part.text for part in parts),
            verdict,
            why,
        )


class TauAndAccuracy(Relation):
    """Kendall's τ and pairwise accuracy of the same rankings: without ties τ = 2 × accuracy − 1."""

    relation: Literal["tau_and_accuracy"]
    tau: str
    accuracy: str

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for the pair."""
        tau, accuracy = paper.quote(self.tau), as_share(paper.quote(self.accuracy).number)
        possible = accuracy.interval.map(lambda share: 2 * share - 1)
        verdict, why = judge(tau.number, 2 * accuracy.number - 1, possible)
        yield Finding(
            "text",
            tau.about,
            "τ = 2 × pairwise accuracy − 1, without ties",
            tau.printed,
            say.span(possible.low, possible.high),
            verdict,
            why,
        )


class Reliability(Relation):
    """Cronbach's α against the correlations it rests on, and against McDonald's ω.

    α of k standardised items fixes their mean correlation; it must not exceed what the printed
    correlations allow when all others lie below `bound`.
    """

    relation: Literal["reliability"]
    alpha: str
    omega: str
    items: str
    correlations: tuple[str, ...]
    bound: str

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding on the correlations and one on ω."""
        alpha, omega = paper.quote(self.alpha), paper.quote(self.omega)
        k = paper.quote(self.items).count(least=2)
        mean = alpha.number.interval.map(lambda a: mean_correlation(min(a, 1.0), k))
        printed = [paper.quote(about).number.interval.high for about in self.correlations]
        pairs = k * (k - 1) // 2
        bound = paper.quote(self.bound).number.number
        most = (sum(printed) + (pairs - len(printed)) * bound) / pairs
        verdict, why = judge_claim(
            mean.high <= most,
            mean.low <= most,
            "The mean correlation that α implies is within what the text allows.",
            "Within rounding of what the text allows.",
            "α implies a larger mean correlation than the text allows.",
        )
        yield Finding(
            "text",
            alpha.about,
            "mean correlation of standardised items that α implies",
            alpha.printed,
            f"{say.span(mean.low, mean.high)}, at most {say.number(most)}",
            verdict,
            why,
        )
        verdict, why = judge_claim(
            omega.number.number >= alpha.number.number,
            omega.number.interval.high >= alpha.number.interval.low,
            "ω is not below α, as one factor requires.",
            "ω is below α by no more than rounding.",
            "ω is below α, which one common factor does not allow.",
        )
        yield Finding(
            "text",
            omega.about,
            "ω of one factor is at least α",
            omega.printed,
            f"at least {alpha.printed}",
            verdict,
            why,
        )


def mean_correlation(alpha: float, items: int) -> float:
    """Mean correlation of `items` standardised items with Cronbach's `alpha` (Spearman–Brown)."""
    return alpha / (items - (items - 1) * alpha)
