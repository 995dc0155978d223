"""Test statistics, p-values and stars of a table against each other."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field, PositiveInt, model_validator
from scipy import stats

from helpers import say
from helpers.audit.finding import Finding, Verdict, judge
from helpers.audit.relation import NO_FIGURE, Level, Relation, checked, unusable
from helpers.printed import Interval, Printed, exactly
from helpers.published import NotAFigureError, Paper

Stars = tuple[Level, ...]
STARS: Stars = (0.05, 0.01, 0.001)


def p_from_z(z: Interval) -> Interval:
    """Two-sided p-values of the standard normal statistics in `z`."""
    return abs(z).map(lambda value: float(2 * stats.norm.sf(value)))


def p_from_chi2(chi2: Interval, df: int) -> Interval:
    """Upper-tail p-values of the chi-squared statistics in `chi2` on `df` degrees of freedom."""
    return chi2.map(lambda value: float(stats.chi2.sf(value, df)))


def stars_for(p: float, levels: Stars = STARS) -> int:
    """Number of stars that `p` earns: one for each level it lies below."""
    return sum(p < level for level in levels)


class Ratio(Relation):
    """A column that is the quotient of two others, such as z = estimate / standard error."""

    relation: Literal["ratio"]
    table: str
    numerator: str
    denominator: str
    quotient: str

    def check(self, paper: Paper) -> Iterator[Finding]:
        """Recompute the quotient of every row."""
        for i in range(len(paper.table(self.table).rows)):
            yield checked(self.told, self._row, paper, i)

    @property
    def told(self) -> str:
        """The equation."""
        return f"{self.quotient} = {self.numerator} / {self.denominator}"

    def _row(self, paper: Paper, row: int) -> Finding:
        printed = paper.cell(self.table, self.quotient, row)
        above = paper.figure(self.table, self.numerator, row)
        below = paper.figure(self.table, self.denominator, row)
        possible = above.interval / below.interval
        reach = say.span(possible.low, possible.high, printed.decimals)
        if possible.bounded:
            verdict, why = judge(printed, above.number / below.number, possible)
        else:
            reach = "any value"
            verdict, why = Verdict.UNCHECKABLE, f"{below.text} may stand for zero."
        return Finding(
            self.table,
            paper.table(self.table).items[row],
            self.told,
            printed.text,
            reach,
            verdict,
            why,
        )


class PValue(Relation):
    """A p-value and its stars against the statistic they belong to.

    `readings` names what the test may have been, with its degrees of freedom (chi-squared only).
    The reading that most rows satisfy is used for all.
    """

    relation: Literal["p_value"]
    table: str
    statistic: str
    p: str
    distribution: Literal["z", "chi2"]
    readings: dict[str, PositiveInt] = Field(default={})
    stars: Stars = STARS
    alpha: Level = 0.05

    @model_validator(mode="after")
    def _chi2_needs_readings(self) -> "PValue":
        if (self.distribution == "chi2") != bool(self.readings):
            raise ValueError("readings with degrees of freedom go with chi2, and with it alone")
        return self

    def check(self, paper: Paper) -> Iterator[Finding]:
        """Check p and stars of every row under the best reading."""
        readings = self.readings or {"": 0}
        fits = {name: self._rows(paper, df) for name, df in readings.items()}
        best = max(fits, key=lambda name: sum(_fine(finding) for finding in fits[name]))
        yield from fits[best]
        if len(fits) > 1:
            yield self._which(best, fits)

    def _p(self, statistic: Interval, df: int) -> Interval:
        if self.distribution == "z":
            return p_from_z(statistic)
        return p_from_chi2(statistic, df)

    def _rows(self, paper: Paper, df: int) -> list[Finding]:
        cells = paper.cells(self.table, self.p)
        stars_alone = all(cell.text == "*" * cell.stars for cell in cells)
        findings: list[Finding] = []
        for i, printed in enumerate(cells):
            try:
                if printed.value is None and not (stars_alone or printed.stars):
                    raise paper.unusable(self.table, self.p, i, "is not a number")
                findings += self._row(paper, i, printed, df)
            except NotAFigureError as error:
                findings.append(unusable(self.told, error))
        return findings

    @property
    def told(self) -> str:
        """From what to what."""
        return f"{self.p} from {self.statistic}"

    def _row(self, paper: Paper, row: int, printed: Printed, df: int) -> Iterator[Finding]:
        statistic = paper.figure(self.table, self.statistic, row)
        face = self._p(exactly(statistic.number), df).low
        possible = self._p(statistic.interval, df)
        judged = {"stars": judge_stars(printed, face, possible, self.stars)}
        if printed.value is not None:
            judged = {"p": judge_p(printed, face, possible, self.alpha)} | judged
        item, source = (
            paper.table(self.table).items[row],
            f"{self.statistic} {statistic.text}{_on(df)}",
        )
        for what, (verdict, why) in judged.items():
            yield self._finding(item, what, source, printed, possible, verdict, why)

    def _finding(
        self,
        item: str,
        what: str,
        source: str,
        printed: Printed,
        possible: Interval,
        verdict: Verdict,
        why: str,
    ) -> Finding:
        shown = printed.text if what == "p" else "*" * printed.stars or "no star"
        expected = say.p_span(possible.low, possible.high)
        return Finding(self.table, item, f"{what} from {source}", shown, expected, verdict, why)

    def _which(self, best: str, fits: dict[str, list[Finding]]) -> Finding:
        fine = {name: {i for i, f in enumerate(rows) if _fine(f)} for name, rows in fits.items()}
        some = set.union(*fine.values())  # what no reading reproduces is told by itself
        whole = [name for name, rows in fine.items() if rows == some]
        count = sum(f.expected != NO_FIGURE for f in fits[best])
        tally = [f"{name}: {len(rows)} of {count}" for name, rows in fine.items()]
        verdict, why = Verdict.CONSISTENT, f"Figures reproduced – {'; '.join(tally)}."
        if not some or len(whole) > 1:
            verdict, why = Verdict.UNCHECKABLE, f"{why} That does not tell which."
        elif not whole:
            other = sorted({fits[best][i].item for i in some - fine[best]})
            told = f"{why} {say.listing(other)} would need other degrees of freedom than the rest."
            verdict, why = Verdict.INCONSISTENT, told
        return Finding(
            self.table,
            "all rows",
            "one number of degrees of freedom reproduces p and stars",
            "not stated",
            say.listing(whole, "or") if some and whole else "no single one",
            verdict,
            why,
        )


def _fine(finding: Finding) -> bool:
    return finding.verdict in (Verdict.CONSISTENT, Verdict.ROUNDING)


def _on(df: int) -> str:
    return f", {df} df" if df else ""


def judge_p(printed: Printed, face: float, possible: Interval, alpha: float) -> tuple[Verdict, str]:
    """Verdict on a printed p-value, `DECISION` when the printed and the true p straddle `alpha`.

    Parameters
    ----------
    printed : Printed
        The p-value, perhaps as a bound.
    face : float
        p of the statistic exactly as printed.
    possible : Interval
        p of all statistics that would be printed so.
    alpha : float
        Level of the test.
    """
    verdict, why = judge(printed, face, possible)
    if verdict is not Verdict.INCONSISTENT:
        return verdict, why
    if possible.low < alpha <= possible.high:
        return verdict, f"{why} Rounding leaves the decision at {say.number(alpha)} open."
    claims = printed.number <= alpha if printed.comparison == "<" else printed.number < alpha
    if claims == (possible.high < alpha):
        return verdict, f"{why} The decision at {say.number(alpha)} stays the same."
    side = "not below" if claims else "below"
    return Verdict.DECISION, f"{why} That is {side} {say.number(alpha)}, unlike the printed p."


def judge_stars(
    printed: Printed, face: float, possible: Interval, levels: Stars = STARS
) -> tuple[Verdict, str]:
    """Verdict on the number of stars; `DECISION` when some stand for none, or none for some."""
    due = stars_for(face, levels)
    allowed = range(stars_for(possible.high, levels), stars_for(possible.low, levels) + 1)
    earned = "*" * due or "no star"
    if printed.stars == due:
        return Verdict.CONSISTENT, f"{earned} is what this p earns.".capitalize()
    if printed.stars in allowed:
        return Verdict.ROUNDING, f"The printed statistic earns {earned}; rounding allows both."
    verdict = Verdict.DECISION if 0 in (printed.stars, due) else Verdict.INCONSISTENT
    return verdict, f"By the table’s own legend this p earns {earned}."
