"""Bias, coverage and what was not estimable, over simulated studies, with Monte-Carlo intervals."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from helpers.monte_carlo import mean_interval, share_interval
from helpers.runs import Result

LEVEL = 0.95


def summary(results: Sequence[Result], level: float = LEVEL) -> pl.DataFrame:
    """Sum up studies of one scenario.

    Parameters
    ----------
    results : sequence of dict
        What `scenarios.study` gave, in the order of seeds.
    level : float
        Confidence level of the Monte-Carlo intervals.

    Returns
    -------
    polars.DataFrame
        A row for each model and parameter: `truth`; number of `studies`, of those with an
        `estimate` and with an `interval`; `mean`, `bias` with `bias_low` and `bias_high`
        (Student's t); `sd` over studies; `coverage` of the intervals with `coverage_low` and
        `coverage_high` (Clopper & Pearson 1934, "The use of confidence or fiducial limits"); and
        `first`, the estimate in the first study.
    """
    rows: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for result in results:
        for one in result["found"]:
            rows.setdefault((one["model"], one["kind"], one["parameter"]), []).append(one)
    return pl.DataFrame(
        [
            dict(zip(("model", "kind", "parameter"), key, strict=True)) | _counted(own, level)
            for key, own in rows.items()
        ],
        infer_schema_length=None,
    )


def _counted(own: Sequence[dict[str, Any]], level: float) -> dict[str, float | int | None]:
    truth = own[0]["truth"]
    known = [one["estimate"] for one in own if one["estimate"] is not None]
    limited = [one for one in own if one["low"] is not None or one["high"] is not None]
    covered = sum(_holds(one, truth) for one in limited)
    mean = float(np.mean(known)) if known else None
    row: dict[str, float | int | None] = {
        "truth": truth,
        "studies": len(own),
        "estimates": len(known),
        "intervals": len(limited),
        "mean": mean,
        "bias": None if mean is None else mean - truth,
        "bias_low": None,
        "bias_high": None,
        "sd": None,
        "coverage": covered / len(limited) if limited else None,
        "coverage_low": None,
        "coverage_high": None,
        "first": own[0]["estimate"],
    }
    if ends := mean_interval(known, level):
        low, high = (end - truth for end in ends)
        row |= {"bias_low": low, "bias_high": high, "sd": float(np.std(known, ddof=1))}
    if limited:
        low, high = share_interval(covered, len(limited), level)
        row |= {"coverage_low": low, "coverage_high": high}
    return row


def _holds(one: dict[str, Any], truth: float) -> bool:
    """Whether the interval holds the truth; a missing end is no limit."""
    low, high = one["low"], one["high"]
    return (low is None or low <= truth) and (high is None or truth <= high)
