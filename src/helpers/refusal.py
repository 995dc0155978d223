"""What stands in the place of a table or figure that a study cannot have: the reason."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import polars as pl

from helpers import show
from helpers.estimates import NOTE
from helpers.not_estimable import NotEstimableError

P = ParamSpec("P")
T = TypeVar("T")


def in_table(make: Callable[P, pl.DataFrame]) -> Callable[P, pl.DataFrame]:
    """Let a function that makes a table give one with the reason where nothing is estimable."""

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> pl.DataFrame:
        try:
            return make(*args, **kwargs)
        except NotEstimableError as error:
            return pl.DataFrame({NOTE: [f"not estimable: {error.reason}"]})

    return made


def in_figure(draw: Callable[P, T]) -> Callable[P, "T | show.Markdown"]:
    """Let a function that draws a figure give a sentence where there is nothing to draw."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T | show.Markdown:
        try:
            return draw(*args, **kwargs)
        except NotEstimableError as error:
            return show.prose(ended(f"Not drawn: {show.escape(error.reason)}"))

    return drawn


def in_prose(tell: Callable[P, str]) -> Callable[P, str]:
    """Let a function that writes a sentence say why it cannot."""

    @wraps(tell)
    def told(*args: P.args, **kwargs: P.kwargs) -> str:
        try:
            return tell(*args, **kwargs)
        except NotEstimableError as error:
            return ended(f"Not estimable: {show.escape(error.reason)}")

    return told


def ended(text: str) -> str:
    """The text as a sentence: with a capital at its head and a full stop at its end."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
