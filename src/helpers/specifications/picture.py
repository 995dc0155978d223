"""The specification curve: estimates in order above, the choices of each marked below."""

from typing import Any

import numpy as np

from helpers import look
from helpers.show import Markdown, escape
from helpers.specifications.counts import ordered
from helpers.specifications.specification import Curve, Specification

AGREE, DIFFER = look.BLUE, look.ORANGE
FLOOR = 1e-4  # p-values below it are drawn at it
TICKS = (1, 0.5, 0.1, 0.05, 0.01, 0.001, FLOOR)


def draw(curve: Curve) -> Any:  # noqa: ANN401 (matplotlib's Figure, imported late)
    """Draw the curve of a hypothesis.

    Parameters
    ----------
    curve : Curve
        Its specifications.

    Returns
    -------
    matplotlib.figure.Figure or Markdown
        Markdown that says why, where there is nothing to draw.
    """
    found = [one for one in ordered(curve) if one.decision]
    if curve.untested or not found:
        reason = curve.untested or "no specification gives a decision"
        return Markdown(f"Nothing to draw for {curve.name}: {escape(reason)}.")
    import matplotlib.pyplot as plt  # late: slow to import, and counts do not need it

    rows = _rows(curve, found)
    heights = (2.6, 0.21 * len(rows))
    with plt.rc_context(look.RC):
        figure, (above, below) = plt.subplots(
            2,
            1,
            sharex=True,
            figsize=(look.WIDTH, sum(heights) + 0.6),
            gridspec_kw={"height_ratios": heights},
        )
        _values(above, curve, found)
        _choices(below, curve, found, rows)
        figure.legend(loc="outside upper center", ncols=3, fontsize=9)
    return figure


def _rows(curve: Curve, found: list[Specification]) -> list[tuple[str, str]]:
    """Choices and their levels from top to bottom, an empty row for the name of each choice."""
    rows: list[tuple[str, str]] = []
    for choice in curve.names():
        taken = {one.choices.get(choice) for one in found}
        levels = [level for level in curve.levels(choice) if level in taken]
        rows += [(choice, ""), *((choice, level) for level in levels)]
    return rows


def _values(axes: Any, curve: Curve, found: list[Specification]) -> None:  # noqa: ANN401
    by_estimate = curve.drawn == "estimate"
    main = curve.specifications[0]
    for agrees, colour, marker, label in (
        (True, AGREE, "o", "agrees with the main decision"),
        (False, DIFFER, "D", "does not agree"),
    ):
        own = [(x, one) for x, one in enumerate(found) if curve.agrees(one) == agrees]
        drawn = [(x, one) for x, one in own if _value(one, by_estimate) is not None]
        x = np.array([place for place, _ in drawn])
        y = np.array([_value(one, by_estimate) for _, one in drawn], dtype=float)
        if by_estimate:
            bars = [(p, one.low, one.high) for p, one in drawn if None not in (one.low, one.high)]
            axes.vlines(*(zip(*bars, strict=True) if bars else ((), (), ())), color=colour, lw=0.9)
        axes.scatter(x, y, s=16, color=colour, marker=marker, label=label, zorder=3)
    if main in found and (value := _value(main, by_estimate)) is not None:
        axes.scatter(
            [found.index(main)],
            [value],
            s=90,
            facecolors="none",
            edgecolors=look.INK,
            linewidths=1.4,
            label="main decision",
            zorder=4,
        )
    if by_estimate:
        axes.axhline(0, color=look.SOFT, ls="--", lw=0.8)
    else:
        axes.set_yscale("log")
        axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS[:-1]] + [f"≤ {FLOOR:g}"])
        axes.minorticks_off()
        axes.set_ylim(FLOOR * 0.7, 1.5)
        axes.axhline(0.05, color=look.SOFT, ls="--", lw=0.8)
    axes.set_ylabel(curve.unit)
    axes.grid(axis="y", lw=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="x", bottom=False)


def _value(one: Specification, by_estimate: bool) -> float | None:
    if by_estimate:
        return one.estimate
    return None if one.p is None else max(one.p, FLOOR)


def _choices(
    axes: Any,  # noqa: ANN401
    curve: Curve,
    found: list[Specification],
    rows: list[tuple[str, str]],
) -> None:
    for y, (choice, level) in enumerate(rows):
        if not level:
            continue
        x = {
            agrees: [
                place
                for place, one in enumerate(found)
                if one.choices.get(choice) == level and curve.agrees(one) == agrees
            ]
            for agrees in (True, False)
        }
        axes.vlines(x[True], y - 0.36, y + 0.36, color=AGREE, lw=_thick(len(found)))
        axes.scatter(x[False], [y] * len(x[False]), s=14, color=DIFFER, marker="D", zorder=3)
        axes.axhline(y, color=look.GRID, lw=0.4, zorder=0)
    axes.set_yticks(range(len(rows)), [level or choice for choice, level in rows])
    for label, (_, level) in zip(axes.get_yticklabels(), rows, strict=True):
        label.set(fontsize=8.5, color=look.SOFT if level else look.INK)
        label.set_fontweight("normal" if level else "bold")
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(left=False, bottom=False, labelbottom=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_xlim(-1, len(found))


def _thick(count: int) -> float:
    """Points that a mark may be wide, so that marks of neighbours do not touch."""
    return float(np.clip(170 / count, 0.7, 3.0))
