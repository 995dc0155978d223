"""What rankings say the dimensions are worth, and analysts by that measure: for two chapters."""
