"""H7, that benchmarks make more of some dimensions than evaluators: rule, decision, ledger."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from helpers import beside, say
from helpers.benchmark.several import lead, overall
from helpers.multiplicity import holm
from helpers.not_estimable import NotEstimableError
from helpers.permutation.against import Against, Permuted
from helpers.permutation.emphasis import Emphasis
from helpers.ranking.decisions import ABSENT, ALPHA, NO, PARTLY, YES
from helpers.refusal import ended
from helpers.results import Entry

QUESTION = "Do benchmarks make more of {} than evaluators do?"
ANY = "Do benchmarks and evaluators emphasise different dimensions?"
UNDECLARED = "no dimension is declared that benchmarks should make more of"
ANCHOR = "tbl-emphasis-decision"
METHODS = {
    "along": "permutation of dimensions, mean share along the line between both rankings, against "
    "all rankings as far off",
    "count": "permutation of dimensions, counts below the threshold, against all rankings as far "
    "off",
}


@dataclass(frozen=True)
class Judged:
    """What became of H7 on one benchmark.

    Attributes
    ----------
    benchmark : str
        Its name; empty where the study has none.
    decision : str
        "supported", "partly supported", "not supported" or "not estimable".
    reason : str
        Why nothing was decided.
    emphasis : Emphasis or None
        What it rests on.
    ends : tuple of float or None
        Interval of its value over evaluators; of no meaning where no dimension is declared.
    p_holm : float or None
        p adjusted over benchmarks.
    declared : tuple of str
        Labels of the declared dimensions.
    measure : str
        What was measured.
    analysts : int
        How many were compared.
    """

    benchmark: str
    decision: str
    reason: str = ""
    emphasis: Emphasis | None = None
    ends: tuple[float, float] | None = None
    p_holm: float | None = None
    declared: tuple[str, ...] = ()
    measure: str = "along"
    analysts: int = 0


def rules(permuted: Permuted) -> pl.DataFrame:
    """What H7 is taken to mean, and the rule by which it is decided."""
    level = say.percent(permuted.weighed.confidence)
    told = {
        "H7, with dimensions declared": "Supported if the benchmark's emphasis of these dimensions "
        "exceeds that of the others: p, the share of rankings as far from the evaluators' under "
        "which the difference is as large, is below five per cent, after Holm's adjustment where "
        f"there are several benchmarks, and the {level} interval over evaluators lies above zero. "
        "Partly supported if only p says so.",
        "H7, with none declared": "Only its first half can be tested, that emphases differ: partly "
        "supported if p of the difference between the largest and the smallest emphasis is below "
        "five per cent.",
        "Several benchmarks": "Supported if so on all on which it can be tested, partly if on some "
        "in whole or part.",
    }
    return pl.DataFrame({"What": list(told), "Holds if": list(told.values())})


def judge(permuted: Permuted) -> list[Judged]:
    """Decide H7 on each benchmark, "not estimable" with the reason where it cannot be tested."""
    try:
        found = [_tested(one) for one in permuted.all.values()]
    except NotEstimableError as error:
        return [Judged("", ABSENT, error.reason)]
    adjusted = holm([one.emphasis.p if one.emphasis and not one.reason else None for one in found])
    return [_decided(one, p) for one, p in zip(found, adjusted, strict=True)]


def _tested(one: Against) -> Judged:
    setting = one.settings
    try:
        names = tuple(n for n, own in zip(one.dimensions, one.declared, strict=True) if own)
        emphasis = one.emphasis()
    except NotEstimableError as error:
        return Judged(one.name, ABSENT, error.reason)
    row = one.part(setting.measure).row(0, named=True)
    ends = None if row["low"] is None or row["high"] is None else (row["low"], row["high"])
    return Judged(
        one.name,
        ABSENT,
        _untestable(emphasis),
        emphasis,
        ends,
        declared=names,
        measure=setting.measure,
        analysts=len(one.analysts),
    )


def _untestable(emphasis: Emphasis) -> str:
    """Why no ranking of the benchmark could have shown a difference; empty where some could."""
    if emphasis.least < ALPHA:
        return ""
    return (
        f"of {say.count(emphasis.rankings, 'ranking')} as far from the evaluators' none can have p "
        f"below {say.percent(ALPHA)}; the least is {say.p_value(emphasis.least, '')}"
    )


def _decided(one: Judged, p: float | None) -> Judged:
    if p is None:
        return one
    sure = bool(one.declared) and one.ends is not None and one.ends[0] > 0
    decision = NO if p >= ALPHA else YES if sure else PARTLY
    return replace(one, decision=decision, p_holm=p)


def table(judged: Sequence[Judged]) -> pl.DataFrame:
    """The decisions, a row for each benchmark."""
    rows = [
        {
            "Benchmark": one.benchmark or "none",
            "Models": one.analysts or None,
            "Difference": one.emphasis.value if one.emphasis else None,
            "low": one.ends[0] if one.ends and one.declared else None,
            "high": one.ends[1] if one.ends and one.declared else None,
            "Rankings as far": one.emphasis.rankings if one.emphasis else None,
            "p": one.emphasis.p if one.emphasis else None,
            "p (Holm)": one.p_holm,
            "H7": one.decision,
        }
        for one in judged
    ]
    schema = dict.fromkeys(("Difference", "low", "high", "p", "p (Holm)"), pl.Float64)
    counts = dict.fromkeys(("Models", "Rankings as far"), pl.Int64)
    return pl.DataFrame(rows, infer_schema_length=None, schema_overrides={**schema, **counts})


def h7(judged: Sequence[Judged]) -> Entry:
    """H7's line of the ledger.

    Parameters
    ----------
    judged : sequence of Judged
        As `judge` gives them.

    Returns
    -------
    Entry
        Its figures are of one benchmark, that with the smallest p after Holm's adjustment over
        benchmarks, and of these that with most models.
    """
    first = lead(judged)
    declared = first.declared if first else ()
    ends = first.ends if first and declared else None
    return Entry(
        question=QUESTION.format(say.listing(list(declared))) if declared else ANY,
        result="; ".join(_short(one, len(judged) > 1) for one in judged),
        decision=overall(judged),
        published=beside.quote("verdict on H7"),
        explanation=plain(judged),
        anchor=ANCHOR,
        topic="H7",
        used=first.analysts if first else None,
        unit="models",
        method=METHODS[first.measure if first else "along"],
        estimate=first.emphasis.value if first and first.emphasis else None,
        low=ends[0] if ends else None,
        high=ends[1] if ends else None,
        p=first.p_holm if first else None,
    )


def plain(judged: Sequence[Judged]) -> str:
    """The decision in plain words."""
    if overall(judged) == ABSENT:
        return "Whether benchmarks and evaluators emphasise other dimensions could not be tested."
    declared = next((one.declared for one in judged if one.declared), ())
    shown = overall(judged) != NO
    if not declared:
        told = "emphasise other dimensions" if shown else "were not shown to emphasise others"
        return f"Benchmarks and evaluators {told}; {UNDECLARED}."
    what = say.listing(list(declared))
    if not shown:
        return f"That benchmarks make more of {what} than evaluators do was not shown."
    return f"Benchmarks make more of {what} than evaluators do."


def sentence(judged: Sequence[Judged]) -> str:
    """The decision in words, not escaped."""
    told = [f"{_short(one, True)} — {one.decision}" for one in judged if one.decision != ABSENT]
    told += [f"{_short(one, True)}" for one in judged if one.decision == ABSENT]
    return " ".join([*map(ended, told), plain(judged)])


def _short(one: Judged, named: bool) -> str:
    head = f"{one.benchmark}: " if named and one.benchmark else ""
    if one.emphasis is None:
        return f"{head}not estimable: {one.reason}"
    told = f"{head}difference of emphasis {say.number(one.emphasis.value)}"
    if one.ends and one.declared:
        told += f" ({say.span(*one.ends)})"
    told += f" over {one.analysts} models"
    if one.reason:
        return f"{told}; not estimable: {one.reason}"
    return f"{told}, {say.p_value(one.emphasis.p)}"
