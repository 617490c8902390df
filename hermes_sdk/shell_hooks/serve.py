"""``mode: serve``: a script that is started once and answers one JSON line with another.

A request is the usual payload with an ``id``; its answer is the usual answer with the same ``id``. Answers may come in
any order, so several calls may be under way. A script that ends is started again at the next call, after a pause that
doubles from 0.1 s up to 5 s while it keeps ending without an answer; one that misses a deadline hangs, and is ended
with its group.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.shell_hooks.process import INTERRUPTED, Run, why_not_started
from hermes_sdk.shell_hooks.served_process import GoneError, InterruptedRequestError, ServedProcess

if TYPE_CHECKING:
    from hermes_sdk.shell_hooks.payload import Message
    from hermes_sdk.shell_hooks.stop import Stop

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 5.0
"""Seconds between starts of a script that keeps ending."""

Start = tuple[Sequence[str], str | None, Mapping[str, str]]
"""The words, working directory and environment of a script."""


class Server:
    """One long-lived script.

    Args:
        start: Says how it is started in a directory, asked at each start; raises OSError where it cannot be.
    """

    def __init__(self, start: Callable[[str], Start]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._process: ServedProcess | None = None
        self._pause = 0.0
        self._not_before = 0.0
        self.starts = 0
        """How often the script was started."""

    def request(self, message: Message, timeout: float, stop: Stop) -> Run:
        """Send a payload and wait for its answer. It never raises for what the script does.

        Args:
            message: The payload.
            timeout: Seconds until the answer must be there.
            stop: Ends the waiting early; the script itself goes on.
        """
        began = time.monotonic()
        failure = stderr = ""
        answer: dict[str, Any] = {}
        try:
            answer = self._ask(message, began + timeout, stop)
        except InterruptedRequestError:
            failure = INTERRUPTED
        except GoneError as gone:
            failure, stderr = str(gone), gone.stderr
        except TimeoutError:
            failure, stderr = f"it did not answer within {timeout:g} s", self._said()
            self.close()
        except (OSError, ValueError) as error:
            failure = f"cannot start: {why_not_started(error)}"
        finally:
            stop.when_asked(None)
        seconds = time.monotonic() - began
        if failure:
            return Run(None, "", stderr, seconds, failure)
        self._pause = 0.0
        return Run(0, json.dumps(answer), "", seconds)

    def _ask(self, message: Message, deadline: float, stop: Stop) -> dict[str, Any]:
        number = next(self._ids)
        try:
            process = self._running(message.cwd, deadline, stop)
            return process.ask(number, message.numbered(number), deadline, stop)
        except GoneError as gone:
            if gone.of_the_request:
                raise
        # it ended by itself: the next one is asked what that one did not answer
        process = self._running(message.cwd, deadline, stop)
        return process.ask(number, message.numbered(number), deadline, stop)

    def _running(self, cwd: str, deadline: float, stop: Stop) -> ServedProcess:
        """Return the script, started if it does not run.

        Raises:
            OSError, ValueError: It cannot be started.
            TimeoutError: The pause after its last start takes too long.
            InterruptedRequestError: Nobody wants the answer any more.
        """
        while True:
            with self._lock:
                if stop.asked:  # whoever asked may have ended the script: a new one would outlive its host
                    raise InterruptedRequestError
                if self._process is not None and self._process.alive:
                    return self._process
                pause = self._not_before - time.monotonic()
                if pause <= 0:
                    return self._start_anew(cwd)
            self._wait(min(pause, deadline - time.monotonic()), stop)
            if time.monotonic() >= deadline:
                raise TimeoutError

    def _start_anew(self, cwd: str) -> ServedProcess:
        self._process = ServedProcess(*self._start(cwd))
        self.starts += 1
        self._pause = min(max(self._pause * 2, FIRST_PAUSE), LONGEST_PAUSE)
        self._not_before = time.monotonic() + self._pause
        return self._process

    @staticmethod
    def _wait(seconds: float, stop: Stop) -> None:
        woken = threading.Event()
        stop.when_asked(woken.set)
        if woken.wait(max(seconds, 0.0)):
            raise InterruptedRequestError

    def _said(self) -> str:
        process = self._process
        return "" if process is None else process.stderr

    def close(self) -> None:
        """End the script; a later request starts it again."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.end()
