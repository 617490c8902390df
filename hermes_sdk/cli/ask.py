"""Questions to the person at the terminal: one line, a few answers, a time limit."""

from __future__ import annotations

import select
import sys
import time
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_POLL: Final = 0.1
"""Seconds between two looks at whether the question was withdrawn."""


def someone_is_there() -> bool:
    """Whether stdin is a terminal that a person can answer at."""
    try:
        return sys.stdin is not None and sys.stdin.isatty()
    except ValueError:
        return False


def ask(
    question: str,
    answers: Sequence[str],
    *,
    screen: TextIO,
    timeout: float | None = None,
    withdrawn: Callable[[], bool] = lambda: False,
) -> str | None:
    """Ask until one of `answers` is given, by its name or its first letter.

    Args:
        question: What stands in front of the answers.
        answers: What may be answered; no two begin with the same letter.
        screen: Where the question goes; stdout may be captured.
        timeout: How long to wait, in seconds; None waits for ever.
        withdrawn: Looked at while waiting; True ends the question.

    Returns:
        The answer, or None when the question was withdrawn or stdin ended.

    Raises:
        TimeoutError: Nobody answered in time.
    """
    offered = ", ".join(f"[{answer[0]}]{answer[1:]}" for answer in answers)
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        screen.write(f"{question} {offered}? ")
        screen.flush()
        try:
            line = _read_line(deadline, withdrawn)
        except TimeoutError:
            screen.write("\n")
            raise
        if not line:
            screen.write("\n")
            return None
        given = line.strip().lower()
        for answer in answers:
            if given and given in (answer, answer[0]):
                return answer


def _read_line(deadline: float | None, withdrawn: Callable[[], bool]) -> str:
    """Return the next line of stdin, or "" at its end and when the question is withdrawn."""
    while not withdrawn():
        left = _POLL if deadline is None else min(deadline - time.monotonic(), _POLL)
        if left <= 0:
            raise TimeoutError
        if select.select([sys.stdin], [], [], left)[0]:
            return sys.stdin.readline()
    return ""
