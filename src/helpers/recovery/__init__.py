"""Are planted parameters found again? Bias and coverage over many simulated studies.

`scenarios` says what is simulated and how it is fitted, `multistart` climbs a likelihood from many
places, `summary` counts, `evidence` runs it all for `make evidence`, and `tables` shows what the
committed files say.
"""
