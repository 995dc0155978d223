"""Internal consistency: how far the dimensions measure one thing, by α and ω.

The paper gives ω without saying which. With one factor, ω total is the coefficient that statistics
programs print beside α, and it is the one compared here. ω hierarchical, the share of one general
factor above several, is beside it. Intervals leave out one evaluator at a time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from helpers import beside, say
from helpers.agreement import Estimate, cronbach_alpha, mcdonald_omega
from helpers.estimates import NOTE, cells, frame, note
from helpers.scoring.parts import MEANING, PARTS, Part, groups
from helpers.scoring.table import Scored
from helpers.show import escape

ALPHA, OMEGA_T, OMEGA_H = "Cronbach's α", "ω total (one factor)", "ω hierarchical"
QUOTES = {ALPHA: "Cronbach's alpha", OMEGA_T: "McDonald's omega"}

Consistency = Mapping[tuple[str, Part], Estimate]


def consistency(scores: Scored, factors: int = 3, confidence: float = 0.95) -> Consistency:
    """α and ω of all dimensions in each part of the ratings.

    Parameters
    ----------
    scores : Scored
        Of a study; rows without all scores are dropped and counted.
    factors : int
        Factors below the general one, for ω hierarchical.
    confidence : float
        Confidence level.

    Returns
    -------
    mapping
        By coefficient and part.
    """
    table = scores.frame.select(scores.labels).to_pandas()
    clusters = scores.frame["evaluator"].to_list()
    found: dict[tuple[str, Part], Estimate] = {}
    for part in PARTS:
        told: dict[str, Any] = {
            "clusters": clusters,
            "part": "all" if part == "pooled" else part,
            "groups": groups(scores, part),
            "confidence": confidence,
        }
        found[ALPHA, part] = cronbach_alpha(table, **told)
        found[OMEGA_T, part] = mcdonald_omega(table, **told)
        found[OMEGA_H, part] = mcdonald_omega(table, factors, "hierarchical", **told)
    return found


def table(found: Consistency, labels: Sequence[str]) -> pl.DataFrame:
    """A row for each coefficient and part.

    The paper's pilot figures stand beside the pooled ones where the dimensions are the paper's.
    """
    rows, same = [], same_dimensions(labels)
    for (coefficient, part), estimate in found.items():
        about = QUOTES.get(coefficient) if same and part == "pooled" else None
        rows.append(
            {"Coefficient": coefficient, "Part": MEANING[part]}
            | cells(estimate, "Estimate")
            | {
                "Rows used": estimate.used,
                "Rows dropped": estimate.dropped,
                "Published (pilot)": beside.quote(about) if about else None,
                "Note": note(estimate),
            }
        )
    return frame(rows, optional=("Published (pilot)", NOTE))


def same_dimensions(labels: Sequence[str]) -> bool:
    """Whether the dimensions are those of the paper."""
    return all(beside.dimensions("table10", "t", labels)) and len(labels) == len(
        beside.paper().table("table10").rows
    )


def sentence(found: Consistency) -> str:
    """How much of what the dimensions have in common is one general factor."""
    total, general = found[OMEGA_T, "pooled"], found[OMEGA_H, "pooled"]
    if total.value is None or general.value is None:
        missing = total if total.value is None else general
        return f"How much of it is one general factor is not estimable: {escape(missing.reason)}."
    return (
        f"Of all rows' sum of scores, {say.percent(total.value)} of the variance is common to the "
        f"dimensions (one factor), and {say.percent(general.value)} belongs to a general factor "
        "above several narrower ones."
    )


def pilot(labels: Sequence[str], evaluators: int) -> str:
    """Whose ratings the paper's figures are of, and whose those here."""
    whose = (
        "The published figures are of the paper's phase I, a pilot with "
        f"{beside.quote('pilot physicians')} physicians"
    )
    here = f"the ratings of {say.count(evaluators, 'evaluator')}"
    if not same_dimensions(labels):
        return (
            f"{whose} and other dimensions, so that its α and ω do not stand beside those here, "
            f"which are of {here}."
        )
    return f"{whose}; those here are of {here}. They are neighbours, not the same quantity."
