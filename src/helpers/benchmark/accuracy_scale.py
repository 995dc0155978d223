"""Whether accuracies are shares or per cent: as told, or by what the values can be."""

from collections.abc import Mapping

from helpers import say
from helpers.errors import HelpersError, did_you_mean
from helpers.not_estimable import NotEstimableError

DETECT, PERCENT, SHARE = "detect", "per cent", "share"
SCALES = (DETECT, PERCENT, SHARE)


def check(scale: str) -> None:
    """Refuse a scale that is none.

    Raises
    ------
    HelpersError
        Naming those that there are.
    """
    if scale not in SCALES:
        known = say.listing([f"'{name}'" for name in SCALES], "or")
        raise HelpersError(f"scale '{scale}': expected {known}{did_you_mean(scale, SCALES)}")


def in_percent(accuracies: Mapping[str, float], scale: str) -> tuple[dict[str, float], str]:
    """Accuracies of one benchmark in per cent, and how they were read.

    Parameters
    ----------
    accuracies : mapping of str to float
        By system, as the study gives them.
    scale : str
        One of `SCALES`. Detected are shares where no value exceeds one, and per cent where none but
        zero is at most one.

    Returns
    -------
    dict and str
        Accuracies from 0 to 100 by system, and a few words for a table.

    Raises
    ------
    NotEstimableError
        If some values look like shares and others like per cent, or a share exceeds one.
    HelpersError
        If there is no such scale.
    """
    check(scale)
    small = [name for name, value in accuracies.items() if 0 < value <= 1]
    large = [name for name, value in accuracies.items() if value > 1]
    told = "as set"
    if scale == DETECT:
        if small and large:
            both = [f"{accuracies[own[0]]:g} ({own[0]})" for own in (small, large)]
            raise NotEstimableError(
                "the comparison is",
                f"accuracies of {both[0]} beside {both[1]}: a share beside per cent? Write all "
                "alike, or set scale to 'per cent' or 'share'",
            )
        scale = PERCENT if large else SHARE
        sure = bool(large) or any(accuracies[name] < 1 for name in small)
        told = "detected" if sure else "detected, but unsure: only 0 and 1 occur"
    if scale == PERCENT:
        return dict(accuracies), f"{PERCENT} ({told})"
    if large:
        reason = f"an accuracy of {accuracies[large[0]]:g} ({large[0]}) is no share"
        raise NotEstimableError("the comparison is", reason)
    return {name: 100 * value for name, value in accuracies.items()}, f"{SHARE} ({told})"
