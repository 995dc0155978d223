"""What the committed evidence says, for readers."""

import textwrap
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from plotnine import (
    aes,
    element_text,
    facet_grid,
    geom_errorbarh,
    geom_point,
    geom_vline,
    ggplot,
    labs,
    theme,
)

from helpers import look, say
from helpers.errors import HelpersError
from helpers.estimates import NOTE, frame
from helpers.recovery.evidence import FOLDER, MULTISTART, RECOVERY, sources
from helpers.recovery.multistart import MISSED

TITLES = {
    "clmm": "mixed model, its own ranks",
    "utility": "models of rankings, their own rankings",
    "liking": "the same, with likings that scores do not show",
    "misspecified": "mixed model, rankings that are not its own",
}
DATA = {
    "clmm": "its own ranks",
    "utility": "its own rankings",
    "liking": "rankings with likings",
    "misspecified": "rankings",
}
NOMINAL = 0.95
DIGITS = {"Planted": 3, "Bias": 3, "Coverage (%)": 1, "Bias low": 3, "Coverage low": 1}


@dataclass(frozen=True)
class Evidence:
    """The committed evidence.

    Attributes
    ----------
    recovery, multistart : polars.DataFrame
        As `make evidence` wrote them.
    current : bool
        Whether the code they rest on is the code as it is now, comments apart.
    """

    recovery: pl.DataFrame
    multistart: pl.DataFrame
    current: bool


def load(folder: Path = FOLDER) -> Evidence:
    """Read the evidence.

    Raises
    ------
    HelpersError
        If it is not there.
    """
    recovery, multistart = (_read(folder / name) for name in (RECOVERY, MULTISTART))
    stamps = {*recovery["sources"], *multistart["sources"]}
    return Evidence(recovery, multistart, stamps == {sources()})


def _read(path: Path) -> pl.DataFrame:
    if not path.exists():
        raise HelpersError(f"{path} is not there; restore it, or `make evidence`")
    return pl.read_csv(path, schema_overrides={"sources": pl.String})


def source(found: Evidence) -> str:
    """Where the numbers come from."""
    studies = say.count(int(found.recovery["studies"].min() or 0), "simulated study", "studies")  # type: ignore[arg-type]
    told = (
        f"`make evidence` made these numbers, from {studies} of each kind of the size of the "
        "published one, with recorded seeds; they are committed with the code."
    )
    if found.current:
        return told
    return f"{told} The code has changed since then; `make evidence` brings them up to date."


def summary(found: Evidence) -> pl.DataFrame:
    """A row for each model, generator and kind of parameter: worst bias and range of coverage."""
    rows = []
    for (scenario, model, kind), own in found.recovery.group_by(
        "scenario", "model", "kind", maintain_order=True
    ):
        clear = own.filter((pl.col("bias_low") > 0) | (pl.col("bias_high") < 0))
        off = own.filter((pl.col("coverage_high") < NOMINAL) | (pl.col("coverage_low") > NOMINAL))
        rows.append(
            {
                "Simulated": _generator(own, str(scenario)),
                "Model": model,
                "Parameters": f"{own.height} {_plural(str(kind), own.height)}",
                "Biased beyond chance": clear.height,
                "Coverage, lowest (%)": _percent(own["coverage"].min()),
                "Coverage, highest (%)": _percent(own["coverage"].max()),
                "Not 95 % beyond chance": off.height,
                "No estimate": int((own["studies"] - own["estimates"]).max() or 0),  # type: ignore[arg-type]
                "No interval": int((own["studies"] - own["intervals"]).max() or 0),  # type: ignore[arg-type]
            }
        )
    return frame(rows)


def _generator(own: pl.DataFrame, scenario: str) -> str:
    return str(own["generator"][0]) if "generator" in own.columns else scenario


def _plural(kind: str, count: int) -> str:
    return kind if count == 1 else f"{kind}s"


def _percent(share: object) -> float | None:
    return 100 * share if isinstance(share, float) else None


def parameters(found: Evidence) -> pl.DataFrame:
    """Every parameter: what was planted and found, bias and coverage with their intervals."""
    return found.recovery.select(
        _case().alias("Model and data"),
        pl.concat_str("kind", pl.lit(" "), pl.col("parameter").str.replace_all("_", " ")).alias(
            "Parameter"
        ),
        pl.col("truth").alias("Planted"),
        pl.col("bias").alias("Bias"),
        pl.col("bias_low").alias("Bias low"),
        pl.col("bias_high").alias("Bias high"),
        (100 * pl.col("coverage")).alias("Coverage (%)"),
        (100 * pl.col("coverage_low")).alias("Coverage low"),
        (100 * pl.col("coverage_high")).alias("Coverage high"),
        pl.col("estimates").alias("Estimates"),
    )


def _case() -> pl.Expr:
    """A model, and what it was fitted to, in a few words."""
    model = pl.col("model").str.replace(",.*", "").str.replace("cumulative link ", "")
    data = pl.col("scenario").replace_strict(DATA, return_dtype=pl.String)
    return pl.concat_str(model, pl.lit(", "), data)


def intervals() -> dict[str, tuple[str, str]]:
    """What `show.table` needs to show the intervals of `parameters`."""
    return {
        "Interval of bias": ("Bias low", "Bias high"),
        "Interval of coverage": ("Coverage low", "Coverage high"),
    }


def sentence(found: Evidence) -> str:
    """Where intervals do not hold what they promise, by kind of simulated study."""
    told = []
    for (scenario,), own in found.recovery.group_by("scenario", maintain_order=True):
        low = own.filter(pl.col("coverage_high") < NOMINAL)
        share = f"{low.height} of {say.count(own.height, 'parameter')}"
        told.append(f"{TITLES[str(scenario)]}: {share}")
    return (
        "Parameters whose intervals hold the planted value less often than "
        f"{say.percent(NOMINAL)} beyond chance: {'; '.join(told)}. Of sound intervals, "
        "those of one parameter in forty would be among them."
    )


def picture(found: Evidence) -> ggplot:
    """Coverage of every parameter's interval, a panel for each case and model."""
    drawn = found.recovery.drop_nulls("coverage").select(
        _case().alias("panel"),
        pl.when(pl.col("kind") == "standard deviation")
        .then("parameter")
        .otherwise(
            pl.concat_str("kind", pl.lit(" "), pl.col("parameter").str.replace_all("_", " "))
        )
        .alias("parameter"),
        (100 * pl.col("coverage")).alias("value"),
        (100 * pl.col("coverage_low")).alias("low"),
        (100 * pl.col("coverage_high")).alias("high"),
    )
    titles = {
        panel: textwrap.fill(panel, 22) for panel in drawn["panel"].unique(maintain_order=True)
    }
    names = drawn["parameter"].unique(maintain_order=True).to_list()[::-1]
    shown = drawn.with_columns(
        pl.col("panel")
        .replace_strict(titles, return_dtype=pl.String)
        .cast(pl.Enum(list(titles.values()))),
        pl.col("parameter").cast(pl.Enum(names)),
    )
    return (
        ggplot(shown.to_pandas(), aes("value", "parameter", xmin="low", xmax="high"))
        + geom_vline(xintercept=100 * NOMINAL, linetype="dashed", color=look.SOFT)
        + geom_errorbarh(height=0, color=look.BLUE)
        + geom_point(color=look.BLUE, size=1.5)
        + facet_grid("panel", scales="free_y", space="free_y")
        + labs(x="Intervals that hold the planted value (%)", y="")
        + look.plot_theme(height=9.0)
        + theme(strip_text_y=element_text(angle=0, ha="left"), axis_text_y=element_text(size=8))
    )


def starts(found: Evidence) -> pl.DataFrame:
    """Fits of the mixed model from several starts, by what was simulated."""
    names = {
        "clmm": "ranks drawn one by one from the mixed model",
        "utility": "rankings by scores and chance",
        "shipped": "rankings as in the shipped study",
    }
    rows = []
    for (generator,), own in found.multistart.group_by("generator", maintain_order=True):
        reached = float(own["reached"].sum() / own["starts"].sum())
        rows.append(
            {
                "Simulated": names[str(generator)],
                "Studies": own.height,
                "Starts of each": int(own["starts"].max()),  # type: ignore[arg-type]
                "Starts that reached a maximum (%)": 100 * reached,
                "Fits that did not converge": int((~own["converged"]).sum()),
                "Fits below another maximum": int((own["gap"] > MISSED).sum()),
                "Largest loss of log-likelihood": max(0.0, float(own["gap"].max())),  # type: ignore[arg-type]
            }
        )
    return frame(rows, optional=(NOTE,))
