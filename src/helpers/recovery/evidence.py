"""`make evidence`: simulate, fit and count, and write what is committed."""

from pathlib import Path

import polars as pl

from helpers.files import write_text
from helpers.paths import BUILD, DATA
from helpers.recovery import multistart, scenarios
from helpers.recovery.summary import summary
from helpers.runs import Task, as_csv, run, source_digest

FOLDER = DATA / "evidence"
RECOVERY, MULTISTART = "recovery.csv", "multistart.csv"
KEPT = BUILD / "evidence"
STUDIES, STARTED = 200, 60  # of each scenario, and fitted from several starts

MODELS = (
    "helpers.bradley_terry",
    "helpers.choice.estimable",
    "helpers.choice.fit",
    "helpers.choice.logit",
    "helpers.choice.rankings",
    "helpers.choice.sets",
    "helpers.clmm.arrays",
    "helpers.clmm.boundary",
    "helpers.clmm.compiled",
    "helpers.clmm.describe",
    "helpers.clmm.design",
    "helpers.clmm.fit",
    "helpers.clmm.formula",
    "helpers.clmm.laplace",
    "helpers.clmm.links",
    "helpers.clmm.mode",
    "helpers.clmm.optimise",
    "helpers.clmm.predictors",
    "helpers.clmm.problem",
    "helpers.clmm.result",
    "helpers.clmm.separation",
    "helpers.clmm.sparse",
    "helpers.clmm.start",
    "helpers.clmm.thresholds",
    "helpers.simulate.design",
    "helpers.simulate.effects",
    "helpers.simulate.settings",
    "helpers.simulate.utility",
)
"""Modules that simulate and fit: what the numbers of `make power` rest on too."""

SOURCES = (
    *MODELS,
    "helpers.clmm.intervals",
    "helpers.plackett_luce",
    "helpers.recovery.multistart",
    "helpers.recovery.scenarios",
    "helpers.resample",
    "helpers.simulate.cumulative",
)
"""What the numbers rest on: modules whose code decides them, not all that these import."""


def sources() -> str:
    """Digest of what the numbers rest on, comments and docstrings left out."""
    return source_digest(SOURCES)


def write_evidence(
    folder: Path = FOLDER,
    kept: Path = KEPT,
    studies: int = STUDIES,
    started: int = STARTED,
    workers: int = 2,
    scheduler: str = "",
) -> None:
    """Make the evidence, from results kept so far where there are any.

    Parameters
    ----------
    folder : Path
        Where `RECOVERY` and `MULTISTART` are written, each whole or not at all.
    kept : Path
        Where results of single studies are kept.
    studies, started : int
        Number of studies of each scenario, and of those fitted from several starts.
    workers, scheduler : int, str
        See `helpers.runs.run`.
    """
    stamp, how = sources(), (kept, workers, scheduler)
    parts = [recovered(name, studies, stamp, *how) for name in scenarios.SCENARIOS]
    write_text(folder / RECOVERY, as_csv(pl.concat(parts)))
    write_text(folder / MULTISTART, as_csv(restarted(started, stamp, *how)))


def recovered(
    name: str, studies: int, stamp: str, kept: Path, workers: int = 2, scheduler: str = ""
) -> pl.DataFrame:
    """Summary of one scenario, with its name, generator, first seed and digest of sources."""
    scenario = scenarios.SCENARIOS[name]
    tasks: list[Task] = [
        {"scenario": name, "seed": scenario.seed + number} for number in range(studies)
    ]
    found = run(scenarios.study, tasks, stamp, kept, name, workers, scheduler)
    return summary(found).select(
        pl.lit(name).alias("scenario"),
        pl.lit(scenario.generator).alias("generator"),
        pl.all(),
        pl.lit(scenario.seed).alias("seed"),
        pl.lit(stamp).alias("sources"),
    )


def restarted(
    studies: int, stamp: str, kept: Path, workers: int = 2, scheduler: str = ""
) -> pl.DataFrame:
    """Fits from several starts, a row for each study; generators take turns."""
    kinds = multistart.GENERATORS
    tasks: list[Task] = [
        {"generator": kinds[number % len(kinds)], "seed": multistart.SEED + number}
        for number in range(studies)
    ]
    found = run(multistart.study, tasks, stamp, kept, "several starts", workers, scheduler)
    rows = [
        {**task, **one, "gap": multistart.gap(one), "sources": stamp}
        for task, one in zip(tasks, found, strict=True)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)
