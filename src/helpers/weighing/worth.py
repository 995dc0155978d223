"""Tables of weights: with both intervals, with errors of four kinds, by several methods."""

import numpy as np
import polars as pl

from helpers import bradley_terry, estimates, plackett_luce, rank_regression, say, show
from helpers.choice.logit import Floats
from helpers.not_estimable import NotEstimableError
from helpers.ranking_weights import METHODS, normalised
from helpers.refusal import ended, in_prose, in_table
from helpers.weighing import printed
from helpers.weighing.weighed import Weighed

INDEPENDENT, SANDWICH = "Independent choices", "Sandwich, evaluators"
BOOTSTRAP, JACKKNIFE = "Bootstrap, evaluators", "Jackknife, cases"
RATIO = "Bootstrap / independent"
DIGITS = dict.fromkeys((INDEPENDENT, SANDWICH, BOOTSTRAP, JACKKNIFE), 3)
ENDS = ("low", "high", "case_low", "case_high")
SHORT = {rank_regression.MODEL: "Least squares"}  # for the heads of columns
LOGITS = (bradley_terry.MODEL, plackett_luce.MODEL)


@in_table
def weights(weighed: Weighed) -> pl.DataFrame:
    """Weight of each dimension with both intervals, and what it does to the odds of a pair."""
    reasons = {**weighed.fit.reasons, **weighed.unscored}
    odds = {"Odds ratio": np.exp(pl.col("weight"))} if weighed.method in LOGITS else {}
    table = weighed.weights.select("dimension", "weight", *ENDS, **odds)
    rows = [
        dict(zip(("Dimension", "Weight", *table.columns[2:]), row, strict=True))
        for row in table.iter_rows()
    ]
    rows += [dict.fromkeys(rows[0], None) | {"Dimension": label} for label in weighed.unscored]
    for row in rows:
        reason = reasons.get(str(row["Dimension"]))
        row[estimates.NOTE] = f"not estimable: {reason}" if reason else ""
    return estimates.frame(rows)


@in_prose
def notes(weighed: Weighed) -> str:
    """What was left out, and which intervals cannot be had, in sentences."""
    left_out = [
        f"{say.count(count, 'row')} {show.escape(reason)}"
        for reason, count in weighed.rankings.left_out.items()
    ]
    told = [f"Left out: {say.listing(left_out)}." if left_out else "No row was left out."]
    told += [ended(show.escape(note)) for note in weighed.found.notes]
    return " ".join(told)


@in_table
def shares(weighed: Weighed) -> pl.DataFrame:
    """Weights divided by their sum, in per cent, with both intervals."""
    dimensions = weighed.rankings.dimensions
    normalised(weighed.fit.estimate[: len(dimensions)], dimensions)
    return weighed.weights.select(
        pl.col("dimension").alias("Dimension"),
        (100 * pl.col("share_weight")).alias("Share (%)"),
        *((100 * pl.col(f"share_{end}")).alias(end) for end in ENDS),
    )


@in_table
def errors(weighed: Weighed) -> pl.DataFrame:
    """Standard errors of the weights by four methods, of which the first is too small."""
    fit, found = weighed.fit, weighed.found
    count = len(weighed.rankings.dimensions)
    nothing = np.full(count, np.nan)
    note = ""
    try:
        sandwich: Floats = np.sqrt(np.diag(fit.clustered(weighed.rankings.evaluator)))[:count]
    except NotEstimableError as error:
        sandwich, note = nothing, f"sandwich not estimable: {error.reason}"
    bootstrap, jackknife = (
        interval.se[:count] if interval else nothing for interval in (found.evaluators, found.cases)
    )
    table = pl.DataFrame(
        {
            "Dimension": weighed.rankings.dimensions,
            "Weight": fit.estimate[:count],
            INDEPENDENT: fit.se[:count],
            SANDWICH: sandwich,
            BOOTSTRAP: bootstrap,
            JACKKNIFE: jackknife,
            RATIO: bootstrap / fit.se[:count],
            estimates.NOTE: note,
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    return estimates.frame(table.to_dicts())


@in_prose
def errors_sentence(weighed: Weighed) -> str:
    """How much larger errors are once evaluators are resampled."""
    weighed.fit  # noqa: B018
    ratios = errors(weighed)[RATIO].drop_nulls().to_list()
    if not ratios:
        return "Evaluators cannot be resampled here, so that errors are not compared."
    return (
        "Resampling evaluators gives standard errors that are "
        f"{say.span(min(ratios), max(ratios), 1)} times those of independent choices."
    )


@in_table
def methods(weighed: Weighed, share: bool = True) -> pl.DataFrame:
    """Weights by all methods side by side, a row for each dimension.

    Parameters
    ----------
    weighed : Weighed
        A study's weights.
    share : bool
        Whether they are divided by their sum, in per cent, which puts them on one scale.
    """
    prefix, factor = ("share_", 100.0) if share else ("", 1.0)
    table = pl.DataFrame({"Dimension": weighed.rankings.dimensions})
    for (method,), own in weighed.compared.group_by("method", maintain_order=True):
        table = table.with_columns(
            (own[f"{prefix}{column}"] * factor).alias(f"{SHORT.get(str(method), method)}{end}")
            for column, end in (("weight", ""), ("low", " low"), ("high", " high"))
        )
    return table.drop(f"{printed.CLMM} low", f"{printed.CLMM} high", strict=False)


def methods_intervals(weighed: Weighed) -> dict[str, tuple[str, str]]:
    """What `show.table` needs to show the intervals of `methods`."""
    level = say.percent(weighed.confidence)
    names = [SHORT.get(method, method) for method in METHODS]
    return {f"{level} CI, {name}": (f"{name} low", f"{name} high") for name in names}


@in_prose
def methods_sentence(weighed: Weighed) -> str:
    """How far apart the methods' shares are, or why a method has none."""
    own = weighed.compared.filter(pl.col("method").is_in(list(METHODS)))
    reasons: dict[str, list[str]] = {}
    for (method,), table in own.group_by("method", maintain_order=True):
        try:
            normalised(table["weight"].fill_null(np.nan), weighed.rankings.dimensions)
        except NotEstimableError as error:
            reasons.setdefault(error.reason, []).append(str(method))
    if reasons:
        told = [
            f"no shares by {say.listing(who)}: {show.escape(why)}" for why, who in reasons.items()
        ]
        return " ".join(map(ended, told))
    spread = own.group_by("dimension", maintain_order=True).agg(
        (pl.col("share_weight").max() - pl.col("share_weight").min()).alias("apart")
    )
    widest = spread.sort("apart", descending=True).row(0, named=True)
    return (
        "On no dimension are the three methods' shares further apart than "
        f"{say.number(100 * widest['apart'], 1)} percentage points "
        f"({show.escape(widest['dimension'])})."
    )
