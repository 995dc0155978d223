"""Where things are: every path of the project is derived here."""

from pathlib import Path

from helpers.errors import HelpersError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = ROOT / "data"
BUILD = ROOT / "_build"


def study(folder: str | Path) -> Path:
    """Find the folder of a study: anywhere, since whoever builds the book names it.

    Parameters
    ----------
    folder : str or Path
        Relative to the project, or absolute. What is read in it must lie inside it: resolve such
        names with `inside(name, study(folder))`.

    Returns
    -------
    Path
        The absolute, resolved path; it need not exist.
    """
    return (ROOT / folder).resolve()


def inside(path: str | Path, folder: Path = ROOT) -> Path:
    """Resolve `path` against `folder` and refuse one that leads out of it.

    Parameters
    ----------
    path : str or Path
        A path relative to `folder`, or an absolute one within it.
    folder : Path
        The folder that must contain the result.

    Returns
    -------
    Path
        The absolute, resolved path; it need not exist.

    Raises
    ------
    HelpersError
        If the path leads out of `folder`.
    """
    resolved = (folder / path).resolve()
    if not resolved.is_relative_to(folder.resolve()):
        raise HelpersError(f"{path}: leads out of {folder}; give a path inside it")
    return resolved
