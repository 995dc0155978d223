"""Every language model against every level of physicians, with intervals that hold together.

Both are judged by the same evaluator on the same case, so that each ranking gives a difference of
ranks and says which of the two is above the other. A level that several physicians fill in a case
has the mean of their ranks, and is beaten as often as its physicians are on average.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from helpers import estimates, say, show
from helpers.agreement import Estimate
from helpers.agreement.jackknife import SHARE
from helpers.ranking.means import both, note, order, two_intervals
from helpers.ranking.table import Floats, Ranks, case_means

ABOVE, BELOW, OPEN = "above", "below", "open"
NO_PAIR = "no ranking has both a language model and a physician of a stated level"


@dataclass(frozen=True)
class Pair:
    """A language model against a level of physicians.

    Attributes
    ----------
    llm, level : str
        Which.
    here, difference : Estimate
        Mean rank of the LLM less that of the level, negative where the LLM is better: with an
        interval for these cases (evaluators resampled) and for others like them (cases too).
    share_here, share : Estimate
        Probability that the LLM is ranked above a physician of the level, ties half; likewise.
    won, cases : int
        In how many of the cases the LLM has the better mean rank.
    rankings : int
        How many rankings have both.
    """

    llm: str
    level: str
    here: Estimate
    difference: Estimate
    share_here: Estimate
    share: Estimate
    won: int
    cases: int
    rankings: int


def verdict(difference: Estimate) -> str:
    """Which of the two is better, as far as the interval of the difference tells."""
    low, high = difference.low, difference.high
    if low is None or high is None or low <= 0 <= high:
        return OPEN
    return ABOVE if high < 0 else BELOW


def compare(
    ranks: Ranks, resamples: int = 2000, seed: int = 1, confidence: float = 0.95
) -> list[Pair]:
    """Compare each language model with each level of physicians.

    Parameters
    ----------
    ranks : Ranks
        Whole rankings.
    resamples, seed : int
        Of the bootstraps over evaluators, and over evaluators and cases.
    confidence : float
        With which intervals of one kind hold together for all pairs.

    Returns
    -------
    list of Pair
        LLMs from the best mean rank to the worst, levels within in the order of the study's file;
        empty where there are none.
    """
    if not ranks.rankings:
        return []
    names = [
        (llm, level)
        for llm in order(ranks)
        if ranks.kinds[llm] == "llm"
        for level in ranks.known_levels()
    ]
    if not names:
        return []
    differences, shares = (
        np.stack([_of_pair(ranks, llm, level, judge) for llm, level in names], axis=2)
        for judge in (_difference, _share)
    )
    found = zip(
        *two_intervals(differences, resamples, seed, confidence),
        *two_intervals(shares, resamples, seed, confidence, SHARE),
        strict=True,
    )
    by_case = case_means(differences, np.ones((1, len(ranks.evaluators))))[0]
    won, cases = (by_case < 0).sum(axis=0), np.isfinite(by_case).sum(axis=0)
    rankings = np.isfinite(differences).sum(axis=(0, 1))
    return [
        Pair(ranks.analysts[llm], level, *own, int(won[i]), int(cases[i]), int(rankings[i]))
        for i, ((llm, level), own) in enumerate(zip(names, found, strict=True))
    ]


def differences(pairs: list[Pair]) -> pl.DataFrame:
    """Differences of mean ranks as a table."""
    if not pairs:
        return estimates.absent("LLM", NO_PAIR)
    rows = [
        {
            "LLM": pair.llm,
            "Level": pair.level,
            **both("Difference", pair.here, pair.difference),
            "Cases won": f"{pair.won} of {pair.cases}",
            "Rankings": pair.rankings,
            "These cases": verdict(pair.here),
            "Like these": verdict(pair.difference),
            estimates.NOTE: note(pair.here, pair.difference),
        }
        for pair in pairs
    ]
    return estimates.frame(rows)


def shares(pairs: list[Pair]) -> pl.DataFrame:
    """Probabilities that an LLM is ranked above a physician as a table."""
    if not pairs:
        return estimates.absent("LLM", NO_PAIR)
    rows = [
        {
            "LLM": pair.llm,
            "Level": pair.level,
            **both("Share above", pair.share_here, pair.share),
            "Rankings": pair.rankings,
            estimates.NOTE: note(pair.share_here, pair.share),
        }
        for pair in pairs
    ]
    return estimates.frame(rows)


def sentence(ranks: Ranks) -> str:
    """What is compared, and who is left out for want of a kind or a level."""
    llms, levels = ranks.kinds.count("llm"), ranks.known_levels()
    strange = [
        analyst
        for analyst, kind, level in zip(ranks.analysts, ranks.kinds, ranks.levels, strict=True)
        if kind != "llm" and not (kind == "physician" and level)
    ]
    told = (
        f"Compared: {say.count(llms, 'language model')} with "
        f"{say.count(len(levels), 'level')} of physicians."
    )
    if not strange:
        return told
    names = say.listing([show.escape(analyst) for analyst in strange])
    return (
        f"{told} Left out: {names}, for whom `analysts.csv` gives neither `llm` nor "
        "a level of physicians."
    )


def _of_pair(
    ranks: Ranks, llm: int, level: str, judge: Callable[[Floats, Floats], Floats]
) -> Floats:
    """What each ranking says of a pair, shape (evaluators, cases); nan where it lacks one."""
    others = ranks.values[:, :, ranks.of_level(level)]
    judged = judge(ranks.values[:, :, [llm]], others)
    number = np.isfinite(judged).sum(axis=2)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(judged, axis=2) / number)


def _difference(llm: Floats, others: Floats) -> Floats:
    return llm - others


def _share(llm: Floats, others: Floats) -> Floats:
    """1 where the LLM is above, ½ where both share a rank, 0 where it is below."""
    return np.asarray((1 - np.sign(llm - others)) / 2)
