"""What evaluators' scores say: instrument, spread, specialty alignment (H1), agreement (H2)."""

from helpers.scoring.table import Scored, scored

__all__ = ["Scored", "scored"]
