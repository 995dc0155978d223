"""The main decisions, as the chapters that took them recorded them."""

from helpers import results
from helpers.questions import hypotheses
from helpers.results import Entry

KIND = "perception"


def decided(*chapters: str) -> dict[str, Entry]:
    """Lines of the ledger on hypotheses, by the hypothesis.

    Parameters
    ----------
    *chapters : str
        Chapters that this one names in its `needs`. One that did not run, since the study lacks
        what it needs, has no lines.

    Raises
    ------
    HelpersError
        If a chapter has not been run yet.
    """
    return {
        entry.topic: entry
        for chapter in chapters
        for entry in results.read(chapter)
        if entry.topic in hypotheses(KIND)
    }
