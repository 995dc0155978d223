"""Tables and sentences of the comparison with benchmarks; a reason where there are none."""

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from helpers import beside, estimates, say, show
from helpers.audit.fit import outcome_sd
from helpers.benchmark.association import needed
from helpers.benchmark.bend import ENOUGH, quadratic
from helpers.benchmark.comparison import ACCURACY, OUTCOMES, Compared, Comparison
from helpers.benchmark.fit import DIVISORS, Fit
from helpers.benchmark.left_out import LINE, MEAN, rms
from helpers.benchmark.several import overall
from helpers.benchmark.smoother import loess, lowess
from helpers.benchmark.verdict import BENT, OPEN, STRAIGHT, Judged, better
from helpers.estimates import NOTE, frame
from helpers.not_estimable import NotEstimableError
from helpers.printed import parse
from helpers.ranking.decisions import ABSENT
from helpers.refusal import ended, in_prose, in_table

PUBLISHED = "the paper, Table 14"
UNNAMED = "÷ not given"
ROWS = {
    "R²": "Coefficient of Determination (R²)",
    UNNAMED: "Residual Standard Deviation (RSD) ↓",
    "MAE": "Mean Absolute Error (MAE) ↓",
}
FITS = {"Straight line": "Linear Regression", "LOESS": "LOESS (frac=0.7)"}
SHOWN = {ACCURACY: "accuracy (%)", "score": "score"}
FEW = 10  # models below which a decision is said to stand on little
DEGREES, ROBUST = (0, 1, 2), (0, 3)


@in_table
def data(compared: Compared) -> pl.DataFrame:
    """Every accuracy and every model, compared or left out with the reason."""
    scores: dict[str, dict[str, Any]] = {}
    why = ""
    try:
        found = compared.perceived.capability.scores
        scores = {row["analyst"]: row for row in found.to_dicts()}
    except NotEstimableError as error:
        why = f"no score: {error.reason}"
    rows: list[dict[str, Any]] = []
    for benchmark in compared.benchmarks:
        own = compared.perceived.weighed.study["benchmarks"].filter(benchmark=benchmark.name)
        sources = dict(own.select("analyst", "source").iter_rows())
        for analyst in (*benchmark.accuracies, *benchmark.left_out):
            score = scores.get(analyst, {})
            rows.append(
                {
                    "Benchmark": benchmark.name,
                    "Analyst": analyst,
                    "Accuracy (%)": benchmark.accuracies.get(analyst),
                    "Read as": benchmark.read if analyst in benchmark.accuracies else "",
                    "Score": score.get("score"),
                    "low": score.get("low"),
                    "high": score.get("high"),
                    "Source": sources.get(analyst) or "",
                    "Left out": benchmark.left_out.get(analyst) or benchmark.reason or why,
                }
            )
    return frame(rows, ["Left out", "Source"])


@in_prose
def data_sentence(compared: Compared) -> str:
    """How accuracies were read, and which are missing."""
    told = []
    for benchmark in compared.benchmarks:
        n = len(benchmark.accuracies)
        head = f"{benchmark.name}: {say.count(n, 'model')} with an accuracy"
        read = "" if benchmark.reason or not n else f", read as {benchmark.read}"
        missing = [f"{name} ({why})" for name, why in benchmark.left_out.items()]
        gone = f"; left out: {say.listing(missing)}" if missing else ""
        refused = f"; not used: {benchmark.reason}" if benchmark.reason else ""
        told.append(ended(f"{head}{read}{gone}{refused}"))
    return _escaped(" ".join(told))


@in_table
def association(compared: Compared) -> pl.DataFrame:
    """Pearson's r with its intervals and p-values, a row for each benchmark."""
    rows: list[dict[str, Any]] = []
    for name, one in compared.comparisons.items():
        if isinstance(one, str):
            rows.append({"Benchmark": name, NOTE: f"not estimable: {one}"})
            continue
        own, people, cases = one.association, one.over_evaluators, one.over_cases
        rows.append(
            {
                "Benchmark": name,
                "Models": own.n,
                "r": own.r,
                "low": own.low,
                "high": own.high,
                "people low": people and people[0],
                "people high": people and people[1],
                "case low": cases and cases[0],
                "case high": cases and cases[1],
                "p": own.p,
                NOTE: own.reason,
            }
        )
    return _rows(rows, [NOTE])


def intervals(compared: Compared) -> dict[str, tuple[str, str]]:
    """What `show.table` needs to show the intervals of `association`."""
    return {
        f"{compared.level} CI, models": ("low", "high"),
        f"{compared.level} CI, evaluators": ("people low", "people high"),
        f"{compared.level} CI, cases": ("case low", "case high"),
    }


@in_table
def limits(compared: Compared) -> pl.DataFrame:
    """What the number of models allows, and the association by other measures."""
    rows: list[dict[str, Any]] = []
    for one in compared.usable:
        own = one.association
        rows.append(
            {
                "Benchmark": one.name,
                "Models": own.n,
                "Orders tried": own.method.removeprefix("permutation, "),
                "Least p possible": own.least,
                "Monte-Carlo SE of p": own.error or None,
                "r needed by t": needed(own.n),
                "p by t": own.p_student,
                "Spearman's ρ": one.ranked.r,
                "p of ρ": one.ranked.p,
            }
        )
    return _unnamed(rows, ["Monte-Carlo SE of p"], compared)


@in_table
def fitted(compared: Compared) -> pl.DataFrame:
    """Each model with what line and smoother make of it, and their intervals over evaluators."""
    rows: list[dict[str, Any]] = []
    for one in compared.usable:
        x, _ = one.sides()
        curves = {"Line": one.line(), "LOESS": _smooth(one)}
        bands = one.bands(x)
        for place, name in enumerate(one.points.names):
            row: dict[str, Any] = {
                "Benchmark": one.name,
                "Model": name,
                "Score": float(one.points.scores[place]),
                "Accuracy (%)": float(one.points.accuracies[place]),
            }
            for curve, key in (("Line", "line"), ("LOESS", "smooth")):
                own = curves[curve]
                low, high = (float(end[place]) for end in bands[key])
                row[curve] = float(own.fitted[place]) if isinstance(own, Fit) else None
                row[f"{curve} low"], row[f"{curve} high"] = _finite(low), _finite(high)
                if not isinstance(own, Fit):
                    row[NOTE] = f"no LOESS: {own}"
            rows.append(row)
    return _unnamed(rows, [NOTE], compared)


def fitted_intervals(compared: Compared) -> dict[str, tuple[str, str]]:
    """What `show.table` needs to show the intervals of `fitted`."""
    level = compared.settings.confidence
    return {
        f"{head}, evaluators": ends
        for head, ends in estimates.interval("Line", "LOESS", level=level).items()
    }


@in_table
def measures(compared: Compared) -> pl.DataFrame:
    """How closely line and smoother follow the points, and what they spend on it."""
    divisor = compared.settings.divisor
    rows: list[dict[str, Any]] = []
    for one in compared.usable:
        for name, own in (("Straight line", one.line()), ("LOESS", _smooth(one))):
            row: dict[str, Any] = {"Benchmark": one.name, "Fit": name}
            if isinstance(own, Fit):
                row |= {
                    "R²": own.r2,
                    f"Residual SD ÷ {_divided(divisor)}": own.residual_sd(divisor),
                    "MAE": own.mae,
                    "Effective df": own.trace,
                    "Equivalent parameters": own.equivalent,
                    "Residual freedom": own.freedom,
                    "AICc": own.aicc,
                }
            else:
                row[NOTE] = f"not estimable: {own}"
            rows.append(row)
    return _unnamed(rows, [NOTE], compared)


@in_prose
def measures_sentence(compared: Compared) -> str:
    """What a smoother's closeness is worth."""
    told = [f"The outcome is the {SHOWN[compared.settings.outcome]}."]
    for one in compared.usable:
        smooth = _smooth(one)
        if isinstance(smooth, Fit):
            n = len(smooth.outcome)
            told.append(
                f"{one.name}: LOESS spends {say.number(smooth.trace, 1)} effective degrees of "
                f"freedom (by the other count {say.number(smooth.equivalent, 1)}) on "
                f"{say.count(n, 'point')}, the line 2, so that LOESS is closer whether there is a "
                "bend or not."
            )
            if smooth.aicc is None:
                told.append(ended(f"Its {_no_aicc(smooth)}"))
    return _escaped(" ".join(told))


@in_table
def both_ways(compared: Compared) -> pl.DataFrame:
    """The measures with either as outcome and by every divisor, those of the paper's Table 14 last.

    The SD of the outcome has the divisor n − 1; that of the paper is implied by its R² and residual
    SD, whatever divisor both have.
    """
    rows: list[dict[str, Any]] = []
    for one in compared.usable:
        for outcome in OUTCOMES:
            for name, own in (
                ("Straight line", one.line(outcome)),
                ("LOESS", _smooth(one, outcome)),
            ):
                row: dict[str, Any] = {
                    "Data": one.name if len(compared.benchmarks) > 1 else "this study",
                    "Outcome": SHOWN[outcome],
                    "Fit": name,
                    "SD of outcome": float(one.sides(outcome)[1].std(ddof=1)),
                }
                if isinstance(own, Fit):
                    row |= {"R²": own.r2} | {
                        f"÷ {_divided(divisor)}": own.residual_sd(divisor) for divisor in DIVISORS
                    }
                    row |= {"MAE": own.mae}
                rows.append(row)
    return _rows([*rows, *_published()], ["nothing"])


def published_remark(compared: Compared) -> str:
    """What the printed rows are worth beside this study's."""
    return beside.remark(compared.perceived.weighed.study, len(FITS))


def _published() -> list[dict[str, Any]]:
    paper = beside.paper()
    labels = paper.table("table14").labels
    rows = []
    for name, column in FITS.items():
        place = {key: labels.index(row) for key, row in ROWS.items()}
        values = {
            key: parse(paper.table("table14").column(column)[own]).value
            for key, own in place.items()
        }
        implied = outcome_sd(
            paper.interval("table14", column, place["R²"]),
            paper.interval("table14", column, place[UNNAMED]),
        )
        rows.append(
            {
                "Data": PUBLISHED,
                "Outcome": "not given",
                "Fit": name,
                "SD of outcome": (implied.low + implied.high) / 2,
                "R²": values["R²"],
                UNNAMED: values[UNNAMED],
                "MAE": values["MAE"],
            }
        )
    return rows


@in_table
def smoothers(compared: Compared) -> pl.DataFrame:
    """R² of smoothers that bend less or more, and what they spend; statsmodels' own last."""
    rows: list[dict[str, Any]] = []
    span = compared.settings.span
    for one in compared.usable:
        x, y = one.sides()
        kinds = [
            ("LOESS", degree, robust, partial(loess, x, y, span, degree, robust))
            for degree, robust in product(DEGREES, ROBUST)
        ]
        kinds += [("lowess", 1, robust, partial(lowess, x, y, span, robust)) for robust in ROBUST]
        for name, degree, robust, fit in kinds:
            row: dict[str, Any] = {
                "Benchmark": one.name,
                "Smoother": name,
                "Degree": degree,
                "Robust iterations": robust,
            }
            try:
                own = fit()
                row |= {"R²": own.r2, "MAE": own.mae, "Effective df": own.trace, "Points": len(y)}
            except NotEstimableError as error:
                row[NOTE] = f"not estimable: {error.reason}"
            rows.append(row)
    return _unnamed(rows, [NOTE], compared)


@in_table
def left_out(compared: Compared) -> pl.DataFrame:
    """How far each model misses points left out, on its own points and on those of all."""
    rows: list[dict[str, Any]] = []
    for one in compared.usable:
        found = one.left_out
        common, shared = found.on_common(), int(found.common().sum())
        for name in found.predicted:
            errors = found.errors(name)
            known = errors[np.isfinite(errors)]
            rows.append(
                {
                    "Benchmark": one.name,
                    "Predicted by": name,
                    "Points": len(known),
                    "Not estimable": len(errors) - len(known),
                    "RMS error": rms(errors),
                    "Mean absolute error": float(np.abs(known).mean()) if len(known) else None,
                    "RMS error, points of all": common.get(name),
                    "Points of all": shared if name in common else None,
                    NOTE: found.reasons[name],
                }
            )
    return _unnamed(rows, [NOTE], compared)


@in_prose
def left_out_sentence(compared: Compared) -> str:
    """Which curves predict points left out better than the line, and whether anything does."""
    told = []
    for one in compared.usable:
        found = one.left_out
        common = found.on_common()
        if LINE not in common:
            told.append(f"{one.name}: no point is predicted by all.")
            continue
        closer = better(found)
        told.append(
            f"{one.name}: on the {say.count(int(found.common().sum()), 'point')} that all predict, "
            + (
                f"{say.listing([name.lower() if name != 'LOESS' else name for name in closer])} "
                f"{'misses' if len(closer) == 1 else 'miss'} by less than the line."
                if closer
                else "nothing that bends misses by less than the line."
            )
        )
        if MEAN in common and common[MEAN] <= common[LINE]:
            told.append("The line itself misses by no less than the mean of the other points.")
    return _escaped(" ".join(told))


@in_table
def bend(compared: Compared) -> pl.DataFrame:
    """Parabola against line, either way round, and what the test would have seen."""
    rows: list[dict[str, Any]] = []
    for one in compared.usable:
        for outcome in OUTCOMES:
            own = quadratic(*one.sides(outcome), share=compared.settings.flat)
            rows.append(
                {
                    "Benchmark": one.name,
                    "Outcome": SHOWN[outcome],
                    "F": own.f,
                    "df": f"1, {own.df}" if own.p is not None else None,
                    "p": own.p,
                    "Upper slope / lower slope": own.ratio,
                    "Power (%)": own.power and 100 * own.power,
                    "power low": own.power_low and 100 * own.power_low,
                    "power high": own.power_high and 100 * own.power_high,
                    "Seen from (%)": own.visible and 100 * own.visible,
                    NOTE: own.reason,
                }
            )
    return _unnamed(rows, [NOTE], compared)


@in_prose
def bend_sentence(compared: Compared) -> str:
    """What the test of a parabola can say with so few points."""
    told = []
    for one in compared.usable:
        own, n = one.bend, one.association.n
        if own.p is None or own.power is None:
            told.append(ended(f"{one.name}: no test of a bend: {own.reason}"))
            continue
        enough = "enough" if own.power >= ENOUGH else "not enough"
        told.append(
            f"{one.name}: with {say.count(n, 'point')} the test has {own.df} "
            f"{'degree' if own.df == 1 else 'degrees'} of freedom for the scatter and a power of "
            f"{say.percent(own.power)} against the bend of the rule, {enough} to call points "
            "straight where none is seen."
        )
    return _escaped(" ".join(told))


def decision(judged: Sequence[Judged]) -> pl.DataFrame:
    """What became of H6 on each benchmark."""
    rows: list[dict[str, Any]] = []
    for one in judged:
        own = one.comparison
        people = own.over_evaluators if own else None
        rows.append(
            {
                "Benchmark": one.benchmark or "none",
                "Models": own.association.n if own else None,
                "r": own.association.r if own else None,
                "people low": people and people[0],
                "people high": people and people[1],
                "p (Holm)": one.p_holm,
                "Positive": "" if one.positive is None else "yes" if one.positive else "not shown",
                "Form": one.form if one.positive is not None else "",
                "p of a bend": own.bend.p if own and one.positive is not None else None,
                "Decision": one.decision,
                NOTE: f"not estimable: {one.reason}" if one.reason else "",
            }
        )
    return frame(rows)


def decision_sentence(judged: Sequence[Judged]) -> str:
    """The decision in words, and what so few models can decide."""
    made = overall(judged)
    if made == ABSENT:
        reasons = list(dict.fromkeys(one.reason for one in judged))
        return _escaped(f"By the rule, H6 is not estimable here: {'; '.join(reasons)}.")
    told = [f"By the rule, H6 is **{made}**."]
    for one in judged:
        if one.positive is None or one.comparison is None:
            continue
        n = one.comparison.association.n
        form = {
            STRAIGHT: "straight, as far as a bend of the rule's size goes",
            BENT: "bent",
            OPEN: "of a form that cannot be told",
        }[one.form]
        sign = f"positive and {form}" if one.positive else "not shown to be positive"
        told.append(_escaped(f"{one.benchmark}, {say.count(n, 'model')}: the relation is {sign}."))
    few = min(one.comparison.association.n for one in judged if one.comparison)
    if few < FEW:
        told.append(
            f"{say.count(few, 'point')} can hardly decide such a question: they may show a strong "
            "relation, seldom its form, and nothing about models of another kind."
        )
    return " ".join(told)


def _smooth(one: Comparison, outcome: str = "") -> Fit | str:
    """The smoother, or why there is none."""
    try:
        return one.smooth(outcome)
    except NotEstimableError as error:
        return error.reason


def _divided(divisor: str) -> str:
    """A divisor as a header has it; differences on one line."""
    named = divisor.replace("-", say.MINUS)
    return named.replace(" ", say.NBSP) if say.MINUS in named else named


def _no_aicc(own: Fit) -> str:
    """Why a fit has no AICc; empty where it has one."""
    if own.aicc is not None:
        return ""
    spare = len(own.outcome) - own.trace - 2
    if spare > 0:
        return "AICc is undefined: no residual is left"
    return (
        f"AICc is undefined: points less effective df less 2 is {say.number(spare, 1)}, and AICc "
        "divides by it as long as it is above zero"
    )


def _rows(rows: Sequence[dict[str, Any]], optional: Sequence[str]) -> pl.DataFrame:
    """Rows that need not have the same columns, in the order of the longest first."""
    names = dict.fromkeys(name for row in sorted(rows, key=len, reverse=True) for name in row)
    last = [name for name in names if name != NOTE] + [name for name in names if name == NOTE]
    return frame([{name: row.get(name) for name in last} for row in rows], optional)


def _unnamed(
    rows: Sequence[dict[str, Any]], optional: Sequence[str], compared: Compared
) -> pl.DataFrame:
    """The same, without the benchmark's name where there is one only."""
    found = _rows(rows, optional)
    return found if len(compared.benchmarks) > 1 else found.drop("Benchmark")


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _escaped(text: str) -> str:
    return show.escape(text)
