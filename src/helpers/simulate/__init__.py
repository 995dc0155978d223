"""Simulated perception studies: a design, what scores are made of, and two ways to rank.

`simulate` ranks by utility (complete rankings, the shipped study); `simulate_cumulative` draws each
rank by itself from the published cumulative link mixed model, for parameter recovery alone.
`simulate_planned` ranks by utility too, in a study of any size with stated effects.
"""

from helpers.simulate.cumulative import Cumulative, published_model, simulate_cumulative
from helpers.simulate.design import DIMENSIONS, Design, perception_design
from helpers.simulate.example import write_example
from helpers.simulate.planned import Effects, Plan, accuracies, simulate_planned
from helpers.simulate.settings import PERCEPTION, SEED, Settings
from helpers.simulate.utility import Sample, simulate

__all__ = [
    "DIMENSIONS",
    "PERCEPTION",
    "SEED",
    "Cumulative",
    "Design",
    "Effects",
    "Plan",
    "Sample",
    "Settings",
    "accuracies",
    "perception_design",
    "published_model",
    "simulate",
    "simulate_cumulative",
    "simulate_planned",
    "write_example",
]
