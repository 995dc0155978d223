"""The one exception whose message is written for the reader of a terminal."""

import difflib
import re
import unicodedata
from collections.abc import Iterable

LOOKALIKES = str.maketrans("oil", "011")
SCANNED = 2_000  # names searched for a near one: beyond that the search takes seconds
LONGEST = 100  # characters of a name searched for


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
    option = near(name, known, cutoff=0.6, digits=False)
    return "" if option is None else f"; did you mean '{option}'?"


def near(name: str, known: Iterable[str], cutoff: float = 0.75, digits: bool = True) -> str | None:
    """Find the known name that a misspelt one most likely stands for, or None.

    Names that differ only in case, spacing, punctuation, leading zeros, zeros behind a decimal mark
    or look-alikes (O and 0, l and 1) come first. Others must have the same letters in another
    order, or share letters to the degree of `cutoff`.

    Parameters
    ----------
    name : str
        The misspelt name.
    known : iterable of str
        What it may stand for.
    cutoff : float
        Likeness from 0 to 1, the ratio of Python's difflib.
    digits : bool
        Whether digits must be the same: among ids, E12 is no slip for E13.
    """
    keys: dict[str, str] = {}
    for option in known:
        keys.setdefault(_bare(option), option)
    key = _bare(name)
    if key in keys:
        return keys[key]
    if len(keys) > SCANNED or len(key) > LONGEST:
        return None
    turned = [other for other in keys if sorted(other) == sorted(key)]
    close = turned + difflib.get_close_matches(key, keys, n=3, cutoff=cutoff)
    fits = (other for other in close if not digits or _digits(keys[other]) == _digits(name))
    return next((keys[other] for other in fits), None)


def _bare(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    whole = re.sub(r"^([0-9]+)[.,]0+$", r"\1", folded)
    kept = "".join(c for c in whole if c.isalnum()).translate(LOOKALIKES)
    return kept.lstrip("0") or kept


def _digits(name: str) -> str:
    return "".join(c for c in name if c.isdigit())
