"""The one exception whose message is written for the reader of a terminal."""

import difflib
from collections.abc import Iterable


class HelpersError(Exception):
    """A fault the user can act on; the command line prints its message alone, without a traceback.

    The message names what is wrong (file, row, column, value), what was expected and what to do.
    """


def in_words(error: OSError) -> str:
    """What the system says, and of which file: "No space left on device: _build/x"."""
    return f"{error.strerror or error}: {error.filename or ''}".rstrip(": ")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """End of a message: the known name nearest to a misspelt one, or nothing if none is near.

    Returns
    -------
    str
        For example "; did you mean 'resamples'?".
    """
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{near[0]}'?" if near else ""
