"""The three parts of the ratings in which an instrument is looked at.

*Pooled* are all rows as they are. They mix what is left *within* each evaluator's judgement of a
case, once the mean there is taken off, with differences *between* the analyses, the means over
their evaluators: a lenient evaluator, for one, raises all dimensions of a row together.
"""

from typing import Literal

import numpy as np
import pandas as pd

from helpers.scoring.table import Floats, Scored

Part = Literal["pooled", "within", "between"]
PARTS: tuple[Part, ...] = ("pooled", "within", "between")
MEANING: dict[Part, str] = {
    "pooled": "all rows",
    "within": "within evaluator and case",
    "between": "between analyses",
}
UNIT: dict[Part, str] = {"pooled": "rows", "within": "rows", "between": "analyses"}
_GROUPING: dict[Part, str] = {"within": "evaluator:case", "between": "case:analyst"}


def groups(scores: Scored, part: Part) -> list[str] | None:
    """The group of each row; None for the pooled rows, which need none."""
    return scores.groups(_GROUPING[part]) if part in _GROUPING else None


def part_of(values: Floats, group: list[str] | None, part: Part) -> Floats:
    """One part of a rows × dimensions table with gaps; each dimension uses all its scores."""
    if group is None:
        return values
    table = pd.DataFrame(values).groupby(np.asarray(group, dtype=object), sort=False)
    means = table.mean() if part == "between" else table.transform("mean")
    return np.asarray(means if part == "between" else values - means)
