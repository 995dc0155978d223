"""Permutation importance of dimensions for benchmarks.

The scores of analysts on one dimension are permuted, the analysts ranked anew, and the permuted
ranking is projected on the line from the benchmark's ranking to the evaluators'.
"""
