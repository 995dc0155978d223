"""Reproducible analysis of how experts judge AI: statistics, tables and the book built from them."""
