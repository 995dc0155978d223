"""One decision out of those on several benchmarks, and the one whose figures stand for all."""

import math
from collections.abc import Sequence
from typing import Protocol, TypeVar

from helpers.ranking.decisions import ABSENT, NO, PARTLY, YES


class Judged(Protocol):
    """What became of a hypothesis on one benchmark."""

    @property
    def decision(self) -> str:
        """One of `helpers.ranking.decisions`."""

    @property
    def p_holm(self) -> float | None:
        """The p-value, adjusted over benchmarks."""

    @property
    def analysts(self) -> int:
        """How many were compared; 0 where none could be."""


One = TypeVar("One", bound=Judged)


def overall(judged: Sequence[Judged]) -> str:
    """The decision over all benchmarks on which there is one."""
    made = [one.decision for one in judged if one.decision != ABSENT]
    if not made:
        return ABSENT
    if all(decision == YES for decision in made):
        return YES
    return PARTLY if any(decision != NO for decision in made) else NO


def lead(judged: Sequence[One]) -> One | None:
    """That with the smallest p, and of these that with most analysts; None if there is none."""
    made = [one for one in judged if one.analysts]
    return min(made, key=_weight, default=None)


def _weight(one: Judged) -> tuple[float, int]:
    return (math.inf if one.p_holm is None else one.p_holm, -one.analysts)
