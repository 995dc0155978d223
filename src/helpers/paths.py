"""Where things are: every path of the project is derived here."""

from pathlib import Path

from helpers.errors import HelpersError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = ROOT / "data"
BUILD = ROOT / "_build"


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
