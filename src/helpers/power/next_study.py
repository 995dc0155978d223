"""A plan with the sizes of a study at hand: what the next one would be if nothing changed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from helpers import plackett_luce, say
from helpers.agreement import kendalls_w
from helpers.mapping.data import mapped
from helpers.not_estimable import NotEstimableError
from helpers.power.measures import as_study
from helpers.ranking import ranks
from helpers.simulate import PERCEPTION, Effects, Plan, simulate_planned
from helpers.simulate.utility import HIGHEST, LOWEST
from helpers.study import Study

DIGITS = 2  # of weights: plans of the same study are the same on every machine
TRIED = 5  # simulated studies that agreement is taken from


def of_study(study: Study, effects: Effects, spread: float, levels: Sequence[str] = ()) -> Plan:
    """Take sizes and weights from a study.

    Parameters
    ----------
    study : Study
        A study of the perception kind.
    effects : Effects
        What the next study looks for.
    spread : float
        Standard deviation of the analyses' quality within a case, in points.
    levels : sequence of str
        Levels of physicians, best first; those that the study has are planned.

    Returns
    -------
    Plan
        Weights are those of the rank-ordered logit, for a point of a scale from 1 to 5; the mean of
        the others stands in for one that is not estimable or not above zero.
    """
    ratings = study["ratings"]
    kinds = study["analysts"].filter(pl.col("analyst").is_in(ratings["analyst"].unique().to_list()))
    known = kinds.filter(pl.col("kind") == "physician")["level"].to_list()
    own = tuple(level for level in levels if level in known)
    models = kinds.filter(pl.col("kind") == "llm").height
    pairs = ratings.select("evaluator", "case").unique()
    evaluators = pairs["evaluator"].n_unique()
    return Plan(
        evaluators=max(2, evaluators),
        cases=max(1, pairs["case"].n_unique()),
        each=max(1, round(pairs.height / max(1, evaluators))),
        llms=max(models, 2 - len(own)),
        levels=own,
        weights=_weights(study),
        spread=spread,
        effects=effects,
    )


def _weights(study: Study) -> tuple[float, ...]:
    dimensions = study.config.dimensions
    usual = float(np.mean(PERCEPTION.weights))
    try:
        fit = plackett_luce.regression(mapped(study).rankings)
    except NotEstimableError:
        return (round(usual, DIGITS),) * len(dimensions)
    found = dict(zip(fit.names, fit.estimate.tolist(), strict=True))
    points = [found.get(d.label, np.nan) * (d.max - d.min) / (HIGHEST - LOWEST) for d in dimensions]
    sound = [value for value in points if np.isfinite(value) and round(value, DIGITS) > 0]
    mean = float(np.mean(sound)) if sound else usual
    return tuple(round(value if value in sound else mean, DIGITS) for value in points)


def beside(study: Study, plan: Plan) -> pl.DataFrame:
    """What the plan takes from the study, and how far evaluators agree in both."""
    taken = {
        "evaluators": plan.evaluators,
        "cases": plan.cases,
        "cases that an evaluator rates": plan.each,
        "language models": plan.llms,
        "levels of physicians": len(plan.levels),
        "dimensions": len(plan.weights),
        "mean weight of a point": float(np.mean(plan.weights)),
    }
    drawn = [_agreement(as_study(simulate_planned(plan, seed))) for seed in range(TRIED)]
    known = [value for value in drawn if value is not None]
    agreed = {
        "mean W of rankings, this study": _agreement(study),
        "mean W of rankings, simulated": float(np.mean(known)) if known else None,
    }
    told = {name: number(value) for name, value in (taken | agreed).items()}
    return pl.DataFrame({"Fact": list(told), "Value": list(told.values())})


def number(value: float | None) -> str:
    """A count without decimals, another number with two, and a dash for none."""
    return "–" if value is None else say.number(value, 0 if isinstance(value, int) else 2)


def _agreement(study: Study) -> float | None:
    own = ranks(study)
    found = [kendalls_w(own.values[:, place]).value for place in range(len(own.cases))]
    known = [value for value in found if value is not None]
    return float(np.mean(known)) if known else None


def of_size(plan: Plan, evaluators: int, cases: int, multiple: float) -> Plan:
    """The plan with other numbers, and with its effects multiplied."""
    return replace(plan, evaluators=evaluators, cases=cases, effects=plan.effects.times(multiple))
