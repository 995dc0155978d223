"""Studies of models with accuracies, for the chapter on emphasis."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import weighing_studies
from helpers.study import Study, load


def with_benchmarks(path: Path, benchmarks: Mapping[str, Mapping[str, float | str]]) -> Study:
    """Make models of a study's analysts and give them accuracies."""
    names = [line.split(",")[0] for line in (path / "analysts.csv").read_text().split("\n")[1:-1]]
    rows = "".join(f"{name},llm,,\n" for name in names)
    (path / "analysts.csv").write_text(f"analyst,kind,level,family\n{rows}")
    rows = "".join(
        f"{analyst},{benchmark},{accuracy},\n"
        for benchmark, own in benchmarks.items()
        for analyst, accuracy in own.items()
    )
    (path / "benchmarks.csv").write_text(f"analyst,benchmark,accuracy,source\n{rows}")
    return load(path)


def odd(path: Path, accuracies: Sequence[float | str] = (10, 40, 20, 30), **more) -> Study:
    """A study of `weighing_studies` whose analysts are models; "" is a missing accuracy."""
    weighing_studies.study(path, **more)
    names = [weighing_studies.name("analysts", n) for n in range(more.get("analysts", 4))]
    return with_benchmarks(path, {"Arena": dict(zip(names, accuracies, strict=False))})


def planted(path: Path, models: int = 8, dimension: int | None = 1, seed: int = 1) -> Study:
    """Models that differ in what they are good at, and a benchmark of one dimension.

    Without a dimension the benchmark ranks models as evaluators do, but for noise.
    """
    random = np.random.default_rng(seed)
    profile = random.normal(size=(models, 4))
    weights = np.array([0.8, 0.5, 0.7, 0.6])
    shape = (10, 4, models)
    scores = np.clip(np.rint(4 + 1.2 * profile + random.normal(size=(*shape, 4))), 1, 7).astype(int)
    utility = scores @ weights + random.gumbel(size=shape)
    ranks = (utility[..., None, :] > utility[..., :, None]).sum(axis=-1) + 1
    folder = weighing_studies._folder(path, shape, 4, "")
    folder.write("study.yml", folder.text("study.yml").replace("max: 5", "max: 7"))
    folder.write("ratings.csv", weighing_studies._ratings(scores, ranks, ""))
    worth = profile @ weights + random.normal(size=models)
    own = worth if dimension is None else profile[:, dimension]
    names = [weighing_studies.name("analysts", n) for n in range(models)]
    accuracies = (50 + 10 * own).clip(2, 98).round(1).tolist()
    return with_benchmarks(path, {"Arena": dict(zip(names, accuracies, strict=True))})
