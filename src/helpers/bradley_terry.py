"""Bradley–Terry: which of two wins, by abilities of the items or by their scores.

Of items i and j with strengths α = exp(β·x) the first wins with probability α_i / (α_i + α_j)
(Bradley & Terry 1952, "Rank analysis of incomplete block designs I"). With one parameter for each
item, log α is its ability. With scores x of the items it is a *ranking regression*: a logistic
regression, without intercept, of "ranked above" on differences of scores, over all pairs within
an evaluator's ranking of a case.

Ties are an outcome of their own, of strength ν √(α_i α_j) (Davidson 1970, "On extending the
Bradley–Terry model to accommodate ties in paired comparison experiments"; the coefficient "tie" is
log ν). Where nothing is tied, this is Bradley–Terry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from helpers.choice.abilities import (
    Abilities,
    abilities_from_rankings,
    indicators,
    read_abilities,
    require_order,
    require_scores,
)
from helpers.choice.estimable import contact
from helpers.choice.fit import Fit, fit_choices
from helpers.choice.logit import Floats, Ints
from helpers.choice.rankings import Rankings, codes
from helpers.choice.sets import Ties, pairs_as_choices, pairwise, require_ties
from helpers.errors import HelpersError
from helpers.not_estimable import NotEstimableError

MODEL = "Bradley–Terry"


def regression(rankings: Rankings, ties: Ties = "davidson") -> Fit:
    """Fit the ranking regression: what a point on each dimension adds to the log odds of winning.

    Parameters
    ----------
    rankings : Rankings
        Whole rankings with scores.
    ties : str
        What tied pairs are: `davidson` an outcome of their own, `half` half a win for each,
        `drop` nothing.

    Returns
    -------
    Fit
        A positive weight means that higher scores go with better ranks.

    Raises
    ------
    HelpersError
        If the rankings have no scores.
    NotEstimableError
        If everything is tied, no dimension differs within rankings, or the scores separate them.
    """
    require_scores(rankings, MODEL)
    require_order(rankings, MODEL, "weights")
    choices, tie = pairwise(rankings, rankings.scores, ties)
    return fit_choices(choices, [*rankings.dimensions, *tie], MODEL, "weights", tie)


@dataclass(frozen=True)
class Contests:
    """Results of contests between two items.

    Attributes
    ----------
    items : tuple of str
        Names of all that took part.
    first, second : ndarray of int
        Places in `items` of the two, contest by contest.
    wins, losses, ties : ndarray
        How often the first won, lost and tied.
    covariates : ndarray
        Shape (contests, names), what speaks for the first rather than the second.
    names : tuple of str
        Names of the covariates.
    """

    items: tuple[str, ...]
    first: Ints
    second: Ints
    wins: Floats
    losses: Floats
    ties: Floats
    covariates: Floats
    names: tuple[str, ...]

    def __len__(self) -> int:
        """Number of contests."""
        return len(self.first)

    def only(self, kept: NDArray[np.bool_]) -> "Contests":
        """Give the contests between items that are all among `kept`; the rest get no results."""
        count = kept[self.first] & kept[self.second]
        results = {name: getattr(self, name) * count for name in ("wins", "losses", "ties")}
        return replace(self, **results)

    def settled(self, ties: Ties) -> "Contests":
        """Give the contests with ties as the model is to see them."""
        require_ties(ties)
        if ties == "davidson":
            return self
        half = self.ties / 2 if ties == "half" else np.zeros_like(self.ties)
        none = np.zeros_like(self.ties)
        return replace(self, wins=self.wins + half, losses=self.losses + half, ties=none)

    def results(self) -> tuple[Ints, Ints, Floats]:
        """Contest, order (1, 0 or −1) and count of each result that occurred."""
        counts = np.stack([self.wins, self.ties, self.losses], axis=1)
        contest, outcome = np.nonzero(counts)
        return contest, 1 - outcome, counts[contest, outcome]

    def saturated(self) -> tuple[float, int]:
        """Log-likelihood of a model that fits each contest exactly, and its parameters."""
        counts = np.stack([self.wins, self.losses, self.ties])
        total = counts.sum(axis=0)
        loglik = float((xlogy(counts, counts).sum(axis=0) - xlogy(total, total)).sum())
        return loglik, int((total > 0).sum()) * (2 if self.ties.any() else 1)


def contests(
    first: Sequence[str],
    second: Sequence[str],
    wins: ArrayLike,
    losses: ArrayLike,
    ties: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | None = None,
) -> Contests:
    """Bring results of contests, or votes between two, into form.

    Parameters
    ----------
    first, second : sequence of str
        The two items of each contest.
    wins, losses, ties : array_like
        How often the first won, lost and tied; of a single vote two are 0 and one is 1.
    covariates : mapping of str to array_like
        By name, what speaks for the first of a contest rather than the second: their difference
        in something, or 1 where the first is at home or shown first.

    Returns
    -------
    Contests
        In the order given.

    Raises
    ------
    HelpersError
        If the columns differ in length, a number is missing or negative, an item has no name or
        meets itself.
    NotEstimableError
        If there are no contests.
    """
    if not len(first):
        raise NotEstimableError(f"{MODEL} abilities are", "there are no contests")
    columns = {
        "wins": wins,
        "losses": losses,
        "ties": np.zeros(len(first)) if ties is None else ties,
    }
    numbers = {
        name: _numbers(name, values)
        for name, values in [*columns.items(), *(covariates or {}).items()]
    }
    for name, values in [("second", np.asarray(second)), *numbers.items()]:
        if values.shape != (len(first),):
            raise HelpersError(f"contests: {len(first)} in 'first', but {len(values)} in '{name}'")
    for name, values in numbers.items():
        wrong = ~np.isfinite(values) | ((values < 0) if name in columns else False)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise HelpersError(
                f"contests: '{name}' of contest {row + 1} ({first[row]} against {second[row]}) is "
                f"{values[row]:g}; leave out contests without a result"
            )
    nameless = [row for row, pair in enumerate(zip(first, second, strict=True)) if None in pair]
    if nameless:
        raise HelpersError(f"contests: an item of contest {nameless[0] + 1} has no name")
    names = [str(name) for name in first], [str(name) for name in second]
    alone = [row for row, (one, other) in enumerate(zip(*names, strict=True)) if one == other]
    if alone:
        raise HelpersError(f"contests: in contest {alone[0] + 1} '{first[alone[0]]}' meets itself")
    items = tuple(dict.fromkeys(name for pair in zip(*names, strict=True) for name in pair))
    return Contests(
        items=items,
        first=codes(names[0], items),
        second=codes(names[1], items),
        wins=numbers["wins"],
        losses=numbers["losses"],
        ties=numbers["ties"],
        covariates=np.array([numbers[name] for name in covariates or {}]).reshape(-1, len(first)).T,
        names=tuple(covariates or {}),
    )


def _numbers(name: str, values: ArrayLike) -> Floats:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise HelpersError(f"contests: '{name}' holds something that is no number") from None


def contests_from_matrix(wins: ArrayLike, items: Sequence[str]) -> Contests:
    """Read a table of wins, winners in rows and losers in columns; its diagonal is ignored."""
    table = np.asarray(wins, dtype=float)
    if table.shape != (len(items),) * 2:
        raise HelpersError(f"contests: a table of {len(items)} × {len(items)} wins is expected")
    i, j = np.triu_indices(len(items), 1)
    names = np.asarray(items)
    return contests(names[i].tolist(), names[j].tolist(), table[i, j], table[j, i])


def abilities(
    data: Contests | Rankings,
    reference: str | None = None,
    adjust: Sequence[str] = (),
    ties: Ties = "davidson",
) -> Abilities:
    """Fit one ability for each item.

    Items that the comparisons cannot place on the scale of the others are left out and named.

    Parameters
    ----------
    data : Contests or Rankings
        Contests, or rankings to be broken into pairs. Covariates of contests are always fitted.
    reference : str, optional
        The item whose ability is set to zero; by default abilities sum to zero.
    adjust : sequence of str
        Dimensions of rankings to hold constant: abilities beyond what these scores explain.
    ties : str
        As for `regression`.

    Returns
    -------
    Abilities
        On the scale log α, differences being log odds of winning.

    Raises
    ------
    NotEstimableError
        If no two items can be compared both ways, or covariates take the place of abilities.
    """
    if isinstance(data, Rankings):
        take_apart = partial(pairwise, ties=ties)
        return abilities_from_rankings(data, take_apart, MODEL, reference, adjust)
    return _abilities_from_contests(data.settled(ties), reference)


def _abilities_from_contests(data: Contests, reference: str | None) -> Abilities:
    contest, order, _ = data.results()
    if not order.any():
        raise NotEstimableError(f"{MODEL} abilities are", "no contest was won")
    met = contact(data.first[contest], data.second[contest], order, data.items)
    data = data.only(met.main)
    contest, order, count = data.results()
    one, other = (indicators(side[contest], met) for side in (data.first, data.second))
    difference = np.column_stack([one - other, data.covariates[contest]])
    choices, tie = pairs_as_choices(difference, order, count, contest, len(data), "davidson")
    names = [*met.names[1:], *data.names, *tie]
    fit = fit_choices(choices, names, MODEL, "abilities", tie)
    loglik, parameters = data.saturated()
    fitted = len(names) - len(fit.reasons)
    return replace(
        read_abilities(fit, met, reference),
        deviance=2 * (loglik - fit.loglik),
        df=parameters - fitted,
    )
