"""Agreement of raters and reliability of scores, with intervals; pure functions of tables.

A table has one row for each rater and one column for each thing rated; a gap is nan. What cannot
be estimated is an `Estimate` without a value but with a reason, never an exception.
"""

from helpers.agreement.cases import (
    CaseComparison,
    Difference,
    Equality,
    compare_cases,
    equality,
    rater_influences,
)
from helpers.agreement.concordance import Concordance, friedman, kendalls_w
from helpers.agreement.estimate import Estimate
from helpers.agreement.intraclass import FORMS, Icc, icc
from helpers.agreement.kappa import Kappa, fleiss_kappa, weighted_kappa
from helpers.agreement.krippendorff import krippendorff_alpha
from helpers.agreement.order import Page, SignFlip, ordered_contrast, pages_l, sign_flip
from helpers.agreement.reliability import alpha_of, cronbach_alpha, mcdonald_omega, omega_of

__all__ = [
    "FORMS",
    "CaseComparison",
    "Concordance",
    "Difference",
    "Equality",
    "Estimate",
    "Icc",
    "Kappa",
    "Page",
    "SignFlip",
    "alpha_of",
    "compare_cases",
    "cronbach_alpha",
    "equality",
    "fleiss_kappa",
    "friedman",
    "icc",
    "kendalls_w",
    "krippendorff_alpha",
    "mcdonald_omega",
    "omega_of",
    "ordered_contrast",
    "pages_l",
    "rater_influences",
    "sign_flip",
    "weighted_kappa",
]
