"""Reproducible analysis of how experts judge AI: statistics, tables and their book."""
