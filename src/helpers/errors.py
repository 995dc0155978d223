"""The one exception whose message is written for the reader of a terminal."""


class HelpersError(Exception):
    """A fault the user can act on; the command line prints its message alone, without a traceback.

    The message names what is wrong (file, row, column, value), what was expected and what to do.
    """
