"""What the text quotes, against the table it comes from and against itself elsewhere."""

import itertools
import re
from collections.abc import Iterator, Set
from dataclasses import replace

from helpers import say
from helpers.audit.finding import Finding, Verdict
from helpers.printed import EDGE, Printed
from helpers.published import Paper, Quote, Table


def normalise(text: str) -> str:
    """Text without case, punctuation, spaces or a plural s: "Infectious Diseases" as Disease."""
    return re.sub(r"[\W_]", "", text.lower()).removesuffix("s")


def check_quotes(paper: Paper, used: Set[str] = frozenset()) -> Iterator[Finding]:
    """Check every quote that points to a table, then all quotes about one thing together.

    Parameters
    ----------
    paper : Paper
        The tables and quotes.
    used : set of str
        Names of quotes that a declared relation checks already.

    Yields
    ------
    Finding
        One for each quote with a table; one for each thing quoted without a table, `UNCHECKABLE`
        when it is printed once only.
    """
    loose: dict[str, list[Quote]] = {}
    for quote in paper.quotes:
        if quote.table:
            yield _against_table(paper, quote)
        loose.setdefault(quote.about, []).append(quote)
    for about, quotes in loose.items():
        alone = len(quotes) == 1 and about in used
        if not alone and not all(quote.table for quote in quotes):
            yield _among_themselves(about, quotes)


def _finding(
    quote: Quote, relation: str, printed: str, expected: str, verdict: Verdict, why: str
) -> Finding:
    return Finding("text", quote.about, relation, printed, expected, verdict, why)


def _against_table(paper: Paper, quote: Quote) -> Finding:
    table = paper.table(quote.table)
    cells = table.column(quote.column)
    chosen = [cells[i] for i in table.select(quote.rows)]
    relation = f"{quote.place} against {table.title}"
    if quote.statistic in ("set", "members"):
        return _as_set(quote, relation, chosen)
    expected = _statistic(quote, table, chosen)
    printed, known = quote.figure, table.read(expected)
    verdict, why = _judge(quote, printed, known, f"{table.title} {expected or 'nothing'}")
    return _finding(quote, relation, quote.printed, expected, verdict, why)


def _judge(quote: Quote, printed: Printed, known: Printed, elsewhere: str) -> tuple[Verdict, str]:
    if printed.value is not None and known.value is not None:
        return same_figure(printed, known)
    if normalise(quote.printed) == normalise(known.text):
        return Verdict.CONSISTENT, "Both say the same."
    differ = f"The text says {quote.printed}, {elsewhere}."
    if printed.value is None and known.value is None:
        return Verdict.INCONSISTENT, differ
    return Verdict.UNCHECKABLE, f"{differ} Only one of them is a number."


def _statistic(quote: Quote, table: Table, cells: list[str]) -> str:
    if quote.statistic == "count":
        return str(len(cells))
    if quote.statistic == "distinct":
        return str(len(set(cells)))
    if quote.statistic == "span":
        return f"{cells[0]}–{cells[-1]}"
    if quote.statistic == "position":
        return str(table.labels.index(quote.rows[0]) + 1)
    if quote.statistic in ("min", "max"):
        pick = min if quote.statistic == "min" else max
        numbers = [cell for cell in cells if table.read(cell).value is not None]
        return pick(numbers, key=lambda cell: table.read(cell).number, default="")
    return "; ".join(dict.fromkeys(cells))


def _as_set(quote: Quote, relation: str, cells: list[str]) -> Finding:
    """Compare names as a set; `members` asks only that each quoted name is in the table."""
    quoted = {normalise(part): part.strip() for part in quote.printed.split(";")}
    known = {normalise(cell): cell for cell in cells}
    missing = [quoted[key] for key in quoted if key not in known]
    extra = [known[key] for key in known if key not in quoted and quote.statistic == "set"]
    parts = [f"not in the table: {say.listing(missing)}"] if missing else []
    parts += [f"not in the text: {say.listing(extra)}"] if extra else []
    verdict = Verdict.INCONSISTENT if parts else Verdict.CONSISTENT
    why = f"{'; '.join(parts).capitalize()}." if parts else "Text and table name the same."
    return _finding(quote, relation, quote.printed, "; ".join(known.values()), verdict, why)


def same_figure(one: Printed, other: Printed) -> tuple[Verdict, str]:
    """Verdict on two printings of one figure, perhaps to different numbers of digits.

    Two figures of the same number of digits that differ contradict each other, even where their
    rounding intervals touch. "≈" allows one unit of the last digit; two bounds, or a bound and a
    figure, agree when some value satisfies both.
    """
    if one.percent != other.percent:
        one, other = as_share(one), as_share(other)
    differ = f"One place prints {one.text}, the other {other.text}."
    if {one.comparison, other.comparison} & {"<", ">"}:
        if one.interval.overlap(other.interval) > EDGE:
            return Verdict.CONSISTENT, "Some value satisfies both."
        return Verdict.INCONSISTENT, differ
    coarse, fine = sorted((one, other), key=lambda printed: printed.decimals)
    if coarse.decimals == fine.decimals and coarse.value == fine.value:
        return Verdict.CONSISTENT, "Both print the same."
    if coarse.decimals < fine.decimals and coarse.interval.overlap(fine.interval) > EDGE:
        return Verdict.CONSISTENT, f"{fine.text} rounds to {coarse.text}."
    gap = abs(one.number - other.number)
    if "≈" in (one.comparison, other.comparison) and gap < 1.5 * coarse.unit:
        return Verdict.ROUNDING, "Quoted as approximate, one unit of the last digit away."
    return Verdict.INCONSISTENT, differ


def as_share(printed: Printed) -> Printed:
    """A number in per cent as a share of 1, and any other as it is."""
    if not printed.percent:
        return printed
    value = printed.number / 100
    return replace(printed, value=value, decimals=printed.decimals + 2, percent=False)


def _among_themselves(about: str, quotes: list[Quote]) -> Finding:
    first = quotes[0]
    places = say.listing([quote.place for quote in quotes])
    if len(quotes) == 1:
        why = "Printed once, with nothing printed to hold it against."
        return _finding(first, f"{first.place} alone", first.printed, "", Verdict.UNCHECKABLE, why)
    said = list(dict.fromkeys(quote.printed for quote in quotes))
    if _all_same(quotes):
        why = "Every place says the same."
        return _finding(first, places, first.printed, first.printed, Verdict.CONSISTENT, why)
    by_place = "; ".join(f"{quote.place}: {quote.printed}" for quote in quotes)
    why = f"The places differ: {by_place}."
    return _finding(first, places, "; ".join(said), "one wording", Verdict.INCONSISTENT, why)


def _all_same(quotes: list[Quote]) -> bool:
    return all(_same(a, b) for a, b in itertools.combinations(quotes, 2))


def _same(one: Quote, other: Quote) -> bool:
    if one.figure.value is None or other.figure.value is None:
        return normalise(one.printed) == normalise(other.printed)
    return same_figure(one.figure, other.figure)[0] is not Verdict.INCONSISTENT
