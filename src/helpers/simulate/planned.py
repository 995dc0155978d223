"""A study that is still to be made: any number of evaluators, cases and analysts, stated effects.

What is not stated is as in the shipped study. Dimensions are alike but for their weights. Scores
and chance alone order the analyses (no `halo`, no likings), so that the weights planted are those
that a rank-ordered logit estimates.
"""

from dataclasses import asdict, dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from helpers.errors import HelpersError
from helpers.simulate.design import Design
from helpers.simulate.effects import stream, unit
from helpers.simulate.settings import KIND, PERCEPTION, Settings
from helpers.simulate.utility import Floats, Sample, simulate

LEVELS = ("senior", "junior", "non-specialist")
SPECIALTIES = 5


@dataclass(frozen=True)
class Effects:
    """How large the effects are that a study looks for; zero is none.

    Attributes
    ----------
    alignment : float
        Points by which specialists score the cases of their specialty lower (H1).
    uneven : float
        Standard deviation, between cases, of the log of how far the analyses of a case differ in
        quality; evaluators agree more where these differ more (H2, H4).
    step : float
        Quality from one level of physicians to the next, in standard deviations of the language
        models' quality (H3).
    varying : float
        Standard deviation of the dimensions' weights between cases, between evaluators, and
        between kinds of analysts, in shares of the mean weight (H5).
    benchmark : float
        Correlation of the language models' accuracy with their quality (H6).
    """

    alignment: float = 0.2
    uneven: float = 0.15
    step: float = 0.6
    varying: float = 0.3
    benchmark: float = 0.9

    def __post_init__(self) -> None:
        """Refuse effects that there cannot be."""
        wrong = [name for name, value in asdict(self).items() if not 0 <= value < np.inf]
        if wrong or self.benchmark > 1:
            name = wrong[0] if wrong else "benchmark"
            most = " and not above 1" if name == "benchmark" else ""
            raise HelpersError(
                f"effect {name}: expected a number not below 0{most}, found {getattr(self, name)}"
            )

    def times(self, share: float) -> "Effects":
        """All effects multiplied; a correlation goes to 1 at most."""
        scaled = {name: share * value for name, value in asdict(self).items()}
        return Effects(**scaled | {"benchmark": min(1.0, scaled["benchmark"])})


@dataclass(frozen=True)
class Plan:
    """Who is to rate what, and what they will find.

    Attributes
    ----------
    evaluators, cases : int
        How many.
    each : int
        Cases that an evaluator rates, with all their analysts; all cases if there are fewer.
    llms : int
        Language models among the analysts.
    levels : tuple of str
        Levels of the physicians among them, best first, a physician each.
    weights : tuple of float
        What a point on each dimension adds to the utility.
    spread : float
        Standard deviation of the analyses' quality within a case, in points, between cases on
        average (geometric mean).
    effects : Effects
        What the study looks for.
    """

    evaluators: int = 37
    cases: int = 9
    each: int = 5
    llms: int = 6
    levels: tuple[str, ...] = LEVELS
    weights: tuple[float, ...] = PERCEPTION.weights
    spread: float = 1.3
    effects: Effects = Effects()

    def __post_init__(self) -> None:
        """Refuse plans of no study."""
        least = {"evaluators": 2, "cases": 1, "each": 1, "llms": 0}
        for name, bound in least.items():
            if getattr(self, name) < bound:
                raise HelpersError(f"{name}: at least {bound}, found {getattr(self, name)}")
        if self.analysts < 2:
            raise HelpersError("a ranking needs two analysts; give more models or levels")
        if not self.weights:
            raise HelpersError("weights: one for each dimension, found none")

    @property
    def analysts(self) -> int:
        """Language models and physicians."""
        return self.llms + len(self.levels)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Codes of the dimensions."""
        return tuple(f"dimension{number}" for number in range(1, len(self.weights) + 1))

    @property
    def quality(self) -> Floats:
        """Quality of the analysts, language models first, normal scores with deviation 1.

        A single model stands one deviation above the middle of the physicians.
        """
        models = normal_scores(self.llms) if self.llms > 1 else np.ones(self.llms)
        steps = (len(self.levels) - 1) / 2 - np.arange(len(self.levels))
        return np.concatenate([models, self.effects.step * steps])


def normal_scores(count: int) -> Floats:
    """Numbers that lie as a normal sample should, with mean 0 and mean square 1; 0 if only one."""
    scores = np.asarray(stats.norm.ppf((np.arange(count) + 0.5) / count))
    return unit(scores, axis=0)


def planned_design(plan: Plan, seed: int) -> Design:
    """Draw who rates what: cases are dealt out so that each gets as many evaluators, about.

    Parameters
    ----------
    plan : Plan
        The sizes.
    seed : int
        Of the dealing.
    """
    random = stream(seed, "dealing")
    counts = np.zeros(plan.cases)
    rated = np.zeros((plan.evaluators, plan.cases), dtype=bool)
    for row in rated:
        chosen = np.lexsort((random.random(plan.cases), counts))[: plan.each]
        row[chosen] = True
        counts[chosen] += 1
    own = random.permutation(plan.evaluators) % SPECIALTIES
    number = range(1, plan.cases + 1)
    fields = [f"specialty {(k - 1) % SPECIALTIES + 1}" for k in number]
    return Design(
        plan.dimensions,
        pl.DataFrame(
            {
                "evaluator": [f"E{k}" for k in range(1, plan.evaluators + 1)],
                "specialty": [f"specialty {k + 1}" for k in own],
            }
        ),
        pl.DataFrame({"case": [str(k) for k in number], "specialty": fields}),
        pl.DataFrame(
            {
                "analyst": [*(f"model {k}" for k in range(1, plan.llms + 1)), *plan.levels],
                "kind": ["llm"] * plan.llms + ["physician"] * len(plan.levels),
                "level": [*[None] * plan.llms, *plan.levels],
            },
            schema_overrides={"level": pl.String},
        ),
        rated,
    )


def planned_settings(plan: Plan) -> Settings:
    """Settings of the generator `utility` that hold the plan's effects."""
    count, effects = len(plan.weights), plan.effects
    spread = plan.spread * np.exp(effects.uneven * normal_scores(plan.cases))
    vary = effects.varying * float(np.mean(np.abs(plan.weights)))
    return Settings(
        weights=plan.weights,
        means=(float(np.mean(PERCEPTION.means)),) * count,
        quality=tuple(plan.quality.tolist()),
        wander=PERCEPTION.wander,
        spread=tuple(spread.tolist()),
        score=PERCEPTION.score,
        noise=(float(np.mean(PERCEPTION.noise)),) * count,
        alignment=(-effects.alignment,) * count,
        varying=dict.fromkeys(("case", "evaluator", KIND), vary) if vary else {},
    )


def simulate_planned(plan: Plan, seed: int) -> Sample:
    """Draw a study as planned."""
    return simulate(planned_design(plan, seed), planned_settings(plan), seed)


def accuracies(plan: Plan, seed: int) -> NDArray[np.float64]:
    """Draw a benchmark's accuracy of each language model, on no particular scale.

    Returns
    -------
    ndarray
        Shape (llms,), correlated with quality as `effects.benchmark` says, on average.
    """
    quality = plan.quality[: plan.llms]
    share = plan.effects.benchmark
    noise = stream(seed, "accuracies").standard_normal(plan.llms)
    return np.asarray(share * quality + np.sqrt(1 - share**2) * noise)
