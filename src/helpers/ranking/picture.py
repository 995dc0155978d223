"""Figures of rankings. Each returns Markdown instead where there is nothing to draw."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import polars as pl
from matplotlib import rc_context
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from mizani.breaks import breaks_extended
from plotnine import (
    aes,
    coord_flip,
    element_blank,
    element_text,
    facet_wrap,
    geom_col,
    geom_errorbarh,
    geom_line,
    geom_point,
    geom_segment,
    geom_text,
    geom_vline,
    ggplot,
    guide_legend,
    guides,
    labs,
    scale_color_manual,
    scale_fill_manual,
    scale_linetype_manual,
    scale_shape_manual,
    scale_size_manual,
    scale_x_continuous,
    scale_x_discrete,
    scale_y_discrete,
    scale_y_reverse,
    theme,
)

from helpers import look, say, show
from helpers.printed import parse
from helpers.ranking.compare import Pair
from helpers.ranking.decisions import UNRANKED
from helpers.ranking.levels import Alignment
from helpers.ranking.means import order, shares_of_ranks
from helpers.ranking.table import Floats, Ranks
from helpers.scoring.table import wrapped

BEST, WORST = "#eef1f4", "#7ba3d0"  # light enough for dark text
DARKEST = "#1f3f66"
MOST_WRITTEN = 15  # cases into whose tiles the numbers fit
MOST_ACROSS = 14  # analysts into whose tiles they do
MOST_NAMED = 40  # cases that fit on an axis with their names
NOTHING = show.prose(f"Not drawn: {UNRANKED}.")
HERE, OTHERS = "these cases", "cases like these"
OWN, PRINTED = "this study", "the paper"


def frequencies(ranks: Ranks) -> ggplot | show.Markdown:
    """Stacked bars of how often each analyst got each rank, the best analyst on top."""
    if not ranks.rankings:
        return NOTHING
    shares = shares_of_ranks(ranks)
    names = [ranks.analysts[place] for place in order(ranks)]
    places = [str(place + 1) for place in range(shares.shape[1])]
    frame = pd.DataFrame(
        {
            "analyst": pd.Categorical(np.repeat(ranks.analysts, len(places)), names[::-1]),
            "rank": pd.Categorical(places * len(ranks.analysts), places[::-1]),
            "share": 100 * shares.ravel(),
        }
    )
    shades = LinearSegmentedColormap.from_list("", [BEST, WORST, DARKEST])
    steps = np.linspace(0, 1, len(places))
    colours = dict(zip(places, map(to_hex, shades(steps)), strict=True))
    return (
        ggplot(frame, aes("analyst", "share", fill="rank"))
        + geom_col(width=0.75, color=look.SOFT, size=0.2)
        + scale_x_discrete(labels=_names)
        + coord_flip()
        + scale_fill_manual(values=colours, breaks=places, name="Rank")
        + guides(fill=guide_legend(nrow=1 + (len(places) - 1) // 9))
        + labs(x="", y="Rankings (%)")
        + look.plot_theme(height=max(2.2, 1.2 + 0.3 * len(names)))
        + theme(legend_title=element_text(size=9), panel_grid_major_y=element_blank())
    )


def heat_map(ranks: Ranks) -> Figure | show.Markdown:
    """Mean rank by case and analyst, the best analyst first; lighter is better."""
    import seaborn as sns

    if not ranks.rankings:
        return NOTHING
    columns = order(ranks)
    few = len(columns) <= MOST_ACROSS
    values = pd.DataFrame(
        ranks.by_case[:, columns],
        wrapped(ranks.cases, 24),
        wrapped([ranks.analysts[place] for place in columns], 18 if few else 40),
    )
    written = len(values) <= MOST_WRITTEN
    with rc_context(look.RC):
        height = (1.6 if few else 2.6) + (0.34 if written else 0.12) * len(values)
        canvas = Figure(figsize=(look.WIDTH, min(9.0, height)), layout="constrained")
        axes = canvas.subplots()
        sns.heatmap(
            values,
            ax=axes,
            vmin=1,
            vmax=max(2, len(columns)),
            cmap=LinearSegmentedColormap.from_list("", [BEST, WORST]),
            annot=written and few,
            fmt=".1f",
            linewidths=1 if written else 0,
            annot_kws={"size": 9, "color": look.INK},
            cbar_kws={"label": "Mean rank"},
            xticklabels=1 if len(columns) <= MOST_NAMED else "auto",
            yticklabels=1 if written else "auto",
        )
        axes.set(xlabel="", ylabel="Case")
        axes.tick_params(length=0, labelsize=8)
        axes.tick_params(axis="y", rotation=0)
        axes.set_xticklabels(
            axes.get_xticklabels(),
            rotation=35 if few else 90,
            ha="right",
            va="top" if few else "center",
            rotation_mode="anchor",
        )
    return canvas


def differences(pairs: Sequence[Pair]) -> ggplot | show.Markdown:
    """Each language model against each level: difference of mean ranks with both intervals."""
    rows = [
        {
            "llm": pair.llm,
            "level": f"against {pair.level}",
            "interval": name,
            "difference": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
        }
        for pair in pairs
        for name, estimate in ((OTHERS, pair.difference), (HERE, pair.here))
        if estimate.value is not None
    ]
    if not rows:
        return show.prose("Not drawn: no language model can be held against physicians.")
    frame = pd.DataFrame(rows)
    frame["llm"] = pd.Categorical(frame["llm"], list(dict.fromkeys(frame["llm"]))[::-1])
    frame["level"] = pd.Categorical(frame["level"], list(dict.fromkeys(frame["level"])))
    frame["interval"] = pd.Categorical(frame["interval"], [HERE, OTHERS])
    known = frame.dropna(subset=["low", "high"])
    llms, levels = frame["llm"].nunique(), frame["level"].nunique()
    span = aes(xmin="low", xmax="high", color="interval")
    return (
        ggplot(frame, aes("difference", "llm"))
        + geom_vline(xintercept=0, color=look.SOFT, linetype="dashed", size=0.5)
        + geom_errorbarh(span, known[known["interval"] == OTHERS], height=0.25, size=0.6)
        + geom_segment(
            aes(x="low", xend="high", yend="llm", color="interval"),
            known[known["interval"] == HERE],
            size=2.2,
        )
        + geom_point(size=1.8, color=look.INK)
        + facet_wrap("level", ncol=min(3, levels))
        + scale_color_manual(values={HERE: look.BLUE, OTHERS: look.ORANGE}, drop=False)
        + scale_x_continuous(breaks=_few, labels=minus)
        + scale_y_discrete(labels=_names)
        + labs(x="Mean rank of the LLM less that of the level\n(left of zero: LLM better)", y="")
        + look.plot_theme(height=(1.4 + 0.28 * llms) * (1 + (levels - 1) // 3))
    )


def levels(found: Alignment, ranks: Ranks) -> ggplot | show.Markdown:
    """Mean ranks of the levels, a line for each case; those out of order are dashed."""
    whole = np.isfinite(found.by_case).all(axis=1)
    if not found.levels or not whole.any():
        return show.prose("Not drawn: no case has all levels.")
    cases = [ranks.cases[place] for place in np.flatnonzero(whole)]
    ordered = (np.diff(found.by_case[whole], axis=1) > 0).all(axis=1)
    told = np.where(ordered, "case in the stated order", "case out of order")
    frame = pd.DataFrame(
        {
            "case": np.repeat(cases, len(found.levels)),
            "told": np.repeat(told, len(found.levels)),
            "place": list(range(len(found.levels))) * len(cases),
            "rank": found.by_case[whole].ravel(),
        }
    )
    mean = pd.DataFrame(
        {
            "case": "mean of cases",
            "told": "mean of cases",
            "place": range(len(found.levels)),
            "rank": found.by_case[whole].mean(axis=0),
        }
    )
    colours = {
        "case in the stated order": look.BLUE,
        "case out of order": look.ORANGE,
        "mean of cases": look.INK,
    }
    lines = dict(zip(colours, ("solid", "dashed", "solid"), strict=True))
    last = len(found.levels) - 1
    drawn = (
        ggplot(frame, aes("place", "rank", group="case", color="told", linetype="told"))
        + geom_line(size=0.7)
        + geom_point(size=1.5)
        + geom_line(data=mean, size=1.6)
        + geom_point(data=mean, size=3)
        + scale_color_manual(values=colours, limits=list(colours))
        + scale_linetype_manual(values=lines, limits=list(colours))
        + scale_x_continuous(
            breaks=list(range(last + 1)), labels=list(found.levels), limits=(-0.2, last + 0.3)
        )
        + scale_y_reverse()
        + labs(x="", y="Mean rank (best on top)")
        + look.plot_theme()
    )
    if len(cases) > MOST_WRITTEN:
        return drawn
    ends = frame[frame["place"] == last].sort_values("rank")
    ends["rank"] = _apart(ends["rank"].to_numpy(), np.ptp(frame["rank"]) / 25)
    return drawn + geom_text(
        aes(label="case"), ends, nudge_x=0.08, ha="left", size=8, show_legend=False
    )


def agreement(table: pl.DataFrame, printed: pl.DataFrame) -> ggplot | show.Markdown:
    """Kendall's W by case with its interval, and what the paper prints for the same cases.

    Parameters
    ----------
    table, printed : DataFrame
        As `agreement.table` and `agreement.beside_printed` give them.
    """
    if "W" not in table.columns or not table["W"].count():
        return show.prose("Not drawn: Kendall's W is not estimable for any case.")
    known = table.drop_nulls("W")
    own = known.select("Case", "W", low="W low", high="W high", source=pl.lit(OWN)).to_pandas()
    parts = [own]
    if not printed.is_empty():
        values = [parse(text or "").value for text in printed["Published W"]]
        other = pd.DataFrame({"Case": printed["Case"].to_list(), "W": values, "source": PRINTED})
        parts.append(other.dropna(subset=["W"]))
    frame = pd.concat(parts, ignore_index=True)
    frame["Case"] = pd.Categorical(frame["Case"], table["Case"].to_list()[::-1])
    frame["source"] = pd.Categorical(frame["source"], [OWN, PRINTED][: len(parts)])
    named = list(frame["Case"].cat.categories)[:: 1 + len(own) // MOST_NAMED]
    bars = frame.dropna(subset=["low", "high"])
    return (
        ggplot(frame, aes("W", "Case"))
        + geom_errorbarh(aes(xmin="low", xmax="high"), bars, height=0.3, size=0.7, color=look.BLUE)
        + geom_point(aes(shape="source", color="source", size="source"), fill="none", stroke=0.9)
        + scale_shape_manual(values={OWN: ".", PRINTED: "D"})
        + scale_color_manual(values={OWN: look.BLUE, PRINTED: look.ORANGE})
        + scale_size_manual(values={OWN: 6 if len(own) <= MOST_NAMED else 3, PRINTED: 3})
        + scale_y_discrete(breaks=named, labels=_names)
        + scale_x_continuous(limits=(0, 1))
        + labs(x="Kendall's W", y="Case")
        + look.plot_theme(height=min(9.0, 1.3 + 0.28 * len(own)))
    )


def _apart(rising: Floats, least: float) -> Floats:
    """Places for labels, moved down as far as they need to keep a distance."""
    places = list(rising[:1])
    for value in rising[1:]:
        places.append(max(value, places[-1] + least))
    return np.array(places)


def minus(values: Sequence[float] | Sequence[str]) -> list[str]:
    """Labels of an axis with true minus signs."""
    numbers = [float(value) for value in values]
    return [say.number(value, _decimals(numbers)) for value in numbers]


def _names(shown: Sequence[float] | Sequence[str]) -> list[str]:
    """Names on an axis, on two lines or three where they are long."""
    return wrapped([str(name) for name in shown], 26)


def _decimals(values: Sequence[float]) -> int:
    """As many as tell the values apart, two at most."""
    return next((n for n in (0, 1) if all(math.isclose(v, round(v, n)) for v in values)), 2)


def _few(limits: tuple[float, float]) -> list[float]:
    """Marks of an axis that fit beside those of the next panel."""
    return [float(mark) for mark in breaks_extended(4)(limits)]
