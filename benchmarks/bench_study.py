"""How long a million rows take to be read and checked, beside pandas' read and a few group-bys.

Seconds are those of the processor, which other programs on the machine disturb little.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.comparison import Comparison, processor_seconds
from helpers.study import load

ANALYSTS, CASES, DIMENSIONS = 10, 100, 7


def write_study(folder: Path, rows: int) -> int:
    """Write a sound study of about `rows` ratings: every evaluator ranks all analysts of all cases.

    Returns
    -------
    int
        How many rows it has.
    """
    chance = np.random.default_rng(1)
    evaluators = max(1, rows // (ANALYSTS * CASES))
    pairs = evaluators * CASES
    names = {
        "evaluator": [f"E{number}" for number in range(evaluators)],
        "case": [str(number) for number in range(CASES)],
        "analyst": [f"LLM{number}" for number in range(ANALYSTS)],
    }
    ratings = pd.MultiIndex.from_product(names.values(), names=names.keys()).to_frame(index=False)
    codes = [f"d{number}" for number in range(DIMENSIONS)]
    for code in codes:
        ratings[code] = chance.integers(1, 6, len(ratings))
    orders = chance.permuted(np.tile(np.arange(1, ANALYSTS + 1), (pairs, 1)), axis=1)
    ratings["rank"] = orders.ravel()
    ratings.to_csv(folder / "ratings.csv", index=False)
    blank = {"evaluator": ["specialty", "years"], "case": ["specialty", "group"]}
    blank["analyst"] = ["kind", "level", "family"]
    for column, others in blank.items():
        table = pd.DataFrame({column: names[column]} | dict.fromkeys(others, ""))
        table.to_csv(folder / f"{column}s.csv", index=False)
    scales = "".join(f"  - {{code: {code}, label: {code}, min: 1, max: 5}}\n" for code in codes)
    (folder / "study.yml").write_text(
        f"title: benchmark\nkind: perception\nsimulated: true\ndimensions:\n{scales}"
    )
    return len(ratings)


def peer(folder: Path) -> None:
    """Do with pandas the least that checking means: read, find doubles, sum up ranks, compare."""
    ratings = pd.read_csv(folder / "ratings.csv")
    ranks = ratings.groupby(["evaluator", "case"])["rank"].agg(["min", "max", "nunique"])
    assert not ratings.duplicated(["evaluator", "case", "analyst"]).any()
    assert (ranks["max"] == ranks["nunique"]).all()
    assert ratings.filter(regex=r"^d\d").le(5).to_numpy().all()


def bench(rows: int = 1_000_000) -> Iterator[Comparison]:
    """Time `load` and its peer on the same folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written = write_study(folder, rows)
        ours, _ = processor_seconds(lambda: load(folder))
        theirs, _ = processor_seconds(lambda: peer(folder))
    what = f"study of {written:,} ratings, read and checked in full"
    yield Comparison(what, ours, "pandas, read and four checks", theirs)
