"""The stamp on whatever rests on simulated data."""

SIMULATED = "SIMULATED"

WARNING = """\
These data are simulated: nobody gave these ratings. What is drawn from them is no finding, and none
may be claimed from it."""

BANNER = f"""\
::: {{.callout-warning title="{SIMULATED}"}}
{WARNING}
:::
"""


def marked(text: str, simulated: bool = True) -> str:
    """Text, if it is of simulated data, with the word SIMULATED, which is not said twice."""
    return f"{text} ({SIMULATED})".lstrip() if simulated and SIMULATED not in text else text
