"""How fast things are, each beside a peer timed in the same run: `make bench`."""

import os

# One processor for everybody, whether a library would take more or not; before any is imported.
for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
