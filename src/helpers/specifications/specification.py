"""One way to test a hypothesis, and whether it comes to the same side as the main decision.

A specification agrees with the main decision if both say that the hypothesis is supported, wholly
or in part, or both say that it is not. One that cannot be estimated neither agrees nor disagrees.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from helpers.not_estimable import NotEstimableError
from helpers.questions import TESTED
from helpers.ranking.decisions import ALPHA, NO, PARTLY, YES
from helpers.results import Entry

EVALUATORS, TIES, TEST, READING = "Evaluators", "Ties", "Test", "Read as"


@dataclass(frozen=True)
class Specification:
    """A combination of choices, and what came of it.

    Attributes
    ----------
    choices : mapping of str to str
        The level taken of each choice.
    decision : str
        "supported", "partly supported" or "not supported"; empty where there is none.
    estimate, low, high : float or None
        The estimate with its interval, where it has one.
    p : float or None
        The p-value that decides.
    reason : str
        Why there is no decision.
    """

    choices: Mapping[str, str]
    decision: str = ""
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    reason: str = ""

    @property
    def shown(self) -> bool | None:
        """Whether it supports the hypothesis, wholly or in part; None without a decision."""
        return None if not self.decision else self.decision in (YES, PARTLY)


@dataclass(frozen=True)
class Curve:
    """All specifications of one hypothesis, the main one first.

    Attributes
    ----------
    name : str
        The hypothesis, "H1".
    main : Entry or None
        Its line of the ledger, which is the main decision; None without one.
    specifications : tuple of Specification
        The first has the choices by which the main decision was taken.
    drawn : str
        What the picture shows: "estimate", or "p" where the hypothesis has no one estimate.
    unit : str
        What is drawn, for an axis.
    forced : mapping of str to tuple of str
        By choice, other choices whose main level does not go with its other levels: a t-test has no
        joint test.
    absent : str
        Why the hypothesis was not tested, where its chapter did not say.
    """

    name: str
    main: Entry | None
    specifications: tuple[Specification, ...]
    drawn: Literal["estimate", "p"]
    unit: str
    forced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    absent: str = "its chapter did not run, since the study lacks what it needs"

    @property
    def untested(self) -> str:
        """Why there is no main decision; empty where there is one."""
        if self.main is None:
            return self.absent
        if self.main.decision in TESTED:
            return ""
        told = self.main.result.rpartition("not estimable: ")[2]
        return (told or self.main.explanation or "no decision was recorded").rstrip(".")

    @property
    def decided(self) -> list[Specification]:
        """Those with a decision."""
        return [one for one in self.specifications if one.decision]

    @property
    def shown(self) -> bool:
        """Whether the main decision supports the hypothesis, wholly or in part."""
        return self.main is not None and self.main.decision in (YES, PARTLY)

    def agrees(self, one: Specification) -> bool:
        """Whether a specification with a decision comes to the same side as the main one."""
        return one.shown == self.shown

    def names(self) -> list[str]:
        """Choices in the order in which they occur."""
        return list(dict.fromkeys(name for one in self.specifications for name in one.choices))

    def levels(self, choice: str) -> list[str]:
        """Levels of a choice in the order in which they occur, that of the main decision first."""
        return list(
            dict.fromkeys(
                one.choices[choice] for one in self.specifications if choice in one.choices
            )
        )

    def alone(self, choice: str, level: str) -> list[Specification]:
        """Specifications that take this level, and all else as the main one does.

        Choices that `forced` names may change along with it.
        """
        free = {choice, *self.forced.get(choice, ())}
        return [
            one
            for one in self.specifications
            if one.choices.get(choice) == level and free.issuperset(self.changed(one))
        ]

    def pairs(self, choice: str, level: str) -> list[tuple[Specification, Specification]]:
        """Specifications that take the main level and this one, and are alike in all else."""
        first = self.levels(choice)[0]
        known = {
            _rest(one, choice): one for one in self.decided if one.choices.get(choice) == first
        }
        return [
            (known[_rest(one, choice)], one)
            for one in self.decided
            if one.choices.get(choice) == level and _rest(one, choice) in known
        ]

    def changed(self, one: Specification) -> list[str]:
        """Choices in which a specification differs from the main one."""
        first = self.specifications[0].choices
        return [name for name in self.names() if one.choices.get(name) != first.get(name)]


def _rest(one: Specification, choice: str) -> frozenset[tuple[str, str]]:
    """All that is chosen but this."""
    return frozenset(item for item in one.choices.items() if item[0] != choice)


def attempt(choices: Mapping[str, str], make: Callable[[], Specification]) -> Specification:
    """Try a specification; where nothing can be estimated, it says why."""
    try:
        return make()
    except NotEstimableError as error:
        return Specification(choices, reason=error.reason)


def by_p(p: float | None, least: str = YES) -> str:
    """A decision by one p-value: `least` where it is below five per cent."""
    return "" if p is None else least if p < ALPHA else NO


def reasons(found: Sequence[Specification]) -> Iterator[tuple[str, int]]:
    """Why specifications have no decision, and how many for each reason."""
    told = [one.reason or "no test" for one in found if not one.decision]
    for reason in dict.fromkeys(told):
        yield reason, told.count(reason)
