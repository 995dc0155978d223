"""Run the chapters that changed, as many at a time as there are processors."""

import json
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any

from helpers.book import execute, keys, parameters
from helpers.book.chapters import Chapter
from helpers.book.kernels import Kernels, Mode, worth_importing
from helpers.book.places import Places
from helpers.book.plan import Plan, Task
from helpers.book.progress import Progress
from helpers.book.stage import Run
from helpers.files import canonical, digest, read_json, write_text

TICK = 0.5
"""Seconds after which the progress bar is drawn anew."""

Results = dict[str, Any]
"""What a chapter's run found: `{"entries": [...]}`."""


def bring_up_to_date(
    planned: Plan, places: Places, time_limit: float, mode: Mode = "warm"
) -> list[Run]:
    """Run the chapters whose keys changed, each after those it needs.

    The first failure stops the chapters that run beside it. Those that have finished keep their
    results then, and also if the build is stopped or killed.

    Parameters
    ----------
    planned : Plan
        The book.
    places : Places
        Where results go.
    time_limit : float
        Seconds that one chapter may take.
    mode : {"warm", "fresh"}
        How kernels are started; see `helpers.book.kernels.Mode`.

    Returns
    -------
    list of Run
        One for each chapter, in reading order.

    Raises
    ------
    HelpersError
        If a chapter fails.
    """
    agenda = _Agenda(planned, places)
    if ready := agenda.ready():
        _work(agenda, ready, time_limit, mode)
    return [agenda.runs[stem] for stem in agenda.tasks]


def stale(chapter: Chapter, made_of: keys.Ingredients, places: Places) -> str:
    """Say why a chapter must be run; empty if what is there was made of the same ingredients."""
    stored = read_json(places.key(chapter.stem))
    made = (places.executed(chapter.stem), places.results(chapter.stem))
    if not stored or not all(path.exists() for path in made):
        return "there is no run of it"
    return keys.changes(stored["ingredients"], made_of)


def processors() -> int:
    """How many processors this process may use, by its affinity and its container's quota."""
    import joblib  # late, as all that is needed only when something changed

    return int(joblib.cpu_count())


@dataclass(frozen=True, eq=False)
class _Job:
    """A chapter that must run, what its run is made of, and why it must."""

    task: Task
    made_of: keys.Ingredients
    why: str

    @property
    def stem(self) -> str:
        return self.task.chapter.stem

    def run(self, places: Places, time_limit: float, kernels: Kernels) -> tuple[Results, float]:
        """Run it, and return its results and the seconds it took."""
        began = time.monotonic()
        changed = parameters.changed(self.task.parameters, self.task.values)
        results = execute.run(self.task.chapter, changed, places, time_limit, kernels)
        return results, time.monotonic() - began


class _Agenda:
    """What is still to be done; `open` has the chapters whose results are not settled."""

    def __init__(self, planned: Plan, places: Places) -> None:
        self.places = places
        self.tasks = {task.chapter.stem: task for task in planned.tasks}
        self.modules = keys.Modules(planned.book.root / "src")
        self.open = set(self.tasks)
        self._place = {stem: place for place, stem in enumerate(self.tasks)}
        self.runs: dict[str, Run] = {}
        self.expected = {stem: _seconds(places, stem) for stem in self.tasks}
        needs = {stem: task.chapter.declaration.needs for stem, task in self.tasks.items()}
        self._sorter = TopologicalSorter(needs)
        self._sorter.prepare()
        self._urgency = _urgency(needs, self.expected)

    def ready(self) -> list[_Job]:
        """Settle the chapters that need not run; return those that must and now can."""
        found: list[_Job] = []
        while stems := self._sorter.get_ready():
            found += filter(None, map(self._job, stems))
        return found

    def urgency(self, job: _Job) -> tuple[float, int]:
        """What goes first: the longest chain of chapters, else the order of reading."""
        return self._urgency[job.stem], -self._place[job.stem]

    def finish(self, job: _Job, results: Results, seconds: float) -> None:
        """Keep a run and its results."""
        _keep(job, results, seconds, self.places)
        self._settle(Run(job.task, job.made_of, results))

    def _job(self, stem: str) -> _Job | None:
        """Settle a chapter, if all is there, or say what must be run."""
        task = self.tasks[stem]
        if task.lacks:
            self._settle(_left_out(task, self.places))
            return None
        made_of = keys.ingredients(task.chapter, task.values, self.places, self.modules)
        if why := stale(task.chapter, made_of, self.places):
            return _Job(task, made_of, why)
        results = json.loads(self.places.results(stem).read_text("utf-8"))
        self._settle(Run(task, made_of, results))
        return None

    def _settle(self, run: Run) -> None:
        stem = run.chapter.stem
        self.runs[stem] = run
        self.open.discard(stem)
        self._sorter.done(stem)


def _work(agenda: _Agenda, ready: list[_Job], time_limit: float, mode: Mode) -> None:
    """Run what is ready, and what becomes ready by that, until nothing is left."""
    workers = processors()
    to_import = worth_importing(
        [agenda.tasks[stem].chapter for stem in agenda.open], agenda.modules
    )
    running: dict[Future[tuple[Results, float]], _Job] = {}
    with (  # left in the opposite order: kernels end, and so the threads that wait for them
        execute.quietly(),
        Progress(agenda.expected, agenda.open, workers) as progress,
        ThreadPoolExecutor(workers) as pool,
        Kernels(agenda.places, to_import, mode) as kernels,
    ):
        while ready or running:
            while ready and len(running) < workers:
                job = max(ready, key=agenda.urgency)
                ready.remove(job)
                progress.started(job.stem, job.why)
                running[pool.submit(job.run, agenda.places, time_limit, kernels)] = job
            ended, _ = wait(running, TICK, FIRST_COMPLETED)
            for future in sorted(ended, key=lambda future: future.exception() is not None):
                job = running.pop(future)
                results, seconds = future.result()  # raises what stopped it, after all successes
                agenda.finish(job, results, seconds)
                progress.finished(job.stem, seconds)
            if ended:
                ready += agenda.ready()
            progress.tick()


def _left_out(task: Task, places: Places) -> Run:
    """Record that a chapter has no results, since its study lacks what it needs."""
    stem = task.chapter.stem
    results: Results = {"entries": []}
    places.key(stem).unlink(missing_ok=True)  # of results that are gone
    write_text(places.results(stem), canonical(results))
    return Run(task, {"notebook": digest([task.chapter.text.encode()])}, results)


def _keep(job: _Job, results: Results, seconds: float, places: Places) -> None:
    """Put a run in its place; at no moment does a key stand beside what it was not made of."""
    places.key(job.stem).unlink(missing_ok=True)
    places.failed(job.stem).unlink(missing_ok=True)
    places.executed(job.stem).parent.mkdir(exist_ok=True)
    places.running(job.stem).replace(places.executed(job.stem))
    write_text(places.results(job.stem), canonical(results))
    made = {"key": keys.key(job.made_of), "ingredients": job.made_of, "seconds": round(seconds, 1)}
    write_text(places.key(job.stem), canonical(made))


def _seconds(places: Places, stem: str) -> float | None:
    """How long the last run of a chapter took, if it is known."""
    seconds = (read_json(places.key(stem)) or {}).get("seconds")
    return seconds if isinstance(seconds, float) else None


def _urgency(
    needs: Mapping[str, tuple[str, ...]], expected: Mapping[str, float | None]
) -> dict[str, float]:
    """For each chapter, seconds until the end of the longest chain that begins with it."""
    chain: dict[str, float] = {}
    for stem in reversed([*TopologicalSorter(needs).static_order()]):
        after = [chain[reader] for reader in chain if stem in needs[reader]]
        chain[stem] = (expected[stem] or 1.0) + max(after, default=0.0)
    return chain
