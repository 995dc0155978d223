"""Studies of all sorts, sound and odd, for the chapters on weights and capability."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from helpers.study import Study, load
from study_folder import Folder


def study(
    path: Path,
    weights: Sequence[float] = (0.8, 0.4),
    evaluators: int = 8,
    cases: int = 3,
    analysts: int = 4,
    seed: int = 1,
    noise: float = 1.0,
    lift: int = 0,
    change: str = "",
    config: str = "",
) -> Study:
    """Scores 1 to 5 at random, ranked by their weighted sum plus Gumbel noise.

    The first analyst's scores are lifted by so many points, up to 5. `change` is what makes a study
    odd: see the body.
    """
    random = np.random.default_rng(seed)
    shape = (evaluators, cases, analysts)
    scores = random.integers(1, 6, (*shape, len(weights)))
    scores[..., 0, :] = np.minimum(scores[..., 0, :] + lift, 5)
    if change == "constant":
        scores[..., -1] = 3
    if change == "collinear":
        scores[..., -1] = scores[..., -2]
    utility = scores @ np.array(weights) + noise * random.gumbel(size=shape)
    if change == "some ties":
        utility = np.floor(utility)
    if change == "two tiers":
        utility = utility > np.median(utility, axis=-1, keepdims=True)
    if change == "all tied":
        utility[:] = 0
    if change == "apart":
        utility[:, 0, 2:] = utility[:, 1:, :2] = -np.inf
    ranks = (utility[..., None, :] > utility[..., :, None]).sum(axis=-1) + 1
    if change == "one tie":
        ranks[0, 0][ranks[0, 0] == 2] = 1
    folder = _folder(path, shape, len(weights), config)
    folder.write("ratings.csv", _ratings(scores, ranks, change))
    return load(folder.path)


def _folder(path: Path, shape: tuple[int, ...], dimensions: int, config: str) -> Folder:
    folder = Folder(path)
    (folder.path / "benchmarks.csv").unlink()
    scales = "".join(
        f"  - {{code: d{d}, label: 'Dimension {d}', min: 1, max: 5}}\n" for d in range(dimensions)
    )
    folder.write(
        "study.yml",
        "title: Odd\nkind: perception\nsimulated: true\nties: allowed\n"
        f"{config}dimensions:\n{scales}",
    )
    for place, (table, columns) in enumerate(
        {
            "evaluators": "evaluator,specialty,years",
            "cases": "case,specialty,group",
            "analysts": "analyst,kind,level,family",
        }.items()
    ):
        names = [name(table, number) for number in range(shape[place])]
        blanks = "," * columns.count(",")
        rows = "".join(f"{label}{blanks}\n" for label in names)
        folder.write(f"{table}.csv", f"{columns}\n{rows}")
    return folder


def name(table: str, number: int) -> str:
    return {"evaluators": "E", "cases": "C", "analysts": "System "}[table] + str(number)


def _ratings(scores: NDArray[np.int64], ranks: NDArray[np.int64], change: str) -> str:
    dimensions = scores.shape[-1]
    lines = [",".join(["evaluator,case,analyst", *(f"d{d}" for d in range(dimensions)), "rank"])]
    for place in np.ndindex(ranks.shape):
        own: list[object] = list(scores[place])
        if change == "unscored" or (change == "gaps" and sum(place) % 3 == 0):
            own[-1] = ""
        if change == "no scores":
            own = [""] * dimensions
        who = [name(t, n) for t, n in zip(("evaluators", "cases", "analysts"), place, strict=True)]
        if change == "apart" and (place[1] == 0) == (place[2] > 1):
            continue  # the first two analysts are compared in the first case, the rest in others
        rank = "" if change == "no ranks" else ranks[place]
        lines.append(",".join(map(str, [*who, *own, rank])))
    return "\n".join(lines) + "\n"


ODD = {
    "sound": {},
    "one evaluator": {"evaluators": 1, "cases": 8},
    "one case": {"cases": 1, "evaluators": 20},
    "one ranking": {"evaluators": 1, "cases": 1},
    "two rankings": {"evaluators": 2, "cases": 1},
    "two analysts": {"analysts": 2, "evaluators": 12},
    "separation": {"noise": 0.0},
    "mixed signs": {"weights": (1.0, -1.0), "evaluators": 15},
    "turned round": {"weights": (-1.0, -0.8), "evaluators": 15},
    "all tied": {"change": "all tied"},
    "some ties": {"change": "some ties", "evaluators": 15},
    "one tie": {"change": "one tie", "evaluators": 15},
    "apart": {"change": "apart", "evaluators": 12, "analysts": 5},
    "two tiers": {"change": "two tiers", "analysts": 30, "evaluators": 4},
    "constant": {"change": "constant"},
    "collinear": {"change": "collinear"},
    "unscored": {"change": "unscored"},
    "gaps": {"change": "gaps", "evaluators": 15},
    "no scores": {"change": "no scores"},
    "no ranks": {"change": "no ranks"},
    "lost evaluators": {"weights": (1, 1), "lift": 4, "evaluators": 6, "noise": 0.5},
    "one dimension": {"weights": (0.8,)},
}
"""What to ask of `study` for each, by what is odd about it."""
