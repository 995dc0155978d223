"""Cumulative link mixed models, fast and honest: `from helpers.clmm import clmm`.

`clmm` fits; the rest takes its result: `conditional_modes`, `intervals`, `bootstrap`,
`random_term_tests` and `proportional_odds`. `helpers.clmm.fit` has the model and its sources.
"""

from helpers.clmm.bootstrap import bootstrap
from helpers.clmm.conditional import conditional_modes
from helpers.clmm.fit import clmm
from helpers.clmm.intervals import intervals
from helpers.clmm.proportional import proportional_odds
from helpers.clmm.result import Clmm
from helpers.clmm.term_tests import random_term_tests
from helpers.clmm.warm import warm_up

__all__ = [
    "Clmm",
    "bootstrap",
    "clmm",
    "conditional_modes",
    "intervals",
    "proportional_odds",
    "random_term_tests",
    "warm_up",
]
