"""Global switches that outlive the parsing of the command line."""

from __future__ import annotations


class Flags:
    """What the options in front of a command said."""

    def __init__(self) -> None:
        self.debug = False
        """Errors show their traceback."""
