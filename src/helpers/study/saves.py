"""JSON files from outside, read so that nothing in them can hang, crash or pass unseen."""

import glob
import json
from collections import Counter
from pathlib import Path
from typing import Any

from helpers.errors import HelpersError
from helpers.study.faults import Cell, Findings, plain, show

LARGEST = 10_000_000  # bytes; a save has some ten thousand


def files_of(source: str | Path) -> list[Path]:
    """List the saves that a path or pattern stands for: a file, a folder's JSON files, a match."""
    path = Path(source)
    if path.is_dir():
        files = sorted(path.glob("*.json"))
    elif path.exists():
        files = [path]
    else:
        files = sorted(Path(name) for name in glob.glob(str(source)))
    if not files:
        raise HelpersError(f"{plain(source, limit=200)}: no such file, and no JSON files in it")
    return files


def parse(file: Path, found: Findings) -> dict[str, Any] | None:
    """Read one save as JSON; whatever is not exactly that is a fault."""
    name = plain(file.name)
    try:
        if not file.is_file():
            found.fault(name, "is not a file")
            return None
        if file.stat().st_size > LARGEST:
            found.fault(name, f"is larger than {LARGEST:,} bytes; expected a save of the platform")
            return None
        save = json.loads(
            file.read_bytes().decode("utf-8-sig"),
            object_pairs_hook=_object,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        told = f"not JSON ({error.msg}); save it again from the platform"
        found.fault(name, told, cells=[Cell((error.lineno,))])
    except UnicodeDecodeError as error:
        found.fault(name, f"expected UTF-8; byte 0x{error.object[error.start]:02X} is not")
    except RecursionError:
        found.fault(name, "is nested too deeply")
    except ValueError as error:
        found.fault(name, plain(error, limit=100))
    except OSError as error:
        found.fault(name, f"cannot be read: {error.strerror}")
    else:
        if isinstance(save, dict):
            return save
        found.fault(name, "expected an object with `evaluation_results`")
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name, number in times.items() if number > 1)
        raise ValueError(f"the key {show(twice)} twice in one object")
    return values


def _constant(name: str) -> None:
    raise ValueError(f"{name} is no number")
