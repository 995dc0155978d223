"""The figure of scores against accuracies, with line, smoother, and bands over evaluators."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from helpers import look, resample, say
from helpers.benchmark.comparison import SCORE, Compared, Comparison
from helpers.benchmark.labels import Box, place
from helpers.not_estimable import NotEstimableError
from helpers.refusal import in_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

GRID = 80  # places at which curves are drawn
MOST = 8  # benchmarks that are drawn, those with most models
NAMED = 40  # models up to which points have names
DOT = 4.0  # points (1/72 inch), half the width of a marker with the space around it
LETTERS = 8.5
APART = 10.0  # points by which names on one line stand apart at least


@in_figure
def scatter(compared: Compared) -> Figure:
    """A panel for each benchmark: models by name, the line, LOESS, and bars and bands of scores."""
    own = sorted(compared.usable, key=lambda one: -len(one.points.names))[:MOST]
    columns = 1 if len(own) == 1 else 2
    rows = -(-len(own) // columns)
    with rc_context(look.RC):
        canvas = Figure(figsize=(look.WIDTH, 4.6 if columns == 1 else 0.4 + 3.3 * rows))
        canvas.set_layout_engine("constrained")
        panels = np.atleast_1d(canvas.subplots(rows, columns, squeeze=False).ravel())
        for axes, one in zip(panels, own, strict=False):
            _panel(axes, one, compared)
            if len(own) > 1:
                axes.set_title(one.name)
        for axes in panels[len(own) :]:
            axes.set_visible(False)
        handles, told = panels[0].get_legend_handles_labels()
        canvas.legend(handles, told, loc="outside upper center", ncols=3)
        canvas.draw_without_rendering()  # sizes are known only when it has been laid out
        canvas.set_layout_engine("none")
        for axes, one in zip(panels, own, strict=False):
            if len(one.points.names) <= NAMED:
                _names(axes, one)
    return canvas


def _panel(axes: "Axes", one: Comparison, compared: Compared) -> None:
    x, y = one.sides()
    at = np.linspace(x.min(), x.max(), GRID)
    bands = one.bands(at)
    for name, key, colour, style in (
        ("straight line", "line", look.BLUE, "-"),
        ("LOESS", "smooth", look.ORANGE, "--"),
    ):
        try:
            curve = (one.line() if key == "line" else one.smooth()).predict(at)
        except NotEstimableError:
            continue
        low, high = bands[key]
        axes.fill_between(at, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(at, curve, style, color=colour, label=name, linewidth=1.6)
    _bars(axes, one)
    axes.plot(x, y, "o", color=look.INK, markersize=5, label="models")
    axes.grid(visible=True, linewidth=0.5)
    axes.margins(0.12)
    axes.xaxis.set_major_formatter(FuncFormatter(_mark))
    axes.yaxis.set_major_formatter(FuncFormatter(_mark))
    score, accuracy = f"Perceived score ({compared.unit})", "Accuracy (%)"
    across, upwards = (accuracy, score) if _upwards(one) else (score, accuracy)
    axes.set(xlabel=across, ylabel=upwards)
    _keep_points_large(axes, y)


def _bars(axes: "Axes", one: Comparison) -> None:
    """Intervals of the scores over evaluators."""
    draw = axes.vlines if _upwards(one) else axes.hlines
    low, high = _ends(one)
    draw(one.points.accuracies, low, high, color=look.SOFT, linewidth=1)


def _ends(one: Comparison) -> tuple[Floats, Floats]:
    """Ends of the scores' intervals; the scores themselves where there are none."""
    own = one.points
    if not len(own.draws):
        return own.scores, own.scores
    found = resample.percentile(own.draws, one.settings.confidence)
    known = np.isfinite(found.low)
    return np.where(known, found.low, own.scores), np.where(known, found.high, own.scores)


def _keep_points_large(axes: "Axes", y: Floats) -> None:
    """Let a band that runs off not squeeze the points together."""
    low, high = axes.get_ylim()
    room = 0.5 * float(np.ptp(y))
    axes.set_ylim(max(low, float(y.min()) - room), min(high, float(y.max()) + room))


def _names(axes: "Axes", one: Comparison) -> None:
    """Names of the models, none over another or a point; a thin line where one stands far off."""
    figure = axes.figure
    inch = figure.dpi / 72
    points = axes.transData.transform(np.column_stack(one.sides()))
    texts = [axes.text(0, 0, name, fontsize=LETTERS, color=look.INK) for name in one.points.names]
    sizes = [
        (box.width + APART * inch, box.height) for box in (t.get_window_extent() for t in texts)
    ]
    edge = axes.get_window_extent()
    within = Box(edge.x0, edge.y0, edge.x1, edge.y1)
    boxes = place(points, sizes, within, DOT * inch, _drawn(axes, one, inch))
    back = axes.transData.inverted().transform
    for text, box, point in zip(texts, boxes, points, strict=True):
        middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2])
        text.set(ha="center", va="center")
        text.set_position(tuple(back(middle)))
        nearest = np.clip(point, [box.left, box.bottom], [box.right, box.top])
        if np.hypot(*(nearest - point)) > 1.5 * DOT * inch:
            ends = back(np.array([point, nearest]))
            axes.plot(*ends.T, color=look.SOFT, linewidth=0.5, zorder=1)


def _drawn(axes: "Axes", one: Comparison, half: float) -> list[Box]:
    """What bars and curves cover, on the screen."""
    scores, other = _ends(one), one.points.accuracies
    sides = [(other, end) if _upwards(one) else (end, other) for end in scores]
    starts, stops = (axes.transData.transform(np.column_stack(side)) for side in sides)
    curves = [axes.transData.transform(line.get_xydata()) for line in axes.lines[:-1]]
    pieces = [*zip(starts, stops, strict=True), *((at, at) for curve in curves for at in curve)]
    return [Box(*(start - half), *(stop + half)) for start, stop in pieces]


def _upwards(one: Comparison) -> bool:
    """Whether scores are upwards."""
    return one.settings.outcome == SCORE


def _mark(value: float, _: object = None) -> str:
    """A mark of an axis, with a true minus sign."""
    return f"{value:g}".replace("-", say.MINUS)
