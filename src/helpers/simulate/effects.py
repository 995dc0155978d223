"""Random effects, each from a stream of its own: to change one leaves the others as drawn."""

import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

AXES = ("evaluator", "case", "analyst", "dimension")


def stream(seed: int, name: str) -> np.random.Generator:
    """Random numbers that depend on the seed and on this name alone."""
    child = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()),))
    return np.random.Generator(np.random.PCG64(child))


def effect(
    random: np.random.Generator, term: str, sizes: Mapping[str, int], exact: bool
) -> NDArray[np.float64]:
    """Draw the effect of a term, in units of its standard deviation.

    Parameters
    ----------
    random : numpy.random.Generator
        Where the numbers come from.
    term : str
        What the effect belongs to, names of `AXES` joined by colons, such as "case:analyst".
    sizes : mapping of str to int
        Number of evaluators, cases, analysts and dimensions.
    exact : bool
        False draws independent standard normal effects. True shifts and stretches them so that
        they sum to zero along each of the term's axes and have mean square 1. A study so made
        shows its settings without the luck of a few draws: nine cases would else have a spread
        off by a quarter.

    Returns
    -------
    ndarray
        Four axes in the order of `AXES`, of length 1 where the term does not vary.

    Raises
    ------
    ValueError
        If the term names anything else.
    """
    names = term.split(":")
    if not set(names) <= set(AXES):
        raise ValueError(f"term “{term}”: expected names of {', '.join(AXES)} joined by colons")
    drawn = random.standard_normal([sizes[axis] if axis in names else 1 for axis in AXES])
    if not exact:
        return drawn
    for position, size in enumerate(drawn.shape):
        if size > 1:
            drawn = drawn - drawn.mean(axis=position, keepdims=True)
    return unit(drawn, axis=(0, 1, 2, 3))


def unit(values: NDArray[np.float64], axis: int | tuple[int, ...]) -> NDArray[np.float64]:
    """Stretch to mean square 1 over these axes; zeros stay zeros."""
    scale: NDArray[np.float64] = np.sqrt((values**2).mean(axis=axis, keepdims=True))
    return values / np.where(scale > 0, scale, 1)
