"""The command `hermes-sdk`: thin modules that parse, call the floors below, and print.

One module a command group. Nothing but the standard library is imported before a command needs it, so that
`hermes-sdk plugins list` starts fast.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_INTERRUPTED: Final = 130  # EXIT_INTERRUPTED of problems.py, which may not be loaded yet


def main(argv: Sequence[str] | None = None) -> int:
    """Run `hermes-sdk` with `argv` (default: the process's arguments) and return its exit code.

    No error leaves as a traceback: each is one block on stderr; `--debug` puts the traceback above it.
    """
    try:
        return _run(argv)
    except KeyboardInterrupt:  # so early that nothing of ours handles it yet
        sys.stderr.write("interrupted\n")
        return _INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    from hermes_sdk.cli.quick import QUICK

    if sys.stdout is None:  # closed by whoever started us, as `>&-` does; a file opened next would take its number
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - the same
    quick = QUICK.get(tuple(sys.argv[1:] if argv is None else argv))
    if quick is not None:
        from hermes_sdk.cli.problems import guarded

        return guarded(quick)
    from hermes_sdk.cli.app import invoke

    if argv is not None:
        return invoke(list(argv))
    from hermes_sdk.cli.left_threads import end_in_spite_of_them

    code = invoke(sys.argv[1:])
    end_in_spite_of_them(code)
    return code
