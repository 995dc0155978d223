"""Who rates what: the perception study's design, filled with evaluators who do not exist.

From the paper: 37 evaluators of whom six rate all three groups of cases, eleven two and twenty one
(the only split that gives every case its 20 evaluators and Table 12 its six complete raters);
nine cases, their specialties (Table 2), nine analysts. Assumed here: which cases form a group, who
has which specialty and how many years of practice.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from helpers.simulate.effects import stream

DIMENSIONS = {
    "inquiry": "Inquiry Logic",
    "accuracy": "Diagnostic Accuracy",
    "coverage": "Diagnostic Coverage",
    "reasoning": "Reasoning Soundness",
    "treatment": "Treatment Appropriateness",
    "treatment_coverage": "Treatment Coverage",
    "acceptability": "Clinical Acceptability",
}

# The groups are not published, only that they follow "specialty relevance". Four specialties have
# two cases and one has one, so that groups of three must split one pair at least. Groups by number
# split one alone: gastroenterology joins neurology (6) and cardiology (8).
CASES = {
    "1": ("Infectious Disease", "A"),
    "2": ("Orthopedics", "A"),
    "3": ("Orthopedics", "A"),
    "4": ("Neurology", "B"),
    "5": ("Neurology", "B"),
    "6": ("Gastroenterology", "B"),
    "7": ("Cardiology", "C"),
    "8": ("Gastroenterology", "C"),
    "9": ("Cardiology", "C"),
}

ANALYSTS = {  # name: kind, level, family
    "Deepseek-V3": ("llm", None, "DeepSeek"),
    "Gemini 2.5 pro": ("llm", None, "Gemini"),
    "GPTo3": ("llm", None, "GPT"),
    "GPTo3-mini": ("llm", None, "GPT"),
    "Qwen-235B-T": ("llm", None, "Qwen"),
    "Qwq-32b": ("llm", None, "Qwen"),
    "Specialist-Senior": ("physician", "senior", None),
    "Specialist-Junior": ("physician", "junior", None),
    "Non-specialist": ("physician", "non-specialist", None),
}

# Specialties of those who rate these groups, one evaluator each. Each case meets three specialists
# at least, and most of its evaluators come from elsewhere.
EVALUATORS = {
    "ABC": (
        "General Medicine",
        "Emergency Medicine",
        "Geriatrics",
        "Gastroenterology; Infectious Disease",
        "Orthopedics",
        "Neurology",
    ),
    "AB": ("Orthopedics", "Infectious Disease", "Neurology", "General Surgery"),
    "AC": ("Orthopedics", "Gastroenterology", "Cardiology", "Respiratory Medicine"),
    "BC": ("Neurology", "Gastroenterology", "Cardiology"),
    "A": (
        "Orthopedics",
        "Orthopedics",
        "Infectious Disease",
        "Infectious Disease",
        "Breast Surgery",
        "Endocrinology",
    ),
    "B": (
        "Neurology",
        "Neurology",
        "Gastroenterology",
        "Gastroenterology",
        "Nephrology",
        "Oncology",
        "General Medicine",
    ),
    "C": (
        "Cardiology",
        "Cardiology",
        "Cardiology",
        "Gastroenterology",
        "Respiratory Medicine",
        "Endocrinology",
        "General Surgery",
    ),
}


@dataclass(frozen=True)
class Design:
    """Who rates what.

    Attributes
    ----------
    dimensions : tuple of str
        Column names of the scores.
    evaluators, cases, analysts : polars.DataFrame
        The study's files of these names, a row each.
    rated : ndarray of bool
        Shape (evaluators, cases): whether this evaluator rates this case, always all analysts.
    """

    dimensions: tuple[str, ...]
    evaluators: pl.DataFrame
    cases: pl.DataFrame
    analysts: pl.DataFrame
    rated: NDArray[np.bool_]

    @property
    def sizes(self) -> dict[str, int]:
        """Number of evaluators, cases, analysts and dimensions."""
        return {
            "evaluator": len(self.evaluators),
            "case": len(self.cases),
            "analyst": len(self.analysts),
            "dimension": len(self.dimensions),
        }

    @property
    def aligned(self) -> NDArray[np.bool_]:
        """Whether the case is of the evaluator's specialty, shape (evaluators, cases)."""
        own = [set(cell.split("; ")) for cell in self.evaluators["specialty"]]
        return np.array([[specialty in s for specialty in self.cases["specialty"]] for s in own])


def perception_design(seed: int) -> Design:
    """Draw the perception study's design: which evaluator has which number and years of practice.

    Parameters
    ----------
    seed : int
        Seed of the study; it moves nothing but the order of evaluators and their years.

    Returns
    -------
    Design
        37 evaluators, nine cases of 20 evaluators each, nine analysts, seven dimensions.
    """
    people = [(groups, field) for groups, fields in EVALUATORS.items() for field in fields]
    order = stream(seed, "evaluators").permutation(len(people))
    people = [people[i] for i in order]
    years = stream(seed, "years").integers(1, 26, size=len(people))
    evaluators = pl.DataFrame(
        {
            "evaluator": [f"N{i:02d}" for i in range(1, len(people) + 1)],
            "specialty": [field for _, field in people],
            "years": years.tolist(),
        }
    )
    cases = pl.DataFrame(
        [(case, *of) for case, of in CASES.items()], ["case", "specialty", "group"], orient="row"
    )
    analysts = pl.DataFrame(
        [(name, *of) for name, of in ANALYSTS.items()],
        ["analyst", "kind", "level", "family"],
        orient="row",
    )
    rated = np.array([[group in groups for group in cases["group"]] for groups, _ in people])
    return Design(tuple(DIMENSIONS), evaluators, cases, analysts, rated)
