"""H1 by the model that uses all rows: whether specialists score otherwise, and emphasise otherwise.

    score = dimension + dimension × specialist + random intercepts + residual

Random intercepts are crossed: evaluator, case, analyst; case:analyst (a text), evaluator:case (a
judgement, at which somebody is a specialist or not) and rating (one judgement of one text, whose
dimensions go together); and how evaluators, cases and judgements differ in what they think of each
dimension. Without the last three every score would count as an independent witness of what
specialists emphasise.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from plotnine import (
    aes,
    coord_flip,
    element_blank,
    geom_hline,
    geom_pointrange,
    ggplot,
    labs,
    position_dodge,
    scale_color_manual,
    scale_shape_manual,
    scale_x_discrete,
    theme,
)

from helpers import look, mixed, say
from helpers.agreement import Estimate
from helpers.estimates import cells, frame, note
from helpers.multiplicity import holm
from helpers.scoring.alignment import Alignment
from helpers.scoring.table import Scored, wrapped
from helpers.show import Markdown, escape

FEWEST = 2  # evaluators in each group
LEVEL, SHIFT, EMPHASIS = "mean over dimensions", "any dimension", "emphasis"
TERMS = {
    "evaluator": ("evaluator",),
    "case": ("case",),
    "analyst": ("analyst",),
    "case:analyst": ("case", "analyst"),
    "evaluator:case": ("evaluator", "case"),
    "rating": ("evaluator", "case", "analyst"),
    "evaluator:dimension": ("evaluator", "dimension"),
    "case:dimension": ("case", "dimension"),
    "evaluator:case:dimension": ("evaluator", "case", "dimension"),
}


def fit(scores: Scored, aligned: Alignment, confidence: float = 0.95) -> mixed.Mixed:
    """Fit the model.

    Parameters
    ----------
    scores : Scored
        Of a study.
    aligned : Alignment
        Its specialists; rows of other evaluators and cases are not used.
    confidence : float
        Confidence level.

    Returns
    -------
    Mixed
        Contrasts specialists − others for each dimension that both scored, and `LEVEL`, their
        mean; joint tests `SHIFT`, that all are 0, and `EMPHASIS`, that all are the same.
    """
    reason = _obstacle(aligned)
    if reason:
        return mixed.refused(reason)
    known = scores.frame.join(aligned.pairs, on=["evaluator", "case"], maintain_order="left")
    labels = [label for label in scores.labels if _both(known, label)]
    rows = known.unpivot(
        labels, index=["evaluator", "case", "analyst", "specialist"], variable_name="dimension"
    )
    own = np.array([(rows["dimension"] == label).to_numpy() for label in labels], dtype=float)
    own = own.reshape(len(labels), rows.height)
    specialist = rows["specialist"].cast(pl.Float64).to_numpy()
    x = np.vstack([own, own * specialist]).T
    alone = dict(zip(labels, np.eye(2 * len(labels))[len(labels) :], strict=True))
    apart = {f"{label} − {labels[0]}": alone[label] - alone[labels[0]] for label in labels[1:]}
    joint = ({SHIFT: labels} if labels else {}) | ({EMPHASIS: list(apart)} if apart else {})
    return mixed.fit(
        rows["value"].to_numpy().astype(float),
        x,
        {name: _groups(rows, columns) for name, columns in TERMS.items()},
        alone | apart | ({LEVEL: sum(alone.values()) / len(labels)} if labels else {}),
        joint,
        confidence,
    )


def _obstacle(aligned: Alignment) -> str:
    """Why specialists cannot be compared with others; empty if they can."""
    if aligned.pairs.is_empty():
        return "no case that both specialists and others rated"
    for group, who in ((True, "specialist"), (False, "evaluator who is none")):
        own = aligned.pairs.filter(pl.col("specialist") == group)["evaluator"].n_unique()
        if own < FEWEST:
            return f"{own} {who}; at least {FEWEST} are needed to tell a group from a person"
    return ""


def _both(known: pl.DataFrame, label: str) -> bool:
    """Whether specialists and others gave scores on this dimension."""
    return known.drop_nulls(label)["specialist"].n_unique() == 2


def _groups(rows: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    return rows.select(pl.concat_str(columns, separator="\x1f")).to_series().to_list()


def contrasts(model: mixed.Mixed, labels: Sequence[str]) -> pl.DataFrame:
    """Specialists − others on each dimension, and on average."""
    names = [*labels, LEVEL]
    found = [model.contrasts.get(name) or _missing(model) for name in names]
    adjusted = [*holm([one.p for one in found[:-1]]), None]
    rows = [
        {"Dimension": name}
        | cells(one, "Difference")
        | {"SE": one.se, "t": one.t, "df": one.df, "p": one.p, "p (Holm)": p, "Note": note(one)}
        for name, one, p in zip(names, found, adjusted, strict=True)
    ]
    return frame(rows)


def _missing(model: mixed.Mixed) -> mixed.Contrast:
    reason = model.reason or "not scored by both specialists and others"
    return mixed.Contrast(reason=reason)


def joint(model: mixed.Mixed) -> pl.DataFrame:
    """The two joint tests."""
    asked = {
        SHIFT: "all differences are 0",
        EMPHASIS: "all differences are the same",
    }
    rows = []
    for name, hypothesis in asked.items():
        one = test(model, name)
        told = f"not estimable: {one.reason}" if one.reason else ""
        rows.append(
            {"Tested": hypothesis, "F": one.f, "df": one.df1, "Denominator df": one.df2, "p": one.p}
            | {"Note": told}
        )
    return frame(rows)


def test(model: mixed.Mixed, name: str) -> mixed.Joint:
    """A joint test, or the reason why there is none."""
    few = "fewer than two dimensions" if name == EMPHASIS else "no dimension that both scored"
    return model.joint.get(name) or mixed.Joint(reason=model.reason or few)


def decision(model: mixed.Mixed, alpha: float = 0.05) -> str:
    """Whether H1 is supported, partly supported, not supported, or not tested.

    It is supported if both joint tests reject, and partly if `SHIFT` alone does: another level,
    but no other emphasis.
    """
    shift, emphasis = test(model, SHIFT), test(model, EMPHASIS)
    if shift.p is None or not model.converged:
        return "not tested"
    if shift.p >= alpha:
        return "not supported"
    return "supported" if emphasis.p is not None and emphasis.p < alpha else "partly supported"


def sentence(model: mixed.Mixed, unit: str, alpha: float = 0.05) -> str:
    """The result in words."""
    shift, emphasis = test(model, SHIFT), test(model, EMPHASIS)
    if shift.p is None or shift.f is None:
        return f"H1 is not tested: {escape(shift.reason)}."
    if not model.converged:
        return "H1 is not tested: the fit did not converge; its figures are shown, not relied upon."
    level = model.contrasts[LEVEL]
    told = (
        f"**{decision(model, alpha).capitalize()}.** Specialists less others, mean over "
        f"dimensions: {level.text()} {unit}. All differences 0: F = {say.number(shift.f)}, "
        f"{say.p_value(shift.p)}."
    )
    if emphasis.p is None or emphasis.f is None:
        return f"{told} Emphasis is not tested: {emphasis.reason}."
    return f"{told} All the same: F = {say.number(emphasis.f)}, {say.p_value(emphasis.p)}."


def plain(model: mixed.Mixed, alpha: float = 0.05) -> str:
    """The decision for readers who do not know the tests."""
    told = {
        "supported": "Specialists score otherwise than others, and stress other dimensions.",
        "partly supported": "Specialists score otherwise, but stress no other dimensions.",
        "not supported": "No difference between specialists and others is shown.",
    }
    reason = test(model, SHIFT).reason or "the fit did not converge"
    missing = f"Not tested: {reason}."
    return told.get(decision(model, alpha), missing)


def drawn(estimates: Mapping[str, Mapping[str, Estimate]], labels: Sequence[str]) -> pl.DataFrame:
    """Differences by dimension, with intervals, a column for each way to find them."""
    rows = []
    for label in labels:
        row: dict[str, object] = {"Dimension": label}
        notes = []
        for way, own in estimates.items():
            one = own.get(label) or Estimate(reason="not scored by both")
            row |= cells(one, way)
            notes += [f"{way}: {note(one)}"] if note(one) else []
        rows.append(row | {"Note": "; ".join(notes)})
    return frame(rows)


def picture(
    estimates: Mapping[str, Mapping[str, Estimate]], labels: Sequence[str], unit: str
) -> ggplot | Markdown:
    """Differences by dimension with intervals, one colour and shape for each way to find them.

    Parameters
    ----------
    estimates : mapping of str to mapping
        For each way, estimates by dimension.
    labels : sequence of str
        Dimensions, from top to bottom.
    unit : str
        Of the scores.
    """
    rows = [
        {"Dimension": label, "By": way, "value": one.value, "low": one.low, "high": one.high}
        for way, own in estimates.items()
        for label in labels
        if (one := own.get(label)) and one.has_interval
    ]
    schema = {"Dimension": pl.String, "By": pl.String} | dict.fromkeys(
        ("value", "low", "high"), pl.Float64
    )
    ways = list(estimates)
    points = pl.DataFrame(rows, schema=schema).with_columns(
        pl.col("Dimension").cast(pl.Enum(list(labels)[::-1])), pl.col("By").cast(pl.Enum(ways))
    )
    names = dict(zip(labels, wrapped(labels, 28), strict=True))
    if points.is_empty():
        return Markdown("Nothing to draw: nothing is estimable.")
    return (
        ggplot(points.to_pandas(), aes("Dimension", "value", color="By", shape="By"))
        + geom_hline(yintercept=0, color=look.SOFT, size=0.4)
        + geom_pointrange(
            aes(ymin="low", ymax="high"), position=position_dodge(width=0.6), size=0.4
        )
        + scale_x_discrete(labels=names, drop=False)
        + coord_flip()
        + scale_color_manual(values=dict(zip(ways, look.PALETTE, strict=False)), drop=False)
        + scale_shape_manual(values=dict(zip(ways, "os^D", strict=False)), drop=False)
        + labs(x="", y=f"Specialists less others ({unit})")
        + look.plot_theme(height=1.4 + 0.42 * len(labels))
        + theme(panel_grid_major_y=element_blank())
    )
