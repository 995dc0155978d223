"""Agreement on which dimension scores high: what the paper's Table 11 measures.

Per case, evaluators are the blocks of Friedman's test and the dimensions its treatments; an entry
is an evaluator's mean over the analyses. The printed values imply this: χ² = m (k − 1) W holds in
every row with m evaluators and k dimensions. W is high here when evaluators find the same dimension
strong and the same one weak, on average over the analyses. It says nothing of whether they agree on
the analyses.
"""

import polars as pl
from plotnine import (
    aes,
    coord_flip,
    element_blank,
    geom_linerange,
    geom_point,
    ggplot,
    labs,
    scale_color_manual,
    scale_shape_manual,
    scale_x_discrete,
    scale_y_continuous,
    theme,
)

from helpers import beside, look, say
from helpers.agreement import Concordance, friedman
from helpers.estimates import cells, frame, note
from helpers.printed import parse
from helpers.ranking.printed import PRINTED, with_printed
from helpers.scoring.table import Scored, by_evaluator_case, thinned, wrapped
from helpers.show import Markdown, escape
from helpers.study import Study

TALLEST = 8.0  # inches for the cases of a figure


def agreement(scores: Scored, confidence: float = 0.95) -> dict[str, Concordance]:
    """Friedman's test over the dimensions, by case.

    Dimensions on scales of different length are compared in per cent of their scale.
    """
    means = by_evaluator_case(scores)
    return {
        case: friedman(
            means.filter(pl.col("case") == case).select(scores.labels).to_numpy().astype(float),
            confidence,
        )
        for case in scores.cases
    }


def table(study: Study, found: dict[str, Concordance]) -> pl.DataFrame:
    """A row for each case."""
    specialty = dict(study["cases"].select("case", "specialty").iter_rows())
    rows = [
        {"Case": case, "Specialty": specialty.get(case)}
        | {"Evaluators": one.used, "Dropped": one.dropped}
        | {"χ²": one.chi2, "df": one.df, "p": one.p}
        | cells(one, "W")
        | {"Note": note(one)}
        for case, one in found.items()
    ]
    return frame(rows)


def beside_printed(study: Study, found: dict[str, Concordance]) -> pl.DataFrame:
    """W, χ² and p beside those of Table 11, of cases of the same number and specialty."""
    cases = list(found)
    printed = {column: beside.cases("table11", column, study, cases) for column in PRINTED}
    return with_printed({"Case": cases}, list(found.values()), printed)


def printed_identity() -> str:
    """In how many rows of the printed Table 11 χ² is m (k − 1) W, in a sentence."""
    paper = beside.paper()
    printed = paper.table("table11")
    raters = parse(paper.quote("evaluators per case group (target)").printed).number
    dimensions = len(paper.table("table10").rows)
    factor = raters * (dimensions - 1)
    holds = sum(
        paper.interval("table11", "Friedman χ²", i).meets(
            paper.interval("table11", "Kendall’s W", i).map(lambda w: factor * w)
        )
        for i in range(len(printed.rows))
    )
    return (
        f"In {holds} of the {len(printed.rows)} rows of the published Table 11, χ² is "
        f"{raters:g} · {dimensions - 1} · W: that of {raters:g} evaluators and {dimensions} "
        "dimensions."
    )


def sentence(found: dict[str, Concordance]) -> str:
    """The range of W over the cases."""
    known = {case: float(one) for case, one in found.items() if one.value is not None}
    if not known:
        return "W over dimensions is not estimable in any case."
    low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    if len(known) == 1:
        return f"W over dimensions is {say.number(known[low])} in the one case with an estimate."
    return (
        f"W over dimensions lies between {say.number(known[low])} (case {escape(low)}) and "
        f"{say.number(known[high])} (case {escape(high)})."
    )


def picture(study: Study, found: dict[str, Concordance]) -> ggplot | Markdown:
    """W of each case with its interval, and what the paper prints for the same case."""
    printed = beside.cases("table11", "Kendall’s W", study, found)
    rows = []
    for (case, one), cell in zip(found.items(), printed, strict=True):
        if one.value is not None:
            rows.append((case, "this study", one.value, one.low, one.high))
        if cell is not None:
            rows.append((case, "published", parse(cell).number, None, None))
    if not rows:
        return Markdown("Nothing to draw: nothing is estimable.")
    names = ("case", "By", "w", "low", "high")
    drawn = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        pl.col("case").cast(pl.Enum(list(found)[::-1])),
        pl.col("By").cast(pl.Enum(["this study", "published"])),
        pl.col("low", "high").cast(pl.Float64),
    )
    height = min(TALLEST, 0.2 * len(found) + 0.2)
    named = thinned(list(found), height)
    return (
        ggplot(drawn.to_pandas(), aes("case", "w", color="By", shape="By"))
        + geom_linerange(aes(ymin="low", ymax="high"), size=0.7, na_rm=True)
        + geom_point(size=2.5 if len(named) == len(found) else 1)
        + scale_x_discrete(breaks=named, labels=wrapped(named, 28))
        + coord_flip()
        + scale_color_manual(values=[look.BLUE, look.ORANGE], drop=False)
        + scale_shape_manual(values=["o", "D"], drop=False)
        + scale_y_continuous(limits=(0, 1))
        + labs(x="Case", y="Kendall's W over dimensions")
        + look.plot_theme(height=height + 1.2)
        + theme(panel_grid_major_y=element_blank())
    )
