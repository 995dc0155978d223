"""Compile a function with numba, and keep what was compiled inside the environment.

numba compiles when a function is first called, for some ten seconds over the whole package.
`helpers.clmm.warm_up()`, called at set-up, fills the cache so that no reader waits for it.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., object])


SOURCES = ("compiled.py", "laplace.py", "links.py", "mode.py", "sparse.py")
CACHES = Path(sys.prefix) / "var" / "helpers-clmm"


def _cache() -> Path:
    """Folder of what was compiled from these very sources.

    numba looks only at the file that holds a function, and would go on using what that function
    once called in other files: so a change to any of them gets a folder of its own.
    """
    folder = Path(__file__).parent
    version = hashlib.sha256(b"".join((folder / name).read_bytes() for name in SOURCES))
    return CACHES / version.hexdigest()[:16]


os.environ.setdefault("NUMBA_CACHE_DIR", str(_cache()))

import numba  # noqa: E402  (it reads its settings when it is imported)

numba.config.reload_config()  # in case someone imported it earlier


def forget_old_versions() -> None:
    """Delete what was compiled from earlier versions of the sources."""
    for folder in CACHES.glob("*"):
        if folder != _cache():
            shutil.rmtree(folder, ignore_errors=True)


def compiled(function: Function) -> Function:
    """Turn a function over arrays and numbers into machine code at its first call."""
    fast = numba.njit(cache=True, error_model="numpy")(function)
    return cast(Function, fast)
