"""The shipped study `data/perception`, written anew from its settings and seed."""

import hashlib
from pathlib import Path

import numpy as np
import polars as pl

from helpers import published
from helpers.errors import HelpersError
from helpers.files import write_text
from helpers.paths import DATA
from helpers.simulate.design import DIMENSIONS, Design, perception_design
from helpers.simulate.effects import stream
from helpers.simulate.settings import PERCEPTION, SEED
from helpers.simulate.targets import table, targets
from helpers.simulate.utility import HIGHEST, LOWEST, simulate

FOLDER = DATA / "perception"
REFIT = FOLDER / "simulation" / "clmm.csv"

HEAD = """\
# SIMULATED. Written by helpers.simulate from a seed; do not edit. See README.md.
title: "Perception of clinical reasoning, nine analysts (SIMULATED example)"
kind: perception
simulated: true
best_rank: lowest
groups:
  A: "Infectious disease and orthopedics"
  B: "Neurology and gastroenterology"
  C: "Cardiology and gastroenterology"
dimensions:
"""

TAIL = """\
parameters:
  emphasised: [accuracy]  # what benchmarks should make more of, after the paper's H7
"""


def write_example(folder: Path) -> None:
    """Write the simulated perception study; the same bytes each time.

    Parameters
    ----------
    folder : Path
        Where to: `data/perception` for the shipped study. Files there of the same names are
        replaced, others are left.

    Raises
    ------
    HelpersError
        If R's refit (`simulation/clmm.csv`) is of other ratings. The study is written all the
        same; only the table of targets is not.
    """
    design = perception_design(SEED)
    sample = simulate(design, PERCEPTION, SEED)
    ratings = sample.ratings().write_csv()
    files = {
        "study.yml": study_yml(),
        "evaluators.csv": design.evaluators.write_csv(),
        "cases.csv": design.cases.write_csv(),
        "analysts.csv": design.analysts.write_csv(),
        "ratings.csv": ratings,
        "benchmarks.csv": benchmarks(design).write_csv(),
    }
    for name, text in files.items():
        write_text(folder / name, text)
    check_refit(ratings)
    paper = published.load(DATA / "published" / "perception")
    rows = targets(sample, paper, REFIT, SEED)
    write_text(folder / "simulation" / "targets.csv", table(rows).write_csv())


def study_yml() -> str:
    """Say what the study is."""
    lines = [
        f'  - {{code: {code}, label: "{label}", min: {LOWEST}, max: {HIGHEST}}}'
        for code, label in DIMENSIONS.items()
    ]
    return HEAD + "\n".join(lines) + "\n" + TAIL


def benchmarks(design: Design) -> pl.DataFrame:
    """Make up an accuracy for each model: higher for better ones, ever more steeply, and noise.

    So what evaluators see of a model grows with its accuracy, less and less, as in Figure 10. The
    noise knows of no dimension: none is emphasised, and none should be found to be. It is large
    enough for both rankings to differ in so many places that this can be tested; a benchmark that
    ranks six models almost as evaluators do has too few others to be held against.
    """
    models = (design.analysts["kind"] == "llm").to_numpy()
    quality = np.array(PERCEPTION.quality)[models]
    height = (quality - quality.min()) / np.ptp(quality)
    wobble = stream(SEED, "benchmarks").normal(0, 7, size=len(quality))
    return pl.DataFrame(
        {
            "analyst": design.analysts["analyst"].filter(models),
            "benchmark": "DiagnosisArena top-1 (SIMULATED)",
            "accuracy": (8 + 42 * height**2 + wobble).round(1),
            "source": "simulated; not the model's real accuracy",
        }
    )


def check_refit(ratings: str) -> None:
    """Refuse a refit of other ratings than these."""
    digest = hashlib.sha256(ratings.encode()).hexdigest()
    if not REFIT.exists() or digest not in REFIT.read_text(encoding="utf-8"):
        raise HelpersError(
            "data/perception/simulation/clmm.csv is not of these ratings; run "
            "Rscript data/perception/simulation/clmm.R (two minutes), then this again"
        )
