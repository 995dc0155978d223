"""Agreement on the analyses, case by case and dimension by dimension: what H2 speaks of.

Each case and dimension has a table of evaluators × analysts. Its agreement is given as

| coefficient | what counts as disagreement |
|---|---|
| Kendall's W | another order of the analysts |
| ICC(2,1) | other scores, an evaluator's constant leniency too |
| ICC(2,k) | the same, of the mean of all evaluators |
| Krippendorff's α, ordinal | other points of the scale, judged by how often they are used |
"""

from collections.abc import Mapping

import numpy as np
import polars as pl
from plotnine import (
    aes,
    coord_flip,
    element_blank,
    facet_wrap,
    geom_hline,
    geom_linerange,
    geom_point,
    ggplot,
    labs,
    scale_x_discrete,
    theme,
)

from helpers import look
from helpers.agreement import Estimate, icc, kendalls_w, krippendorff_alpha
from helpers.estimates import cells, frame, note
from helpers.scoring.table import Floats, Scored, thinned, wrapped
from helpers.show import Markdown

W, SINGLE, MEAN, ALPHA = "W", "ICC(2,1)", "ICC(2,k)", "α"
COEFFICIENTS = (W, SINGLE, MEAN, ALPHA)
TALLEST = 8.0  # inches for all panels of a figure

Place = tuple[str, str]
"""A case and a dimension."""


def tables(scores: Scored) -> dict[Place, Floats]:
    """Scores of each case on each dimension, all evaluators × all analysts, nan for gaps."""
    evaluators = scores.frame["evaluator"].unique(maintain_order=True).to_list()
    rows, columns = (
        scores.frame[key].replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
        for key, names in (("evaluator", evaluators), ("analyst", list(scores.analysts)))
    )
    found: dict[Place, Floats] = {}
    for case in scores.cases:
        here = (scores.frame["case"] == case).to_numpy()
        for label in scores.labels:
            table = np.full((len(evaluators), len(scores.analysts)), np.nan)
            table[rows[here], columns[here]] = scores.array(label)[here]
            found[case, label] = table
    return found


def agreement(
    given: Mapping[Place, Floats], confidence: float = 0.95
) -> dict[Place, dict[str, Estimate]]:
    """All coefficients of each table, by name."""
    found: dict[Place, dict[str, Estimate]] = {}
    for place, table in given.items():
        own = table[~np.isnan(table).all(axis=1)]
        found[place] = {
            W: kendalls_w(table, confidence=confidence),
            SINGLE: icc(own, SINGLE, confidence=confidence),
            MEAN: icc(own, MEAN, confidence=confidence),
            ALPHA: krippendorff_alpha(own, "ordinal", confidence=confidence),
        }
    return found


def table(found: Mapping[Place, Mapping[str, Estimate]]) -> pl.DataFrame:
    """A row for each case and dimension."""
    rows = []
    for (case, label), own in found.items():
        row: dict[str, object] = {"Case": case, "Dimension": label, "Evaluators": own[W].used}
        for name in COEFFICIENTS:
            row |= cells(own[name], name)
        notes = [f"{name} {note(one)}" for name, one in own.items() if note(one)]
        rows.append(row | {"Note": "; ".join(notes)})
    return frame(rows)


def by_case(found: Mapping[Place, Mapping[str, Estimate]]) -> pl.DataFrame:
    """Mean of each coefficient over the dimensions, by case, where it is estimable."""
    rows = []
    for case in dict.fromkeys(case for case, _ in found):
        own = [coefficients for (other, _), coefficients in found.items() if other == case]
        row: dict[str, object] = {"Case": case}
        for name in COEFFICIENTS:
            known = [float(one[name]) for one in own if one[name].value is not None]
            row[f"Mean {name}"] = float(np.mean(known)) if known else None
        estimable = sum(one[W].value is not None for one in own)
        rows.append(row | {"Dimensions with W": f"{estimable} of {len(own)}"})
    return pl.DataFrame(rows, infer_schema_length=None)


def picture(found: Mapping[Place, Mapping[str, Estimate]], name: str = SINGLE) -> ggplot | Markdown:
    """One coefficient of each case with its interval, a panel for each dimension."""
    rows = [
        (case, label, own[name].value, own[name].low, own[name].high)
        for (case, label), own in found.items()
        if own[name].value is not None
    ]
    if not rows:
        return Markdown("Nothing to draw: nothing is estimable.")
    cases, labels = (list(dict.fromkeys(part)) for part in zip(*found, strict=True))
    names = ("case", "Dimension", "value", "low", "high")
    drawn = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        pl.col("case").cast(pl.Enum(cases[::-1])),
        pl.col("Dimension").cast(pl.Enum(labels)),
        pl.col("low", "high").cast(pl.Float64),
    )
    columns = min(3, len(labels))
    panels = -(-len(labels) // columns)
    each = min(0.2 * len(cases) + 0.2, max(1.2, TALLEST / panels - 0.4))
    named = thinned(cases, each)
    return (
        ggplot(drawn.to_pandas(), aes("case", "value"))
        + geom_hline(yintercept=0, color=look.SOFT, size=0.4)
        + geom_linerange(aes(ymin="low", ymax="high"), size=0.7, color=look.BLUE, na_rm=True)
        + geom_point(size=1.8 if len(named) == len(cases) else 0.8, color=look.BLUE)
        + scale_x_discrete(breaks=named, labels=wrapped(named, 28))
        + coord_flip()
        + facet_wrap("Dimension", ncol=columns, labeller=_wrap)  # type: ignore[arg-type]
        + labs(x="Case", y=name)
        + look.plot_theme(height=0.8 + (each + 0.4) * panels)
        + theme(panel_grid_major_y=element_blank())
    )


def _wrap(label: str) -> str:
    return wrapped([label], 28)[0]
