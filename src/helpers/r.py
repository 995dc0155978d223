"""The one place that talks to R, through rpy2 and pymer4's bridge over it.

Starting R costs a second and importing pymer4 several, so both are imported on first use, by the
chapters that fit models in R and by no others. What R says while it works (a warning that an
optimiser stopped early, the message "boundary (singular) fit") is part of the result: pymer4 and
rpy2 send it to a console that nobody reads, so `call` catches it where it arises.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl

from helpers.errors import HelpersError

# Warnings and messages are caught as they arise: R would defer them, and drop those after the 50th.
_LISTEN = """
function(work, arguments) {
  warnings <- character(); messages <- character()
  value <- withCallingHandlers(
    tryCatch(do.call(work, arguments), error = function(e) e),
    warning = function(w) {
      warnings <<- c(warnings, conditionMessage(w)); invokeRestart("muffleWarning")
    },
    message = function(m) {
      messages <<- c(messages, sub("\\n$", "", conditionMessage(m))); invokeRestart("muffleMessage")
    })
  failure <- if (inherits(value, "error")) conditionMessage(value) else character()
  list(value = if (length(failure)) NULL else value, failure = failure,
       warnings = unique(warnings), messages = unique(messages))
}
"""


@dataclass(frozen=True)
class Answer:
    """What an R function returned, and what R said meanwhile.

    Attributes
    ----------
    value : object
        A named list as dict, numbers as ndarray, text as list of str, NULL as None.
    warnings, messages : tuple of str
        In the order in which they arose, each once.
    """

    value: Any
    warnings: tuple[str, ...]
    messages: tuple[str, ...]


def call(source: str, **arguments: object) -> Answer:
    """Call an R function with arguments from Python.

    Parameters
    ----------
    source : str
        Text of an R function, "function(x) mean(x)".
    **arguments : object
        Numbers, text, None, lists of either, arrays, polars data frames (Enum columns become
        factors with the same levels), or mappings of these.

    Returns
    -------
    Answer
        The value, with warnings and messages.

    Raises
    ------
    HelpersError
        If R is missing, or the function fails; with R's own words.
    """
    ro = _robjects()
    listen = ro.r(_LISTEN)
    work = ro.r(source)
    heard = listen(work, ro.ListVector({name: _to_r(v) for name, v in arguments.items()}))
    answer = _from_r(heard)
    if answer["failure"]:
        said = [*answer["failure"], *(answer["warnings"] or []), *(answer["messages"] or [])]
        raise HelpersError("R stopped: " + "; ".join(text.strip() for text in said))
    return Answer(answer["value"], tuple(answer["warnings"] or ()), tuple(answer["messages"] or ()))


def require(package: str) -> None:
    """Complain if R lacks a package.

    Raises
    ------
    HelpersError
        Naming the package and how to get it.
    """
    if not call("function(name) requireNamespace(name, quietly = TRUE)", name=package).value[0]:
        raise HelpersError(
            f"R has no package '{package}': install it (Debian: r-cran-{package.lower()}), "
            "or run `make report`, which does"
        )


@cache
def pymer4() -> ModuleType:
    """Import pymer4, which needs help to start on Debian.

    It imports R's package `report`, which Debian lacks, for one method that is not used here; and
    it wraps every function of 13 R packages, twice over, in some thirty seconds. So each package
    is imported on first use, and a missing one is missed only then.
    """
    from rpy2.robjects import packages

    eager = packages.importr
    packages.importr = lambda name, *args, **kwargs: (
        eager(name, *args, **kwargs) if args or kwargs else _LazyPackage(name, eager)
    )
    try:
        module: ModuleType = import_module("pymer4")
    finally:
        packages.importr = eager
    return module


class _LazyPackage:
    """An R package that is imported when the first of its functions is asked for."""

    _loaded: dict[str, Any] = {}  # noqa: RUF012  (shared on purpose: one import per package)

    def __init__(self, name: str, importr: Any) -> None:  # noqa: ANN401
        self._name, self._importr = name, importr

    def __getattr__(self, attribute: str) -> Any:  # noqa: ANN401
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        if self._name not in self._loaded:
            self._loaded[self._name] = self._importr(self._name)
        return getattr(self._loaded[self._name], attribute)


@cache
def _robjects() -> ModuleType:
    try:
        module: ModuleType = import_module("rpy2.robjects")
    except Exception as error:  # rpy2 raises what it likes where R cannot start
        raise HelpersError(f"R cannot be started ({error}): install r-base-core") from error
    return module


def _to_r(value: object) -> Any:  # noqa: ANN401
    ro = _robjects()
    if value is None:
        return ro.NULL
    if isinstance(value, pl.DataFrame):
        return ro.DataFrame({name: _to_r(value[name]) for name in value.columns})
    if isinstance(value, pl.Series):
        return _column(value)
    if isinstance(value, Mapping):
        return ro.ListVector({name: _to_r(each) for name, each in value.items()})
    if isinstance(value, np.ndarray):
        flat = _column(pl.Series(value.ravel(order="F")))
        return flat if value.ndim == 1 else ro.r.matrix(flat, nrow=value.shape[0])
    return _column(pl.Series(value if isinstance(value, list | tuple) else [value]))


def _column(column: pl.Series) -> Any:  # noqa: ANN401
    """An R vector; integers that R's 32 bits cannot hold become doubles, not text."""
    ro = _robjects()
    kind = column.dtype
    if isinstance(kind, pl.Enum | pl.Categorical):
        levels = ro.StrVector(column.cat.get_categories().to_list())
        return ro.FactorVector(_column(column.cast(pl.String)), levels=levels)
    if kind == pl.String:
        return ro.StrVector([ro.NA_Character if v is None else v for v in column])
    if kind == pl.Boolean:
        return ro.BoolVector([ro.NA_Logical if v is None else v for v in column])
    if kind.is_integer() and column.abs().max() is not None and column.abs().max() < 2**31:  # type: ignore[operator]
        return ro.IntVector([ro.NA_Integer if v is None else v for v in column])
    return ro.FloatVector([ro.NA_Real if v is None else float(v) for v in column])


def _from_r(value: Any) -> Any:  # noqa: ANN401
    ro = _robjects()
    if value is ro.NULL:
        return None
    if isinstance(value, ro.ListVector):
        return {name: _from_r(each) for name, each in zip(value.names, value, strict=True)}
    if isinstance(value, ro.StrVector):
        return list(value)
    array = np.array(value)
    if isinstance(value, ro.Matrix) and array.ndim == 1:
        array = array.reshape(tuple(value.dim), order="F")
    return array
