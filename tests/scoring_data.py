"""The shipped study's scores, and what R says about them."""

import csv
from functools import cache
from pathlib import Path

from helpers.paths import DATA
from helpers.scoring import Scored, scored
from helpers.study import Study, load

with (Path(__file__).parent / "R/scoring.csv").open(encoding="utf-8") as file:
    R = {(row["what"], row["item"]): float(row["value"]) for row in csv.DictReader(file)}


@cache
def shipped() -> Study:
    return load(DATA / "perception")


@cache
def scores() -> Scored:
    return scored(shipped())


def labels() -> dict[str, str]:
    """Label of each dimension by its code, as R names it."""
    return {dimension.code: dimension.label for dimension in shipped().config.dimensions}
