"""Tables of the mixed model and of its relatives; a reason where there is nothing to show."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from scipy import stats

from helpers import beside, plackett_luce, say, show
from helpers.choice.rankings import Rankings
from helpers.clmm import conditional_modes, intervals, proportional_odds
from helpers.errors import HelpersError
from helpers.estimates import NOTE, frame
from helpers.mapping import mixed_model, varying
from helpers.mapping.data import Mapped
from helpers.mapping.mixed_model import Decomposed, Slope, Variant
from helpers.not_estimable import NotEstimableError
from helpers.refusal import in_table

MOST = 60  # levels of a random term that are drawn and listed
RESIDUAL = "residual"


def state(found: Decomposed) -> pl.DataFrame:
    """What the model was fitted to, and how well its maximum was found."""
    try:
        fit = found.fit
    except NotEstimableError as error:
        return pl.DataFrame({"Fact": ["the model"], "Value": [f"not estimable: {error.reason}"]})
    facts = {
        "rows used": say.number(len(fit.design.y), 0),
        "rows left out (no rank, or a score missing)": say.number(found.mapped.dropped, 0),
        "ranks (categories)": str(len(fit.design.categories)),
        "log-likelihood (Laplace)": say.number(fit.loglik, 3),
        "estimated parameters": str(fit.df),
        "AIC": say.number(fit.aic, 1),
        "converged": "yes" if fit.converged else "no",
        "largest gradient": f"{fit.gradient:.0e}".replace("-", say.MINUS),
        "condition of the Hessian": say.number(fit.condition, 0),
        "variances at zero": say.listing(list(fit.boundary)),
    }
    facts |= {f"without {term}": reason for term, reason in found.left_out.items()}
    facts |= {f"remark {n}": found.named(note) for n, note in enumerate(fit.notes, 1)}
    return pl.DataFrame({"Fact": list(facts), "Value": list(facts.values())})


@in_table
def slopes(found: Decomposed) -> pl.DataFrame:
    """Slopes of the dimensions; rank 1 is the best, so that good marks go with negative ones."""
    labels = found.mapped.labels
    own = found.settled.table()
    names = [labels[term] for term in own["term"]]
    missing = own["estimate"].is_nan()
    return _no_nan(
        pl.DataFrame(
            {
                "Dimension": names,
                "Slope": own["estimate"],
                "low": own["lower"],
                "high": own["upper"],
                "Std. error": own["std_error"],
                "z": own["z"],
                "p": own["p"],
                "Published": beside.dimensions("table04", "Estimate", names),
                "Published SE": beside.dimensions("table04", "Std. Error", names),
                NOTE: ["not estimable: no variation of its own" * gone for gone in missing],
            },
            schema_overrides={"Published": pl.String, "Published SE": pl.String},
        )
    )


@in_table
def variances(found: Decomposed) -> pl.DataFrame:
    """Variances with profile intervals of their roots, and shares of the latent variance."""
    own = found.settled.variance_table()
    ends = _profiles(found)
    printed = beside.paper().table("table05")
    cells = zip(map(str.casefold, printed.labels), printed.column("Variance (%)"), strict=True)
    known = dict(cells) if _papers(found.mapped) else {}
    rows = []
    for row in own.iter_rows(named=True):
        low, high = ends.get(row["term"], (None, None))
        slope = row["slope"]
        rows.append(
            {
                "Term": row["term"],
                "Levels": row["levels"],
                "Variance": row["variance"],
                "SD": row["sd"],
                "SD low": low,
                "SD high": high,
                "Share (%)": 100 * row["share"],
                "Published share": known.get(row["term"].casefold()),
                NOTE: "at the boundary; the log-likelihood falls from there"
                if slope is not None and np.isfinite(slope)
                else "",
            }
        )
    missing = [
        {key: None for key in rows[0]} | {"Term": term, NOTE: f"not estimable: {reason}"}
        for term, reason in found.left_out.items()
    ]
    return _no_nan(frame([*rows, *missing]))


def _profiles(found: Decomposed) -> dict[str, tuple[float | None, float | None]]:
    fit = found.settled
    names = [f"sd({term})" for term in found.terms if term not in fit.boundary]
    own = intervals(fit, "profile", names)
    pairs = zip(own["lower"].to_list(), own["upper"].to_list(), strict=True)
    terms = [name.removeprefix("sd(").removesuffix(")") for name in names]
    return {
        term: (low, high)
        for term, (low, high) in zip(terms, pairs, strict=True)
        if np.isfinite([low, high]).all()
    }


@in_table
def thresholds(found: Decomposed) -> pl.DataFrame:
    """Cutpoints between ranks, those of the paper beside where it has the same ones."""
    fit = found.settled
    names = [name.replace("|", "—") for name in fit.thresholds.index]
    printed = beside.paper().table("table09")
    same = set(names) == set(printed.labels) and _papers(found.mapped)

    def known(column: str) -> list[str | None]:
        cells = dict(zip(printed.labels, printed.column(column), strict=True))
        return [cells[name] if same else None for name in names]

    return _no_nan(
        pl.DataFrame(
            {
                "Cutpoint": names,
                "Estimate": fit.thresholds.to_list(),
                "Std. error": fit.standard_errors[list(fit.thresholds.index)].to_list(),
                "Published": known("Estimate"),
                "Published SE": known("Std. Error"),
            },
            schema_overrides={"Published": pl.String, "Published SE": pl.String},
        )
    )


@in_table
def intercepts(found: Decomposed, resamples: int, seed: int) -> pl.DataFrame:
    """What leaving each random intercept out costs in likelihood: reading (a)."""
    tests = mixed_model.random_intercepts(found, resamples, seed)
    return frame(
        [
            {
                "Random intercept": test["term"],
                "Log-likelihood without": test["loglik_without"],
                "LR": test["lr"],
                "p (mixture)": test["p_mixture"],
                "p (bootstrap)": test["p_bootstrap"],
                "Samples": test["resamples"],
                NOTE: _untested(test),
            }
            for test in tests.iter_rows(named=True)
        ]
    )


def _untested(test: Mapping[str, float | None]) -> str:
    if test["lr"] is None:
        return "not estimable: the model without it did not converge"
    if test["p_mixture"] is None and test["p_bootstrap"] is None:
        return "no p: no simulated study could be fitted"
    return ""


def slope_table(found: Sequence[Slope]) -> pl.DataFrame:
    """Random slopes of the score, one a row."""
    return frame(
        [
            {
                "Slope of the score varies with": slope.factor,
                "Mean slope": slope.mean,
                "SD of the slope": slope.sd,
                "LR": slope.lr,
                "p (mixture)": slope.p,
                NOTE: _why(slope),
            }
            for slope in found
        ]
    )


def _why(slope: Slope) -> str:
    if not slope.reason:
        return ""
    return f"{'not estimable' if slope.lr is None else 'no p'}: {slope.reason}"


@in_table
def weights(mapped: Mapped, level: float = 0.95) -> pl.DataFrame:
    """Weights in the rank-ordered logit: of all rankings, by case and by kind of analyst.

    Intervals are sandwich ones over evaluators, with Student's t where there are few.
    """
    parts = [("all", "all rankings", mapped.rankings)]
    for factor in (varying.CASE, varying.KIND):
        try:
            parts += [(factor, name, own) for name, own in varying.weights_by(mapped, factor)]
        except NotEstimableError:
            continue
    rows = []
    for factor, name, own in parts:
        if factor == varying.CASE:
            name = f"case {name}"
        rows += _weights(mapped, factor, name, own, level)
    return _no_nan(frame(rows))


def _weights(
    mapped: Mapped, factor: str, name: str, own: Rankings, level: float
) -> list[dict[str, object]]:
    labels = list(mapped.labels.values())
    try:
        if not len(own):
            raise NotEstimableError("weights are", "nothing is ranked against anything")
        fit = plackett_luce.regression(own)
    except NotEstimableError as error:
        told = f"not estimable: {error.reason}"
        return [_weight(factor, name, own, label, None, None, told) for label in labels]
    clusters = len(set(own.evaluator.tolist()))
    try:
        spread = np.sqrt(np.diag(fit.clustered(own.evaluator)))
        reach, told = stats.t.ppf((1 + level) / 2, clusters - 1) * spread, ""
    except NotEstimableError as failed:
        reach, told = np.full(len(fit.names), np.nan), f"no interval: {failed.reason}"
    rows = []
    for place, label in enumerate(fit.names[: len(labels)]):
        gone = fit.reasons.get(label)
        note = f"not estimable: {gone}" if gone else told
        value = float(fit.estimate[place])
        rows.append(_weight(factor, name, own, label, value, float(reach[place]), note))
    return rows


def _weight(
    factor: str,
    name: str,
    own: Rankings,
    label: str,
    value: float | None,
    reach: float | None,
    note: str,
) -> dict[str, object]:
    known = value is not None and reach is not None
    return {
        "By": factor,
        "Rankings of": name,
        "n": len(own),
        "Dimension": label,
        "Weight": value,
        "Weight low": value - reach if known else None,  # type: ignore[operator]
        "Weight high": value + reach if known else None,  # type: ignore[operator]
        NOTE: note,
    }


@in_table
def modes(found: Decomposed) -> pl.DataFrame:
    """Conditional modes of the random terms with at most `MOST` levels, lowest first."""
    fit = found.settled
    few = [
        term
        for term, labels in zip(fit.design.terms, fit.design.labels, strict=True)
        if len(labels) <= MOST and term not in fit.boundary
    ]
    if not few:
        raise NotEstimableError("modes are", f"no random term has up to {MOST} levels and varies")
    own = conditional_modes(fit).filter(pl.col("term").is_in(few))
    return own.sort("term", "estimate", maintain_order=True).select(
        pl.col("term").alias("Term"),
        pl.col("level").alias("Level"),
        pl.col("estimate").alias("Mode"),
        pl.col("lower").alias("low"),
        pl.col("upper").alias("high"),
    )


@in_table
def odds(found: Decomposed) -> pl.DataFrame:
    """Whether one slope of each dimension is enough for all cutpoints: proportional odds."""
    fit = found.settled
    if len(fit.design.categories) < 3:
        raise NotEstimableError("the check is", "there is one cutpoint only")
    try:
        tests, by_cut = proportional_odds(fit)
    except HelpersError as error:
        raise NotEstimableError("the check is", found.named(str(error))) from None
    labels = found.mapped.labels
    ends = by_cut.group_by("coefficient", maintain_order=True).agg(
        pl.col("slope").min().alias("low"), pl.col("slope").max().alias("high")
    )
    spread = {row["coefficient"]: row for row in ends.iter_rows(named=True)}
    return _no_nan(
        frame(
            [
                {
                    "Dimension": labels[row["term"]],
                    "LR": row["lr"] if row["converged"] else None,
                    "df": row["df"],
                    "p": row["p"],
                    "Least slope": spread[row["term"]]["low"],
                    "Largest slope": spread[row["term"]]["high"],
                    NOTE: endless(row["converged"], spread[row["term"]]),
                }
                for row in tests.iter_rows(named=True)
            ]
        )
    )


def endless(converged: bool, ends: Mapping[str, float]) -> str:
    """What to know about a test of proportional odds from the least and the largest slope."""
    if not converged:
        return "not estimable: with slopes by cutpoint the fit has no maximum"
    if not np.isfinite([ends["low"], ends["high"]]).all():
        return "a slope has no finite estimate: one side of a cutpoint has one score only"
    return ""


def models(made: Sequence[Variant]) -> pl.DataFrame:
    """How the models were fitted."""
    return frame(
        [
            {
                "Model": one.name,
                "Rows": one.rows,
                "Log-likelihood": one.loglik,
                "Parameters": one.parameters,
                NOTE: one.state,
            }
            for one in made
        ]
    )


def shares(made: Sequence[Variant], mapped: Mapped) -> pl.DataFrame:
    """Each dimension's slope in per cent of the sum of slopes, by model."""
    labels = list(mapped.labels.values())
    rows = [
        {"Model": one.name} | {f"{label} (%)": one.shares.get(label) for label in labels}
        for one in made
        if one.shares
    ]
    if not rows:
        told = "not estimable: no model has slopes of one sign for all dimensions"
        return pl.DataFrame({NOTE: [told]})
    return pl.DataFrame(rows, infer_schema_length=None)


def remark(found: Decomposed) -> str:
    """What the shares of evaluator, case and their pair can and cannot tell, with their values."""
    try:
        shares = found.settled.shares
    except NotEstimableError as error:
        return f"The model is not estimable: {show.escape(error.reason)}."
    told = [
        f"{term} {say.percent(float(shares[term]), 1)}"
        for term in ("evaluator", "case", "evaluator:case")
        if term in shares.index and np.isfinite(shares[term])
    ]
    return f"Here the shares are: {say.listing(told)}." if told else ""


def _papers(mapped: Mapped) -> bool:
    """Whether the dimensions are the paper's, all of them and no other."""
    labels = list(mapped.labels.values())
    cells = beside.dimensions("table04", "Estimate", labels)
    return None not in cells and len(labels) == len(beside.paper().table("table04").labels)


def _no_nan(table: pl.DataFrame) -> pl.DataFrame:
    """Empty cells for what is not a finite number."""
    floats = pl.col(pl.Float64)
    return table.with_columns(pl.when(floats.is_finite()).then(floats).name.keep())
