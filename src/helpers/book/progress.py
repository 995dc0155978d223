"""What a build tells while chapters run: one bar for the whole book, or lines in a log."""

import sys
import time
from collections.abc import Mapping, Set

from tqdm import tqdm

BAR = "{n_fmt}/{total_fmt} chapters |{bar:24}| {elapsed}{postfix}"


def tell(line: str) -> None:
    """Print a line without tearing the bar apart."""
    tqdm.write(line, file=sys.stderr)


class Progress:
    """How far the chapters of a book are.

    Parameters
    ----------
    expected : mapping of str to (float or None)
        For each chapter the seconds that its last run took, if that is known.
    unsettled : set of str
        The chapters without results so far; whoever runs them keeps it up to date.
    workers : int
        How many chapters run at a time.
    """

    def __init__(
        self, expected: Mapping[str, float | None], unsettled: Set[str], workers: int
    ) -> None:
        self._expected = dict(expected)
        self._unsettled = unsettled
        self._workers = workers
        self._running: dict[str, float] = {}
        self._bar = tqdm(
            total=len(expected),
            bar_format=BAR,
            leave=False,
            disable=None,  # where standard error is no terminal
            dynamic_ncols=True,
        )

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def started(self, stem: str, why: str) -> None:
        """Say that a chapter runs, and why."""
        self._running[stem] = time.monotonic()
        tell(f"{stem} runs: {why}")
        self.tick()

    def finished(self, stem: str, seconds: float) -> None:
        """Note that a chapter has run."""
        del self._running[stem]
        self._expected[stem] = seconds
        if self._bar.disable:
            told = [f"{self._done} of {len(self._expected)} chapters", self._left()]
            tell(f"{stem} took {seconds:.0f} s ({', '.join(filter(None, told))})")

    def tick(self) -> None:
        """Bring the bar up to date; call it now and then, since time passes."""
        self._bar.n = self._done
        told = [self._left(), ", ".join(self._running)]
        self._bar.set_postfix_str(": ".join(filter(None, told)), refresh=False)
        self._bar.refresh()

    @property
    def _done(self) -> int:
        return len(self._expected) - len(self._unsettled)

    def _left(self) -> str:
        """About how long the rest takes, as far as chapters have run before."""
        waiting = self._unsettled - self._running.keys()
        seconds = seconds_left(self._expected, waiting, self._running, self._workers)
        if seconds is None or not self._unsettled:
            return ""
        return f"about {tqdm.format_interval(round(seconds))} left"


def seconds_left(
    expected: Mapping[str, float | None],
    waiting: Set[str],
    running: Mapping[str, float],
    workers: int,
) -> float | None:
    """Estimate how long the rest of a book takes.

    Parameters
    ----------
    expected : mapping of str to (float or None)
        Seconds for each chapter, where known; the others count as the mean of these.
    waiting : set of str
        Chapters that have not begun, though some of them may turn out not to need it.
    running : mapping of str to float
        Chapters that run, and when they began, in seconds of `time.monotonic`.
    workers : int
        How many run at a time.

    Returns
    -------
    float or None
        Seconds; None if nothing is known of any chapter.
    """
    known = [seconds for seconds in expected.values() if seconds is not None]
    if not known:
        return None
    mean = sum(known) / len(known)
    whole = {stem: mean if seconds is None else seconds for stem, seconds in expected.items()}
    now = time.monotonic()
    rests = [max(0.0, whole[stem] - (now - begun)) for stem, begun in running.items()]
    rests += [whole[stem] for stem in waiting]
    return max(sum(rests) / workers, max(rests, default=0.0))
