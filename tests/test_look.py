"""Figures of each library: legible on light and dark pages, on no background, always the same."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib import colors, rc_context
from matplotlib.text import Text
from plotnine import aes, facet_wrap, geom_point, ggplot, labs

from helpers import look, show

PAGES = {"light": "#ffffff", "dark": "#15181c", "Quarto's dark": "#272b30"}
# How the style sheet turns lightness round: `filter: invert(1) hue-rotate(180deg)` as a matrix.
TURNED = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """Contrast of two colours as WCAG 2.1 defines it."""

    def luminance(colour):
        linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def on_page(colour, page: str) -> float:
    rgb = np.array(colors.to_rgb(colour))
    drawn = rgb if page == "light" else np.clip(TURNED @ (1 - rgb), 0, 1)
    return contrast(drawn, np.array(colors.to_rgb(PAGES[page])))


FRAME = pd.DataFrame({"x": [1, 2, 3, 4], "y": [2, 1, 4, 3], "g": ["a", "a", "b", "b"]})


def plotted():
    points = ggplot(FRAME, aes("x", "y", color="g")) + geom_point() + facet_wrap("g")
    return (points + labs(title="A") + look.plot_theme(height=3)).draw()


def heat_map():
    with rc_context(look.RC):
        figure, axes = plt.subplots()
        sns.heatmap(FRAME[["x", "y"]].corr(), cmap="Blues", ax=axes)
        axes.set_title("A")
        return figure


def lines():
    with rc_context(look.RC):
        figure, axes = plt.subplots()
        axes.plot(FRAME["x"], FRAME["y"], label="y")
        axes.set(xlabel="x", ylabel="y", title="A")
        axes.legend()
        return figure


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("colour", look.PALETTE)
def test_colours_stand_out_from_light_and_dark_pages(colour, page):
    assert on_page(colour, page) >= (3 if page != "Quarto's dark" else 2.5)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("draw", [plotted, heat_map, lines])
def test_text_in_figures_is_legible_on_light_and_dark_pages(draw, page):
    figure = draw()
    figure.canvas.draw()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    assert len(texts) >= 5
    assert min(on_page(text.get_color(), page) for text in texts) >= 4.5
    plt.close(figure)


@pytest.mark.parametrize("draw", [plotted, heat_map, lines])
def test_a_figure_is_stored_once_without_background_and_always_the_same(draw):
    one, other = (show.figure(draw())._repr_mimebundle_()[0]["image/svg+xml"] for _ in range(2))
    assert one == other
    assert "fill: #ffffff" not in one
    assert plt.get_fignums() == []


def test_plots_axes_and_grids_are_taken_as_they_come():
    grid = sns.relplot(FRAME, x="x", y="y")
    for drawn in (ggplot(FRAME, aes("x", "y")) + geom_point(), plt.subplots()[1], grid):
        assert "<svg" in show.figure(drawn)._repr_mimebundle_()[0]["image/svg+xml"]


def test_a_figure_of_very_many_lines_becomes_pixels(monkeypatch):
    monkeypatch.setattr(show, "LARGE", 1000)
    bundle, metadata = show.figure(lines())._repr_mimebundle_()
    assert "image/svg+xml" not in bundle
    assert bundle["image/png"].startswith("iVBOR")
    assert metadata == {"image/png": {"width": 624}}
