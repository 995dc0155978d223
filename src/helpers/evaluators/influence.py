"""What becomes of the rankings' results when an evaluator is left out."""

import numpy as np
import polars as pl

from helpers import estimates
from helpers.agreement.rank_agreement import rank_agreement
from helpers.evaluators.profile import Profiles
from helpers.not_estimable import NotEstimableError
from helpers.ranking.table import Floats, Ranks, means
from helpers.resample import leave_one_out

COLUMNS = ("evaluator", "shift", "analyst", "swaps", "agreement")


def influence(ranks: Ranks) -> pl.DataFrame:
    """Leave each evaluator out once.

    Parameters
    ----------
    ranks : Ranks
        Whole rankings.

    Returns
    -------
    DataFrame
        By "evaluator": the largest "shift" of a mean rank, of which "analyst", how many pairs of
        analysts change places ("swaps"), and the change of "agreement", the mean over cases of r̄
        without the evaluator less that with all. Null where too few evaluators are left.
    """
    try:
        weights, names = leave_one_out(ranks.evaluators)
    except NotEstimableError:
        return pl.DataFrame(schema=dict.fromkeys(COLUMNS, pl.Float64))
    everyone, all_cases = np.ones((1, len(ranks.evaluators))), np.ones((1, len(ranks.cases)))
    overall = means(ranks.values, everyone, all_cases)[0]
    without = means(ranks.values, weights, np.repeat(all_cases, len(names), axis=0))
    agreement = _agreement(ranks)
    rows = []
    for place, own in enumerate(without):
        shift = np.abs(own - overall)
        whole = bool(np.isfinite(shift).all())
        rows.append(
            {
                "evaluator": names[place],
                "shift": float(shift.max()) if whole else None,
                "analyst": ranks.analysts[int(shift.argmax())] if whole else None,
                "swaps": _swaps(overall, own) if whole else None,
                "agreement": agreement.get(names[place]),
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def table(profiles: Profiles, found: pl.DataFrame) -> pl.DataFrame:
    """Profile and influence of each evaluator, the most influential first."""
    joined = profiles.people.join(
        found.with_columns(pl.col("evaluator").cast(pl.String)), on="evaluator", how="left"
    ).sort("shift", descending=True, nulls_last=True, maintain_order=True)
    rows = [
        {
            "Evaluator": row["evaluator"],
            "Years": row["years"],
            "Cases": row["cases"],
            "Leniency": row["leniency"],
            "r, ranks": row["ranks"],
            "r, scores": row["scores"],
            "Shift": row["shift"],
            "of": row["analyst"],
            "Swaps": row["swaps"],
            "Change of r̄": row["agreement"],
            estimates.NOTE: _note(row),
        }
        for row in joined.iter_rows(named=True)
    ]
    return estimates.frame(rows)


def _note(row: dict[str, object]) -> str:
    absent = [
        name
        for name, column in (
            ("leniency", "leniency"),
            ("agreement on ranks", "ranks"),
            ("agreement on scores", "scores"),
            ("influence", "shift"),
        )
        if row[column] is None
    ]
    return f"not estimable: {', '.join(absent)}; nothing to compare with" if absent else ""


def _swaps(first: Floats, second: Floats) -> int:
    """How many pairs stand in opposite orders."""
    upper = np.triu_indices(len(first), 1)
    signs = [np.sign(values[:, None] - values)[upper] for values in (first, second)]
    return int((signs[0] * signs[1] < 0).sum())


def _agreement(ranks: Ranks) -> dict[str, float]:
    """Change of the mean r̄ of cases without each evaluator, where it is still defined."""
    cases: list[tuple[list[str], float, Floats]] = []
    for place in range(len(ranks.cases)):
        own = ranks.given[:, place].any(axis=1)
        there = ranks.values[own, place][:, ranks.given[own, place].all(axis=0)]
        if own.sum() > 2 and there.shape[1] > 1:
            found = rank_agreement(there)
            names = [ranks.evaluators[i] for i in np.flatnonzero(own)]
            cases.append((names, found.mean, found.without))
    changes: dict[str, float] = {}
    for names, mean, without in cases:
        for name, rest in zip(names, without, strict=True):
            changes[name] = changes.get(name, 0.0) + float(rest - mean) / len(cases)
    return {name: change for name, change in changes.items() if np.isfinite(change)}
