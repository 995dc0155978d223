"""Data and models of the tests of cumulative link mixed models."""

import numpy as np
import polars as pl

from helpers.paths import ROOT

DATA = ROOT / "tests" / "data" / "clmm"

WINE = pl.read_csv(DATA / "wine.csv")
SOUP = pl.read_csv(DATA / "soup.csv", schema_overrides={"PRODID": pl.String})
HOUSING = pl.read_csv(DATA / "housing.csv").with_columns(
    pl.col("Sat").cast(pl.Enum(["Low", "Medium", "High"]))
)
STUDY = pl.read_csv(DATA / "study.csv")

PLAIN = "rating ~ temp + contact"
JUDGE = "rating ~ temp + contact + (1 | judge)"
RANKS = (
    "rank ~ inquiry + accuracy + coverage + reasoning + treatment + treatment_coverage"
    " + acceptability + (1 | evaluator) + (1 | case) + (1 | analyst) + (1 | evaluator:case)"
    " + (1 | case:analyst) + (1 | evaluator:analyst)"
)


def simulated(seed, judges=20, items=30, slope=1.0, sd=(0.8, 0.6), link_draw="logistic"):
    """Ratings 1 to 4 of items by judges, with a predictor x and crossed random intercepts."""
    rng = np.random.default_rng(seed)
    judge, item = np.divmod(np.arange(judges * items), items)
    x = rng.normal(size=len(judge))
    latent = slope * x + getattr(rng, link_draw)(size=len(judge))
    latent += sd[0] * rng.normal(size=judges)[judge] + sd[1] * rng.normal(size=items)[item]
    rating = np.searchsorted([-1.5, 0.0, 1.5], latent) + 1
    return pl.DataFrame({"rating": rating, "x": x, "judge": judge, "item": item})


CROSSED = "rating ~ x + (1 | judge) + (1 | item)"
