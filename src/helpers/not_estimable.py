"""The error of sound data that cannot answer a question."""

from helpers.errors import HelpersError


class NotEstimableError(HelpersError):
    """An estimate that does not exist, for a reason that a table can print in its place.

    Attributes
    ----------
    reason : str
        Why, to be printed after "not estimable: ".
    """

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(f"{what} not estimable: {reason}")
        self.reason = reason
