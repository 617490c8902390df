"""The tool calls of one model answer: judged one after another, then run beside each other.

All pre_tool_call folds and all prompts come one after another in the agent's thread, before any tool
starts. Tools of a batch run in worker threads with the agent's context variables; post_tool_call and the
transforms run there too. A single call, and a tool that belongs to the agent's thread, runs in the agent's
thread. (Rule: semantics 2.)
"""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from typing import TYPE_CHECKING, Final

from hermes_sdk.host.calls import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hermes_sdk.host.calls import CallInFlight
    from hermes_sdk.host.tool_path import ToolPath

logger = logging.getLogger(__name__)

MAX_WORKERS: Final = 8
"""Tools that run at a time."""

INTERRUPT_GRACE: Final = 5.0
"""Seconds that an interrupted batch waits for its tools; what still runs then is left behind."""

_POLL: Final = 0.05


class Batch:
    """The calls of one model answer.

    Args:
        path: The way that each of them takes.
        calls: The calls, in the model's order.
    """

    def __init__(self, path: ToolPath, calls: Sequence[CallInFlight]) -> None:
        self._path = path
        self._calls = calls
        # events, not the threads: Ctrl-C in Thread.join() marks a thread that runs as stopped (CPython before 3.13)
        self._ends: list[tuple[CallInFlight, threading.Event]] = []
        self._slots = threading.Semaphore(MAX_WORKERS)

    def run(self) -> None:
        """Take every call to its end; Ctrl-C cancels those that are not there yet."""
        try:
            self._judge_all()
            self._execute_all()
        except KeyboardInterrupt:
            self._calls[0].turn.interrupt.set("Ctrl-C")
        self._wait()
        for call in self._calls:
            if call.result is None:
                self._path.cancel(call)

    def _judge_all(self) -> None:
        for call in self._calls:
            self._path.judge(call)
        for call in self._calls:
            self._path.clear(call)

    def _execute_all(self) -> None:
        for call in self._calls:
            if not call.runnable:
                self._path.execute(call)
        ready = [call for call in self._calls if call.runnable]
        alone = self._path.replays or len(ready) <= 1
        here: list[CallInFlight] = []
        for call in ready:
            if alone or self._path.in_agent_thread(call):
                here.append(call)
            else:
                self._start(call)
        for call in here:
            self._path.execute(call)
        self._wait()

    def _start(self, call: CallInFlight) -> None:
        context = contextvars.copy_context()
        ended = threading.Event()
        self._ends.append((call, ended))
        threading.Thread(
            target=context.run, args=(self._work, call, ended), name=f"hermes-tool-{call.name}", daemon=True
        ).start()

    def _work(self, call: CallInFlight, ended: threading.Event) -> None:
        try:
            with self._slots:
                self._execute(call)
        finally:
            ended.set()

    def _execute(self, call: CallInFlight) -> None:
        try:
            self._path.execute(call)
        except BaseException as error:
            logger.exception("the call of %s failed outside of its tool", call.name)
            if call.result is None:
                kind = type(error).__name__
                outcome = ToolOutcome.failed(f"tool {call.name} failed: {kind}: {error}", error_type=kind)
                self._path.finish(call, outcome)

    def _wait(self) -> None:
        deadline: float | None = None
        for call, ended in self._ends:
            while not ended.wait(_POLL):
                if not self._calls[0].turn.interrupt.is_set():
                    continue
                deadline = deadline or time.monotonic() + INTERRUPT_GRACE
                if time.monotonic() >= deadline:
                    logger.warning("%s does not end after the interrupt and is left behind", call.name)
                    break
