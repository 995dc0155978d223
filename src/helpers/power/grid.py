"""Power and precision over numbers of evaluators and cases: simulate, count, keep, find again."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl

from helpers.errors import HelpersError
from helpers.files import canonical, write_text
from helpers.monte_carlo import Ends, mean_interval, share_interval
from helpers.paths import BUILD, DATA
from helpers.power.measures import HYPOTHESES, SHARES, SLOPES, W, study
from helpers.power.next_study import of_size
from helpers.recovery.evidence import MODELS
from helpers.runs import Result, Task, as_csv, run, source_digest
from helpers.simulate import Plan

FOLDER = DATA / "evidence"
KEPT = BUILD / "power"
SEED = 74_000
LEVEL = 0.95
POWER, PRECISION = "power", "precision"

SOURCES = (
    *MODELS,
    "helpers.agreement.cases",
    "helpers.agreement.concordance",
    "helpers.agreement.estimate",
    "helpers.agreement.jackknife",
    "helpers.agreement.order",
    "helpers.agreement.rank_agreement",
    "helpers.benchmark.association",
    "helpers.capability",
    "helpers.mapping.varying",
    "helpers.power.measures",
    "helpers.ranking.levels",
    "helpers.ranking.table",
    "helpers.scoring.alignment",
    "helpers.scoring.analyst_agreement",
    "helpers.scoring.heterogeneity",
    "helpers.scoring.table",
    "helpers.simulate.planned",
    "helpers.two_groups",
)
"""What the numbers rest on: modules whose code decides them, not all that these import."""


@dataclass(frozen=True)
class Grid:
    """Numbers to try.

    Attributes
    ----------
    evaluators, cases : tuple of int
        How many of each, every number with every other.
    multiples : tuple of float
        What the plan's effects are multiplied by; with 0 a test rejects by mistake.
    studies : int
        Simulated studies of each combination.
    """

    evaluators: tuple[int, ...] = (10, 20, 40)
    cases: tuple[int, ...] = (6, 9, 12)
    multiples: tuple[float, ...] = (0.0, 1.0)
    studies: int = 200

    def __post_init__(self) -> None:
        """Refuse a grid of nothing, and numbers that no study has."""
        least = {"evaluators": 2, "cases": 1, "multiples": 0}
        for name, bound in least.items():
            given = getattr(self, name)
            if not given or min(given) < bound:
                told = ", ".join(map(str, given)) or "none"
                raise HelpersError(f"{name}: expected numbers from {bound} on, found {told}")
        if self.studies < 1:
            raise HelpersError(f"studies: expected 1 or more, found {self.studies}")

    @property
    def cells(self) -> list[tuple[int, int, float]]:
        """Evaluators, cases and multiple of each combination, without doubles."""
        every = (
            (people, cases, multiple)
            for multiple in self.multiples
            for people in self.evaluators
            for cases in self.cases
        )
        return list(dict.fromkeys(every))

    @property
    def corners(self) -> "Grid":
        """The smallest and the largest numbers, and the largest multiple."""
        ends = [tuple(sorted({min(own), max(own)})) for own in (self.evaluators, self.cases)]
        return Grid(ends[0], ends[1], (max(self.multiples),), self.studies)


def sources() -> str:
    """Digest of what the numbers rest on, comments and docstrings left out."""
    return source_digest(SOURCES)


def key(plan: Plan) -> str:
    """What plans of the same study with the same effects have in common, whatever their size."""
    fields = asdict(plan)
    rest = {name: fields[name] for name in sorted(fields) if name not in ("evaluators", "cases")}
    return hashlib.sha256(canonical(rest).encode()).hexdigest()[:16]


def power(
    plan: Plan, grid: Grid, kept: Path = KEPT, workers: int = 2, scheduler: str = ""
) -> pl.DataFrame:
    """Simulate all studies of a grid that were not simulated before, and count.

    Parameters
    ----------
    plan : Plan
        What holds for all of them.
    grid : Grid
        What differs.
    kept : Path
        Where results of single studies are kept.
    workers, scheduler : int, str
        See `helpers.runs.run`.

    Returns
    -------
    polars.DataFrame
        A row for each combination and quantity: `evaluators`, `cases`, `multiple`, `what` (`POWER`
        or `PRECISION`), `name`, number of `studies` and of those in which there was a `result`,
        `value` with its Monte-Carlo interval `low` to `high`, `seed`, `key` and `sources`.
    """
    stamp = sources()
    # Study by study, not cell by cell: a run that was stopped knows something of all cells.
    tasks: list[Task] = [
        {"plan": asdict(of_size(plan, *cell)), "seed": SEED + number}
        for number in range(grid.studies)
        for cell in grid.cells
    ]
    found = run(study, tasks, stamp, kept, "power", workers, scheduler)
    width = len(grid.cells)
    parts = [
        {"evaluators": people, "cases": cases, "multiple": multiple} | row
        for place, (people, cases, multiple) in enumerate(grid.cells)
        for row in _counted(found[place::width])
    ]
    return pl.DataFrame(parts, infer_schema_length=None).with_columns(
        pl.lit(SEED).alias("seed"), pl.lit(key(plan)).alias("key"), pl.lit(stamp).alias("sources")
    )


def _counted(results: Sequence[Result]) -> Iterable[dict[str, object]]:
    for name in HYPOTHESES:
        seen = [one["rejected"][name] for one in results if one["rejected"][name] is not None]
        ends = share_interval(int(np.count_nonzero(seen)), len(seen), LEVEL) if seen else None
        yield _row(POWER, name, len(results), seen, ends)
    for name in (W, SHARES, SLOPES):
        known = [one["measured"][name] for one in results if one["measured"][name] is not None]
        yield _row(PRECISION, name, len(results), known, mean_interval(known, LEVEL))


def _row(
    what: str,
    name: str,
    studies: int,
    known: Sequence[float],
    ends: Ends | None,
) -> dict[str, object]:
    return {
        "what": what,
        "name": name,
        "studies": studies,
        "results": len(known),
        "value": float(np.mean(known)) if known else None,
        "low": ends[0] if ends else None,
        "high": ends[1] if ends else None,
    }


def file_of(folder: Path, name: str, shipped: bool) -> Path:
    """Where results are written: those of the shipped study are committed, others are not."""
    plain = re.sub(r"\W+", "-", name).strip("-") or "study"
    return folder / ("power.csv" if shipped else f"power-{plain}.csv")


def write_power(table: pl.DataFrame, path: Path) -> None:
    """Write results, whole or not at all."""
    write_text(path, as_csv(table))


@dataclass(frozen=True)
class Shown:
    """Results for a chapter.

    Attributes
    ----------
    table : polars.DataFrame
        As `power` gives it.
    stored : bool
        Whether `make power` made it; otherwise a small grid was simulated on the spot.
    current : bool
        Whether the code it was made with is the code as it is now.
    """

    table: pl.DataFrame
    stored: bool
    current: bool


def shown(plan: Plan, grid: Grid, folder: Path = FOLDER, kept: Path = KEPT) -> Shown:
    """Results of `make power` for this plan, or those of the corners of a small grid.

    Parameters
    ----------
    plan : Plan
        The plan.
    grid : Grid
        What is simulated where there are no stored results.
    folder, kept : Path
        Where results of grids and of single studies are.
    """
    for path in sorted(folder.glob("power*.csv")):
        table = pl.read_csv(path, schema_overrides={"key": pl.String, "sources": pl.String})
        own = table.filter(pl.col("key") == key(plan))
        if own.height:
            return Shown(own, True, own["sources"][0] == sources())
    return Shown(power(plan, grid.corners, kept, workers=1), False, True)
