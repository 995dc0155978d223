"""Run all benchmarks, or those named: `python -m benchmarks [book clmm …]`."""

import importlib
import sys
from pathlib import Path

from benchmarks.comparison import HEAD

KNOWN = sorted(
    path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py")
)


def main(names: list[str]) -> int:
    """Print one Markdown table; a benchmark that fails is told and the others go on."""
    if unknown := set(names) - set(KNOWN):
        print(f"no benchmark {', '.join(sorted(unknown))}; known are {', '.join(KNOWN)}")
        return 2
    failed = 0
    print(HEAD, flush=True)
    for name in names or KNOWN:
        try:
            for comparison in importlib.import_module(f"benchmarks.bench_{name}").bench():
                print(comparison, flush=True)
        except Exception as error:  # one that lacks R, say, does not keep the others from running
            print(f"bench_{name}: {type(error).__name__}: {error}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
