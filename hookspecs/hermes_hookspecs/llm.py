"""Hooks round a user turn: add context, observe the answer, rewrite it, have it verified."""

from __future__ import annotations

from typing import Any

from hermes_hookspecs import samples
from hermes_hookspecs.directives import AddContext, Continue  # noqa: TC001 (get_type_hints finds them)
from hermes_hookspecs.markers import TELEMETRY_SCHEMA_VERSION, hookspec


@hookspec(
    kind="context",
    sample={
        "session_id": samples.SESSION_ID,
        "user_message": samples.USER_MESSAGE,
        "conversation_history": list(samples.HISTORY),
        "is_first_turn": False,
        "model": samples.MODEL,
        "platform": "cli",
        "task_id": samples.TASK_ID,
        "turn_id": samples.TURN_ID,
        "sender_id": "",
    },
)
def pre_llm_call(
    session_id: str | None,
    user_message: str | list[dict[str, Any]],
    conversation_history: list[dict[str, Any]],
    is_first_turn: bool,
    model: str,
    platform: str,
    task_id: str = "",
    turn_id: str = "",
    sender_id: str = "",
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> AddContext | dict[str, Any] | str | None:
    """Add context to the user's message for the length of this turn.

    Runs:
        Once per user turn, after context compression and before the tool loop; not once per provider call.

    Returns:
        A non-blank str, ``AddContext(text)`` or ``{"context": str}``, all equivalent. None adds nothing.

    Folds:
        All contributions, joined with one blank line in calling order. The text is appended to the current
        user message on every provider call of this turn and never again; it is no part of the stored
        conversation, and the system prompt stays byte for byte the same.

    Fails:
        An exception or a missed deadline adds nothing; the other contributions count.

    Args:
        session_id: The session of the turn; None before it has an id.
        user_message: The original message, before skills are added; a list of content parts when multimodal.
        conversation_history: Messages before this one in the OpenAI format; a copy, made for each
            implementation.
        is_first_turn: Whether this is the first turn of a new session.
        model: The model that will answer, for example ``"anthropic/claude-sonnet-4.6"``.
        platform: Where the message came from: ``"cli"``, ``"telegram"``, ``"discord"``, ...
        task_id: The task that the turn belongs to; empty when unset.
        turn_id: The turn; the same in every hook that fires during it.
        sender_id: Who wrote the message, on platforms with several people; empty when unset.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H3.1 to H3.9.

    Since:
        1.0

    Example:
        from hermes_hookspecs import AddContext, hookimpl

        NOTES = {"tests": "The user runs tests with pytest."}


        @hookimpl
        def pre_llm_call(user_message):
            found = [note for word, note in NOTES.items() if word in str(user_message)]
            return AddContext(" ".join(found)) if found else None
    """


@hookspec(
    kind="observer",
    sample={
        "session_id": samples.SESSION_ID,
        "user_message": samples.USER_MESSAGE,
        "assistant_response": samples.ANSWER,
        "conversation_history": [*samples.MESSAGES, {"role": "assistant", "content": samples.ANSWER}],
        "model": samples.MODEL,
        "platform": "cli",
        "task_id": samples.TASK_ID,
        "turn_id": samples.TURN_ID,
    },
)
def post_llm_call(
    session_id: str,
    user_message: str | list[dict[str, Any]],
    assistant_response: str,
    conversation_history: list[dict[str, Any]],
    model: str,
    platform: str,
    task_id: str = "",
    turn_id: str = "",
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe a turn that ended with an answer.

    Runs:
        Once per successful turn, after the tool loop ended with a final answer. Not after an interrupt, and
        not at the iteration limit without an answer.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run, each with its own copy of the payload.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the agent go
        on.

    Args:
        session_id: The session of the turn.
        user_message: The original message of the user; a list of content parts when multimodal.
        assistant_response: The final answer, as delivered.
        conversation_history: All messages after the turn in the OpenAI format; a copy, made for each
            implementation.
        model: The model that answered.
        platform: Where the message came from.
        task_id: The task that the turn belongs to; empty when unset.
        turn_id: The turn; the same in every hook that fires during it.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H4.1 to H4.4.

    Since:
        1.0

    Example:
        import logging

        from hermes_hookspecs import hookimpl

        logger = logging.getLogger(__name__)


        @hookimpl
        def post_llm_call(session_id, assistant_response):
            logger.info("session %s answered with %d characters", session_id, len(assistant_response))
    """


@hookspec(
    kind="transform",
    origin="hermes-0.19",
    value="response_text",
    sample={
        "response_text": samples.ANSWER,
        "session_id": samples.SESSION_ID,
        "model": samples.MODEL,
        "platform": "cli",
    },
)
def transform_llm_output(
    response_text: str,
    session_id: str = "",
    model: str = "",
    platform: str = "",
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> str | None:
    """Rewrite the final answer before the user sees it.

    Runs:
        Once per turn when the final answer exists, before post_llm_call and delivery. A host with an
        implementation of this hook does not stream the answer before it ran. Not after an interrupt, and not
        at the iteration limit without an answer.

    Returns:
        A non-empty str replaces the answer. None and ``""`` leave it as is.

    Folds:
        Chained in calling order: each implementation receives what the one before it returned. Anything that
        is neither str nor None is ignored with a warning.

    Fails:
        After an exception or a missed deadline the value stays and the chain goes on. With ``fail_closed``
        the answer is withheld, and the user reads which plugin failed and why.

    Args:
        response_text: The final answer, as rewritten so far.
        session_id: The session of the turn.
        model: The model that answered.
        platform: Where the answer goes.
        telemetry_schema_version: Version of the payload's form.

    Source:
        hermes-agent 0.19.0; not in the seed.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl


        @hookimpl
        def transform_llm_output(response_text, platform):
            return response_text.replace("**", "*") if platform == "telegram" else None
    """


@hookspec(
    kind="decision",
    origin="hermes-0.19",
    firstresult=True,
    sample={
        "session_id": samples.SESSION_ID,
        "attempt": 0,
        "final_response": "The login now answers with 200.",
        "changed_paths": ["app.py", "tests/test_app.py"],
        "platform": "cli",
        "model": samples.MODEL,
        "coding": True,
    },
)
def pre_verify(
    session_id: str,
    attempt: int,
    final_response: str,
    changed_paths: list[str],
    platform: str = "",
    model: str = "",
    coding: bool = False,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> Continue | dict[str, Any] | None:
    """Send the agent back to work before it answers.

    Runs:
        When the agent edited files in this turn and is about to give its final answer. The host asks at most
        three times a turn and says so when it stops.

    Returns:
        - ``Continue(message)``, ``{"action": "continue", "message": str}`` or
          ``{"decision": "block", "reason": str}``: the agent goes on with the text as its follow-up.
        - None lets the answer stand.

    Folds:
        All implementations run; the first answer in calling order that has a non-blank message is the
        verdict.

    Fails:
        An exception or a missed deadline is no opinion.

    Args:
        session_id: The session of the turn.
        attempt: How often the agent was sent back in this turn; 0 at first.
        final_response: The answer that it is about to give.
        changed_paths: Files edited in this turn.
        platform: Where the answer goes.
        model: The model that answered.
        coding: Whether the host takes the turn for a programming task.
        telemetry_schema_version: Version of the payload's form.

    Source:
        hermes-agent 0.19.0; not in the seed.

    Since:
        1.0

    Example:
        from hermes_hookspecs import Continue, hookimpl


        @hookimpl
        def pre_verify(attempt, changed_paths):
            untested = attempt == 0 and not any("test" in path for path in changed_paths)
            return Continue("Add a test for this change.") if untested else None
    """
