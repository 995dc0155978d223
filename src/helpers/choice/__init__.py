"""Rankings, and what Bradley–Terry and Plackett–Luce share: choices and their likelihood.

`read_rankings` and `rankings_from_orders` make `Rankings`, which `helpers.bradley_terry`,
`helpers.plackett_luce` and `helpers.rank_regression` fit; `validate`, `split` and `calibration`
say how well a fit predicts rankings left out.
"""

from helpers.choice.abilities import Abilities, quasi_standard_errors
from helpers.choice.calibration import calibration
from helpers.choice.fit import Fit
from helpers.choice.prediction import predict
from helpers.choice.rankings import Rankings, rankings_from_orders, read_rankings
from helpers.choice.validation import Validation, split, validate

__all__ = [
    "Abilities",
    "Fit",
    "Rankings",
    "Validation",
    "calibration",
    "predict",
    "quasi_standard_errors",
    "rankings_from_orders",
    "read_rankings",
    "split",
    "validate",
]
