"""How figures look: one set of colours and one theme, for plotnine, seaborn and matplotlib alike.

Figures are drawn once, dark on a background that is left out. On a dark page the book's style sheet
turns their lightness round and keeps their hues. So every colour here is far enough from white, and
its counterpart from the dark pages: 4.5 to 1 for text, 3 to 1 for what is drawn (WCAG 2.1).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plotnine import theme

INK = "#1f262d"
SOFT = "#4a5560"
GRID = "#c4ccd4"

BLUE, ORANGE, PURPLE, GREEN, RED = "#3b6ea5", "#c8701a", "#8f3f97", "#2f7f5b", "#a52a35"
PALE, GREY = "#748ea8", "#6b6b6b"

PALETTE = (BLUE, ORANGE, PURPLE, GREEN, RED, PALE, GREY)
"""Colours of groups, in the order in which to take them; say by shape or text too what they say."""

WIDTH = 6.5
"""Inches: the width of a page's text, so that letters in a figure are as large as meant."""

RC: Any = {
    "figure.figsize": (WIDTH, 4.0),
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "grid.color": GRID,
    "legend.frameon": False,
    "text.parse_math": False,
}
"""Settings for seaborn and matplotlib: `with matplotlib.rc_context(look.RC): …`."""


def plot_theme(height: float = 4.0) -> "theme":
    """The theme of figures made with plotnine.

    Parameters
    ----------
    height : float
        Inches.

    Returns
    -------
    plotnine.theme
        To be added to a plot, before themes of its own.
    """
    from plotnine import element_blank, element_line, element_text, theme, theme_minimal

    return theme_minimal(base_size=10) + theme(
        figure_size=(WIDTH, height),
        text=element_text(color=INK),
        axis_text=element_text(color=SOFT),
        strip_text=element_text(color=INK),
        legend_position="top",
        legend_title=element_blank(),
        panel_grid_major=element_line(color=GRID, size=0.5),
        panel_grid_minor=element_blank(),
        plot_background=element_blank(),
        panel_background=element_blank(),
        legend_background=element_blank(),
        strip_background=element_blank(),
    )
