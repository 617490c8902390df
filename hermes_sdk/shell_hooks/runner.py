"""Running one entry: build its payload, run it in its way, read its answer, count what came of it."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.failures import ReportedError
from hermes_sdk.shell_hooks.answer import Answer, Replace, read_answer
from hermes_sdk.shell_hooks.claude import from_claude, to_claude
from hermes_sdk.shell_hooks.command import find_program
from hermes_sdk.shell_hooks.figures import Figures
from hermes_sdk.shell_hooks.fired_by import working_directory
from hermes_sdk.shell_hooks.payload import Message, payload_of
from hermes_sdk.shell_hooks.process import INTERRUPTED, Run, run_process
from hermes_sdk.shell_hooks.serve import Server, Start
from hermes_sdk.shell_hooks.stop import Stop, Stops

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from hermes_sdk.shell_hooks.entries import ShellEntry

    Refusal = Callable[[ShellEntry, str], str]
    """Says why an entry must not run at this moment in a directory, or an empty string."""

DEPTH: Final = "HERMES_HOOK_DEPTH"
"""Environment variable that counts how many hook scripts a process is inside of."""


class ScriptFailedError(ReportedError):
    """A script failed: what a fail-closed entry blocks for."""


def _never(_entry: ShellEntry, _cwd: str) -> str:
    return ""


class EntryRunner:
    """Runs the entries of one home.

    Args:
        home: The home.
        cwd: Says where the session works.
        refusal: Asked right before each run of a hook.
    """

    def __init__(self, home: Path, cwd: Callable[[], str] = working_directory, refusal: Refusal = _never) -> None:
        self.figures = Figures()
        self._home = home
        self._cwd = cwd
        self._refusal = refusal
        self._stops = Stops()
        self._servers: dict[ShellEntry, Server] = {}
        self._lock = threading.Lock()
        self._closed = False

    # -- one run -------------------------------------------------------------------------------------------

    def payload(self, entry: ShellEntry, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return what an entry is sent for a firing, in its dialect."""
        payload = payload_of(entry.event, arguments, self._cwd())
        return to_claude(payload) if entry.dialect == "claude" else payload

    def stop(self, session_id: str) -> Stop:
        """Return what ends one run early. It counts from now on, though the run may start in another thread."""
        stop = Stop(session_id)
        self._stops.add(stop)
        return stop

    def answer(self, entry: ShellEntry, message: Message, stop: Stop) -> Answer:
        """Run an entry for a hook and return what that means. It never raises for what a script does."""
        try:
            refusal = self._refusal(entry, message.cwd)
            if refusal:
                self.retire([entry])  # what it keeps running is what was approved once
                self.figures.warn_once(entry, refusal)
                return Answer(refusal=refusal)
            return self.read(entry, self._execute(entry, message, stop))
        finally:
            self._stops.remove(stop)

    def execute(self, entry: ShellEntry, payload: Mapping[str, Any]) -> Run:
        """Run an entry to its end, refused or not, and return what came of it: for trials."""
        stop = self.stop("")
        try:
            return self._execute(entry, Message(payload), stop)
        finally:
            self._stops.remove(stop)

    def read(self, entry: ShellEntry, run: Run) -> Answer:
        """Return what a run of an entry means, and count it."""
        answer = read_answer(entry.event, run, entry.name, exit_2_blocks=entry.exit_2_blocks)
        self.figures.count(entry, run.duration, answer.failure)
        return answer

    def _execute(self, entry: ShellEntry, message: Message, stop: Stop) -> Run:
        if stop.asked:
            return Run(None, "", "", 0.0, INTERRUPTED)
        if entry.url:
            from hermes_sdk.shell_hooks.http import post

            run = post(entry.url, message.line, entry.headers, entry.timeout, stop)
        elif entry.mode == "serve":
            run = self._serve(entry, message, stop)
        else:
            run = self._start_once(entry, message, stop)
        return from_claude(entry.event, message.payload, run) if entry.dialect == "claude" else run

    def _start_once(self, entry: ShellEntry, message: Message, stop: Stop) -> Run:
        try:
            argv, cwd, environment = self._start(entry, message.cwd)
        except FileNotFoundError as error:
            return Run(None, "", "", 0.0, f"cannot start: {error}")
        return run_process(argv, message.line, cwd=cwd, env=environment, timeout=entry.timeout, stop=stop)

    def _start(self, entry: ShellEntry, cwd: str) -> Start:
        environment = self.environment(entry, cwd)
        program = find_program(entry.argv[0], environment.get("PATH", os.defpath))
        if program is None:
            raise FileNotFoundError(f"there is no program {entry.argv[0]}")
        return [program, *entry.argv[1:]], cwd, environment

    def environment(self, entry: ShellEntry, cwd: str = "") -> dict[str, str]:
        """Return the environment of an entry's script that runs in a directory."""
        if entry.env is None:
            variables = dict(os.environ)
        else:
            variables = {name: os.environ[name] for name in ("PATH", *entry.env) if name in os.environ}
        variables |= {"HERMES_HOME": str(self._home), "HERMES_HOOK_EVENT": entry.event, DEPTH: str(hook_depth() + 1)}
        if entry.dialect == "claude" and cwd:
            variables["CLAUDE_PROJECT_DIR"] = cwd
        return variables

    # -- what its answer does ------------------------------------------------------------------------------

    def settle(self, entry: ShellEntry, answer: Answer, arguments: Mapping[str, Any]) -> Any:
        """Return what the hook's fold takes as this entry's answer, of the hook's return type.

        Raises:
            ScriptFailedError: The run failed and had no answer, or the entry is fail-closed.
        """
        if answer.refusal:
            return refuse(entry, answer.refusal)
        if answer.remark:
            self.figures.warn_once(entry, answer.remark)
        if answer.failure:
            if entry.fail_closed or answer.directive is None:
                raise ScriptFailedError(answer.failure)
            self.figures.warn_once(entry, f"{answer.failure} (its answer counts)")
        if not isinstance(answer.directive, Replace):
            return answer.directive
        args = arguments["args"]
        if isinstance(args, dict):
            args.clear()  # in place: it counts as this entry's modify, keys that are gone included
            args.update(answer.directive.args)
        return answer.directive.approve

    # -- long-lived scripts, and the end -------------------------------------------------------------------

    def _serve(self, entry: ShellEntry, message: Message, stop: Stop) -> Run:
        with self._lock:
            server = self._servers.get(entry)
            if server is None:
                server = self._servers[entry] = Server(lambda cwd: self._start(entry, cwd))
        run = server.request(message, entry.timeout, stop)
        if self._closed:  # a hook that fires while the process ends
            server.close()
        return run

    def retire(self, entries: Iterable[ShellEntry]) -> None:
        """End the long-lived scripts of these entries."""
        with self._lock:
            servers = [self._servers.pop(entry) for entry in entries if entry in self._servers]
        for server in servers:
            server.close()

    def interrupt(self, session_id: str | None = None) -> int:
        """End every run of a session, or of all, and return how many there were."""
        return self._stops.ask(session_id)

    def close(self) -> None:
        """End everything that runs, long-lived scripts too."""
        self._closed = True
        self.interrupt()
        with self._lock:
            servers = list(self._servers.values())
            self._servers.clear()
        for server in servers:
            server.close()


def refuse(entry: ShellEntry, reason: str) -> Any:
    """Return what an entry answers that must not run: a gate's block or notice, else no opinion."""
    if not entry.fail_closed:
        return None
    text = f"{entry.name} is declared fail-closed and not in force: {reason}"
    return {"action": "block", "message": text} if entry.event == "pre_tool_call" else f"[output withheld: {text}]"


def hook_depth() -> int:
    """Return how many hook scripts this process is inside of."""
    with contextlib.suppress(ValueError):
        return int(os.environ.get(DEPTH, "0"))
    return 0
