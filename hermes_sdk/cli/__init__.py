"""The command `hermes-sdk`: thin modules that parse, call the floors below, and print.

One module a command group. Nothing but the standard library is imported before a command needs it, so that
`hermes-sdk plugins list` starts fast.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run `hermes-sdk` with `argv` (default: the process's arguments) and return its exit code.

    No error leaves as a traceback: each is one block on stderr; `--debug` puts the traceback above it.
    """
    from hermes_sdk.cli import problems
    from hermes_sdk.cli.flags import Flags
    from hermes_sdk.cli.quick import QUICK

    arguments = list(sys.argv[1:] if argv is None else argv)
    flags = Flags()
    try:
        quick = QUICK.get(tuple(arguments))
        if quick is not None:
            quick()
            return problems.EXIT_OK
        from hermes_sdk.cli.app import invoke

        return invoke(arguments, flags)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return problems.EXIT_INTERRUPTED
    except Exception as error:
        problems.report(error, debug=flags.debug)
        return problems.exit_code(error)
