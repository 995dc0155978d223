"""One planned study: simulated, tested for H1 to H6 by the book's rules, and measured.

Two rules are cut short, since a study's own would take minutes. H1 is tested by the paired test
over cases of mean scores, which the chapter on H1 shows beside its model; and of H6 only the
permutation test, that scores rise with accuracies.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from helpers import bradley_terry
from helpers.agreement import compare_cases, kendalls_w
from helpers.benchmark.association import pearson
from helpers.capability import scores_by
from helpers.clmm import clmm
from helpers.errors import HelpersError
from helpers.mapping import varying, verdict
from helpers.mapping.data import Mapped
from helpers.not_estimable import NotEstimableError
from helpers.ranking import levels, ranks
from helpers.ranking.decisions import ALPHA, YES
from helpers.ranking_weights import normalised
from helpers.runs import Result, Task
from helpers.scoring import heterogeneity, scored
from helpers.scoring.alignment import alignment
from helpers.scoring.analyst_agreement import tables
from helpers.scoring.table import by_evaluator_case
from helpers.simulate import Effects, Plan, Sample, accuracies, simulate_planned
from helpers.simulate.utility import HIGHEST, LOWEST
from helpers.study import Study
from helpers.study.config import Dimension
from helpers.study.perception import PerceptionConfig
from helpers.two_groups import compare

H5_ANY = "H5, one of three at least"
HYPOTHESES = ("H1", "H2", "H3", "H4", H5_ANY, "H5", "H6")
W, SHARES, SLOPES = "W of rankings", "weights", "slopes of the mixed model"
DRAWS = 199  # of signs for the tests of H5
TERMS = ("evaluator", "case", "analyst", "evaluator:case", "case:analyst", "evaluator:analyst")

Values = dict[str, float | None]


def study(task: Task) -> Result:
    """Simulate a study and see what it finds.

    Parameters
    ----------
    task : mapping
        `plan`, the fields of a `Plan` with those of its `Effects`, and `seed`.

    Returns
    -------
    dict
        `rejected`: for each of `HYPOTHESES` 1 if it was seen, 0 if not, None if it could not be
        tested. `measured`: for `W` the half width of its 95 % interval, mean over cases; for
        `SHARES` the root mean square error of the weights' shares, in percentage points; for
        `SLOPES` the half width of 95 % intervals, mean over dimensions. `level`: mean W.
    """
    plan, seed = as_plan(task["plan"]), task["seed"]
    sample = simulate_planned(plan, seed)
    made = as_study(sample)
    rejected = {
        name: _or_none(test, made, plan, seed)
        for name, test in (("H1", _h1), ("H2", _h2), ("H3", _h3), ("H4", _h4), ("H6", _h6))
    }
    rejected |= _h5(made, seed)
    w, width = _agreement(made)
    measured = {
        W: width,
        SHARES: _or_none(_shares, made, plan, seed),
        SLOPES: _or_none(_slopes, made, plan, seed),
    }
    return {
        "rejected": {name: rejected[name] for name in HYPOTHESES},
        "measured": measured,
        "level": w,
    }


def as_plan(fields: Mapping[str, Any]) -> Plan:
    """A plan from its fields as JSON has them."""
    own = dict(fields) | {"effects": Effects(**fields["effects"])}
    return Plan(**own | {name: tuple(own[name]) for name in ("levels", "weights")})


def as_study(sample: Sample) -> Study:
    """A simulated study as if it had been read from a folder."""
    design = sample.design
    dimensions = tuple(
        Dimension(code=code, label=code, min=LOWEST, max=HIGHEST) for code in design.dimensions
    )
    config = PerceptionConfig(
        title="planned", kind="perception", simulated=True, dimensions=dimensions
    )
    evaluators = design.evaluators.with_columns(pl.col("specialty").str.split("; "))
    return Study(
        folder=Path(),
        config=config,
        tables={
            "ratings": sample.ratings().with_columns(pl.col(pl.Int64).cast(pl.Int32)),
            "evaluators": evaluators,
            "cases": design.cases,
            "analysts": design.analysts,
        },
        accounting=pl.DataFrame(),
        dropped=pl.DataFrame(),
        notices=(),
        provenance={},
    )


def formula(codes: Sequence[str]) -> str:
    """The mixed model of the chapter on the mapping, for dimensions of these codes."""
    return " + ".join([f"rank ~ {' + '.join(codes)}", *(f"(1 | {term})" for term in TERMS)])


Test = Callable[[Study, Plan, int], float | None]


def _or_none(test: Test, made: Study, plan: Plan, seed: int) -> float | None:
    """What a test gives, or None where it cannot be made."""
    try:
        return test(made, plan, seed)
    except HelpersError:
        return None


def _h1(made: Study, plan: Plan, seed: int) -> float | None:
    """Specialists against others, paired over cases, by the mean of all scores."""
    pairs = alignment(made).pairs
    judged = by_evaluator_case(scored(made)).join(pairs, on=["evaluator", "case"])
    mean = pl.mean_horizontal(scored(made).labels).mean().alias("mean")
    groups = judged.group_by("case", "specialist").agg(mean).sort("case")
    first, second = (
        groups.filter(pl.col("specialist") == side)["mean"].to_numpy() for side in (True, False)
    )
    return _seen(compare(first, second, "paired").p)


def _h2(made: Study, plan: Plan, seed: int) -> float | None:
    found = {place: kendalls_w(table) for place, table in tables(scored(made)).items()}
    test = heterogeneity.compare(found, plan.evaluators).test
    return _seen(test.p if test else None)


def _h3(made: Study, plan: Plan, seed: int) -> float | None:
    found = levels.align(ranks(made), plan.levels)
    tested = found.contrast.p_two_sided is not None
    return float(levels.decide(found)[0] == YES) if tested else None


def _h4(made: Study, plan: Plan, seed: int) -> float | None:
    own = ranks(made)
    return _seen(compare_cases([own.values[:, i] for i in range(len(own.cases))]).p)


def _h5(made: Study, seed: int) -> Values:
    tests = varying.tests(Mapped(made, made["ratings"]), DRAWS, seed)
    decision = verdict.decide(tests)
    if decision == verdict.MISSING:
        return {H5_ANY: None, "H5": None}
    return {H5_ANY: float(decision != verdict.NOT), "H5": float(decision == verdict.SUPPORTED)}


def _h6(made: Study, plan: Plan, seed: int) -> float | None:
    rankings = Mapped(made, made["ratings"]).rankings
    fit = bradley_terry.regression(rankings)
    shares = normalised(fit.estimate[: len(plan.weights)])
    scores = dict(zip(rankings.items, scores_by(rankings, shares[None])[0], strict=True))
    models = made["analysts"].filter(pl.col("kind") == "llm")["analyst"]
    found = pearson([scores[name] for name in models], accuracies(plan, seed), seed=seed)
    return None if found.p is None else float(found.p < ALPHA and (found.r or 0) > 0)


def _seen(p: float | None) -> float | None:
    return None if p is None else float(p < ALPHA)


def _agreement(made: Study) -> tuple[float | None, float | None]:
    """Mean W of the cases' rankings, and mean half width of its intervals."""
    own = ranks(made)
    cases = [kendalls_w(own.values[:, place]) for place in range(len(own.cases))]
    levels_found = [one.value for one in cases if one.value is not None]
    halves = [
        (one.high - one.low) / 2 for one in cases if one.low is not None and one.high is not None
    ]
    return _mean(levels_found), _mean(halves)


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _shares(made: Study, plan: Plan, seed: int) -> float:
    """How far the weights of the Perceived Capability Score are from those planted."""
    fit = bradley_terry.regression(Mapped(made, made["ratings"]).rankings)
    found = normalised(fit.estimate[: len(plan.weights)])
    planted = np.array(plan.weights) / np.sum(plan.weights)
    return float(100 * np.sqrt(((found - planted) ** 2).mean()))


def _slopes(made: Study, plan: Plan, seed: int) -> float:
    fit = clmm(formula(plan.dimensions), made["ratings"])
    rows = fit.table()
    if not fit.converged or not np.isfinite(rows["std_error"].to_numpy()).all():
        raise NotEstimableError("slopes are", "the mixed model did not converge")
    return float(((rows["upper"] - rows["lower"]) / 2).to_numpy().mean())
