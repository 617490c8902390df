"""Hooks round a tool call: judge it, observe it, rewrite what the model gets to see of it."""

from __future__ import annotations

from typing import Any, Literal

from hermes_hookspecs import samples
from hermes_hookspecs.directives import Approve, Block, Modify  # noqa: TC001 (get_type_hints finds them)
from hermes_hookspecs.markers import TELEMETRY_SCHEMA_VERSION, hookspec


@hookspec(
    kind="decision",
    firstresult=True,
    sample={**samples.TOOL_CALL, "tool_name": "terminal", "args": {"command": "pytest -q"}},
)
def pre_tool_call(
    tool_name: str,
    args: dict[str, Any],
    task_id: str = "",
    session_id: str = "",
    tool_call_id: str = "",
    turn_id: str = "",
    api_request_id: str = "",
    middleware_trace: list[dict[str, Any]] = [],
    already_blocked: bool = False,
    judgement: int = 1,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> Block | Approve | Modify | dict[str, Any] | None:
    """Decide whether a tool call runs, runs with other arguments, or is put before a person first.

    Runs:
        Immediately before every tool, built-in and plugin tools alike. Three parallel calls fire it three
        times, one after another in the agent's thread, before any of the three tools starts.

    Returns:
        - ``Block(message)`` or ``{"action": "block", "message": str}``: the tool does not run, and the model
          sees the message as the tool's error.
        - ``Approve(message, rule_key)`` or ``{"action": "approve", "message"?: str, "rule_key"?: str}``: a
          person is asked; a refusal, a timeout or nobody there blocks.
        - ``Modify(args)`` or ``{"action": "modify", "args": dict}``: merged over the arguments, key by key;
          editing `args` in place means the same.
        - Anything else is no opinion.

    Folds:
        All implementations run. The strictest answer is the verdict: block, then approve, then modify, then
        nothing; among several blocks, and among several approves, the first in calling order. Each
        implementation sees the arguments as merged so far, and the last writer of a key wins. When nobody
        blocked and the arguments changed after an implementation that takes `args` had answered, it is asked
        once more with ``judgement=2``, where only block and approve count; ``rejudge=False`` opts out.

    Fails:
        An exception or a missed deadline is no opinion, and what the implementation had changed is undone.
        With ``fail_closed`` it blocks, and the message names the plugin and the cause.

    Args:
        tool_name: The tool that is about to run, for example ``"terminal"``.
        args: Arguments that the model passed, as rewritten so far; one dict, shared by all implementations.
        task_id: The task that the call belongs to, in most hosts the session; empty when unset.
        session_id: The session of the call.
        tool_call_id: Pairs the call with its post_tool_call and with the model's message.
        turn_id: The user turn of the call.
        api_request_id: The provider response that asked for the call.
        middleware_trace: What tool_request middleware changed before, one dict a rewrite.
        already_blocked: Whether an earlier implementation blocked this call; answers change nothing then.
        judgement: 1, or 2 when asked again because the arguments changed after the first answer.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H1.1 to H1.7; beyond it, approve and modify count and a block does not end the call.

    Since:
        1.0

    Example:
        from hermes_hookspecs import Block, hookimpl


        @hookimpl
        def pre_tool_call(tool_name, args):
            if tool_name == "terminal" and "rm -rf /" in args.get("command", ""):
                return Block("deleting the root directory is not allowed here")
            return None
    """


@hookspec(
    kind="observer",
    sample={
        **samples.TOOL_CALL,
        "tool_name": "terminal",
        "args": {"command": "pytest -q"},
        "result": '{"output": "1 failed, 41 passed", "exit_code": 1}',
        "duration_ms": 1830,
    },
)
def post_tool_call(
    tool_name: str,
    args: dict[str, Any],
    result: str | dict[str, Any],
    duration_ms: int,
    task_id: str = "",
    session_id: str = "",
    tool_call_id: str = "",
    turn_id: str = "",
    api_request_id: str = "",
    status: Literal["ok", "error", "blocked", "cancelled", "timeout"] = "ok",
    error_type: str | None = None,
    error_message: str | None = None,
    middleware_trace: list[dict[str, Any]] = [],
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe a tool call that is over, however it ended.

    Runs:
        Immediately after every tool call, also after a failed, cancelled or blocked one, where the tool ran:
        calls of a parallel batch may overlap.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run, each with its own copy of the payload.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the agent go
        on.

    Args:
        tool_name: The tool of the call.
        args: Arguments that were executed.
        result: What the tool gave: a JSON string for built-in tools, a dict for multimodal results, for a
            blocked call the JSON error that the model sees.
        duration_ms: Time in the tool itself, in milliseconds on a monotonic clock; 0 when blocked.
        task_id: The task that the call belongs to, in most hosts the session; empty when unset.
        session_id: The session of the call.
        tool_call_id: Pairs the call with its pre_tool_call and with the model's message.
        turn_id: The user turn of the call.
        api_request_id: The provider response that asked for the call.
        status: How the call ended.
        error_type: Class name of the tool's error; None without one.
        error_message: Text of the tool's error; None without one.
        middleware_trace: What middleware changed, one dict a rewrite.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H2.1 to H2.5; beyond it, blocked calls are observed too.

    Since:
        1.0

    Example:
        from collections import Counter

        from hermes_hookspecs import hookimpl

        milliseconds = Counter()


        @hookimpl
        def post_tool_call(tool_name, duration_ms):
            milliseconds[tool_name] += duration_ms
    """


@hookspec(
    kind="transform",
    value="result",
    aliases={"args": "arguments"},
    sample={
        **samples.TOOL_CALL,
        "tool_name": "read_file",
        "arguments": {"path": ".env"},
        "result": '{"content": "API_KEY=sk-test-0123456789"}',
        "duration_ms": 3,
    },
)
def transform_tool_result(
    tool_name: str,
    arguments: dict[str, Any],
    result: str,
    args: dict[str, Any] | None = None,
    task_id: str | None = None,
    session_id: str = "",
    tool_call_id: str = "",
    turn_id: str = "",
    api_request_id: str = "",
    duration_ms: int = 0,
    status: str = "ok",
    error_type: str | None = None,
    error_message: str | None = None,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> str | None:
    """Rewrite the result of a tool before the model sees it.

    Runs:
        After post_tool_call and before the result joins the conversation, for any tool, the terminal
        included; also on the error text of a blocked, failed or cancelled call.

    Returns:
        A str replaces the result, the empty string too. None leaves it as is.

    Folds:
        Chained in calling order: each implementation receives what the one before it returned. Anything that
        is neither str nor None is ignored with a warning.

    Fails:
        After an exception or a missed deadline the value stays and the chain goes on. With ``fail_closed``
        the output is withheld, and the model reads which plugin failed and why.

    Args:
        tool_name: The tool of the call.
        arguments: Arguments that were executed; hermes-agent's name for them is `args`.
        result: Text for the model after the cut and the stripping of ANSI codes; for a blocked, failed or
            cancelled call its error.
        args: Second name of `arguments`; either counts as sent when the other is.
        task_id: The task that the call belongs to; None outside of tasks.
        session_id: The session of the call.
        tool_call_id: Pairs the call with its pre_tool_call and with the model's message.
        turn_id: The user turn of the call.
        api_request_id: The provider response that asked for the call.
        duration_ms: Time in the tool itself, in milliseconds.
        status: How the call ended, as for post_tool_call.
        error_type: Class name of the tool's error; None without one.
        error_message: Text of the tool's error; None without one.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H13.1 to H13.5; beyond it, blocked, failed and cancelled calls are covered too.

    Since:
        1.0

    Example:
        import re

        from hermes_hookspecs import hookimpl

        SECRET = re.compile(r"sk-[A-Za-z0-9-]{16,}")


        @hookimpl
        def transform_tool_result(result):
            return SECRET.sub("[REDACTED]", result)
    """


@hookspec(
    kind="transform",
    value="output",
    aliases={"returncode": "exit_code"},
    sample={
        "command": "find . -name '*.py'",
        "output": "./app.py\n./tests/test_app.py\n",
        "exit_code": 0,
        "cwd": samples.WORKDIR,
        "task_id": samples.TASK_ID,
    },
)
def transform_terminal_output(
    command: str,
    output: str,
    exit_code: int,
    returncode: int | None = None,
    cwd: str = "",
    task_id: str | None = None,
    env_type: str = "local",
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> str | None:
    """Rewrite what a terminal command printed, before anything else does.

    Runs:
        Inside the terminal tool on the raw combined output of a foreground command: before the cut at 50,000
        characters, the stripping of ANSI codes and the redaction of secrets. Output of background processes
        passes transform_tool_result only.

    Returns:
        A str replaces the output, the empty string too. None leaves it as is.

    Folds:
        Chained in calling order: each implementation receives what the one before it returned. Anything that
        is neither str nor None is ignored with a warning.

    Fails:
        After an exception or a missed deadline the value stays and the chain goes on. With ``fail_closed``
        the output is withheld, and the model reads which plugin failed and why.

    Args:
        command: The command line as it was executed.
        output: Raw stdout and stderr together; may be very large.
        exit_code: Exit status of the command; hermes-agent's name for it is `returncode`.
        returncode: Second name of `exit_code`; either counts as sent when the other is.
        cwd: Directory that the command ran in.
        task_id: The task that the call belongs to; None outside of tasks.
        env_type: Where the command ran: ``"local"``, or the host's name of another place such as
            ``"docker"``.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H14.1 to H14.5.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl


        @hookimpl
        def transform_terminal_output(command, output):
            lines = output.splitlines(keepends=True)
            if not command.startswith("find ") or len(lines) <= 40:
                return None
            return "".join(lines[:40]) + f"[{len(lines)} paths in all, the first 40 shown]"
    """
