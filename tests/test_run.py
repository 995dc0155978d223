"""Chapters side by side: order, stops, and what is told meanwhile. No kernels here."""

import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable

import pytest

from helpers.book import execute, progress, run
from helpers.book.kernels import Stopped
from helpers.book.places import Places
from helpers.book.plan import plan
from helpers.errors import HelpersError


@pytest.fixture
def book(project, monkeypatch):
    """A build of three chapters, of which b-02 needs a-01; `act` stands in for what they do."""

    def book(act: Callable = lambda stem, kernels: None, workers: int = 2) -> list[str]:
        began: list[str] = []

        def stand_in(chapter, values, places, time_limit, kernels):
            began.append(chapter.stem)
            act(chapter.stem, kernels)
            places.running(chapter.stem).parent.mkdir(parents=True, exist_ok=True)
            places.running(chapter.stem).write_text(chapter.text)
            return {"entries": []}

        monkeypatch.setattr(execute, "run", stand_in)
        monkeypatch.setattr(run, "processors", lambda: workers)
        runs = run.bring_up_to_date(plan(project.root), Places(project.root), 60)
        assert [made.chapter.stem for made in runs] == ["a-01", "b-02", "c-03"]
        return began

    book.places = Places(project.root)
    return book


def test_chapters_that_do_not_need_each_other_run_side_by_side(book):
    meet = threading.Barrier(2, timeout=20)
    began = book(lambda stem, _: meet.wait() if stem != "b-02" else None)
    assert sorted(began[:2]) == ["a-01", "c-03"]


def test_no_more_chapters_run_than_there_are_processors(book):
    at_once, most = [], []

    def act(stem, _):
        at_once.append(stem)
        most.append(len(at_once))
        time.sleep(0.05)
        at_once.remove(stem)

    assert len(book(act, workers=1)) == 3
    assert max(most) == 1


def test_the_longest_chain_of_chapters_begins_first(book):
    assert book(workers=1) == ["a-01", "b-02", "c-03"]  # nothing is known: a-01 has a reader
    for stem, seconds in {"a-01": 2.0, "b-02": 3.0, "c-03": 5.5}.items():
        known = json.loads(book.places.key(stem).read_text())
        book.places.key(stem).write_text(json.dumps(known | {"seconds": seconds}))
        book.places.executed(stem).unlink()
    assert book(workers=1) == ["c-03", "a-01", "b-02"]


def test_the_first_failure_stops_the_others_and_finished_chapters_keep_their_results(book):
    done = threading.Event()

    def act(stem, kernels):
        if stem == "b-02":
            raise HelpersError("notebooks/b-02.ipynb, cell 1: no")
        if stem == "c-03":
            while not kernels.stopped:
                time.sleep(0.01)
            done.set()
            raise Stopped

    with pytest.raises(HelpersError, match=r"^notebooks/b-02.ipynb, cell 1: no$"):
        book(act)
    assert done.is_set()
    assert book.places.key("a-01").exists()
    assert sorted(book()) == ["b-02", "c-03"]
    assert book() == []


def test_processors_are_those_that_this_process_may_use():
    mine = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(mine)})
        assert run.processors() == 1
    finally:
        os.sched_setaffinity(0, mine)


# ---- what is told


@pytest.mark.parametrize(
    ("waiting", "running", "workers", "left"),
    [
        (["a", "b", "c"], {}, 1, 60),
        (["a", "b", "c"], {}, 2, 30),
        (["a", "c"], {"b": 5}, 1, 55),
        (["a", "c"], {"b": 5}, 2, 30),  # not less than the longest
        ([], {"b": 5}, 2, 15),
        ([], {"b": 500}, 2, 0),
        (["new"], {}, 1, 20),  # as long as the others in the mean
        ([], {}, 2, 0),
    ],
)
def test_what_is_left_is_told_from_earlier_runs(waiting, running, workers, left, monkeypatch):
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    expected = {"a": 10.0, "b": 20.0, "c": 30.0, "new": None}
    begun = {stem: 1000.0 - seconds for stem, seconds in running.items()}
    assert progress.seconds_left(expected, set(waiting), begun, workers) == left


def test_nothing_is_said_of_the_rest_where_nothing_is_known():
    assert progress.seconds_left({"a": None}, {"a"}, {}, 2) is None


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_one_bar_for_the_whole_book(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "100")
    todo = {"b", "c", "d"}
    with progress.Progress({"a": 1.0, "b": 60.0, "c": 60.0, "d": 60.0}, todo, 2) as shown:
        shown.started("b", "there is no run of it")
        shown.started("c", "there is no run of it")
        bar = sys.stderr.getvalue().split("\r")[-1]
        assert bar.startswith("1/4 chapters |██████ ")
        assert bar.rstrip().endswith("| 00:00, about 01:30 left: b, c")
        todo.remove("b")
        shown.finished("b", 60.0)
        shown.tick()
        assert sys.stderr.getvalue().split("\r")[-1].startswith("2/4 chapters |█████████")
    told = sys.stderr.getvalue()
    assert told.count("runs: there is no run of it\n") == 2
    assert "took" not in told


def test_a_log_gets_plain_lines(capsys):
    todo = {"a", "b"}
    with progress.Progress({"a": None, "b": 60.0}, todo, 1) as shown:
        shown.started("a", "changed: parameter seed")
        shown.tick()
        todo.remove("a")
        shown.finished("a", 12.3)
        shown.started("b", "new: module helpers.show")
        todo.remove("b")
        shown.finished("b", 1.0)
    assert capsys.readouterr().err.splitlines() == [
        "a runs: changed: parameter seed",
        "a took 12 s (1 of 2 chapters, about 01:00 left)",
        "b runs: new: module helpers.show",
        "b took 1 s (2 of 2 chapters)",
    ]
