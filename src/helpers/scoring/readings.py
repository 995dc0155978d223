"""The readings of a t-test of specialists against others (H1), whose unit the paper doesn't state.

| unit | what a value is |
|---|---|
| case-by-group means | the mean of a case over its specialists, or over its others |
| evaluator–case means | the mean of an evaluator in a case |
| rows | a single score |

Rows repeat one evaluator's leniency nine times over, and evaluator–case means still repeat it for
each of their cases: neither is a sample of independent values, and their p-values are too small.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from helpers import beside, mixed, say
from helpers.estimates import cells, frame, note
from helpers.multiplicity import holm
from helpers.scoring.alignment import Alignment
from helpers.scoring.table import Floats, Scored, by_evaluator_case
from helpers.two_groups import Comparison, Test, compare

GROUP_MEANS, MEANS, ROWS = "case-by-group means", "evaluator–case means", "rows"
CAUTION = {MEANS: "repeats each evaluator", ROWS: "pseudo-replication"}


@dataclass(frozen=True)
class Reading:
    """A unit and a test."""

    unit: str
    test: Test

    @property
    def name(self) -> str:
        """As it stands in tables."""
        return f"{self.test}, {self.unit}"


GROUPS_STUDENT, GROUPS_WELCH = Reading(GROUP_MEANS, "Student"), Reading(GROUP_MEANS, "Welch")
PAIRED = Reading(GROUP_MEANS, "paired")
MEANS_STUDENT, MEANS_WELCH = Reading(MEANS, "Student"), Reading(MEANS, "Welch")
ROWS_STUDENT, ROWS_WELCH = Reading(ROWS, "Student"), Reading(ROWS, "Welch")
READINGS = (
    *(GROUPS_STUDENT, GROUPS_WELCH, PAIRED),
    *(MEANS_STUDENT, MEANS_WELCH),
    *(ROWS_STUDENT, ROWS_WELCH),
)

Readings = Mapping[Reading, Mapping[str, Comparison]]


def readings(scores: Scored, aligned: Alignment, confidence: float = 0.95) -> Readings:
    """Compare specialists with others on each dimension in each reading."""
    units = {unit: _unit(scores, aligned, unit) for unit in (GROUP_MEANS, MEANS, ROWS)}
    return {
        reading: {
            label: compare(*_groups(units[reading.unit], label), reading.test, confidence)
            for label in scores.labels
        }
        for reading in READINGS
    }


def _unit(scores: Scored, aligned: Alignment, unit: str) -> pl.DataFrame:
    """Values of a unit, by `case` and `specialist`; group means in pairs, a row for each case."""
    table = scores.frame if unit == ROWS else by_evaluator_case(scores)
    known = table.join(aligned.pairs, on=["evaluator", "case"], how="inner", maintain_order="left")
    if unit != GROUP_MEANS:
        return known
    means = known.group_by("case", "specialist", maintain_order=True).agg(
        pl.col(scores.labels).mean()
    )
    return means.sort("case", "specialist")


def _groups(table: pl.DataFrame, label: str) -> tuple[Floats, Floats]:
    first, second = (
        table.filter(pl.col("specialist") == group)[label].to_numpy().astype(float)
        for group in (True, False)
    )
    return first, second


def table(own: Mapping[str, Comparison]) -> pl.DataFrame:
    """One reading: a row for each dimension, with Holm's adjusted p-values."""
    rows = [
        {
            "Dimension": label,
            "n": f"{say.NBSP}+{say.NBSP}".join(map(str, one.sizes)),
        }
        | cells(one, "Difference")
        | {
            "t": one.t,
            "df": one.df,
            "p": one.p,
            "p (Holm)": adjusted,
            "d": one.d,
            "Note": note(one),
        }
        for (label, one), adjusted in zip(own.items(), adjust(own), strict=True)
    ]
    return frame(rows)


def adjust(own: Mapping[str, Comparison]) -> tuple[float | None, ...]:
    """Holm's adjusted p-values over the dimensions."""
    return holm([one.p for one in own.values()])


def beside_print(found: Readings, model: mixed.Mixed, labels: Sequence[str]) -> pl.DataFrame:
    """Show t by several readings beside what the paper's Table 10 prints.

    Parameters
    ----------
    found : mapping
        As `readings` gives it.
    model : Mixed
        The model of all rows, with a contrast for each dimension.
    labels : sequence of str
        Dimensions; those that the paper has not are left out.
    """
    printed = {name: beside.dimensions("table10", name, labels) for name in ("t", "p", "Cohen’s d")}
    shown = (GROUPS_STUDENT, PAIRED, MEANS_STUDENT)
    rows = []
    for i, label in enumerate(labels):
        if printed["t"][i] is None:
            continue
        contrast = model.contrasts.get(label)
        rows.append(
            {"Dimension": label}
            | {f"t ({reading.name})": found[reading][label].t for reading in shown}
            | {"t (model of all rows)": contrast and contrast.t}
            | {f"Published {name}": cells[i] for name, cells in printed.items()}
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def rejections(found: Readings, alpha: float = 0.05) -> pl.DataFrame:
    """On how many dimensions each reading rejects, by itself and after Holm."""
    rows = [
        {
            "Unit": reading.unit,
            "Test": reading.test,
            "Dimensions tested": sum(one.p is not None for one in own.values()),
            f"p < {alpha:g}": sum(one.p is not None and one.p < alpha for one in own.values()),
            f"p (Holm) < {alpha:g}": sum(p is not None and p < alpha for p in adjust(own)),
            "Specialists lower": sum(
                one.value is not None and one.value < 0 for one in own.values()
            ),
            "Caution": CAUTION.get(reading.unit, ""),
        }
        for reading, own in found.items()
    ]
    return pl.DataFrame(rows)
