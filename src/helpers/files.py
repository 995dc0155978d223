"""Files that appear whole or not at all, and digests of what they hold."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path` in one step: a reader sees the old file or the new, never a part.

    Parameters
    ----------
    path : Path
        The file; its folder is made when missing.
    content : bytes
        All that the file will hold.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_text(path: Path, content: str) -> None:
    """Write UTF-8 text to `path` in one step (see `write_bytes`)."""
    write_bytes(path, content.encode())


def read_json(path: Path) -> dict[str, Any] | None:
    """JSON object of a file that a build wrote; None if it is missing, damaged or no object."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def canonical(content: object) -> str:
    """The one way to write something as JSON, so that the same content has the same digest."""
    return json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def digest(parts: Iterable[bytes]) -> str:
    """SHA-256 over `parts`, each preceded by its length so that no two lists of parts collide.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    total = hashlib.sha256()
    for part in parts:
        total.update(f"{len(part)}:".encode())
        total.update(part)
    return total.hexdigest()


def digest_tree(path: Path) -> str:
    """Digest of a file, or of a folder's files with their names relative to it, in sorted order."""
    if path.is_file():
        return digest([path.read_bytes()])
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return digest(
        part for file in files for part in (str(file.relative_to(path)).encode(), file.read_bytes())
    )
