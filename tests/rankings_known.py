"""Known answers on rankings, and small rankings to try things on."""

import csv
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from helpers.choice import Rankings, rankings_from_orders, read_rankings

HERE = Path(__file__).parent
DATA = HERE / "data/rankings"
CLOSED, ITERATED = 1e-6, 1e-4  # tolerances: closed forms, and others' iterations


class Known:
    """What an R script found: `known("case", "quantity")` by name."""

    def __init__(self, file: str) -> None:
        with (HERE / "R" / file).open(encoding="utf-8") as lines:
            self.rows = list(csv.DictReader(lines))

    def __call__(self, case: str, quantity: str) -> dict[str, float]:
        found = {
            row["name"]: float(row["value"])
            for row in self.rows
            if (row["case"], row["quantity"]) == (case, quantity)
        }
        assert found, f"R's answers have no {quantity} of {case}"
        return found


def table(name: str) -> pl.DataFrame:
    return pl.read_csv(DATA / f"{name}.csv")


def salad() -> Rankings:
    """32 tasters' rankings of four dressings, with what is in them."""
    frame = table("salad").with_columns(case=pl.lit("tartness"))
    return read_rankings(frame, ["acetic", "gluconic"], evaluator="taster", item="dressing")


def nascar() -> Rankings:
    with (DATA / "nascar.csv").open(encoding="utf-8") as file:
        return rankings_from_orders(list(csv.reader(file))[1:])


def planted(
    seed: int,
    weights: list[float],
    evaluators: int = 12,
    cases: int = 4,
    items: int = 6,
    step: float | None = None,
) -> Rankings:
    """Whole scores 1 to 5, ranked by weighted scores plus Gumbel noise.

    With a step, utilities are rounded down to its multiples, which ties some.
    """
    random = np.random.default_rng(seed)
    shape = (evaluators, cases, items)
    scores = random.integers(1, 6, (*shape, len(weights)))
    utility = scores @ np.array(weights) + random.gumbel(size=shape)
    return as_rankings(scores, np.floor(utility / step) if step else utility)


def as_rankings(scores: NDArray[np.generic], utility: NDArray[np.generic]) -> Rankings:
    """Rankings of utilities, shape (evaluators, cases, items), with scores on dimensions a, b, …"""
    evaluator, case, item = np.indices(utility.shape).reshape(3, -1)
    dimensions = [chr(97 + d) for d in range(scores.shape[-1])]
    frame = pl.DataFrame(
        {
            "evaluator": evaluator,
            "case": case,
            "analyst": [f"item {i}" for i in item],
            "rank": -utility.ravel().astype(float),
        }
        | dict(zip(dimensions, scores.reshape(-1, len(dimensions)).T.astype(float), strict=True))
    )
    return read_rankings(frame, dimensions)
