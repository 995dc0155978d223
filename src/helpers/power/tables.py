"""Tables and sentences of the chapter on the next study."""

import polars as pl

from helpers import say
from helpers.estimates import NOTE, absent, frame
from helpers.power.grid import POWER, PRECISION, Shown
from helpers.power.measures import H5_ANY, SHARES, SLOPES, W
from helpers.simulate import Effects, Plan

SEEN = {
    "H1": "paired test over cases of specialists less others, p below five per cent",
    "H2": "agreement on scores differs between cases, p below five per cent",
    "H3": "mean ranks rise from level to level and the exact test over cases sees it",
    "H4": "agreement on rankings differs between cases, p below five per cent",
    H5_ANY: "weights are seen to vary with cases, kinds or evaluators, after Holm",
    "H5": "weights are seen to vary with all three, after Holm",
    "H6": "r above zero and its permutation p below five per cent",
}
MEANING = {
    W: "half width of the 95 % interval of Kendall's W, mean over cases",
    SHARES: "root mean square error of the weights' shares, percentage points",
    SLOPES: "half width of the 95 % interval of a slope, mean over dimensions",
}
ENOUGH = 0.8


def effects(effects_: Effects, plan: Plan) -> pl.DataFrame:
    """The effects that are planted, in words."""
    rows = {
        "H1": (effects_.alignment, "points by which specialists score lower in their specialty"),
        "H2 and H4": (
            effects_.uneven,
            "standard deviation between cases of the log of how far analyses differ in quality",
        ),
        "H3": (
            effects_.step,
            "quality from level to level, in standard deviations of the language models'",
        ),
        "H5": (
            effects_.varying,
            "standard deviation of weights between cases, evaluators and kinds of analysts, in "
            "shares of the mean weight",
        ),
        "H6": (effects_.benchmark, "correlation of accuracy with quality"),
        "all": (plan.spread, "standard deviation of quality within a case, in points"),
    }
    return pl.DataFrame(
        [{"For": name, "Effect": value, "What it is": told} for name, (value, told) in rows.items()]
    )


def rules() -> pl.DataFrame:
    """When a simulated study is counted as one that saw the effect."""
    return pl.DataFrame({"Hypothesis": list(SEEN), "Seen if": list(SEEN.values())})


def meanings() -> pl.DataFrame:
    """What is measured of each quantity."""
    return pl.DataFrame({"Quantity": list(MEANING), "Measure": list(MEANING.values())})


def power(found: Shown, multiple: float) -> pl.DataFrame:
    """How often each hypothesis is seen, in per cent, by number of evaluators and of cases."""
    own = _cells(found, POWER, multiple)
    table = own.select(
        pl.col("name").alias("Hypothesis"),
        pl.col("evaluators").alias("Evaluators"),
        pl.col("cases").alias("Cases"),
        pl.col("studies").alias("Studies"),
        pl.col("results").alias("Testable"),
        (100 * pl.col("value")).alias("Seen (%)"),
        (100 * pl.col("low")).alias("Seen low"),
        (100 * pl.col("high")).alias("Seen high"),
        _note("no simulated study could test it"),
    )
    return frame(table.to_dicts()) if table.height else table


def precision(found: Shown, multiple: float) -> pl.DataFrame:
    """How exactly quantities are measured, by number of evaluators and of cases."""
    own = _cells(found, PRECISION, multiple)
    table = own.select(
        pl.col("name").alias("Quantity"),
        pl.col("evaluators").alias("Evaluators"),
        pl.col("cases").alias("Cases"),
        pl.col("results").alias("Estimable"),
        pl.col("value").alias("Value"),
        pl.col("low").alias("Value low"),
        pl.col("high").alias("Value high"),
        _note("it was so in no simulated study"),
    )
    return frame(table.to_dicts()) if table.height else table


def _note(reason: str) -> pl.Expr:
    told = pl.lit(f"not estimable: {reason}")
    return pl.when(pl.col("results") == 0).then(told).otherwise(pl.lit("")).alias(NOTE)


def _cells(found: Shown, what: str, multiple: float) -> pl.DataFrame:
    own = found.table.filter((pl.col("what") == what) & (pl.col("multiple") == multiple))
    order = {name: place for place, name in enumerate([*SEEN, *MEANING])}
    place = pl.col("name").replace_strict(order, return_dtype=pl.Int64)
    return own.sort(place, "cases", "evaluators", maintain_order=True)


def largest(found: Shown) -> float:
    """The largest multiple of the effects that was simulated."""
    return float(max(found.table["multiple"]))


def errors(found: Shown) -> pl.DataFrame:
    """How often each hypothesis is seen where there is no effect, or why that is not known."""
    table = power(found, 0.0)
    if table.height:
        return table
    return absent("Hypothesis", "no studies without effects were simulated")


def source(found: Shown) -> str:
    """Where the numbers come from, and how exact they are."""
    studies = say.count(int(max(found.table["studies"])), "simulated study", "simulated studies")
    if not found.stored:
        return (
            f"There are no results of `make power` for this study with these effects, so that the "
            f"corners of the grid are simulated here, {studies} each. That shows the order of "
            "things and little more: see the intervals. `make power` makes the whole grid, and "
            "the next `make report` shows it."
        )
    stale = (
        ""
        if found.current
        else (" The code has changed since then; `make power` brings the numbers up to date.")
    )
    return f"`make power` made these numbers, {studies} for each combination.{stale}"


def sentence(found: Shown) -> str:
    """The smallest study that sees each hypothesis in four of five cases."""
    multiple = largest(found)
    told = []
    for name in SEEN:
        own = _cells(found, POWER, multiple).filter(pl.col("name") == name)
        known = own.drop_nulls("value")
        if known.is_empty():
            told.append(f"{name}: not estimable, no simulated study could test it")
            continue
        enough = known.filter(pl.col("value") >= ENOUGH).sort(
            pl.col("evaluators") * pl.col("cases"), "evaluators"
        )
        told.append(f"{name}: {_smallest(enough)}")
    share = say.percent(ENOUGH)
    return f"The smallest combinations that see an effect in {share} of studies: " + (
        "; ".join(told) + "."
    )


def _smallest(enough: pl.DataFrame) -> str:
    if enough.is_empty():
        return "none of those tried"
    row = enough.row(0, named=True)
    return f"{say.count(row['evaluators'], 'evaluator')} and {say.count(row['cases'], 'case')}"


def interval(name: str) -> dict[str, tuple[str, str]]:
    """What `show.table` needs to show Monte-Carlo intervals."""
    return {"Monte-Carlo interval": (f"{name} low", f"{name} high")}
