"""Bradley–Terry and Plackett–Luce regressions beside statsmodels, on the same data.

6,480 pairs out of 180 rankings of nine items by 37 evaluators, seven dimensions, and 2,000
resamples of evaluators. Seconds are those of the processor. For statsmodels a few resamples are
timed and multiplied. Both must find the same estimates, or nothing is compared.
"""

import warnings
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from statsmodels.discrete.conditional_models import ConditionalLogit
from statsmodels.discrete.discrete_model import Logit

from benchmarks.comparison import Comparison, processor_seconds
from helpers import bradley_terry, plackett_luce, resample
from helpers.choice import Rankings, read_rankings

RESAMPLES, TIMED = 2000, 20
SAME = 1e-6  # estimates may differ by as much


def rankings() -> Rankings:
    """A study of the size and kind of the perception study."""
    random = np.random.default_rng(1)
    evaluator = np.repeat(np.arange(180) % 37, 9)
    quality = random.normal(size=(180, 9, 1))
    scores = np.clip(np.rint(3 + quality + random.normal(size=(180, 9, 7))), 1, 5)
    utility = scores @ np.linspace(0.2, 0.5, 7) + random.gumbel(size=(180, 9))
    codes = [f"d{number}" for number in range(7)]
    frame = pl.DataFrame(
        {
            "evaluator": evaluator,
            "case": np.repeat(np.arange(180) // 20, 9),
            "analyst": np.tile(np.arange(9), 180),
            "rank": -utility.ravel(),
        }
        | dict(zip(codes, scores.reshape(-1, 7).T, strict=True))
    )
    # An evaluator may meet a case twice here; only the sizes matter.
    return read_rankings(frame.with_columns(case=np.repeat(np.arange(180), 9)), codes)


def bench() -> Iterator[Comparison]:
    """Time fits and refits; a first call of each does not count."""
    data = rankings()
    first, second, ranking, order = data.pairs
    difference, above = data.scores[first] - data.scores[second], order > 0
    counts = resample.bootstrap(data.evaluator, RESAMPLES, seed=1)
    ours, fit = timed(lambda: bradley_terry.regression(data), 30)
    theirs, known = timed(lambda: Logit(above, difference).fit(disp=False), 30)
    agree(fit.estimate, known.params)
    what = f"Bradley–Terry regression, {len(order):,} pairs"
    yield Comparison(what, ours, "statsmodels Logit", theirs, aim="3 times as fast")

    def resamples() -> list[np.ndarray]:
        rows = [np.repeat(np.arange(len(order)), count[ranking]) for count in use.astype(int)]
        return [Logit(above[own], difference[own]).fit(disp=False).params for own in rows]

    use = counts[:TIMED]
    ours, found = timed(lambda: fit.refit(counts), 3)
    theirs, known = timed(resamples, 3)
    agree(found[:TIMED], known)
    what = f"the same, {RESAMPLES:,} resamples of evaluators"
    peer = f"as many Logit fits ({TIMED} timed)"
    yield Comparison(what, ours, peer, theirs * RESAMPLES / TIMED, aim="5 times as fast")

    chosen, scores, group = explode(data)
    ours, fit = timed(lambda: plackett_luce.regression(data), 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ConditionalLogit(chosen, scores, groups=group)
        theirs, known = processor_seconds(lambda: model.fit(disp=False, method="newton"))
    agree(fit.estimate, known.params)
    what = f"Plackett–Luce regression, {len(data)} rankings"
    yield Comparison(what, ours, "statsmodels ConditionalLogit", theirs)
    ours, _ = timed(lambda: fit.refit(counts), 1)
    yield Comparison(f"the same, {RESAMPLES:,} resamples of evaluators", ours)


def timed(work: Callable[[], object], times: int) -> tuple[float, object]:
    work()
    return processor_seconds(work, times)


def agree(ours: np.ndarray, theirs: np.ndarray) -> None:
    apart = np.abs(ours - np.asarray(theirs)).max()
    if apart > SAME:
        raise AssertionError(f"estimates differ by {apart:.1e}")


def explode(data: Rankings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chosen or not, scores and number of the choice, place by place."""
    chosen, rows, group = [], [], []
    for start, size in zip(data.start, data.sizes, strict=True):
        order = start + np.argsort(data.rank[start : start + size])
        for place in range(size - 1):
            rows.append(order[place:])
            chosen.append(np.arange(size - place) == 0)
            group.append(np.full(size - place, start * 100 + place))
    return np.concatenate(chosen), data.scores[np.concatenate(rows)], np.concatenate(group)
