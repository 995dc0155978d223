"""Abilities of analysts on one scale: what rankings say of them without any score."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from helpers import bradley_terry, estimates, plackett_luce, resample, say, show
from helpers.choice.abilities import Abilities, quasi_standard_errors
from helpers.choice.logit import Floats
from helpers.choice.resampled import Resampled, resampled
from helpers.not_estimable import NotEstimableError
from helpers.ranking import table as ranked
from helpers.refusal import ended, in_prose, in_table
from helpers.study import Study
from helpers.weighing.weighed import Weighed


@dataclass(frozen=True)
class Able:
    """Plackett–Luce abilities of a study's analysts.

    Attributes
    ----------
    weighed : Weighed
        The study.
    """

    weighed: Weighed

    @cached_property
    def abilities(self) -> Abilities:
        """They sum to zero."""
        return plackett_luce.abilities(self.weighed.rankings)

    @cached_property
    def found(self) -> Resampled:
        """The same with evaluators and cases resampled."""
        weighed = self.weighed
        return resampled(
            self.abilities.refit,
            weighed.rankings,
            weighed.resamples,
            weighed.seed,
            weighed.confidence,
        )

    @cached_property
    def quasi(self) -> dict[str, Floats]:
        """Quasi-standard errors by what is taken for a sample: choices, evaluators or cases.

        Only those that can be had: of three analysts or more, and with enough to resample.
        """
        known = np.isfinite(self.abilities.ability)
        draws, without = (_whole(rows[:, known]) for rows in (self.found.draws, self.found.without))
        covariances = {INDEPENDENT: self.abilities.covariance[np.ix_(known, known)]}
        if len(draws) >= max(2, resample.FEWEST * len(self.found.draws)):
            covariances[EVALUATORS] = np.cov(draws.T)
        if 2 < len(without) == len(self.found.without):
            covariances[CASES] = np.cov(without.T) * (len(without) - 1) ** 2 / len(without)
        errors = {}
        for name, covariance in covariances.items():
            try:
                found = quasi_standard_errors(covariance)
            except NotEstimableError:
                continue
            errors[name] = np.full(len(known), np.nan)
            errors[name][known] = found
        return errors

    @property
    def others(self) -> dict[str, Callable[[], Abilities]]:
        """Abilities by pairs, and beyond what the scores explain."""
        rankings = self.weighed.rankings
        return {
            "Bradley–Terry": lambda: bradley_terry.abilities(rankings),
            "Beyond scores": lambda: plackett_luce.abilities(rankings, adjust=rankings.dimensions),
        }


INDEPENDENT, EVALUATORS, CASES = "independent", "evaluators", "cases"


def _whole(rows: Floats) -> Floats:
    return rows[np.isfinite(rows).all(axis=1)]


@in_table
def table(able: Able) -> pl.DataFrame:
    """Give `summary`, or why there is none."""
    return summary(able)


def summary(able: Able) -> pl.DataFrame:
    """Abilities by Plackett–Luce, best first, with quasi-standard errors."""
    own = able.abilities
    frame = pl.DataFrame(
        {
            "Analyst": own.items,
            "Ability": own.ability,
            **{f"Quasi-SE, {name}": errors for name, errors in able.quasi.items()},
            estimates.NOTE: [
                f"not estimable: {own.reasons[item]}" if item in own.reasons else ""
                for item in own.items
            ],
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    ordered = frame.sort("Ability", descending=True, nulls_last=True, maintain_order=True)
    return estimates.frame(ordered.to_dicts())


@in_table
def beside(able: Able) -> pl.DataFrame:
    """Abilities with intervals, beside mean ranks and abilities by other models, best first."""
    own, ranks = able.abilities, mean_ranks(able.weighed.study)
    ends = able.found.table(slice(0, len(own.items)), "Ability")
    frame = pl.DataFrame(
        {
            "Analyst": own.items,
            "Mean rank": [ranks.get(item) for item in own.items],
            **ends.to_dict(),
            **{name: _values(make, own.items) for name, make in able.others.items()},
        },
        schema_overrides={"Mean rank": pl.Float64, **dict.fromkeys(able.others, pl.Float64)},
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    return frame.sort("Ability", descending=True, nulls_last=True, maintain_order=True)


def mean_ranks(study: Study) -> dict[str, float]:
    """Mean rank of each analyst that was ranked, each case counting the same."""
    ranks = ranked.ranks(study)
    if not ranks.evaluators:
        return {}
    once = np.ones((1, len(ranks.evaluators))), np.ones((1, len(ranks.cases)))
    return dict(zip(ranks.analysts, ranked.means(ranks.values, *once)[0].tolist(), strict=True))


def _values(make: Callable[[], Abilities], items: tuple[str, ...]) -> list[float | None]:
    try:
        found = make()
    except NotEstimableError:
        return [None] * len(items)
    known = dict(zip(found.items, found.ability.tolist(), strict=True))
    return [known.get(item) for item in items]


@in_prose
def sentence(able: Able) -> str:
    """How much errors grow when evaluators are resampled, and what has no ability."""
    ratios = {
        name: errors / able.quasi[INDEPENDENT]
        for name, errors in able.quasi.items()
        if name != INDEPENDENT
    }
    told = [
        f"for {name} {say.span(float(np.nanmin(ratio)), float(np.nanmax(ratio)), 1)} times"
        for name, ratio in ratios.items()
    ]
    if told:
        told = [
            f"Quasi-standard errors are {say.listing(told)} those that take choices for "
            "independent."
        ]
    elif np.isfinite(able.abilities.ability).sum() < 3:
        told = ["Quasi-standard errors need at least three analysts."]
    known = np.isfinite(able.abilities.ability)
    for name, errors in able.quasi.items():
        without = np.array(able.abilities.items)[known & np.isnan(errors)].tolist()
        if without:
            names = say.listing([show.escape(item) for item in without])
            told.append(f"For {names} the quasi-variance ({name}) is negative.")
    for name, make in able.others.items():
        try:
            make()
        except NotEstimableError as error:
            told.append(ended(f"{name}: not estimable: {show.escape(error.reason)}"))
    return " ".join([*told, *(ended(show.escape(note)) for note in able.found.notes)])
