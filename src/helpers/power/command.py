"""`make power`: the grid of the chapter on the next study, larger than a chapter has time for."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from helpers import paths
from helpers.book.plan import plan as plan_book
from helpers.errors import HelpersError
from helpers.power import grid
from helpers.power.grid import Grid
from helpers.power.next_study import of_study
from helpers.simulate import Effects
from helpers.study import load

CHAPTER = "perception-16-design"
SHIPPED = "data/perception"
STUDIES = 200


def make_power(
    study: Path | None = None,
    settings: tuple[str, ...] = (),
    numbers: Mapping[str, str] | None = None,
    scheduler: str = "",
    folder: Path = grid.FOLDER,
    kept: Path = grid.KEPT,
) -> str:
    """Simulate a grid of studies like a study, and write what the chapter shows.

    Parameters
    ----------
    study : Path, optional
        The folder of the study; the shipped one if not given.
    settings : tuple of str
        Parameters of the chapter, as `make report` takes them.
    numbers : mapping of str to str
        `studies`, `evaluators`, `cases` and `effect` as typed, where they differ from the
        chapter's own.
    scheduler : str
        Address of a Dask scheduler.
    folder, kept : Path
        Where results are written, and where those of single studies are kept.

    Returns
    -------
    str
        What was written, in a line.

    Raises
    ------
    HelpersError
        If the study, a setting or a number is wrong.
    """
    tasks = plan_book(paths.ROOT, settings, study).tasks
    values = next(dict(task.values) for task in tasks if task.chapter.stem == CHAPTER)
    asked = asked_for(values, numbers or {})
    source = paths.study(values["study"])
    planned = of_study(load(source), effects_of(values), values["spread"], values["levels"])
    made = grid.power(planned, asked, kept, os.cpu_count() or 1, scheduler)
    path = grid.file_of(folder, source.name, source == paths.study(SHIPPED))
    grid.write_power(made, path)
    return f"{path}: {len(asked.cells)} combinations of {asked.studies:,} studies"


def effects_of(values: Mapping[str, Any]) -> Effects:
    """Effects as the chapter's parameters have them."""
    return Effects(**{name: values[name] for name in Effects.__dataclass_fields__})


def asked_for(values: Mapping[str, Any], numbers: Mapping[str, str]) -> Grid:
    """The grid of the chapter's parameters, or as typed."""

    def several(name: str, typed: str, kind: type[int] | type[float]) -> tuple[Any, ...]:
        if typed not in numbers:
            return tuple(values[name])
        return tuple(_number(word, typed, kind) for word in numbers[typed].split())

    given = numbers.get("studies")
    return Grid(
        several("evaluators", "evaluators", int),
        several("cases", "cases", int),
        several("multiples", "effect", float),
        STUDIES if given is None else int(_number(given, "studies", int)),
    )


def _number(word: str, name: str, kind: type[int] | type[float]) -> int | float:
    try:
        return kind(word)
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise HelpersError(
            f"{name.upper()}: expected {what} with spaces between, found '{word}'"
        ) from None
