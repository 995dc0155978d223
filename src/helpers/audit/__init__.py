"""Does a paper agree with itself? Checks of printed tables, in the way of statcheck and GRIM.

`helpers.audit.run` makes all checks of a paper. It is not imported here, so that a chapter that
reads findings does not depend on how each of them is made.
"""

from helpers.audit.finding import Finding, Verdict

__all__ = ["Finding", "Verdict"]
