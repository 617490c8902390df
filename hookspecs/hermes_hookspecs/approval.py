"""Hooks round the prompt that asks a person about a dangerous command."""

from __future__ import annotations

from typing import Literal

from hermes_hookspecs import samples
from hermes_hookspecs.markers import TELEMETRY_SCHEMA_VERSION, hookspec

_PROMPT = {
    "command": "rm -rf build/",
    "description": "recursive delete",
    "pattern_key": "rm_rf",
    "pattern_keys": ["rm_rf"],
    "session_key": samples.SESSION_ID,
    "surface": "cli",
    "turn_id": samples.TURN_ID,
    "tool_call_id": samples.TOOL_CALL_ID,
}


@hookspec(kind="observer", sample=_PROMPT)
def pre_approval_request(
    command: str,
    description: str,
    pattern_key: str,
    pattern_keys: list[str],
    session_key: str,
    surface: Literal["cli", "gateway", "smart"],
    turn_id: str = "",
    tool_call_id: str = "",
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a person is about to be asked.

    Runs:
        Once per prompt, right before it is shown, on every surface that the host has.

    Returns:
        Nothing; return values are ignored. Approvals cannot be vetoed or answered here: use pre_tool_call.

    Folds:
        All implementations run.

    Fails:
        An exception is logged and counted; the other implementations and the prompt go on. A deadline applies
        to asynchronous implementations only.

    Args:
        command: The command in question, with its final arguments.
        description: The reasons in words, joined when several patterns matched.
        pattern_key: The first pattern that matched, for example ``"rm_rf"``.
        pattern_keys: All patterns that matched.
        session_key: The chat or session that the prompt belongs to.
        surface: ``"cli"`` for prompts in a terminal, ``"gateway"`` for a messaging platform, ``"smart"``
            where hermes-agent lets a model answer.
        turn_id: The turn of the call.
        tool_call_id: The tool call that waits for the answer.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H11.1 to H11.7.

    Since:
        1.0

    Example:
        import logging

        from hermes_hookspecs import hookimpl

        logger = logging.getLogger(__name__)


        @hookimpl
        def pre_approval_request(description, surface):
            logger.info("asking on %s: %s", surface, description)
    """


@hookspec(kind="observer", sample={**_PROMPT, "choice": "once"})
def post_approval_response(
    command: str,
    description: str,
    pattern_key: str,
    pattern_keys: list[str],
    session_key: str,
    surface: Literal["cli", "gateway", "smart"],
    choice: Literal["once", "session", "always", "deny", "timeout", "smart_approve", "smart_deny"],
    turn_id: str = "",
    tool_call_id: str = "",
    decided_by: str | None = None,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe what the person decided.

    Runs:
        Once per prompt, after the answer or after the wait timed out.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run.

    Fails:
        An exception is logged and counted; the other implementations and the decision stand. A deadline
        applies to asynchronous implementations only.

    Args:
        command: The command in question, with its final arguments.
        description: The reasons in words, joined when several patterns matched.
        pattern_key: The first pattern that matched.
        pattern_keys: All patterns that matched.
        session_key: The chat or session that the prompt belonged to.
        surface: Where the prompt was shown, as for pre_approval_request.
        choice: The answer; ``"timeout"`` counts as ``"deny"``, the two ``smart_`` ones are hermes-agent's.
        turn_id: The turn of the call.
        tool_call_id: The tool call that waited for the answer.
        decided_by: Who or what answered, where the host knows.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H12.1 to H12.3.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        audit = []


        @hookimpl
        def post_approval_response(command, choice, session_key):
            audit.append((session_key, choice, command))
    """
