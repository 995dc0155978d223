"""What rankings say of analysts: how often each rank, mean ranks, comparisons, agreement."""

from helpers.ranking.table import Ranks, ranks

__all__ = ["Ranks", "ranks"]
