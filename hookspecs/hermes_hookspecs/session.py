"""Hooks of a session's life: started, turn over, closed, replaced."""

from __future__ import annotations

from hermes_hookspecs import samples
from hermes_hookspecs.markers import TELEMETRY_SCHEMA_VERSION, hookspec


@hookspec(
    kind="observer",
    sample={"session_id": samples.SESSION_ID, "model": samples.MODEL, "platform": "cli"},
)
def on_session_start(
    session_id: str,
    model: str,
    platform: str,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a new session begins.

    Runs:
        Once when a session is created: in its first turn only, after the system prompt is built and before
        the tool loop. Not when a session is continued.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the agent go
        on.

    Args:
        session_id: The new session.
        model: The model of the session.
        platform: Where the session takes place: ``"cli"``, ``"telegram"``, ``"subagent"``, ...
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H5.1 to H5.4.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        tool_calls = {}


        @hookimpl
        def on_session_start(session_id):
            tool_calls[session_id] = 0
    """


@hookspec(
    kind="observer",
    sample={
        "session_id": samples.SESSION_ID,
        "completed": True,
        "interrupted": False,
        "model": samples.MODEL,
        "platform": "cli",
        "api_request_id": samples.API_REQUEST_ID,
        "task_id": samples.TASK_ID,
        "turn_id": samples.TURN_ID,
    },
)
def on_session_end(
    session_id: str,
    completed: bool,
    interrupted: bool,
    model: str | None,
    platform: str,
    api_request_id: str = "",
    task_id: str = "",
    turn_id: str = "",
    reason: str | None = None,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a turn is over, whatever became of it.

    Runs:
        At the very end of every turn, after all cleanup, even when the turn failed; and at exit when a turn
        was running, then with ``completed=False`` and ``interrupted=True``. Despite its name not once a
        session.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the agent go
        on.

    Args:
        session_id: The session of the turn.
        completed: Whether a final answer was produced.
        interrupted: Whether the turn was cut short by a new message, ``/stop``, Ctrl-C or exit.
        model: The model of the session; None when none was chosen yet.
        platform: Where the session takes place.
        api_request_id: The last provider request of the turn; empty without one.
        task_id: The task that the turn belongs to; empty when unset.
        turn_id: The turn; the same in every hook that fired during it.
        reason: Why the turn ended, where the host has more to say than the two flags.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H6.1 to H6.5.

    Since:
        1.0

    Example:
        from collections import Counter

        from hermes_hookspecs import hookimpl

        outcomes = Counter()


        @hookimpl
        def on_session_end(completed, interrupted):
            outcomes["completed" if completed else "interrupted" if interrupted else "failed"] += 1
    """


@hookspec(
    kind="observer",
    sample={
        "session_id": samples.SESSION_ID,
        "platform": "cli",
        "reason": "new_session",
        "old_session_id": samples.SESSION_ID,
        "new_session_id": samples.NEW_SESSION_ID,
    },
)
def on_session_finalize(
    session_id: str | None,
    platform: str,
    reason: str | None = None,
    old_session_id: str | None = None,
    new_session_id: str | None = None,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a session is closed, the last chance before its id disappears.

    Runs:
        When the CLI (``/new``, exit) or the gateway (``/new``, ``/reset``, idle collection, shutdown) closes
        the active session. In the gateway on_session_reset follows, but not at shutdown.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the agent go
        on.

    Args:
        session_id: The outgoing session; None when there was no active one.
        platform: ``"cli"``, or the messaging platform's name.
        reason: Why it is closed, for example ``"new_session"``, ``"idle"`` or ``"shutdown"``.
        old_session_id: The outgoing session once more, where a host sends it.
        new_session_id: The session that replaces it; None when none does, or when its id is not made yet.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H7.1 to H7.5; beyond it, on_session_reset does not follow at shutdown.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        caches = {}


        @hookimpl
        def on_session_finalize(session_id):
            caches.pop(session_id, None)
    """


@hookspec(
    kind="observer",
    sample={
        "session_id": samples.NEW_SESSION_ID,
        "platform": "telegram",
        "reason": "new_session",
        "old_session_id": samples.SESSION_ID,
        "new_session_id": samples.NEW_SESSION_ID,
    },
)
def on_session_reset(
    session_id: str,
    platform: str,
    reason: str | None = None,
    old_session_id: str | None = None,
    new_session_id: str | None = None,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a chat of the gateway goes on under a new session id.

    Runs:
        When the gateway swaps the session of a chat (``/new``, ``/reset``, ``/clear``, idle rotation), after
        the new id exists and before the next message: on_session_finalize(old), swap, on_session_reset(new),
        then on_session_start(new) with the first turn.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the agent go
        on.

    Args:
        session_id: The new session.
        platform: The messaging platform's name.
        reason: Why it was swapped, for example ``"new_session"`` or ``"idle"``.
        old_session_id: The session before, where a host sends it.
        new_session_id: The new session once more, where a host sends it.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H8.1 to H8.4.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        rotated = []


        @hookimpl
        def on_session_reset(session_id, old_session_id):
            rotated.append((old_session_id, session_id))
    """
