"""What the shipped study was made to show, beside what it shows.

Each row names a quantity, the published figure it follows, the range aimed at, and what the
simulated ratings give. Rows without a range are there for comparison alone.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats
from statsmodels.api import Logit

from helpers.agreement import alpha_of, kendalls_w, omega_of
from helpers.published import Paper
from helpers.simulate.cumulative import published_model
from helpers.simulate.design import DIMENSIONS
from helpers.simulate.effects import stream
from helpers.simulate.utility import Sample

Floats = NDArray[np.float64]
LABELS = list(DIMENSIONS.values())
SPLITS = 20  # random splits averaged: one alone moves τ by about .02
TRAINED = 0.7  # of the rankings


@dataclass(frozen=True)
class Target:
    """One row of the table.

    Attributes
    ----------
    quantity, item : str
        What is measured, and of what.
    source : str
        Where the paper has it.
    reached : float
        Its value in the simulated study.
    published : float or None
        The printed figure, where there is one.
    lowest, highest : float or None
        The range aimed at, ends included; None for no limit.
    """

    quantity: str
    item: str
    source: str
    reached: float
    published: float | None = None
    lowest: float | None = None
    highest: float | None = None

    @property
    def met(self) -> str:
        """One of "yes", "no" and, where nothing was aimed at, "no target"."""
        if self.lowest is None and self.highest is None:
            return "no target"
        low = -np.inf if self.lowest is None else self.lowest
        high = np.inf if self.highest is None else self.highest
        return "yes" if low <= self.reached <= high else "no"


def targets(sample: Sample, paper: Paper, refit: Path, seed: int) -> list[Target]:
    """Measure a simulated perception study against the paper.

    Parameters
    ----------
    sample : Sample
        The study as simulated.
    paper : Paper
        The paper's tables.
    refit : Path
        What R's `ordinal::clmm` found in the same ratings (see `read_refit`).
    seed : int
        Seed of the splits into training and test rankings.

    Returns
    -------
    list of Target
        In the order of the paper.
    """
    return [
        *_reliability(sample),
        *_means(sample),
        *_alignment(sample, paper),
        *_agreement(sample, paper),
        *_bradley_terry(sample, seed),
        *_cumulative(paper, read_refit(refit)),
    ]


def table(rows: list[Target]) -> pl.DataFrame:
    """Lay the targets out as a table, figures to three decimals."""
    columns = ("quantity", "item", "source", "published", "lowest", "highest", "reached", "met")
    frame = pl.DataFrame([{name: getattr(row, name) for name in columns} for row in rows])
    return frame.with_columns(pl.col(pl.Float64).round(3))


def read_refit(path: Path) -> dict[tuple[str, str], float]:
    """Read the file that `clmm.R` writes: columns `kind`, `name` and `estimate`.

    Returns
    -------
    dict
        Estimates by kind ("slope", "cutpoint", "variance", "check") and name.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["kind"], row["name"]): float(row["estimate"]) for row in rows if row["estimate"]}


def _reliability(sample: Sample) -> Iterator[Target]:
    r: Floats = np.asarray(np.corrcoef(sample.items, rowvar=False))
    alpha, omega = alpha_of(np.cov(sample.items, rowvar=False)), omega_of(r)
    yield Target("Cronbach's α", "all dimensions", "section 3.3.1", alpha, 0.906, 0.90, 0.915)
    yield Target("McDonald's ω, one factor", "all dimensions", "section 3.3.1", omega, 0.908)
    yield Target(
        "distance of ω from α",
        "all dimensions",
        "section 3.3.1",
        abs(omega - alpha),
        0.002,
        0,
        0.01,
    )
    named = {("accuracy", "reasoning"): 0.76, ("treatment", "treatment_coverage"): 0.83}
    codes = sample.design.dimensions
    rest = np.triu(np.ones_like(r), 1).astype(bool)
    for (a, b), printed in named.items():
        i, j = codes.index(a), codes.index(b)
        rest[i, j] = False
        item = f"{LABELS[i]}, {LABELS[j]}"
        yield Target(
            "correlation", item, "section 3.3.1", r[i, j], printed, printed - 0.02, printed + 0.02
        )
    yield Target(
        "largest correlation", "all other pairs", "section 3.3.1", r[rest].max(), None, None, 0.70
    )


def _means(sample: Sample) -> Iterator[Target]:
    means = sample.items.mean(axis=0)
    for label, mean in zip(LABELS, means, strict=True):
        yield Target("mean score", label, "section 4.2.1", mean, None, 2.8, 3.4)
    low = LABELS.index("Diagnostic Coverage")
    high = [LABELS.index("Inquiry Logic"), LABELS.index("Diagnostic Accuracy")]
    below = np.delete(means, low).min() - means[low]
    above = means[high].min() - np.delete(means, high).max()
    yield Target("how far below all others", "Diagnostic Coverage", "section 4.2.1", below, None, 0)
    yield Target(
        "how far above all others",
        "Inquiry Logic, Diagnostic Accuracy",
        "section 4.2.1",
        above,
        None,
        0,
    )


def _alignment(sample: Sample, paper: Paper) -> Iterator[Target]:
    """H1: specialists against the others, by evaluators' mean scores of a case."""
    printed = paper.cells("table10", "t", LABELS)
    own = sample.design.aligned[sample.evaluator, sample.case]
    means = sample.scores.mean(axis=1)
    t = stats.ttest_ind(means[own], means[~own]).statistic
    extreme = min(cell.number for cell in printed)
    for label, cell, value in zip(LABELS, printed, t, strict=True):
        yield Target("t of specialists", label, "Table 10", value, cell.number, extreme, 0)


def _agreement(sample: Sample, paper: Paper) -> Iterator[Target]:
    """Kendall's W over dimensions, over an analyst's cases, and over the analysts of a case."""
    by_case = [sample.case == case for case in range(len(sample.design.cases))]
    ids = sample.design.cases["case"].to_list()
    dimensions = [cell.number for cell in paper.cells("table11", "Kendall’s W", ids)]
    for case, rows, printed in zip(ids, by_case, dimensions, strict=True):
        w = float(kendalls_w(sample.scores[rows].mean(axis=1)))
        yield Target("W over dimensions", f"case {case}", "Table 11", w, printed, 0.11, 0.46)
    complete = np.asarray(sample.design.rated.all(axis=1))[sample.evaluator]
    ranks = sample.rank[complete].reshape(-1, len(ids), sample.rank.shape[1])
    for index, name in enumerate(sample.design.analysts["analyst"]):
        w = float(kendalls_w(ranks[:, :, index]))
        yield Target("W over cases", name, "Table 12", w, _of_analyst(paper, name))
    rankings = [cell.number for cell in paper.cells("table13", "Kendall’s W", ids)]
    for case, rows, printed in zip(ids, by_case, rankings, strict=True):
        w = float(kendalls_w(sample.rank[rows]))
        yield Target("W of rankings", f"case {case}", "Table 13", w, printed, 0.39, 0.67)


def _of_analyst(paper: Paper, name: str) -> float:
    """Table 12's W of an analyst; it prints the physicians under other names than Table 2."""
    other = {
        "Specialist-Senior": "Physician-Specialist (Senior)",
        "Specialist-Junior": "Physician-Specialist (Junior)",
        "Non-specialist": "Non-Specialists",
    }
    return paper.cells("table12", "Kendall’s W", [other.get(name, name)])[0].number


def _bradley_terry(sample: Sample, seed: int) -> Iterator[Target]:
    """Logit of "ranked above" on score differences, tested on rankings it was not trained on."""
    random = stream(seed, "splits")
    n = len(sample.rank)
    tested = [
        _test_on_split(sample, *np.split(random.permutation(n), [round(TRAINED * n)]))
        for _ in range(SPLITS)
    ]
    tau, pairwise = np.mean(tested, axis=0)
    where = f"test rankings, mean of {SPLITS} splits 7:3"
    weights = _pairwise_weights(sample, np.arange(n))
    yield Target(
        "smallest weight", "Bradley–Terry, all rankings", "section 4.2.3", weights.min(), None, 0
    )
    yield Target("Kendall's τ", where, "section 4.2.3", tau, 0.73, 0.71, 0.75)
    yield Target("pairwise accuracy", where, "section 4.2.3", pairwise, 0.86, 0.85, 0.87)


def _pairwise_weights(sample: Sample, rankings: NDArray[np.int64]) -> Floats:
    differences, above = _pairs(sample, rankings)
    weights: Floats = Logit(above, differences).fit(disp=False).params
    return weights


def _pairs(sample: Sample, rankings: NDArray[np.int64]) -> tuple[Floats, NDArray[np.bool_]]:
    """Score differences and whether the first is ranked above, over all pairs of these rankings."""
    scores, rank = sample.scores[rankings], sample.rank[rankings]
    first, second = np.triu_indices(rank.shape[1], 1)
    differences = (scores[:, first] - scores[:, second]).reshape(-1, scores.shape[2])
    return differences.astype(float), (rank[:, first] < rank[:, second]).ravel()


def _test_on_split(
    sample: Sample, train: NDArray[np.int64], test: NDArray[np.int64]
) -> tuple[float, float]:
    """Mean τ and pairwise accuracy on `test` of weights found on `train`; a tie counts half."""
    weights = _pairwise_weights(sample, train)
    worth = (sample.scores[test] * weights).sum(axis=2)
    tau = [
        stats.kendalltau(-own, rank).statistic
        for own, rank in zip(worth, sample.rank[test], strict=True)
    ]
    differences, above = _pairs(sample, test)
    margin = (differences * weights).sum(axis=1)
    hit = np.where(margin == 0, 0.5, (margin > 0) == above)
    return float(np.mean(tau)), float(hit.mean())


def _cumulative(paper: Paper, refit: dict[tuple[str, str], float]) -> Iterator[Target]:
    """Slopes within two printed standard errors of Table 4; the rest for comparison."""
    model = published_model(paper)
    errors = [cell.number for cell in paper.cells("table04", "Std. Error", LABELS)]
    for code, slope, error in zip(DIMENSIONS, model.slopes, errors, strict=True):
        yield Target(
            "CLMM slope",
            DIMENSIONS[code],
            "Table 4",
            refit["slope", code],
            slope,
            slope - 2 * error,
            slope + 2 * error,
        )
    span = refit["cutpoint", "8|9"] - refit["cutpoint", "1|2"]
    printed = model.cutpoints[-1] - model.cutpoints[0]
    yield Target("CLMM cutpoints", "last minus first", "Table 9", span, printed)
    for term, variance in model.variances.items():
        yield Target("CLMM variance", term, "Table 5", refit["variance", term], variance)
