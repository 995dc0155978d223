"""One line of what `make bench` prints, and how processor time is taken."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")

HEAD = """\
| what | here | peer | there | ratio | aim |
|:-----|-----:|:-----|------:|------:|:----|"""


@dataclass(frozen=True)
class Comparison:
    """What was measured here and of a peer, smaller being better; the ratio is there over here."""

    what: str
    here: float
    peer: str = ""
    there: float | None = None
    unit: str = "s"
    aim: str = ""

    def __str__(self) -> str:
        """The line of a Markdown table."""
        there = "" if self.there is None else self._number(self.there)
        ratio = "" if self.there is None else f"{self.there / self.here:,.1f}"
        cells = (self.what, self._number(self.here), self.peer, there, ratio, self.aim)
        return f"| {' | '.join(cells)} |"

    def _number(self, value: float) -> str:
        """Three digits, or all before the point."""
        return f"{value:,.0f} {self.unit}" if value >= 100 else f"{value:.3g} {self.unit}"


def processor_seconds(work: Callable[[], Result], times: int = 1) -> tuple[float, Result]:
    """Median processor time of some calls, and what the last one returned."""
    spent = []
    for _ in range(times):
        begin = time.process_time()
        result = work()
        spent.append(time.process_time() - begin)
    return statistics.median(spent), result
