"""Linear mixed models with crossed random intercepts, by R's lme4."""

from helpers.mixed.fit import fit, refused
from helpers.mixed.result import RESIDUAL, Contrast, Joint, Mixed, account, ratio, variance_table

__all__ = [
    "RESIDUAL",
    "Contrast",
    "Joint",
    "Mixed",
    "account",
    "fit",
    "ratio",
    "refused",
    "variance_table",
]
