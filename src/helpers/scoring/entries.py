"""Lines of the ledger on scores: instrument, ARQ1, H1 and H2."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

from helpers import beside, mixed, say
from helpers.agreement import Estimate
from helpers.difficulty import Trend
from helpers.direction import Direction, compared
from helpers.ranking.decisions import NO, YES
from helpers.results import Entry
from helpers.scoring import emphasis, heterogeneity, variance
from helpers.scoring.consistency import ALPHA, OMEGA_T, QUOTES, Consistency
from helpers.scoring.correlations import Correlations, bound
from helpers.scoring.heterogeneity import Heterogeneity
from helpers.scoring.levels import CASES

DESCRIBED, MISSING = "described", "not estimable"


def instrument(found: Consistency, correlations: Correlations) -> tuple[Entry, ...]:
    """Internal consistency, and whether the dimensions can be told apart."""
    alpha, omega = found[ALPHA, "pooled"], found[OMEGA_T, "pooled"]
    known = [float(e) for e in correlations["pearson"].values() if e.value is not None]
    below = sum(value < bound() for value in known)
    printed = {name: beside.quote(about) for name, about in QUOTES.items()}
    return (
        Entry(
            question="Do the dimensions measure one thing together?",
            result=f"α {alpha.text()}; ω total {omega.text()}",
            decision=DESCRIBED if alpha.estimable else MISSING,
            published=f"α {printed[ALPHA]}, ω {printed[OMEGA_T]} (pilot)",
            explanation="How far scores on the dimensions rise and fall together.",
            anchor="tbl-instrument-consistency",
            topic="Instrument",
            method="Cronbach's α and McDonald's ω, jackknife over evaluators",
            **_numbers(alpha),
        ),
        Entry(
            question="Can the dimensions be told apart?",
            result=f"{below} of {say.count(len(known), 'pair')} correlate below {bound():g}"
            if known
            else "not estimable: no two dimensions that vary",
            decision=DESCRIBED if known else MISSING,
            published=f"most pairs below {bound():g} (pilot)",
            explanation="Dimensions that go together closely ask the same thing twice.",
            anchor="tbl-instrument-correlations",
            topic="Instrument",
            method="Pearson's correlations of all rows",
            direction=_most(below, len(known)),
        ),
    )


def spread(table: pl.DataFrame, unit: str, models: Mapping[str, mixed.Mixed]) -> tuple[Entry, ...]:
    """Range of the dimensions' means, and cases beside evaluators."""
    ratios = variance.known_ratios(models)
    means = table.filter(pl.col("Level") == CASES)["Mean"].drop_nulls()
    low, high = beside.quote("lowest dimension mean"), beside.quote("highest dimension mean")
    return (
        Entry(
            question="How evenly are the dimensions scored?",
            result=f"means from {say.number(means.min())} to {say.number(means.max())} {unit}"  # type: ignore[arg-type]
            if len(means)
            else "not estimable: no scores",
            decision=DESCRIBED if len(means) else MISSING,
            published=f"means from {low} to {high}",
            explanation="The dimensions' means over cases, lowest to highest.",
            anchor="tbl-scores-levels",
            topic="ARQ1",
            method="means of case means",
        ),
        Entry(
            question="Do scores vary more between cases than between evaluators?",
            result=variance.short(models),
            decision=DESCRIBED if ratios else MISSING,
            published=beside.quote("variability between cases beside that between evaluators"),
            explanation="The variance that cases have of their own, beside that of evaluators.",
            anchor="tbl-scores-ratios",
            topic="ARQ1",
            method="linear mixed model of each dimension",
            direction=_most(sum(ratio > 1 for ratio in ratios), len(ratios)),
        ),
    )


def h1(model: mixed.Mixed, unit: str) -> Entry:
    """Specialty alignment."""
    shift = emphasis.test(model, emphasis.SHIFT)
    level = model.contrasts.get(emphasis.LEVEL) or Estimate(reason=shift.reason)
    return Entry(
        question="Do evaluators score otherwise in their own specialty, and emphasise otherwise?",
        result=f"specialists less others: {level.text()}" + f" {unit}" * level.estimable,
        decision=emphasis.decision(model),
        published=beside.quote("verdict on H1"),
        explanation=emphasis.plain(model),
        anchor="tbl-specialty-tests",
        topic="H1",
        method="linear mixed model of all rows, joint F test that all differences are 0",
        p=shift.p,
        used=model.used,
        dropped=model.dropped,
        unit="scores",
        **_numbers(level),
    )


def h2(found: Heterogeneity, slope: Trend) -> Entry:
    """Agreement on scores and cases."""
    known = sum(case.estimable for case in found.cases.values())
    return Entry(
        question="Do evaluators' scores agree less on some cases, and less on difficult ones?",
        result=heterogeneity.short(found),
        decision=heterogeneity.decision(found, slope),
        published=beside.quote("verdict on H2"),
        explanation=heterogeneity.plain(found, slope),
        anchor="tbl-agreement-tests",
        topic="H2",
        method="mean rank correlation of two evaluators, ANOVA-type test of equality",
        p=found.test.p if found.test else None,
        used=known,
        dropped=len(found.cases) - known,
        unit="cases",
    )


def _most(held: int, of: int) -> Direction | Literal[""]:
    """How "for most" here stands to "for most" as printed."""
    return compared(YES if 2 * held > of else NO, YES) if of else ""


def _numbers(estimate: Estimate) -> dict[str, Any]:
    return {"estimate": estimate.value, "low": estimate.low, "high": estimate.high}
