"""Studies with benchmarks that stand to the scores as told, to see what the chapter makes of it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from helpers.not_estimable import NotEstimableError
from helpers.study import load
from helpers.weighing.scores import Perceived
from helpers.weighing.weighed import Weighed
from study_folder import Folder

Accuracy = Callable[[np.ndarray], Sequence[object]]


def study(
    path: Path,
    benchmarks: Mapping[str, Accuracy],
    models: int = 6,
    evaluators: int = 12,
    cases: int = 3,
    physicians: int = 1,
    seed: int = 1,
    alike: bool = False,
) -> Path:
    """Models of evenly rising quality, or all alike, and accuracies made from their scores.

    An accuracy of None leaves the row out, and "" its cell blank.
    """
    random = np.random.default_rng(seed)
    names = [f"M{n}" for n in range(models)] + [f"P{n}" for n in range(physicians)]
    quality = np.linspace(1.8, 4.2, len(names)) if not alike else np.full(len(names), 3.0)
    folder = Folder(path)
    (folder.path / "benchmarks.csv").unlink()
    folder.write("study.yml", STUDY)
    kinds = ["llm"] * models + ["physician"] * physicians
    folder.write(
        "analysts.csv",
        "analyst,kind,level,family\n"
        + "".join(f"{name},{kind},,\n" for name, kind in zip(names, kinds, strict=True)),
    )
    folder.write(
        "evaluators.csv",
        "evaluator,specialty,years\n" + "".join(f"E{n},,\n" for n in range(evaluators)),
    )
    folder.write("cases.csv", "case,specialty,group\n" + "".join(f"{n},,\n" for n in range(cases)))
    rows = ["evaluator,case,analyst,style,depth,rank"]
    for person in range(evaluators):
        for case in range(cases):
            scores = np.clip(
                np.rint(quality[:, None] + random.normal(0, 0.9, (len(names), 2))), 1, 5
            )
            liking = scores @ [1.0, 1.0] + random.gumbel(0, 0.8, len(names))
            ranks = (-liking).argsort().argsort() + 1
            rows += [
                f"E{person},{case},{name},{int(own[0])},{int(own[1])},{rank}"
                for name, own, rank in zip(names, scores, ranks, strict=True)
            ]
    folder.write("ratings.csv", "\n".join(rows) + "\n")
    try:
        scores = Perceived(Weighed(load(path), resamples=2)).capability.scores
        known = dict(scores.select("analyst", "score").iter_rows())
        own = np.array([known[name] for name in names[:models]])
    except NotEstimableError:
        own = quality[:models]
    lines = ["analyst,benchmark,accuracy,source"]
    for benchmark, make in benchmarks.items():
        for name, value in zip(names, make(own), strict=False):
            if value is not None:
                lines.append(
                    f"{name},{benchmark},{value if value == '' else f'{value:.6f}'},made up"
                )
    if benchmarks:
        folder.write("benchmarks.csv", "\n".join(lines) + "\n")
    return path


STUDY = """\
title: Planted
kind: perception
simulated: true
dimensions:
  - {code: style, label: Style of writing, min: 1, max: 5}
  - {code: depth, label: Depth, min: 1, max: 5}
"""
