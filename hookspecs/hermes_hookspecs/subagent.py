"""Hooks of child agents that delegate_task starts."""

from __future__ import annotations

from typing import Literal

from hermes_hookspecs import samples
from hermes_hookspecs.markers import TELEMETRY_SCHEMA_VERSION, hookspec


@hookspec(
    kind="observer",
    origin="hermes-0.19",
    sample={
        "parent_session_id": samples.SESSION_ID,
        "parent_turn_id": samples.TURN_ID,
        "parent_subagent_id": None,
        "child_session_id": samples.CHILD_SESSION_ID,
        "child_subagent_id": "sub_0001",
        "child_role": "leaf",
        "child_goal": "Find out why test_login fails.",
    },
)
def subagent_start(
    parent_session_id: str | None,
    parent_turn_id: str,
    parent_subagent_id: str | None,
    child_session_id: str | None,
    child_subagent_id: str,
    child_role: str | None,
    child_goal: str,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a child agent is about to run.

    Runs:
        Once per child, when it was built and before its first turn.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the agent go
        on.

    Args:
        parent_session_id: The session that delegated.
        parent_turn_id: The turn that delegated.
        parent_subagent_id: The parent's own child-agent id; None when the parent is the user's agent.
        child_session_id: The child's session; its hooks fire under this id.
        child_subagent_id: The child's id among the child agents.
        child_role: Role given by delegate_task; None without roles.
        child_goal: The task as the parent put it.
        telemetry_schema_version: Version of the payload's form.

    Source:
        hermes-agent 0.19.0; not in the seed.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        goals = {}


        @hookimpl
        def subagent_start(child_session_id, child_goal):
            goals[child_session_id] = child_goal
    """


@hookspec(
    kind="observer",
    sample={
        "parent_session_id": samples.SESSION_ID,
        "child_role": "leaf",
        "child_summary": "test_login fails because the database is not migrated.",
        "child_status": "completed",
        "duration_ms": 8450,
        "parent_turn_id": samples.TURN_ID,
        "child_session_id": samples.CHILD_SESSION_ID,
    },
)
def subagent_stop(
    parent_session_id: str | None,
    child_role: str | None,
    child_summary: str | None,
    child_status: Literal["completed", "failed", "interrupted", "error", "timeout"],
    duration_ms: int,
    parent_turn_id: str = "",
    child_session_id: str | None = None,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a child agent is done.

    Runs:
        Once per child after delegate_task finished, whether it had one task or several: one after another, in
        the parent's thread. Heavy delegation fires it many times a turn, so keep implementations fast.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run, never two at a time.

    Fails:
        An exception is logged and counted; the other implementations and the agent go on. A deadline applies
        to asynchronous implementations only.

    Args:
        parent_session_id: The session that delegated.
        child_role: Role given by delegate_task; None without roles.
        child_summary: The child's final answer to its parent; None without one.
        child_status: How the child ended.
        duration_ms: Time that the child ran, in milliseconds.
        parent_turn_id: The turn that delegated.
        child_session_id: The child's session; its hooks fired under this id.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H9.1 to H9.5; the status ``"timeout"`` and the two ids are hermes-agent's.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        spent_ms = {}


        @hookimpl
        def subagent_stop(parent_session_id, duration_ms):
            spent_ms[parent_session_id] = spent_ms.get(parent_session_id, 0) + duration_ms
    """
