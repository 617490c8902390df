"""Firing one entry: build its payload, run it, read its answer, say what went wrong.

Entries of pre_tool_call and pre_llm_call start side by side: the first one that is asked in a hook call starts all that
match, on the arguments of that moment, and each is folded when its turn comes (semantics 8.5).
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections import deque
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.shell_hooks.answer import ANSWERABLE, Answer, Replace, read_answer
from hermes_sdk.shell_hooks.claude import from_claude, to_claude
from hermes_sdk.shell_hooks.command import find_program
from hermes_sdk.shell_hooks.payload import encode, payload_of
from hermes_sdk.shell_hooks.process import ProcessTable, Run
from hermes_sdk.shell_hooks.serve import Server, Start

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from hermes_sdk.shell_hooks.entries import ShellEntry

logger = logging.getLogger(__name__)

SIDE_BY_SIDE: Final = frozenset({"pre_tool_call", "pre_llm_call"})
DEPTH: Final = "HERMES_HOOK_DEPTH"
"""Environment variable that counts how many hook scripts a process is inside of."""

_KEPT_TIMES: Final = 200


class ScriptFailedError(RuntimeError):
    """A script failed: what a fail-closed entry blocks for."""


@dataclass(slots=True)
class EntryFigures:
    """How often an entry ran and how long it took."""

    runs: int = 0
    failures: int = 0
    last_failure: str = ""
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT_TIMES))

    @property
    def p95_ms(self) -> float | None:
        """The 95th percentile of the latest runs in ms, or None before the first."""
        times = sorted(self.seconds)
        return times[min(len(times) - 1, int(len(times) * 0.95))] * 1000.0 if times else None


class EntryRunner:
    """Fires entries for one host."""

    def __init__(self, home: Path, cwd: Callable[[], str]) -> None:
        self.processes = ProcessTable()
        self._home = home
        self._cwd = cwd
        self.figures: dict[ShellEntry, EntryFigures] = {}
        self._servers: dict[ShellEntry, Server] = {}
        self._lock = threading.Lock()

    def payload(self, entry: ShellEntry, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the entry is sent for a firing: made before anything else of the call goes on."""
        payload = payload_of(entry.event, arguments, self._cwd())
        return to_claude(payload) if entry.dialect == "claude" else payload

    def run(self, entry: ShellEntry, payload: Mapping[str, Any]) -> Answer:
        """Run an entry to its end and return what it means."""
        return self.read(entry, self.execute(entry, payload))

    def execute(self, entry: ShellEntry, payload: Mapping[str, Any]) -> Run:
        """Run an entry to its end and return what came of it."""
        if entry.url:
            return self._post(entry, encode(payload))
        if entry.mode == "serve":
            return self._server(entry).request(payload, entry.timeout)
        return self._process(entry, encode(payload))

    def read(self, entry: ShellEntry, run: Run) -> Answer:
        """Return what a run of an entry means, and count it."""
        if entry.dialect == "claude":
            run = replace(run, stdout=from_claude(entry.event, run.stdout))
        answer = read_answer(entry.event, run, entry.name, exit_2_blocks=entry.exit_2_blocks)
        self._count(entry, run.duration, answer.failure)
        return answer

    def _process(self, entry: ShellEntry, payload: bytes) -> Run:
        try:
            argv, cwd, environment = self._start(entry)
        except FileNotFoundError as error:
            return Run(None, "", "", 0.0, str(error))
        return self.processes.run(argv, payload, cwd=cwd, env=environment, timeout=entry.timeout)

    def _start(self, entry: ShellEntry) -> Start:
        environment = self.environment(entry)
        program = find_program(entry.argv[0], environment.get("PATH", os.defpath))
        if program is None:
            raise FileNotFoundError(f"cannot start {entry.argv[0]}: there is no such program")
        return [program, *entry.argv[1:]], self._cwd(), environment

    def _server(self, entry: ShellEntry) -> Server:
        with self._lock:
            return self._servers.setdefault(entry, Server(lambda: self._start(entry)))

    @staticmethod
    def _post(entry: ShellEntry, payload: bytes) -> Run:
        from hermes_sdk.shell_hooks.http import post

        return post(entry.url, payload, entry.headers, entry.timeout)

    def close(self) -> None:
        """End every script that is kept running."""
        with self._lock:
            servers, self._servers = self._servers, {}
        for server in servers.values():
            server.close()

    def environment(self, entry: ShellEntry) -> dict[str, str]:
        """Return the environment of an entry's script."""
        if entry.env is None:
            inherited = dict(os.environ)
        else:
            inherited = {name: os.environ[name] for name in ("PATH", *entry.env) if name in os.environ}
        depth = hook_depth() + 1
        return inherited | {
            "HERMES_HOME": str(self._home),
            "HERMES_HOOK_EVENT": entry.event,
            DEPTH: str(depth),
        }

    def _count(self, entry: ShellEntry, seconds: float, failure: str) -> None:
        with self._lock:
            figures = self.figures.setdefault(entry, EntryFigures())
            figures.runs += 1
            figures.seconds.append(seconds)
            if failure:
                figures.failures += 1
                figures.last_failure = failure

    def settle(self, entry: ShellEntry, answer: Answer, arguments: Mapping[str, Any]) -> Any:
        """Return what the hook's fold takes as this entry's answer, of the hook's return type.

        Raises:
            ScriptFailedError: The run failed and had no answer, or the entry is fail-closed.
        """
        if answer.remark:
            logger.warning("%s on %s (%s): %s", entry.name, entry.event, entry.where, answer.remark)
        if answer.failure:
            if entry.fail_closed or answer.directive is None:
                raise ScriptFailedError(answer.failure)
            logger.warning("%s on %s (%s): %s; its answer counts", entry.name, entry.event, entry.where, answer.failure)
        directive = answer.directive
        if isinstance(directive, Replace):
            args = arguments["args"]
            args.clear()  # in place: it counts as this entry's modify, keys that are gone included
            args.update(directive.args)
            return None
        return directive if entry.event in ANSWERABLE else None


def hook_depth() -> int:
    """Return how many hook scripts this process is inside of."""
    with contextlib.suppress(ValueError):
        return int(os.environ.get(DEPTH, "0"))
    return 0


def in_thread(work: Callable[[], Any], name: str) -> Future[Any]:
    """Do something in a daemon thread of its own and return the future of its result, of whatever type."""
    future: Future[Any] = Future()

    def target() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=target, name=name, daemon=True).start()
    return future


class Group:
    """The entries of one event that start side by side."""

    def __init__(self, runner: EntryRunner, entries: Sequence[ShellEntry]) -> None:
        self._runner = runner
        self._entries = tuple(entries)
        # a context variable: hook calls of one thread or task come one after another, those of others do not matter
        self._started: ContextVar[dict[ShellEntry, Future[Answer]]] = ContextVar("started")

    def __contains__(self, entry: ShellEntry) -> bool:
        return entry in self._entries

    def start(self, entry: ShellEntry, arguments: Mapping[str, Any], *, may_block: bool) -> Future[Answer]:
        """Return the future of an entry's answer; all that match start when the first of them is asked.

        Args:
            entry: The entry that is asked.
            arguments: What the hook was fired with.
            may_block: Whether a single one may run in this thread at once.
        """
        started = self._started.get({})
        found = started.pop(entry, None)
        if found is not None:
            return found
        again = arguments.get("judgement", 1) > 1  # only some are asked again
        rest = () if again else self._entries[self._entries.index(entry) + 1 :]
        beside = [other for other in rest if other.matches(arguments)]
        self._started.set({other: self._spawn(other, arguments) for other in beside})
        if beside or not may_block:
            return self._spawn(entry, arguments)
        future: Future[Answer] = Future()
        future.set_result(self._runner.run(entry, self._runner.payload(entry, arguments)))
        return future

    def _spawn(self, entry: ShellEntry, arguments: Mapping[str, Any]) -> Future[Answer]:
        payload = self._runner.payload(entry, arguments)
        return in_thread(lambda: self._runner.run(entry, payload), "hermes-hook")

    def forget(self) -> None:
        """Drop what was started, because the hook call was cut short."""
        self._started.set({})


def wait_all(futures: Sequence[Future[Any]], deadline: float) -> int:
    """Wait for futures until a moment of `time.monotonic()`; return how many are not done."""
    for future in futures:
        with contextlib.suppress(BaseException):
            future.result(max(deadline - time.monotonic(), 0.0))
    return sum(not future.done() for future in futures)
