"""The tool ``delegate_task``: child agents that really run, each a session of its own.

Children run in a thread pool; subagent_stop comes once a child, one after another in the parent's thread,
when all of them are drained. Their roles come from the tool's arguments. (Rule: semantics 6.4; seed H9.)
"""

from __future__ import annotations

import contextvars
import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.host.batch import INTERRUPT_GRACE
from hermes_sdk.host.calls import CallInFlight, ToolOutcome
from hermes_sdk.host.events import ChildFinished, ChildStarted
from hermes_sdk.host.models.base import ModelError
from hermes_sdk.host.toolbox import Tool, ToolArgumentError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from hermes_sdk.host.agent import Agent
    from hermes_sdk.host.events import ChildStatus
    from hermes_sdk.host.turn import TurnResult

logger = logging.getLogger(__name__)

MOST_TASKS: Final = 20
"""Tasks that one call may hand out."""

_POLL: Final = 0.05

_TASK: Final = {
    "goal": {"type": "string", "description": "What the child agent is to do; it knows nothing else."},
    "context": {"type": "string", "description": "What it needs to know: paths, errors, constraints."},
    "role": {"type": "string", "description": "A tag for the child agent: leaf, orchestrator, reviewer, ..."},
}
_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        **_TASK,
        "tasks": {
            "type": "array",
            "items": {"type": "object", "properties": _TASK, "required": ["goal"]},
            "description": "Several tasks that run beside each other, instead of goal.",
        },
    },
}


@dataclass(slots=True)
class _Child:
    """One task under way."""

    goal: str
    message: str
    role: str | None
    agent: Agent | None = None
    future: Future[TurnResult] | None = None
    started: float = 0.0
    duration_ms: int = 0
    timed_out: bool = False
    status: ChildStatus = "error"
    summary: str | None = None
    error: str | None = None


class Delegation:
    """Hands tasks of one agent to child agents.

    Args:
        agent: The parent.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._settings = agent.settings

    def tools(self) -> list[Tool]:
        """Return the tool, or nothing where children may not have children."""
        if self._agent.depth >= self._settings.max_depth:
            return []
        about = "Hand one task, or several at once, to child agents and get their reports."
        # placeholders stay: the child's own tools put the originals back, its hooks must not see them
        tool = Tool("delegate_task", about, _PARAMETERS, self.delegate, restores=False, agent_thread=True)
        return [tool]

    def delegate(self, args: dict[str, Any], call: CallInFlight) -> ToolOutcome:
        """Run the child agents and return their reports."""
        children = _read_tasks(args)
        started = time.monotonic()
        for child in children:
            self._build(child, call)
        self._run([child for child in children if child.agent is not None], call)
        for child in children:
            if child.agent is not None:
                self._report(child, call)
        results = [_result(index, child) for index, child in enumerate(children)]
        seconds = round(time.monotonic() - started, 3)
        fields = {"results": results, "total_duration_seconds": seconds}
        if call.turn.interrupt.is_set():
            return ToolOutcome.failed("interrupted", status="cancelled", error_type="interrupted", **fields)
        return ToolOutcome(json.dumps(fields, ensure_ascii=False))

    def _build(self, child: _Child, call: CallInFlight) -> None:
        try:
            child.agent = self._agent.child(child.goal)
        except ModelError as error:
            child.error = str(error)
            return
        self._agent.relay.subagent_start(call.turn, child_id=child.agent.session_id, role=child.role, goal=child.goal)
        self._agent.relay.emit(
            ChildStarted,
            call.turn,
            child_session_id=child.agent.session_id,
            goal=child.goal,
            role=child.role,
        )

    def _run(self, children: list[_Child], call: CallInFlight) -> None:
        pool = ThreadPoolExecutor(self._settings.max_children, thread_name_prefix="hermes-child")
        try:
            for child in children:
                child.future = pool.submit(contextvars.copy_context().run, _work, child)
            self._drain(children, call)
        finally:
            # a child that does not end after an interrupt is left behind rather than waited for
            pool.shutdown(wait=False, cancel_futures=True)

    def _drain(self, children: list[_Child], call: CallInFlight) -> None:
        interrupt = call.turn.interrupt
        give_up: float | None = None
        futures = [child.future for child in children if child.future is not None]
        while not all(future.done() for future in futures):
            try:
                wait(futures, _POLL)
            except KeyboardInterrupt:
                interrupt.set("Ctrl-C")
            now = time.monotonic()
            for child in children:
                late = child.started and now - child.started > self._settings.child_timeout
                if child.agent is not None and late and not child.timed_out:
                    child.timed_out = True
                    child.agent.interrupt("timeout")
            if interrupt.is_set():
                for child in children:
                    if child.agent is not None:
                        child.agent.interrupt("the parent was interrupted")
                for future in futures:
                    future.cancel()
                give_up = give_up or now + 2 * INTERRUPT_GRACE
                if now > give_up:
                    return

    def _report(self, child: _Child, call: CallInFlight) -> None:
        agent = child.agent
        if agent is None:
            return
        self._judge(child)
        self._agent.relay.subagent_stop(
            call.turn,
            child_id=agent.session_id,
            role=child.role,
            summary=child.summary,
            status=child.status,
            duration_ms=child.duration_ms,
        )
        self._agent.relay.emit(
            ChildFinished,
            call.turn,
            child_session_id=agent.session_id,
            goal=child.goal,
            role=child.role,
            status=child.status,
            summary=child.summary,
            duration_ms=child.duration_ms,
        )

    def _judge(self, child: _Child) -> None:
        future = child.future
        if future is None or future.cancelled() or not future.done():
            child.status, child.error = "interrupted", "interrupted"
            return
        failure = future.exception()
        if failure is not None:
            child.error = f"{type(failure).__name__}: {failure}"
            return
        result = future.result()
        child.summary = result.answer
        if result.completed:
            child.status = "completed"
        elif child.timed_out:
            child.status, child.error = "timeout", f"ended after {self._settings.child_timeout:g} s"
        elif result.interrupted:
            child.status, child.error = "interrupted", result.reason
        elif result.error is not None:
            child.status, child.error = "error", str(result.error)
        else:
            child.status, child.error = "failed", result.reason


def _work(child: _Child) -> TurnResult:
    agent = child.agent
    if agent is None:
        raise RuntimeError("a child that was not built cannot run")
    child.started = time.monotonic()
    try:
        return agent.run_turn(child.message)
    finally:
        child.duration_ms = round((time.monotonic() - child.started) * 1000)
        agent.close("child_finished")


def _read_tasks(args: dict[str, Any]) -> list[_Child]:
    tasks = args.get("tasks")
    if tasks is None:
        tasks = [args]
    if not isinstance(tasks, list) or not tasks:
        raise ToolArgumentError("give a goal, or a list of tasks with a goal each")
    if len(tasks) > MOST_TASKS:
        raise ToolArgumentError(f"{len(tasks)} tasks are too many: at most {MOST_TASKS} at once")
    return [_read_task(task) for task in tasks]


def _read_task(task: object) -> _Child:
    goal = task.get("goal") if isinstance(task, dict) else None
    if not isinstance(task, dict) or not isinstance(goal, str) or not goal.strip():
        raise ToolArgumentError("every task needs a goal")
    context, role = task.get("context"), task.get("role")
    message = f"{goal}\n\n{context}" if isinstance(context, str) and context.strip() else goal
    return _Child(goal, message, role if isinstance(role, str) and role else None)


def _result(index: int, child: _Child) -> dict[str, Any]:
    result: dict[str, Any] = {
        "task_index": index,
        "status": child.status,
        "summary": child.summary,
        "duration_seconds": child.duration_ms / 1000,
    }
    if child.role:
        result["role"] = child.role
    if child.error:
        result["error"] = child.error
    return result
