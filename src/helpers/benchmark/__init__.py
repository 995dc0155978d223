"""Perceived capability of language models against their accuracy on benchmarks (ARQ4, H6)."""
