"""Hooks of hermes-agent's task board."""

from __future__ import annotations

from hermes_hookspecs.markers import TELEMETRY_SCHEMA_VERSION, hookspec

_TASK = {
    "task_id": "task_42",
    "profile_name": "default",
    "board": "release",
    "assignee": "builder",
    "run_id": 7,
}


@hookspec(kind="observer", origin="hermes-0.19", sample=_TASK)
def kanban_task_claimed(
    task_id: str,
    profile_name: str,
    board: str | None,
    assignee: str | None,
    run_id: int | None,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a task of the board was claimed.

    Runs:
        Once per claim, after it was committed to the board's database.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the host go on.

    Args:
        task_id: The task on the board.
        profile_name: The Hermes profile that works on it.
        board: Name of the board; None for the default one.
        assignee: Who claimed it.
        run_id: Number of this attempt at the task.
        telemetry_schema_version: Version of the payload's form.

    Source:
        hermes-agent 0.19.0; not in the seed.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        claims = {}


        @hookimpl
        def kanban_task_claimed(task_id, assignee):
            claims[task_id] = assignee
    """


@hookspec(kind="observer", origin="hermes-0.19", sample={**_TASK, "summary": "Version 1.2 is tagged and published."})
def kanban_task_completed(
    task_id: str,
    profile_name: str,
    board: str | None,
    assignee: str | None,
    run_id: int | None,
    summary: str | None,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a task of the board was completed.

    Runs:
        Once per completion, after it was committed to the board's database.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the host go on.

    Args:
        task_id: The task on the board.
        profile_name: The Hermes profile that worked on it.
        board: Name of the board; None for the default one.
        assignee: Who completed it.
        run_id: Number of this attempt at the task.
        summary: What was done, in the agent's words; None without one.
        telemetry_schema_version: Version of the payload's form.

    Source:
        hermes-agent 0.19.0; not in the seed.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        done = []


        @hookimpl
        def kanban_task_completed(task_id, summary):
            done.append(f"{task_id}: {summary or 'no summary'}")
    """


@hookspec(kind="observer", origin="hermes-0.19", sample={**_TASK, "reason": "The signing key has expired."})
def kanban_task_blocked(
    task_id: str,
    profile_name: str,
    board: str | None,
    assignee: str | None,
    run_id: int | None,
    reason: str | None,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> None:
    """Observe that a task of the board cannot go on.

    Runs:
        Once each time a task is marked as blocked.

    Returns:
        Nothing; return values are ignored.

    Folds:
        All implementations run.

    Fails:
        An exception or a missed deadline is logged and counted; the other implementations and the host go on.

    Args:
        task_id: The task on the board.
        profile_name: The Hermes profile that worked on it.
        board: Name of the board; None for the default one.
        assignee: Who was working on it.
        run_id: Number of this attempt at the task.
        reason: What the task waits for; None without one.
        telemetry_schema_version: Version of the payload's form.

    Source:
        hermes-agent 0.19.0; not in the seed.

    Since:
        1.0

    Example:
        from hermes_hookspecs import hookimpl

        waiting = {}


        @hookimpl
        def kanban_task_blocked(task_id, reason):
            waiting[task_id] = reason
    """
