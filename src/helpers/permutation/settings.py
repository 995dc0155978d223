"""What the paper leaves open, as parameters of the chapter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from helpers.benchmark import accuracy_scale
from helpers.errors import HelpersError, did_you_mean
from helpers.permutation.emphasis import Measure
from helpers.permutation.permuted import Level
from helpers.permutation.projection import Bound

SCORE, MEAN_RANK = "score", "mean rank"
PERCEIVED = (SCORE, MEAN_RANK)


@dataclass(frozen=True)
class Settings:
    """How to permute, what to count and how to decide.

    Attributes
    ----------
    permutations : int
        Random permutations of each dimension; all are made instead where they are no more.
    epsilon, bound
        The threshold, and what it bounds: the "ratio" of distances or the "distance" itself.
    perceived : str
        By what evaluators' ranking is made: the "score" or the "mean rank".
    level : str
        What is permuted: mean scores of each "analyst", or scores in each "row" of a judgement.
    emphasised : tuple of str
        Codes of the dimensions that H7 says benchmarks make more of.
    measure : str
        What decides H7: the mean share "along" the line, or the "count" within the threshold.
    scale : str
        Of the accuracies; see `accuracy_scale.in_percent`.

    Raises
    ------
    HelpersError
        If a setting has no meaning.
    """

    permutations: int = 10_000
    epsilon: float = 0.5
    bound: Bound = "ratio"
    perceived: str = SCORE
    level: Level = "analyst"
    emphasised: Sequence[str] = ()
    measure: Measure = "along"
    scale: str = accuracy_scale.DETECT

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        for name, value, known in (
            ("bound", self.bound, get_args(Bound)),
            ("perceived", self.perceived, PERCEIVED),
            ("level", self.level, get_args(Level)),
            ("measure", self.measure, get_args(Measure)),
        ):
            if value not in known:
                options = " or ".join(f"'{one}'" for one in known)
                raise HelpersError(
                    f"{name} '{value}': expected {options}{did_you_mean(value, known)}"
                )
        if self.permutations < 1:
            raise HelpersError(f"permutations {self.permutations}: expected one or more")
        if not 0 <= self.epsilon < float("inf"):
            raise HelpersError(f"epsilon {self.epsilon:g}: expected zero or more")
        accuracy_scale.check(self.scale)
