"""How decisions on claims about rankings read, and the level at which they are taken."""

ALPHA = 0.05
YES, PARTLY, NO = "supported", "partly supported", "not supported"
ABSENT = "not estimable"
UNTESTED = "not tested"
UNRANKED = "no evaluator ranked a case"
