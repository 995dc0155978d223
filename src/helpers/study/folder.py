"""A study's folder as a place on disk: what may be read from it, and how a new one appears."""

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from helpers.errors import HelpersError, near
from helpers.files import write_text
from helpers.study.faults import EXAMPLE, Findings, plain

CONFIG = "study.yml"
SURE = 0.85  # likeness at which a strange name is taken for a misspelt one
SPREADSHEETS = {".csv", ".tsv", ".txt", ".xls", ".xlsx", ".ods", ".yml", ".yaml"}


def read_files(
    folder: Path, needed: list[str], optional: list[str], found: Findings
) -> dict[str, bytes]:
    """Read the files that a study may hold; note missing, misspelt and foreign ones.

    Parameters
    ----------
    folder : Path
        The study's folder.
    needed, optional : list of str
        Names of the files that must and that may be there.
    found : Findings
        Receives faults and notices.

    Returns
    -------
    dict of str to bytes
        The content of each file that could be read.
    """
    names = sorted(name for name in os.listdir(folder) if not name.startswith((".", "~")))
    absent = {Path(name).stem: name for name in [*needed, *optional] if name not in names}
    own = {name for name in [*needed, *optional] if name in names}
    linked = {os.path.basename(os.path.realpath(folder / name)) for name in own}
    meant: dict[str, str] = {}
    for name in names:
        if name in own | linked:
            continue
        if Path(name).suffix.lower() not in SPREADSHEETS:
            continue
        stem = near(name.partition(".")[0], absent, cutoff=SURE) or _copied(name, absent, needed)
        if stem is None:
            found.notice(f"{plain(name)}: no file of this kind of study; ignored")
        else:
            meant[absent[stem]] = name
    hint = f"; {EXAMPLE}"  # once, however many are missing
    for name in absent.values():
        if name in meant:
            found.fault(name, f"is missing; {_rename(meant[name], name)}")
        elif name in needed:
            found.fault(name, f"is missing{hint}")
            hint = ""
    contents = {name: _read(folder, name, found) for name in [*needed, *optional] if name in names}
    return {name: content for name, content in contents.items() if content is not None}


def _copied(name: str, absent: Mapping[str, str], needed: list[str]) -> str | None:
    """Find the needed file of which this is a copy or a version: `ratings (1).csv`."""
    stem = re.split(r"[.(_ -]", name, maxsplit=1)[0]
    return stem if absent.get(stem) in needed else None


def _read(folder: Path, name: str, found: Findings) -> bytes | None:
    """Read one file. Links may lead to another file of the folder, not out of it."""
    path = folder / name
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            found.fault(name, "links out of the folder; put the file itself here")
        elif path.is_dir():
            found.fault(name, "is a folder; expected a file")
        elif not path.exists():
            found.fault(name, "links to nothing; put the file itself here")
        elif not path.is_file():
            found.fault(name, "is not an ordinary file")
        else:
            return path.read_bytes()
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = error.strerror if isinstance(error, OSError) else "it links to itself"
        found.fault(name, f"cannot be read: {reason}")
    return None


def write_new(folder: Path, files: Mapping[str, str]) -> None:
    """Make `folder` with these text files, whole or not at all.

    Parameters
    ----------
    folder : Path
        A path where nothing is yet, or an empty folder.
    files : mapping of str to str
        What each file will hold, by its name in the folder.

    Raises
    ------
    HelpersError
        If something is there already or the place cannot be written to.
    """
    name = plain(folder, limit=200)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise HelpersError(f"{name}: is there already and no folder; give a new name")
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise HelpersError(f"{name}: the folder is not empty; give a new or empty one")
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            for file, text in files.items():
                write_text(beside / file, text)
            beside.chmod(0o755)
            beside.rename(folder)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
    except OSError as error:
        raise HelpersError(f"{name}: cannot be written: {error.strerror}") from error


def _rename(old: str, new: str) -> str:
    if Path(old).suffix.lower() in {".xls", ".xlsx", ".ods"}:
        return f"save {plain(old)} as {new} (CSV UTF-8)"
    return f"rename {plain(old)} to {new}"
