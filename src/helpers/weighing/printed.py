"""What the paper prints of weights and predictions, and where it may stand beside a study's own."""

from collections.abc import Sequence

from helpers import beside
from helpers.printed import parse

CLMM = "Published CLMM"
SIGNS = "signs of the Bradley–Terry weights"
QUOTES = {
    "tau": "mean Kendall's tau on the test set",
    "pairwise": "pairwise accuracy on the test set",
    "whole": "exact-match accuracy on the test set",
    "position": "exact-match accuracy on the test set",
}
"""Whose exact match it is, the paper doesn't say: of whole rankings or of positions."""


def slopes(labels: Sequence[str]) -> list[float] | None:
    """Slopes of the paper's mixed model, turned so that positive ones go with better ranks.

    Parameters
    ----------
    labels : sequence of str
        All dimensions of the study; None is given unless they are all the paper's.
    """
    paper = beside.paper().table("table04").labels
    cells = beside.dimensions("table04", "Estimate", labels)
    values = [-value for cell in cells if cell and (value := parse(cell).value) is not None]
    return values if len(values) == len(labels) == len(paper) else None


def measure(name: str) -> float | None:
    """The paper's figure for a measure of `QUOTES`."""
    return parse(beside.quote(QUOTES[name])).value


def summary() -> str:
    """All of its figures in a few words."""
    tau, pairwise, exact = (beside.quote(QUOTES[name]) for name in ("tau", "pairwise", "whole"))
    return f"τ {tau}, pairwise {pairwise}, exact match {exact}"
