"""H5: the rule, the tests it rests on, the decision, and its line of the ledger."""

from collections.abc import Sequence

import polars as pl

from helpers import beside, say
from helpers.estimates import NOTE, frame
from helpers.mapping import varying
from helpers.mapping.data import Mapped
from helpers.mapping.varying import ScoreTest
from helpers.not_estimable import NotEstimableError
from helpers.results import Entry

LEVEL = 0.05
SUPPORTED, PARTLY, NOT = "supported", "partly supported", "not supported"
MISSING = "not estimable"
INTERCEPTS = "intercept of each analysis"
KINDS = "kind of analyst only"


def decide(tests: Sequence[ScoreTest]) -> str:
    """Decide by Holm's adjusted p-values: all below the level, some, or none.

    A test that cannot be made shows nothing, so that without it H5 is at most partly supported.
    """
    adjusted = varying.adjusted(list(tests))
    if all(p is None for p in adjusted):
        return MISSING
    below = sum(p is not None and p < LEVEL for p in adjusted)
    return SUPPORTED if below == len(tests) else PARTLY if below else NOT


def table(tests: Sequence[ScoreTest]) -> pl.DataFrame:
    """The tests, one a row."""
    rows = [
        {
            "Weights vary with": test.factor,
            "Beside the weights": INTERCEPTS if test.intercepts else KINDS,
            "Rankings": test.rankings or None,
            "Clusters": test.clusters or None,
            "Statistic": test.statistic,
            "df": test.df,
            "p": test.p,
            "p (Holm)": p,
            NOTE: f"not estimable: {test.reason}" if test.p is None else test.reason,
        }
        for test, p in zip(tests, varying.adjusted(list(tests)), strict=True)
    ]
    return frame(rows)


def otherwise(mapped: Mapped, resamples: int, seed: int) -> pl.DataFrame:
    """The tests without intercepts of analyses, and without the evaluators of all cases."""
    parts = [("all", varying.tests(mapped, resamples, seed, intercepts=False))]
    try:
        fewer = varying.tests(mapped.without_everywhere(), resamples, seed)
    except NotEstimableError as error:
        fewer = [ScoreTest(factor, True, reason=error.reason) for factor in varying.FACTORS]
    parts.append(("all but those of every case", fewer))
    tables = [
        table(tests).insert_column(0, pl.Series("Evaluators", [name] * len(tests)))
        for name, tests in parts
    ]
    return pl.concat(tables, how="diagonal")


def sentence(tests: Sequence[ScoreTest]) -> str:
    """The decision in words."""
    decision = decide(tests)
    if decision == MISSING:
        return "By the rule, H5 is **not estimable** here: none of the tests could be made."
    adjusted = varying.adjusted(list(tests))
    pairs = list(zip(tests, adjusted, strict=True))
    seen = [test.factor for test, p in pairs if p is not None and p < LEVEL]
    unseen = [test.factor for test, p in pairs if p is not None and p >= LEVEL]
    missing = [test.factor for test, p in pairs if p is None]
    told = [f"By the rule, H5 is **{decision}**."]
    if seen:
        told.append(f"The weights are seen to vary with {say.listing(seen)}.")
    if unseen:
        told.append(f"They are not seen to vary with {say.listing(unseen, 'or')}.")
    if missing:
        told.append(f"Whether they vary with {say.listing(missing, 'or')} cannot be tested.")
    return " ".join(told)


def entry(tests: Sequence[ScoreTest]) -> Entry:
    """H5's line of the ledger; its p is the smallest after Holm's adjustment over the tests."""
    adjusted = varying.adjusted(list(tests))
    made = [p for p in adjusted if p is not None]
    told = [
        f"{test.factor} {say.p_value(p)}"
        for test, p in zip(tests, adjusted, strict=True)
        if p is not None
    ]
    reason = tests[0].reason or "no test"
    return Entry(
        question="Does the way from scores to ranks vary with cases, analysts and evaluators?",
        result=f"weights vary: {'; '.join(told)} (Holm)" if told else f"not estimable: {reason}",
        decision=decide(tests),
        published=beside.quote("verdict on H5"),
        explanation="Random intercepts, on which the paper decides, move ranks but leave the "
        "weights of the scores as they are.",
        anchor="tbl-mapping-tests",
        topic="H5",
        method="rank-ordered logit, score tests with signs of clusters drawn",
        p=min(made) if made else None,
        used=max(test.rankings for test in tests),
        unit="rankings",
    )
