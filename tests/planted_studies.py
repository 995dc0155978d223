"""Studies with effects that are planted, so that one knows what every specification should find."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from helpers.study import Study, load
from study_folder import Folder

PHYSICIANS = ("senior", "junior", "non-specialist")


@dataclass(frozen=True)
class Planted:
    """What is planted.

    Attributes
    ----------
    evaluators, cases, llms : int
        How many there are; physicians are of three levels, ranked in this order but for noise.
    noise : float or sequence of float
        Of each evaluator's view of each text, the same in all cases or one for each.
    hard : bool
        Whether cases with much noise are called hard, the others easy.
    specialists : float
        Points by which the first half of evaluators, who are specialists in the first half of the
        cases and the others in the rest, score higher in their own.
    slopes : tuple of float
        By dimension, how scores rise with the quality of an analyst.
    weights : tuple of float
        By dimension, how ranks follow scores.
    whim : float
        Of ranks beside scores: a Gumbel variate with this scale in the worth of each text.
    ties : sequence of str
        Evaluators who put the first two on one place.
    left_out : tuple of (str, str)
        Evaluators and cases that were not rated.
    """

    evaluators: int = 8
    cases: int = 4
    llms: int = 2
    noise: float | Sequence[float] = 0.5
    hard: bool = False
    specialists: float = 0.0
    slopes: tuple[float, float] = (1.0, 1.0)
    weights: tuple[float, float] = (1.0, 1.0)
    whim: float = 0.0
    ties: Sequence[str] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    seed: int = 4

    def without(self, *pairs: tuple[str, str]) -> "Planted":
        """The same without some evaluators' judgements of some cases."""
        return replace(self, left_out=pairs)

    def study(self, path: Path) -> Study:
        """Write the study and read it."""
        folder = Folder(path)
        if not self.llms:
            (path / "benchmarks.csv").unlink()
        for name, text in self._files().items():
            folder.write(name, text)
        return load(path)

    @property
    def noises(self) -> Sequence[float]:
        noise = self.noise
        return [noise] * self.cases if isinstance(noise, int | float) else noise

    def _files(self) -> dict[str, str]:
        half = self.evaluators // 2
        fields = ["Heart" if c < self.cases // 2 else "Lung" for c in range(self.cases)]
        people = [f"E{e},{'Heart' if e < half else 'Lung'},{e}" for e in range(self.evaluators)]
        words = ["hard" if noise > 1 else "easy" for noise in self.noises]
        cases = [f"C{c},{field},G" + f",{words[c]}" * self.hard for c, field in enumerate(fields)]
        llms = [f"L{k}" for k in range(self.llms)]
        analysts = [
            *(f"{name},llm,,F" for name in llms),
            *(f"{p},physician,{p}," for p in PHYSICIANS),
        ]
        files = {
            "study.yml": "title: Planted\nkind: perception\nsimulated: true\nties: allowed\n"
            "dimensions:\n"
            "  - {code: d0, label: First, min: 0, max: 100}\n"
            "  - {code: d1, label: Second, min: 0, max: 100}\n",
            "evaluators.csv": "\n".join(["evaluator,specialty,years", *people, ""]),
            "cases.csv": "\n".join(
                ["case,specialty,group" + ",difficulty" * self.hard, *cases, ""]
            ),
            "analysts.csv": "\n".join(["analyst,kind,level,family", *analysts, ""]),
            "ratings.csv": self._ratings(fields, llms),
        }
        if llms:
            accuracies = [f"{name},Arena,{80 - 9 * k},made up" for k, name in enumerate(llms)]
            head = "analyst,benchmark,accuracy,source"
            files["benchmarks.csv"] = "\n".join([head, *accuracies, ""])
        return files

    def _ratings(self, fields: Sequence[str], llms: Sequence[str]) -> str:
        random = np.random.default_rng(self.seed)
        names = [*llms, *PHYSICIANS]
        quality = np.arange(len(names), 0, -1.0)
        lines = ["evaluator,case,analyst,d0,d1,rank"]
        for e in range(self.evaluators):
            for c, noise in enumerate(self.noises):
                own = fields[c] == ("Heart" if e < self.evaluators // 2 else "Lung")
                seen = np.outer(quality - quality.mean(), self.slopes)
                seen = seen + noise * random.standard_normal(seen.shape)
                scores = np.clip(np.rint(50 + 4 * seen + 4 * self.specialists * own), 0, 100)
                worth = scores @ np.array(self.weights) + self.whim * random.gumbel(size=len(names))
                ranks = (worth[None, :] > worth[:, None]).sum(axis=1) + 1
                if noise:  # no ties but those that are planted
                    ranks = np.argsort(np.argsort(-worth, kind="stable"), kind="stable") + 1
                if f"E{e}" in self.ties:
                    ranks = np.maximum(ranks, 2) - 1
                if (f"E{e}", f"C{c}") in self.left_out:
                    continue
                lines += [
                    f"E{e},C{c},{name},{int(a)},{int(b)},{rank}"
                    for name, (a, b), rank in zip(names, scores, ranks, strict=True)
                ]
        return "\n".join(lines) + "\n"
