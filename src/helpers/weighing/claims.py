"""What is claimed of weights and predictions, each by a rule that data can fail.

A claim that holds of all dimensions at once is tested on each at the full level: all must hold, so
that nothing is gained by looking at many.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from helpers import beside, say
from helpers.direction import compared
from helpers.not_estimable import NotEstimableError
from helpers.ranking.decisions import ABSENT, NO, PARTLY, YES
from helpers.results import Entry
from helpers.weighing import printed
from helpers.weighing.prediction import Predicted, gain

POSITIVE = "Every dimension weighs in favour of an analysis"
PREDICTS = "Scores predict rankings that the weights were not fitted to"
BETTER = "Fitted weights order more pairs rightly than equal weights"


@dataclass(frozen=True)
class Claim:
    """A claim and what became of it.

    Attributes
    ----------
    claim, found, decision : str
        What is claimed, what was found, and the decision or "not estimable: …".
    estimate, low, high : float or None
        The quantity that decides, with its interval over evaluators.
    """

    claim: str
    found: str
    decision: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None


LOWS = ("low", "case_low")


def rules(level: float) -> pl.DataFrame:
    """The claims and the rules by which they are decided."""
    of = f"{say.percent(level)} interval"
    told = {
        POSITIVE: "All weights are positive, and each interval, over evaluators and over cases, "
        f"lies above zero ({of}s); partly, if all weights are positive but an interval reaches "
        "zero or cannot be had.",
        PREDICTS: f"The {of} of τ-b lies above zero both over evaluators, each predicted without "
        "rankings of their own, and over cases, each predicted without rankings of it; partly, if "
        "one of the two does.",
        BETTER: f"The {of} of the gain in pairs over equal weights lies above zero, evaluators "
        "left out, over evaluators and over cases; partly, if one of the two does.",
    }
    return pl.DataFrame({"Claim": list(told), "Supported if": list(told.values())})


def judge(predicted: Predicted) -> list[Claim]:
    """Decide the claims; "not estimable: …" where one cannot be tested."""
    judges: dict[str, Callable[[Predicted], Claim]] = {
        POSITIVE: _positive,
        PREDICTS: _predicts,
        BETTER: _better,
    }
    claims = []
    for claim, decide in judges.items():
        try:
            claims.append(decide(predicted))
        except NotEstimableError as error:
            claims.append(Claim(claim, "", f"{ABSENT}: {error.reason}"))
    return claims


def table(claims: Sequence[Claim]) -> pl.DataFrame:
    """The claims as a table."""
    rows = [{"Claim": c.claim, "Found": c.found, "Decision": c.decision} for c in claims]
    return pl.DataFrame(rows)


def entries(claims: Sequence[Claim], predicted: Predicted) -> tuple[Entry, ...]:
    """The claims as lines of the ledger, without p: they are no hypotheses of the paper."""
    method = predicted.weighed.method
    told = {
        POSITIVE: (
            beside.quote(printed.SIGNS),
            f"{method} regression",
            "Signs are reported as they come; no weight was held above zero.",
            "tbl-weights",
        ),
        PREDICTS: (
            printed.summary(),
            f"{method} regression, evaluators left out",
            "Evaluator and case were new to the weights, one at a time.",
            "tbl-weights-schemes",
        ),
        BETTER: (
            "",
            f"{method} regression against the plain mean",
            "Where this is not so, the plain mean of the scores orders analyses about as well.",
            "tbl-weights-predictors",
        ),
    }
    made = []
    for claim in claims:
        published, method, explanation, anchor = told[claim.claim]
        made.append(
            Entry(
                question=claim.claim,
                result=claim.found,
                decision=claim.decision,
                published=published,
                explanation=explanation,
                anchor=anchor,
                topic="ARQ3",
                method=method,
                estimate=claim.estimate,
                low=claim.low,
                high=claim.high,
                direction=compared(claim.decision, YES if published else ""),
            )
        )
    return tuple(made)


def decide(lows: Sequence[float | None]) -> str:
    """Decide by the lower ends of intervals: all above zero, some, or none.

    Raises
    ------
    NotEstimableError
        If there is no interval.
    """
    known = [low for low in lows if low is not None]
    if not known:
        raise NotEstimableError("the claim is", "neither evaluators nor cases give an interval")
    above = sum(low > 0 for low in known)
    return YES if above == len(lows) else PARTLY if above else NO


def _positive(predicted: Predicted) -> Claim:
    weighed = predicted.weighed
    reasons = {**weighed.fit.reasons, **weighed.unscored}
    missing = [d.label for d in weighed.study.config.dimensions if d.label in reasons]
    if missing:
        raise NotEstimableError("the claim is", f"there is no weight of {say.listing(missing)}")
    rows = weighed.weights.sort("weight").to_dicts()
    least = rows[0]
    decision = decide([row[end] for row in rows for end in LOWS])
    if least["weight"] <= 0:
        decision = NO
    elif decision == NO:
        decision = PARTLY
    positive = [row for row in rows if row["weight"] > 0]
    reach = [
        row["dimension"]
        for row in positive
        if any(row[end] is not None and row[end] <= 0 for end in LOWS)
    ]
    told = [f"{len(positive)} of {say.count(len(rows), 'weight')} positive"]
    if reach:
        told.append(f"an interval reaches zero for {say.listing(reach)}")
    told.append(f"least {least['dimension']} {_estimate(least['weight'], least)}")
    return Claim(POSITIVE, "; ".join(told), decision, least["weight"], least["low"], least["high"])


def _predicts(predicted: Predicted) -> Claim:
    own = predicted.resampled(predicted.evaluators).table(slice(0, 2), "value").to_dicts()
    tau, pairs = own
    try:
        cases = predicted.resampled(predicted.cases).table(slice(0, 1), "value").to_dicts()[0]
    except NotEstimableError:
        cases = dict.fromkeys(("case_low", "case_high"))
    if tau["value"] is None:
        raise NotEstimableError("the claim is", "no ranking left out has τ")
    told = f"τ-b {_estimate(tau['value'], tau)}, pairs {_estimate(pairs['value'], pairs)}"
    decision = decide([tau["low"], cases["case_low"]])
    return Claim(PREDICTS, told, decision, tau["value"], tau["low"], tau["high"])


def _better(predicted: Predicted) -> Claim:
    found = gain(predicted)
    value = found["Gain"]
    if value is None:
        raise NotEstimableError("the claim is", "no ranking left out is predicted")
    told = f"gain {_estimate(value, found, 3)}"
    decision = decide([found["low"], found["case_low"]])
    return Claim(BETTER, told, decision, value, found["low"], found["high"])


def _estimate(value: float, row: dict[str, float | None], digits: int = 2) -> str:
    low, high = row["low"], row["high"]
    if low is None or high is None:
        return say.number(value, digits)
    return f"{say.number(value, digits)} ({say.span(low, high, digits)})"
