"""The design of a study and the state of its data: who rated what, what is missing or unused."""

import csv

import polars as pl
from plotnine import (
    aes,
    element_blank,
    element_text,
    facet_grid,
    geom_tile,
    ggplot,
    labs,
    scale_fill_manual,
    scale_y_discrete,
    theme,
)

from helpers import look, say
from helpers.errors import HelpersError
from helpers.study import Study

MOST_LABELS = 60  # more evaluators than this are drawn without their names
TARGETS = "simulation/targets.csv"


def accounting(study: Study) -> pl.DataFrame:
    """Rows and rankings that were read, dropped (by reason), used, and missing among the used."""
    return study.accounting.select(
        pl.col("status").alias("Status"),
        pl.col("reason").alias("Reason"),
        pl.col("rows").alias("Rows"),
        pl.col("rankings").alias("Rankings"),
    )


def cases(study: Study) -> pl.DataFrame:
    """Each case with its group and specialty, and how many evaluators, analysts and rows it has."""
    rated = (
        study["ratings"]
        .group_by("case")
        .agg(
            pl.col("evaluator").n_unique().alias("Evaluators"),
            pl.col("analyst").n_unique().alias("Analysts"),
            pl.len().alias("Rows"),
        )
    )
    return (
        study["cases"]
        .join(rated, on="case", how="left", maintain_order="left")
        .select(
            pl.col("case").alias("Case"),
            pl.col("group").alias("Group"),
            pl.col("specialty").alias("Specialty"),
            pl.col("Evaluators", "Analysts", "Rows").fill_null(0),
        )
    )


def evaluators(study: Study) -> pl.DataFrame:
    """Evaluators by specialty: how many, their years in practice, and the rankings they gave.

    An evaluator with several specialties counts in each, so that columns may add up to more than
    the study has; those without one stand under "not given".
    """
    rankings = study["ratings"].group_by("evaluator").agg(pl.col("case").n_unique().alias("given"))
    people = study["evaluators"].join(rankings, on="evaluator", how="left")
    return (
        people.explode("specialty")
        .with_columns(pl.col("specialty").fill_null("not given"))
        .group_by("specialty")
        .agg(
            pl.len().alias("Evaluators"),
            pl.col("years").null_count().alias("Years not given"),
            pl.col("years").median().alias("Median years"),
            pl.col("years").min().alias("Fewest years"),
            pl.col("years").max().alias("Most years"),
            pl.col("given").sum().alias("Rankings"),
        )
        .sort("Evaluators", "specialty", descending=[True, False])
        .rename({"specialty": "Specialty"})
    )


def sentence(study: Study) -> str:
    """The size of the study in one sentence."""
    ratings = study["ratings"]
    sizes = [
        say.count(ratings["evaluator"].n_unique(), "evaluator"),
        say.count(ratings["case"].n_unique(), "case"),
        say.count(ratings["analyst"].n_unique(), "analyst"),
        say.count(len(study.config.dimensions), "dimension"),
        say.count(ratings.height, "row"),
    ]
    return f"Used: {say.listing(sizes)}."


def workload(study: Study) -> pl.DataFrame:
    """How many evaluators rated how many cases."""
    return (
        study["ratings"]
        .group_by("evaluator")
        .agg(pl.col("case").n_unique().alias("Cases rated"))
        .group_by("Cases rated")
        .agg(pl.len().alias("Evaluators"))
        .sort("Cases rated")
    )


def scales(study: Study) -> pl.DataFrame:
    """Each dimension: scores given and missing, share at both ends, points that nobody used."""
    ratings = study["ratings"]
    rows = []
    for dimension in study.config.dimensions:
        scores = ratings[dimension.code].drop_nulls()
        points = range(int(dimension.min), int(dimension.max) + 1)
        unused = [str(point) for point in points if point not in set(scores)]
        given = scores.len() or None
        rows.append(
            {
                "Dimension": dimension.label,
                "Scale": f"{dimension.min} to {dimension.max}",
                "Scores": scores.len(),
                "Missing": ratings.height - scores.len(),
                "Mean": scores.mean(),
                "SD": scores.std(),
                "At the lowest (%)": given and 100 * (scores == dimension.min).sum() / given,
                "At the highest (%)": given and 100 * (scores == dimension.max).sum() / given,
                "Unused points": say.listing(unused),
            }
        )
    return pl.DataFrame(rows)


def provenance(study: Study) -> pl.DataFrame:
    """Files of the study, their rows and the SHA-256 of what they held when they were read."""
    rows = [
        {
            "File": name,
            "Rows": study.tables[stem].height
            if (stem := name.removesuffix(".csv")) in study.tables
            else None,
            "SHA-256": digest,
        }
        for name, digest in study.provenance.items()
    ]
    return pl.DataFrame(rows, schema={"File": pl.String, "Rows": pl.Int64, "SHA-256": pl.String})


def notices(study: Study) -> pl.DataFrame:
    """What was put right, passed over or looks odd when the study was read."""
    return pl.DataFrame({"Notice": list(study.notices)}, schema={"Notice": pl.String})


def targets(study: Study) -> pl.DataFrame:
    """What a simulated study was made to show, beside what was reached.

    Returns
    -------
    polars.DataFrame
        Columns "Quantity", "Of", "Published", "Aim", "Reached", "Met"; empty for a study that
        comes without such a table.

    Raises
    ------
    HelpersError
        If the table is there and lacks a column.
    """
    columns = ("Quantity", "Of", "Published", "Aim", "Reached", "Met")
    path = study.folder / TARGETS
    if not path.exists():
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    try:
        rows = [
            (
                line["quantity"],
                line["item"],
                line["published"],
                _aim(line["lowest"], line["highest"]),
                line["reached"],
                line["met"],
            )
            for line in lines
        ]
    except KeyError as error:
        raise HelpersError(f"{TARGETS}: no column {error}") from None
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def _aim(lowest: str, highest: str) -> str:
    if lowest and highest:
        return lowest if lowest == highest else f"{lowest} to {highest}"
    return f"at least {lowest}" if lowest else f"at most {highest}" if highest else ""


def _tiles(study: Study) -> pl.DataFrame:
    """Evaluator, case, group and how they were judged: categories in the picture's order."""
    codes = [dimension.code for dimension in study.config.dimensions]
    rated = (
        study["ratings"]
        .group_by("evaluator", "case")
        .agg(
            pl.when(~pl.col("rank").is_not_null().all())
            .then(pl.lit("scored"))
            .when(pl.any_horizontal(pl.col(codes).is_not_null().any()))
            .then(pl.lit("scored and ranked"))
            .otherwise(pl.lit("ranked"))
            .alias("judged")
        )
    )
    sizes = rated.group_by("evaluator").agg(pl.len().alias("n"), pl.col("case").min())
    order = sizes.sort("n", "case", "evaluator", descending=[False, True, True])["evaluator"]
    cases = study["cases"]["case"]
    return (
        rated.join(study["cases"].select("case", pl.col("group").fill_null("–")), on="case")
        .with_columns(pl.col("evaluator").cast(pl.Enum(order)), pl.col("case").cast(pl.Enum(cases)))
        .sort("evaluator", "case")
    )


def rated(study: Study) -> pl.DataFrame:
    """The numbers of `picture`: each evaluator with the cases that were ranked, and only scored."""

    def named(*judged: str) -> pl.Expr:
        chosen = pl.col("case").cast(pl.String).filter(pl.col("judged").is_in(judged))
        return chosen.str.join(", ")

    return (
        _tiles(study)
        .group_by("evaluator", maintain_order=True)
        .agg(
            named("scored and ranked", "ranked").alias("Ranked"),
            named("scored").alias("Scored only"),
        )
        .select(pl.col("evaluator").cast(pl.String).alias("Evaluator"), "Ranked", "Scored only")
        .reverse()  # the picture's first row stands last on its axis
    )


def picture(study: Study) -> ggplot:
    """Who rated what: a tile for each evaluator and case, by whether all analysts were ranked.

    Parameters
    ----------
    study : Study
        A study of the perception kind.

    Returns
    -------
    plotnine.ggplot
        Cases from left to right in groups, evaluators from top to bottom by how many cases they
        rated; beyond `MOST_LABELS` evaluators, without their names.
    """
    tiles = _tiles(study)
    names = [str(name) for name in tiles["evaluator"].cat.get_categories()]
    grouped = study["cases"]["group"].count() > 0
    fills = {"scored and ranked": look.BLUE, "scored": look.ORANGE, "ranked": look.GREEN}
    drawn = (
        ggplot(tiles.to_pandas(), aes("case", "evaluator", fill="judged"))
        + geom_tile(color="white", size=0.4)
        + scale_y_discrete(labels=names if len(names) <= MOST_LABELS else [""] * len(names))
        + scale_fill_manual(values=fills)
        + labs(x="Case", y="Evaluator")
        + look.plot_theme(height=min(9.0, max(2.5, 1.2 + 0.15 * len(names))))
        + theme(panel_grid=element_blank(), axis_text_y=element_text(size=7))
    )
    columns = facet_grid(cols="group", scales="free_x", space="free_x")
    return drawn + columns if grouped else drawn
