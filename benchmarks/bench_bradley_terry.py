"""How long Bradley–Terry and Plackett–Luce regressions take, beside statsmodels on the same data.

`python benchmarks/bench_bradley_terry.py` prints seconds of processor time and ratios, measured in
one run: 6,480 pairs out of 180 rankings of nine items by 37 evaluators, seven dimensions, and
2,000 resamples of evaluators. For statsmodels a few resamples are timed and multiplied.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one processor for everybody
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
import warnings
from collections.abc import Callable

import numpy as np
import polars as pl
from statsmodels.discrete.conditional_models import ConditionalLogit
from statsmodels.discrete.discrete_model import Logit

from helpers import bradley_terry, plackett_luce, resample
from helpers.choice import Rankings, read_rankings

RESAMPLES, TIMED, AIM_FIT, AIM_BOOTSTRAP = 2000, 20, 3, 5


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


def seconds(work: Callable[[], object], times: int) -> float:
    """Median processor time of a call, after one that does not count."""
    work()
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return float(np.median(spent))


def main() -> None:
    data = rankings()
    first, second, ranking, order = data.pairs
    difference, above = data.scores[first] - data.scores[second], order > 0
    exploded = explode(data)
    counts = resample.bootstrap(data.evaluator, RESAMPLES, seed=1)

    def statsmodels_resamples() -> None:
        for count in counts[:TIMED].astype(int):
            rows = np.repeat(np.arange(len(order)), count[ranking])
            Logit(above[rows], difference[rows]).fit(disp=False)

    print(f"{len(order):,} pairs, {data.scores.shape[1]} dimensions; seconds of processor time")
    fit = bradley_terry.regression(data)
    known = Logit(above, difference).fit(disp=False)
    print(f"largest difference of estimates {np.abs(fit.estimate - known.params).max():.1e}")
    report(
        "Bradley–Terry fit, from rankings to standard errors",
        seconds(lambda: bradley_terry.regression(data), 30),
        "statsmodels Logit",
        seconds(lambda: Logit(above, difference).fit(disp=False).bse, 30),
        AIM_FIT,
    )
    report(
        f"{RESAMPLES:,} refits over evaluators",
        seconds(lambda: fit.refit(counts), 3),
        f"as many statsmodels Logit ({TIMED} timed)",
        seconds(statsmodels_resamples, 3) * RESAMPLES / TIMED,
        AIM_BOOTSTRAP,
    )
    ordered = plackett_luce.regression(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = ConditionalLogit(*exploded[:2], groups=exploded[2]).fit(disp=False, method="newton")
        print(
            f"largest difference of estimates {np.abs(ordered.estimate - known.params).max():.1e}"
        )
        report(
            "Plackett–Luce fit",
            seconds(lambda: plackett_luce.regression(data), 30),
            "statsmodels ConditionalLogit",
            seconds(
                lambda: ConditionalLogit(*exploded[:2], groups=exploded[2]).fit(
                    disp=False, method="newton"
                ),
                1,
            ),
        )
    print(f"{RESAMPLES:,} refits of Plackett–Luce {seconds(lambda: ordered.refit(counts), 3):.2f}")


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


def report(what: str, own: float, other: str, theirs: float, aim: float | None = None) -> None:
    told = f", aim {aim:g}" if aim else ""
    print(f"{what} {own:.4f}; {other} {theirs:.4f}; ratio {theirs / own:.1f}{told}")


if __name__ == "__main__":
    main()
