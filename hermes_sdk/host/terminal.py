"""The tools ``terminal`` and ``process``: commands that really run, in the session's working directory.

A foreground command goes through the documented pipeline: raw output -> transform_terminal_output -> cut at
50,000 characters -> strip ANSI -> redact -> result. What a background command prints is fetched with
``process`` and passes transform_tool_result only.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.host.calls import CallInFlight, ToolOutcome
from hermes_sdk.host.processes import BackgroundProcess, BackgroundProcesses, end_group, run_command
from hermes_sdk.host.terminal_output import MAX_OUTPUT, processed
from hermes_sdk.host.toolbox import Tool, ToolArgumentError, number_argument, text_argument

if TYPE_CHECKING:
    from hermes_sdk.host.fire import HookRelay
    from hermes_sdk.host.processes import CommandResult

DEFAULT_TIMEOUT: Final = 180.0
LONGEST_TIMEOUT: Final = 600.0
"""Seconds that a foreground command may take; a longer wish is cut to this."""

TIMEOUT_EXIT_CODE: Final = 124
INTERRUPT_EXIT_CODE: Final = 130

_TERMINAL_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "description": "The shell command."},
        "background": {
            "type": "boolean",
            "description": "Start it and return at once; read its output with the tool process.",
            "default": False,
        },
        "timeout": {"type": "number", "description": "Seconds it may take (default 180, at most 600)."},
        "workdir": {"type": "string", "description": "Where it runs; the session's directory by default."},
    },
    "required": ["command"],
}

_PROCESS_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["list", "poll", "wait", "kill"], "default": "list"},
        "process_id": {"type": "string", "description": "Which one, for every action but list."},
        "timeout": {"type": "number", "description": "Seconds that wait waits (default 30, at most 600)."},
    },
}


class Terminal:
    """Runs commands for one session.

    Args:
        workdir: Where commands run.
        relay: Fires transform_terminal_output.
        timeout: Seconds that a command without a timeout of its own may take.
        redact_secrets: Whether what looks like a secret is masked in foreground output.
    """

    def __init__(
        self,
        workdir: Path,
        relay: HookRelay,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        redact_secrets: bool = True,
    ) -> None:
        self._workdir = workdir
        self._relay = relay
        self._timeout = timeout
        self._redact = redact_secrets
        self._background = BackgroundProcesses()

    def tools(self) -> list[Tool]:
        """Return both tools."""
        about_terminal = "Run a shell command and return its output and exit code."
        about_process = "List, read, await or end commands that run in the background."
        return [
            Tool("terminal", about_terminal, _TERMINAL_PARAMETERS, self.run),
            Tool("process", about_process, _PROCESS_PARAMETERS, self.control),
        ]

    @property
    def has_background(self) -> bool:
        """Whether commands were started in the background: they run, or their output can still be read."""
        return bool(self._background.all())

    def close(self) -> None:
        """End what runs in the background."""
        self._background.close()

    def run(self, args: dict[str, Any], call: CallInFlight) -> ToolOutcome:
        """Run a command, in the foreground unless asked otherwise."""
        command = text_argument(args, "command")
        cwd = self._directory(args)
        if args.get("background") is True:
            background = self._background.start(command, cwd, shown=str(call.args.get("command", "")))
            started = {"output": "", "exit_code": None, "process_id": background.id}
            return ToolOutcome(json.dumps(started | {"pid": background.process.pid, "running": True}))
        timeout = number_argument(args, "timeout", self._timeout, least=0.1, most=LONGEST_TIMEOUT)
        result = run_command(command, cwd=cwd, timeout=timeout, interrupt=call.turn.interrupt)
        return self._outcome(result, call, cwd, timeout)

    def _outcome(self, result: CommandResult, call: CallInFlight, cwd: Path, timeout: float) -> ToolOutcome:
        codes = {"timeout": TIMEOUT_EXIT_CODE, "interrupt": INTERRUPT_EXIT_CODE}
        exit_code = codes.get(result.ended, result.exit_code)
        transformed = self._relay.transform_terminal_output(
            call,
            # the call's own argument: where a placeholder was put back, hooks do not see the original
            command=str(call.args.get("command", "")),
            output=result.output,
            exit_code=exit_code,
            cwd=str(cwd),
        )
        output = processed(transformed.value, redact_secrets=self._redact)
        fields: dict[str, Any] = {"output": output, "exit_code": exit_code}
        if result.dropped:
            fields["dropped_bytes"] = result.dropped
        if result.ended == "timeout":
            message = f"the command was ended after {timeout:g} s"
            return ToolOutcome.failed(message, status="timeout", error_type="timeout", **fields)
        if result.ended == "interrupt":
            message = "the command was interrupted"
            return ToolOutcome.failed(message, status="cancelled", error_type="interrupted", **fields)
        return ToolOutcome(json.dumps(fields | {"error": None}, ensure_ascii=False))

    def control(self, args: dict[str, Any], call: CallInFlight) -> ToolOutcome:
        """List, read, await or end background commands."""
        action = args.get("action", "list")
        if action == "list":
            listed = [self._state(background) for background in self._background.all()]
            return ToolOutcome(json.dumps({"processes": listed}, ensure_ascii=False))
        if action not in ("poll", "wait", "kill"):
            raise ToolArgumentError(f"unknown action {action!r}: list, poll, wait and kill are known")
        process_id = text_argument(args, "process_id")
        background = self._background.get(process_id)
        if background is None:
            return ToolOutcome.failed(f"no background command has the id {process_id!r}")
        if action == "kill" and background.running:
            end_group(background.process)
        if action == "wait":
            seconds = number_argument(args, "timeout", 30.0, least=0.0, most=LONGEST_TIMEOUT)
            deadline = time.monotonic() + seconds
            while background.running and time.monotonic() < deadline and not call.turn.interrupt.wait(0.02):
                pass
        state = self._state(background) | {"output": background.tail(MAX_OUTPUT)}
        return ToolOutcome(json.dumps(state, ensure_ascii=False))

    def _state(self, background: BackgroundProcess) -> dict[str, Any]:
        running = background.running
        return {
            "process_id": background.id,
            "command": background.shown,
            "pid": background.process.pid,
            "running": running,
            "exit_code": None if running else background.process.returncode,
            "seconds": round(time.monotonic() - background.started, 3),
        }

    def _directory(self, args: dict[str, Any]) -> Path:
        workdir = args.get("workdir")
        if workdir is None:
            return self._workdir
        directory = self._workdir / Path(text_argument(args, "workdir")).expanduser()
        if not directory.is_dir():
            raise ToolArgumentError(f"workdir {workdir!r} is no directory")
        return directory
