"""What R says of the rankings and evaluators of the shipped study, and small studies to test on."""

import csv
from pathlib import Path

import numpy as np

from helpers.ranking import Ranks

HERE = Path(__file__).parent

with (HERE / "R/rankings.csv").open() as file:
    R = {(row["statistic"], row["of"]): float(row["value"]) for row in csv.DictReader(file)}


def table(values, kinds=None, levels=None):
    """Ranks of evaluators E1, E2, …, cases 1, 2, … and analysts A, B, …"""
    values = np.asarray(values, dtype=float)
    evaluators, cases, analysts = values.shape
    return Ranks(
        tuple(f"E{i + 1}" for i in range(evaluators)),
        tuple(str(i + 1) for i in range(cases)),
        tuple("ABCDEFGHIJKL"[:analysts]),
        tuple(kinds or ["llm"] * analysts),
        tuple(levels or [""] * analysts),
        values,
    )


def rankings(random, quality, evaluators, noise=1.0):
    """Rankings of analysts whose quality, shape (cases, analysts), evaluators see with noise."""
    quality = np.asarray(quality, dtype=float)
    seen = quality + noise * random.gumbel(size=(evaluators, *quality.shape))
    return (-seen).argsort(axis=2).argsort(axis=2) + 1.0
