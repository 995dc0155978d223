"""A fitted model as text."""

from helpers.clmm.boundary import UPHILL
from helpers.clmm.result import Clmm


def summary(fit: Clmm) -> str:
    """Text of `Clmm.summary`."""
    rows, left_out = len(fit.design.y), fit.design.dropped
    lines = [
        f"Cumulative link mixed model, {fit.design.formula.text}",
        f"link {fit.link}, thresholds {fit.threshold}, "
        f"engine {'ordinal::clmm (R)' if fit.engine == 'r' else 'native'}, Laplace approximation",
        f"{rows:,} rows used, {left_out:,} left out; log-likelihood {fit.loglik:.4f} "
        f"on {fit.df} parameters, AIC {fit.aic:.2f}, BIC {fit.bic:.2f}",
        f"{'converged' if fit.converged else 'NOT CONVERGED'}: "
        f"largest gradient {fit.gradient:.1e}, condition of the Hessian {fit.condition:.0f}",
        "",
    ]
    if len(fit.variances):
        lines += _columns(
            ["random term", "levels", "variance", "sd", "share"],
            [
                [
                    row["term"],
                    "" if row["levels"] is None else f"{row['levels']}",
                    f"{row['variance']:.4f}",
                    f"{row['sd']:.4f}",
                    f"{100 * row['share']:.1f} %",
                ]
                for row in fit.variance_table().iter_rows(named=True)
            ],
        )
        for term, slope in fit.boundary.items():
            lines.append(
                f"{term}: variance 0, at the boundary, where the log-likelihood's slope is "
                f"{slope:.3g}{' (a maximum)' if slope <= UPHILL else ''}; no parameter, no error"
            )
        lines.append("")
    if len(fit.coefficients):
        lines += _columns(
            ["coefficient", "estimate", "std. error", "z", "p"],
            [
                [row["term"], *_figures(row["estimate"], row["std_error"], row["z"]), _p(row["p"])]
                for row in fit.table().iter_rows(named=True)
            ],
        )
        lines.append("")
    named = dict(fit.thresholds)
    if fit.threshold != "flexible":
        named |= dict(fit.threshold_parameters)
    lines += _columns(
        ["threshold", "estimate", "std. error"],
        [[name, *_figures(value, fit.standard_errors[name])] for name, value in named.items()],
    )
    for note in fit.notes:
        lines.append(f"note: {note}")
    for remark in fit.said:
        lines.append(f"R said: {remark}")
    return "\n".join(lines)


def _figures(*values: float) -> list[str]:
    return ["not estimable" if value != value else f"{value:.4f}" for value in values]


def _p(p: float) -> str:
    return "" if p != p else "<.001" if p < 0.001 else f"{p:.3f}"


def _columns(head: list[str], rows: list[list[str]]) -> list[str]:
    """Text columns, the first flush left and the others flush right."""
    widths = [max(len(row[j]) for row in [head, *rows]) for j in range(len(head))]
    return [
        "  ".join(
            cell.ljust(width) if j == 0 else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [head, *rows]
    ]
