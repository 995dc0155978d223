"""Does a paper agree with itself? Checks of printed tables, in the way of statcheck and GRIM."""

from helpers.audit.finding import Finding, Verdict
from helpers.audit.run import audit

__all__ = ["Finding", "Verdict", "audit"]
