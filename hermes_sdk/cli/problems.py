"""Errors as one readable block on stderr, and the exit code that goes with each."""

from __future__ import annotations

import shutil
import sys
import textwrap
import traceback
from typing import TYPE_CHECKING, Final

from hermes_sdk.cli.screen import one_line, plain
from hermes_sdk.errors import HermesSdkError, StrictError

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterator

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
"""A session failed, or a command could not do what it was asked."""
EXIT_USAGE: Final = 2
EXIT_STRICT: Final = 3
"""Strict mode: a plugin failed to load, is degraded, or config names something unknown."""
EXIT_INTERRUPTED: Final = 130
_EXIT_BY_SIGNAL: Final = 128

_NARROWEST: Final = 40


class TerminatedError(KeyboardInterrupt):
    """A signal asked the process to end. Like Ctrl-C it passes by whatever goes on after errors."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__(f"ended by {number.name}")
        self.exit_code: int = _EXIT_BY_SIGNAL + number


def guarded(command: Callable[[], int | None], *, debug: Callable[[], bool] = lambda: False) -> int:
    """Run a command and return its exit code; an error is reported, never raised.

    Args:
        command: Returns its exit code, or None when all is fine.
        debug: Asked after an error, whether to show the traceback.
    """
    try:
        return command() or EXIT_OK
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return EXIT_INTERRUPTED
    except Exception as error:
        report(error, debug=debug())
        return EXIT_STRICT if isinstance(error, StrictError) else EXIT_FAILED


def report(error: BaseException, *, debug: bool = False) -> None:
    """Print `error` on stderr: one block, with a traceback only when `debug` is on."""
    if debug:
        sys.stderr.write(plain("".join(traceback.format_exception(error))))
    sys.stderr.write("\n".join(_block(error)) + "\n")


def warn(message: str) -> None:
    """Print one warning on stderr."""
    sys.stderr.write("\n".join(_wrapped("warning: ", message)) + "\n")


def as_document(error: BaseException) -> dict[str, str]:
    """Return `error` for ``--json``: code, what, where, why, fix."""
    if isinstance(error, HermesSdkError):
        return {
            "code": error.code,
            "what": error.what,
            "where": error.where,
            "why": error.why,
            "fix": error.fix,
        }
    return {"code": "HS000", "what": _description(error), "where": "", "why": "", "fix": ""}


def _block(error: BaseException) -> Iterator[str]:
    if not isinstance(error, HermesSdkError):
        yield from _wrapped("error: ", _description(error))
        yield "  fix: run `hermes-sdk --debug ...` for the traceback"
        return
    yield from _wrapped(f"error [{error.code}]: ", error.what)
    for label, text in (("where", error.where), ("why", error.why), ("fix", error.fix)):
        if text:
            yield from _wrapped(f"{label:>5}: ", text)


def _description(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return str(error) or "interrupted by Ctrl-C"
    if isinstance(error, OSError) and error.strerror:
        named = f"{error.filename}: " if error.filename else ""
        return f"{named}{error.strerror.lower()}"
    text = one_line(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _wrapped(label: str, text: str) -> Iterator[str]:
    """Yield `text` behind `label`, its own lines kept apart, each aligned with the first and as deep as it was."""
    width = max(shutil.get_terminal_size().columns, _NARROWEST)
    lead, blank = label, " " * len(label)
    for line in plain(text).strip("\n").splitlines() or [""]:
        words = line.lstrip()
        deeper = line[: len(line) - len(words)]
        yield from textwrap.wrap(
            words,
            width,
            initial_indent=lead + deeper,
            subsequent_indent=blank + deeper,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [lead]
        lead = blank
