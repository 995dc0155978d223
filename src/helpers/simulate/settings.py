"""What the shipped study is made of, in one place: the only numbers one may turn.

How they were found. The seed was fixed first (the year of the paper) and never searched. Then, for
that seed, by hand, against `helpers.simulate.targets` and some thirty trial runs:

1. `weights` are Table 4's slopes times one number, .82. A pairwise accuracy of .86 asks that scores
   explain some four fifths of what orders the analyses of a case, while Table 4's slopes fix how
   much one point is worth. Both together ask for scores that spread widely, by 1.4 points.
2. Scores are a general factor plus two doublets (accuracy with reasoning; the two treatment
   scores). A mean correlation of .58 makes α .906, since α = 7r/(1 + 6r). The doublets lift two
   correlations to .76 and .83 and leave the rest near .56.
3. `spread` follows Table 13: Spearman's mean correlation in a case, (20 W − 1)/19, is about the
   share that the quality of the analyses has in what orders them.
4. `halo`: from scores alone, rankings as consistent as Table 13's ask for slopes or an α above the
   published ones. So quality reaches the ranking past the scores too, as where an evaluator ranks
   by an impression of which the seven scores catch a part. It also brings the variances of analyst
   and case:analyst near Table 5's, without which they are close to zero.
5. Evaluators' and cases' general spread follows Table 5: CLMM's intercepts for them absorb their
   mean scores, so that sd ≈ √variance / sum of Table 4's slopes. `wander` divides what analyses
   differ by between analyst and case:analyst as Table 5 does.
6. `means` follow the text on Figure 5; "case:dimension" and "evaluator:dimension" set how far
   evaluators agree on which dimension scores high in a case (Table 11).
7. `quality` follows the text on Figure 7: Gemini 2.5 pro and o3 first, seniors behind them,
   DeepSeek-V3 at juniors' level, non-specialists last.
8. `alignment`: specialists a little stricter, so that Table 10's signs come out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

SEED = 2026
KIND = "kind"


@dataclass(frozen=True)
class Settings:
    """Settings of the generator `utility`.

    A dimension's score is, before it is rounded and cut to 1–5, the sum of its mean, the analysis'
    quality, further effects, what a doublet shares, and noise.
    An analysis' utility is the weighted sum of its scores, its quality times `halo`, effects and
    Gumbel noise; an evaluator ranks a case by utility. Standard deviations are in points of the
    score, or on the logit scale for the utility.

    Attributes
    ----------
    weights : tuple of float
        What one point on each dimension adds to the utility: the truth to be recovered.
    means : tuple of float
        Mean of each dimension before rounding.
    quality : tuple of float
        Order and distances of the analysts over all cases; origin and unit do not matter.
    wander : float
        How far an analyst's quality moves from case to case, relative to the spread of `quality`.
    spread : tuple of float
        Standard deviation of the analyses' quality within each case.
    score : mapping of str to float
        Standard deviations of further effects on the scores, by term: shared by all dimensions,
        or each dimension's own where the term names it.
    doublets : mapping of pair of str to float
        Standard deviation of what two dimensions share beyond that, in each single rating.
    noise : tuple of float
        Standard deviation of what is left, by dimension.
    alignment : tuple of float
        What a specialist adds on each dimension to all scores of a case of his field.
    halo : float
        What one point of quality adds to the utility past the scores.
    utility : mapping of str to float
        Standard deviations of further effects on the utility, by term.
    varying : mapping of str to float
        Standard deviations of weights about `weights`, each dimension's own, by what they vary
        with: a term such as "case", or `KIND`, language models beside physicians.
    """

    weights: tuple[float, ...]
    means: tuple[float, ...]
    quality: tuple[float, ...]
    wander: float
    spread: tuple[float, ...]
    score: Mapping[str, float] = field(default_factory=dict)
    doublets: Mapping[tuple[str, str], float] = field(default_factory=dict)
    noise: tuple[float, ...] = (0.8,) * 7
    alignment: tuple[float, ...] = (0.0,) * 7
    halo: float = 0.0
    utility: Mapping[str, float] = field(default_factory=dict)
    varying: Mapping[str, float] = field(default_factory=dict)


PERCEPTION = Settings(
    # Inquiry, accuracy, coverage, reasoning, treatment, treatment coverage, acceptability.
    weights=(0.3608, 0.2952, 0.1886, 0.2706, 0.1476, 0.2132, 0.4756),
    means=(3.36, 3.28, 2.83, 3.09, 3.09, 2.93, 3.08),
    # DeepSeek-V3, Gemini 2.5 pro, o3, o3-mini, Qwen-235B-T, QwQ-32b, senior, junior, non-specialist
    quality=(-0.45, 1.1, 0.95, 0.2, 0.05, 0.1, 0.75, 0.0, -1.6),
    wander=1.2,
    spread=(1.3, 1.2, 0.8, 1.0, 0.87, 0.95, 1.6, 1.0, 0.57),
    score={
        "evaluator": 0.36,
        "case": 0.32,
        "evaluator:analyst": 0.35,
        "evaluator:case:analyst": 0.85,
        "analyst:dimension": 0.1,
        "case:dimension": 0.1,
        "evaluator:dimension": 0.28,
    },
    doublets={("accuracy", "reasoning"): 0.78, ("treatment", "treatment_coverage"): 0.9},
    noise=(1.05, 0.65, 1.1, 0.65, 0.54, 0.54, 1.0),
    alignment=(-0.2, -0.1, -0.12, -0.2, -0.15, -0.12, -0.1),
    halo=0.7,
    utility={"analyst": 0.1, "case:analyst": 0.15, "evaluator:analyst": 0.28},
)
