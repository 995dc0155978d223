"""The paper's figures beside a study's own, where both are of the same thing.

A study of this kind need not have the paper's analysts, cases or dimensions. A printed figure
stands beside a result only where the study's own files say that it is of the same thing: an analyst
or dimension of the same name, a case of the same number and specialty.
"""

import re
from collections.abc import Callable, Hashable, Iterable
from functools import cache

import polars as pl

from helpers import paths, published
from helpers.audit.quotes import normalise
from helpers.study import Study

PERCEPTION = "data/published/perception"


@cache
def paper() -> published.Paper:
    """The perception study as printed."""
    return published.load(paths.inside(PERCEPTION))


def analysts(table: str, column: str, names: Iterable[str]) -> list[str | None]:
    """What a table prints for analysts, in the order of `names`; None for those it has not.

    Names are the same when their words are, in any order, but for case, a plural and the word
    physician: "Physician-Specialist (Senior)" is "Specialist-Senior".
    """
    return _found(table, column, _words, names)


def dimensions(table: str, column: str, labels: Iterable[str]) -> list[str | None]:
    """What a table prints for dimensions, by their labels; None for those it has not."""
    return _found(table, column, normalise, labels)


def cases(table: str, column: str, study: Study, names: Iterable[str]) -> list[str | None]:
    """What a table prints for cases of the same number and specialty; None for all others."""
    printed = paper().table(table)
    known = {
        (number, normalise(specialty)): cell
        for number, specialty, cell in zip(
            printed.labels, printed.column("Specialty"), printed.column(column), strict=True
        )
    }
    specialty = dict(study["cases"].select("case", "specialty").iter_rows())
    return [known.get((name, normalise(specialty.get(name) or ""))) for name in names]


def quote(about: str) -> str:
    """What the paper's text says about a thing, as printed."""
    return paper().quote(about).printed


def matched(table: pl.DataFrame) -> int:
    """How many rows of a table have something in a column that begins with "Published"."""
    columns = [name for name in table.columns if name.startswith("Published")]
    return table.filter(pl.any_horizontal(pl.col(columns).is_not_null())).height if columns else 0


def remark(study: Study, matched: int) -> str:
    """What the column of printed figures is worth beside this study's results."""
    if not matched:
        return "The paper prints nothing on what stands here, so that none of it stands beside."
    if study.config.simulated:
        return (
            "The paper's figures stand beside for orientation only: they are of other evaluators, "
            "and the data here are simulated."
        )
    return "The paper's figures stand beside where names, or case numbers and specialties, agree."


def _found(
    table: str, column: str, key: Callable[[str], Hashable], names: Iterable[str]
) -> list[str | None]:
    printed = paper().table(table)
    known = dict(zip(map(key, printed.labels), printed.column(column), strict=True))
    return [known.get(key(name)) for name in names]


def _words(name: str) -> frozenset[str]:
    words = re.findall(r"[^\W_]+", name.casefold())
    return frozenset(word.removesuffix("s") for word in words) - {"physician"}
