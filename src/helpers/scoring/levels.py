"""How scores spread over cases and over evaluators, dimension by dimension.

Evaluators rated different numbers of cases, and their mean is weighted by these (*case-weighted*):
it is the mean over all combinations of evaluator and case, each taken once. With values x_i and
weights w_i its standard error is

    √(n/(n − 1) · Σ w_i²(x_i − x̄)²) / Σ w_i      (Cochran 1977, *Sampling Techniques*, section 6.3)

which is SD/√n where the weights are equal. For the intervals at both levels n evaluators are drawn
with replacement, each with all that they wrote. Such draws vary less than n new evaluators would,
by √((n − 1)/n), and few leave their spread uncertain: the interval is mean ± t · √(n/(n − 1)) · SD
of the draws, with Student's t on n − 1 degrees of freedom.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl
from plotnine import (
    aes,
    element_blank,
    element_text,
    geom_boxplot,
    geom_errorbar,
    geom_line,
    geom_point,
    geom_violin,
    ggplot,
    labs,
    scale_color_manual,
    scale_x_continuous,
    theme,
)
from scipy import stats

from helpers import beside, look, resample, say
from helpers.agreement import Estimate
from helpers.estimates import frame, note
from helpers.scoring.table import Floats, Scored, by_case, by_evaluator, wrapped
from helpers.show import Markdown

CASES, EVALUATORS = "cases", "evaluators"
COLOURS = {CASES: look.BLUE, EVALUATORS: look.RED}
SIDE = {CASES: -0.2, EVALUATORS: 0.2}
REMARKS = (
    "Range of the dimensions' means",
    "Lowest dimension",
    "Highest two dimensions",
    "Spread of cases beside that of evaluators",
)
LEAST = 3  # evaluators that an interval needs
MOST_ACROSS = 8  # dimensions whose names fit side by side
LEAST_VIOLIN = 5  # different values that a density is drawn of


def weighted(values: Floats, weights: Floats) -> tuple[float, float | None]:
    """Weighted mean, and its standard error; None for a single value.

    Parameters
    ----------
    values, weights : ndarray
        As many of both, at least one.
    """
    mean, n = float(np.average(values, weights=weights)), len(values)
    if n < 2:
        return mean, None
    spread = (weights**2 * (values - mean) ** 2).sum() * n / (n - 1)
    return mean, float(np.sqrt(spread) / weights.sum())


def summary(scores: Scored, resamples: int, seed: int) -> pl.DataFrame:
    """Each dimension at both levels.

    Parameters
    ----------
    scores : Scored
        Of a study.
    resamples, seed : int
        Of the bootstrap over evaluators.

    Returns
    -------
    polars.DataFrame
        A row for each dimension and level: number of values `n`, `Mean` (case-weighted for
        evaluators) with its interval for other evaluators of the same cases, `SE` over the values,
        `Unweighted` mean of the evaluators, `SD` of the values, and a `Note` where something is
        not estimable.
    """
    people = by_evaluator(scores)
    means = {
        CASES: over_cases(scores, resamples, seed),
        EVALUATORS: case_weighted(people, scores.labels, resamples, seed),
    }
    rows = []
    for label in scores.labels:
        for level, table in ((CASES, by_case(scores)), (EVALUATORS, people)):
            known = table.drop_nulls(label)
            values, n = known[label].to_numpy(), known.height
            weights = known["cases"].to_numpy() if level == EVALUATORS else np.ones(n)
            mean, se = weighted(values, weights) if n else (None, None)
            estimate = means[level][label]
            few = f"{say.count(n, level.removesuffix('s'))}: no spread" if n == 1 else ""
            rows.append(
                {
                    "Dimension": label,
                    "Level": level,
                    "n": n,
                    "Mean": mean,
                    "Mean low": estimate.low,
                    "Mean high": estimate.high,
                    "SE": se,
                    "Unweighted": known[label].mean() if level == EVALUATORS else None,
                    "SD": float(values.std(ddof=1)) if n > 1 else None,
                    "Note": few or note(estimate),
                }
            )
    return frame(rows)


def case_weighted(
    people: pl.DataFrame, labels: Sequence[str], resamples: int, seed: int
) -> dict[str, Estimate]:
    """Case-weighted mean of each dimension, with its interval.

    Parameters
    ----------
    people : polars.DataFrame
        As `by_evaluator` gives it.
    labels : sequence of str
        The dimensions.
    resamples, seed : int
        Of the bootstrap over evaluators.
    """
    values = people.select(labels).to_numpy().astype(float)
    weights = np.where(np.isnan(values), 0, people["cases"].to_numpy()[:, None])
    sums = weights * np.nan_to_num(values)
    errors = np.full(len(labels), np.nan)
    if people.height >= LEAST:
        drawn = resample.bootstrap(people["evaluator"].to_numpy(), resamples, seed)
        with np.errstate(invalid="ignore"):
            errors = resample.percentile((drawn @ sums) / (drawn @ weights)).se
    return {
        label: _estimate(
            own.sum() / each.sum() if each.any() else None, int((each > 0).sum()), error
        )
        for label, own, each, error in zip(labels, sums.T, weights.T, errors, strict=True)
    }


def over_cases(scores: Scored, resamples: int, seed: int) -> dict[str, Estimate]:
    """Mean over cases of each case's mean score, for each dimension, with its interval.

    Parameters
    ----------
    scores : Scored
        Of a study.
    resamples, seed : int
        Of the bootstrap over evaluators; the cases stay as they are.
    """
    people = scores.frame["evaluator"].unique(maintain_order=True).to_list()
    place = tuple(
        scores.frame[key].replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
        for key, names in (("evaluator", people), ("case", list(scores.cases)))
    )
    drawn = resample.bootstrap(people, resamples, seed) if len(people) >= LEAST else None
    found = {}
    for label in scores.labels:
        values = scores.array(label)
        sums, counts = np.zeros((2, len(people), len(scores.cases)))
        np.add.at(sums, place, np.nan_to_num(values))
        np.add.at(counts, place, ~np.isnan(values))
        rated = counts.any(axis=0)
        sums, counts = sums[:, rated], counts[:, rated]
        mean = (sums.sum(axis=0) / counts.sum(axis=0)).mean() if rated.any() else None
        error = np.nan
        if drawn is not None and rated.any():
            with np.errstate(invalid="ignore"):
                draws = ((drawn @ sums) / (drawn @ counts)).mean(axis=1)
            error = resample.percentile(draws[:, None]).se[0]
        found[label] = _estimate(mean, int(counts.any(axis=1).sum()), error)
    return found


def _estimate(mean: float | None, n: int, error: float) -> Estimate:
    """A mean of n evaluators, its interval from the draws' standard deviation."""
    result = partial(Estimate, used=n, unit="evaluators")
    if mean is None:
        return result(reason="no scores")
    if n < LEAST:
        return result(value=float(mean), reason=f"an interval needs at least {LEAST} evaluators")
    if not error > 0:
        same = (
            "all evaluators have the same mean" if error == 0 else "too few resamples have a mean"
        )
        return result(value=float(mean), reason=same)
    margin = float(stats.t.ppf(0.975, n - 1)) * np.sqrt(n / (n - 1)) * error
    return result(value=float(mean), low=float(mean - margin), high=float(mean + margin))


def ends(scores: Scored) -> pl.DataFrame:
    """In how many cases, and for how many evaluators, each dimension is lowest and highest.

    Ties count for each of the tied dimensions; cases and evaluators without a score on some
    dimension are left out.
    """
    columns: dict[str, object] = {"Dimension": list(scores.labels)}
    for level, table in ((CASES, by_case(scores)), (EVALUATORS, by_evaluator(scores))):
        values = table.drop_nulls(scores.labels).select(scores.labels).to_numpy().astype(float)
        for end, sign in (("Lowest", 1), ("Highest", -1)):
            first = np.min(sign * values, axis=1, keepdims=True)
            columns[f"{end} in {level}"] = np.isclose(sign * values, first).sum(axis=0)
        columns[f"Of {level}"] = len(values)
    return pl.DataFrame(columns)


def remarks(table: pl.DataFrame, unit: str) -> pl.DataFrame:
    """What the paper's text remarks on the scores, for this study.

    Parameters
    ----------
    table : polars.DataFrame
        As `summary` gives it.
    unit : str
        Of the scores.

    Returns
    -------
    polars.DataFrame
        `Remark`, `This study`; and `Published`, where the dimensions are those of the paper.
    """
    known = table.filter(pl.col("Level") == CASES).drop_nulls("Mean").sort("Mean")
    names, means = known["Dimension"].to_list(), known["Mean"].to_list()
    few = "not estimable: fewer than two dimensions with scores"
    found = [few] * 3
    if len(names) > 1:
        found = [f"{say.span(means[0], means[-1])} {unit}", names[0], ", ".join(names[:-3:-1])]
    ends = (beside.quote(f"{end} dimension mean") for end in ("lowest", "highest"))
    printed = [
        " to ".join(ends),
        beside.quote("dimension with the lowest scores"),
        beside.quote("dimensions with higher scores").replace("; ", ", "),
        beside.quote("variability between cases beside that between evaluators"),
    ]
    same = all(beside.dimensions("table10", "t", table["Dimension"].unique(maintain_order=True)))
    rows = [
        {"Remark": remark, "Published": cell if same else None, "This study": own}
        for remark, cell, own in zip(REMARKS, printed, [*found, spread(table)], strict=True)
    ]
    return frame(rows, optional=("Published",))


def spread(table: pl.DataFrame) -> str:
    """On how many dimensions the values of cases spread more than those of evaluators."""
    sides = table.select("Dimension", "Level", "SD").pivot("Level", index="Dimension", values="SD")
    known = sides.drop_nulls()
    if known.is_empty():
        return "not estimable: one case or one evaluator has no spread"
    wider = int((known[CASES] > known[EVALUATORS]).sum())
    return f"greater on {wider} of {say.count(known.height, 'dimension')}, by standard deviations"


def picture(scores: Scored, table: pl.DataFrame) -> ggplot | Markdown:
    """Each dimension with a box of its cases' values and a violin of its evaluators'.

    Parameters
    ----------
    scores : Scored
        Of a study.
    table : polars.DataFrame
        Its `summary`: the means, joined by lines, with bars of one standard error.

    Returns
    -------
    plotnine.ggplot
        Fewer than five different values are drawn as points.
    """
    values = {
        CASES: by_case(scores).unpivot(scores.labels, variable_name="Dimension"),
        EVALUATORS: by_evaluator(scores).unpivot(scores.labels, variable_name="Dimension"),
    }
    drawn = _placed(pl.concat([t.with_columns(Level=pl.lit(k)) for k, t in values.items()]), scores)
    drawn = drawn.drop_nulls("value")
    if drawn.is_empty():
        return Markdown("Nothing to draw: no scores.")
    many = drawn.filter(pl.col("value").n_unique().over("Dimension", "Level") >= LEAST_VIOLIN)
    few = drawn.join(many, on=["Dimension", "Level"], how="anti")
    means = _placed(table, scores).with_columns(
        (pl.col("Mean") - pl.col("SE")).alias("low"), (pl.col("Mean") + pl.col("SE")).alias("high")
    )
    boxes, violins = (
        many.filter(pl.col("Level") == level).to_pandas() for level in (CASES, EVALUATORS)
    )
    at = aes("place", "value", group="place", color="Level")
    turned = element_text(rotation=90, va="top", ha="center")
    room = len(scores.labels) <= MOST_ACROSS
    return (
        ggplot(means.drop_nulls("Mean").to_pandas(), aes("place", "Mean", color="Level"))
        + geom_violin(at, violins, n=128, width=0.36, fill=look.GRID, size=0.3)
        + geom_boxplot(at, boxes, width=0.3, fill=look.GRID, size=0.3, outlier_size=1)
        + geom_point(at, few.to_pandas(), size=1, alpha=0.6)
        + geom_line(aes(group="Level"), size=0.6)
        + geom_errorbar(aes(ymin="low", ymax="high"), width=0.12, size=0.6, na_rm=True)
        + geom_point(size=2)
        + scale_color_manual(values=COLOURS, limits=[CASES, EVALUATORS])
        + scale_x_continuous(
            breaks=list(range(1, len(scores.labels) + 1)),
            labels=wrapped(scores.labels, 14 if room else 28),
        )
        + labs(x="", y=f"Mean score ({scores.unit})")
        + look.plot_theme(height=4.0 if room else 5.0)
        + theme(panel_grid_major_x=element_blank())
        + (theme() if room else theme(axis_text_x=turned))
    )


def _placed(frame: pl.DataFrame, scores: Scored) -> pl.DataFrame:
    """Rows with their place on the horizontal axis."""
    order = dict(zip(scores.labels, range(1, len(scores.labels) + 1), strict=True))
    place = pl.col("Dimension").replace_strict(order, return_dtype=pl.Float64)
    return frame.with_columns(place=place + pl.col("Level").replace_strict(SIDE))
