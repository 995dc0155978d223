"""How benchmarks are told; nothing is timed here."""

from types import SimpleNamespace

import pytest
from benchmarks import __main__ as command_line
from benchmarks.comparison import HEAD, Comparison, processor_seconds


@pytest.mark.parametrize(
    ("comparison", "line"),
    [
        (
            Comparison("book", 10.0, "papermill", 31.5, aim="3 times as fast"),
            "| book | 10 s | papermill | 31.5 s | 3.1 | 3 times as fast |",
        ),
        (Comparison("alone", 0.01234, unit="MB"), "| alone | 0.0123 MB |  |  |  |  |"),
        (Comparison("long", 2.0, "R", 26123.4), "| long | 2 s | R | 26,123 s | 13,061.7 |  |"),
    ],
)
def test_a_comparison_is_a_line_of_a_table(comparison, line):
    assert str(comparison) == line
    assert line.count("|") == HEAD.splitlines()[0].count("|")


def test_the_median_and_the_last_result_are_what_counts():
    results = iter("abc")
    seconds, last = processor_seconds(lambda: next(results), 3)
    assert last == "c"
    assert seconds >= 0


def test_a_benchmark_that_fails_is_told_and_the_others_go_on(monkeypatch, capsys):
    def load(name):
        if name.endswith("clmm"):
            raise ImportError("no R")
        return SimpleNamespace(bench=lambda: [Comparison(name, 1.0)])

    monkeypatch.setattr(command_line.importlib, "import_module", load)
    assert command_line.main(["clmm", "book"]) == 1
    told = capsys.readouterr()
    assert "| benchmarks.bench_book | 1 s |" in told.out
    assert told.err == "bench_clmm: ImportError: no R\n"
    assert command_line.main([]) == 1  # all that there are
    assert {"book", "clmm", "study"} <= set(command_line.KNOWN)


def test_an_unknown_benchmark_is_refused_with_the_known_ones(capsys):
    assert command_line.main(["bok"]) == 2
    assert "no benchmark bok; known are book, " in capsys.readouterr().out
