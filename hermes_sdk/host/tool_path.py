"""The way of one tool call, the same for every caller: the model, a child's model, `ctx.dispatch_tool`.

tool_request middleware -> pre_tool_call -> approval -> tool_execution middleware (what it passes on is
judged again) -> restorers, at the tool's boundary -> the tool -> post_tool_call -> transform_tool_result. A
call that is blocked, denied, cancelled or unknown leaves the way early and takes the last two steps all the
same, so that each pre_tool_call has its post_tool_call. (Rule: semantics 6.1 to 6.3.)
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hermes_sdk.host.calls import NOT_RUN, CallInFlight, ToolOutcome, own_copy
from hermes_sdk.host.events import MiddlewareApplied, ToolFinished, ToolStarted
from hermes_sdk.host.patch_format import PatchError
from hermes_sdk.host.toolbox import ToolArgumentError
from hermes_sdk.plugins.middleware import apply_request, run_execution

if TYPE_CHECKING:
    from hermes_sdk.host.approvals import ApprovalGate
    from hermes_sdk.host.fire import HookRelay
    from hermes_sdk.host.models.base import ToolCall
    from hermes_sdk.host.session import Session, Turn
    from hermes_sdk.host.toolbox import Tool, Toolbox
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)

RecordedResults: TypeAlias = Callable[[str], str | None]
"""Gives the stored result of a call by its id, when a transcript is replayed instead of run."""

CANCELLED: Final = ToolOutcome.failed(
    "cancelled: the turn was interrupted", status="cancelled", error_type="interrupted"
)


class ToolPath:
    """Takes the tool calls of one session along their way.

    Args:
        manager: Whose middleware and restorers stand on it.
        toolbox: The tools at its end.
        session: Whose calls they are.
        relay: Fires the hooks.
        gate: Asks a person.
        recorded: Gives results instead of running tools; None runs them.
    """

    def __init__(
        self,
        manager: PluginManager,
        toolbox: Toolbox,
        session: Session,
        relay: HookRelay,
        gate: ApprovalGate,
        *,
        recorded: RecordedResults | None = None,
    ) -> None:
        self._manager = manager
        self._toolbox = toolbox
        self._session = session
        self._relay = relay
        self._gate = gate
        self._recorded = recorded

    @property
    def replays(self) -> bool:
        """Whether results come from a transcript, so that nothing runs."""
        return self._recorded is not None

    def begin(self, turn: Turn, call: ToolCall) -> CallInFlight:
        """Take a call that somebody wishes for."""
        turn.tool_calls += 1
        problem: ToolOutcome | None = None
        if call.problem is not None:
            problem = ToolOutcome.failed(call.problem, error_type="invalid_arguments")
        elif not self.replays and self._toolbox.find(call.name) is None:
            problem = ToolOutcome.failed(self._toolbox.unknown(call.name), error_type="unknown_tool")
        return CallInFlight(
            id=call.id,
            name=call.name,
            args=own_copy(call.arguments),
            turn=turn,
            session_id=self._session.id,
            task_id=self._session.task_id,
            api_request_id=turn.api_request_id,
            problem=problem,
            original_args=own_copy(call.arguments),
        )

    def in_agent_thread(self, call: CallInFlight) -> bool:
        """Whether the call's tool must not leave the agent's thread."""
        tool = self._toolbox.find(call.name)
        return tool is not None and tool.agent_thread

    # -- before the tool -------------------------------------------------------------------------------

    def judge(self, call: CallInFlight) -> None:
        """Let middleware rewrite the request, then ask pre_tool_call."""
        args, call.trace = apply_request(
            self._manager, "tool_request", call.args, tool_name=call.name, **self._ids(call)
        )
        if call.trace:
            plugins = tuple(str(entry.get("plugin", "")) for entry in call.trace)
            self._tell_change(call, "tool_request", plugins, args)
        call.judged = True
        call.decision = self._relay.pre_tool_call(call, own_copy(args))
        call.args = call.decision.args
        if call.decision.blocked:
            call.refusal = _blocked(call.decision.message)
        elif call.problem is not None:
            call.refusal = call.problem

    def clear(self, call: CallInFlight) -> None:
        """Ask a person, where somebody has a reason to."""
        if not call.runnable or call.decision is None:
            return
        if call.turn.interrupt.is_set():
            call.refusal = CANCELLED
            return
        clearance = self._gate.clear(call, call.decision, self._session, self._relay, runs=not self.replays)
        call.approved = clearance.asked
        if not clearance.allowed:
            call.refusal = _blocked(clearance.message, clearance.error_type)

    # -- the tool --------------------------------------------------------------------------------------

    def execute(self, call: CallInFlight) -> None:
        """Run the tool of a cleared call, or end the call without it."""
        if call.runnable and call.turn.interrupt.is_set():
            call.refusal = CANCELLED
        if call.refusal is not None:
            self.finish(call, call.refusal)
            return
        try:
            outcome = self._run(call)
        except KeyboardInterrupt:
            call.turn.interrupt.set("Ctrl-C")
            outcome = CANCELLED
        self.finish(call, outcome)

    def _run(self, call: CallInFlight) -> ToolOutcome:
        reached: list[ToolOutcome] = []

        def boundary(passed: dict[str, Any]) -> str:
            reached.append(self._at_boundary(call, passed))
            return reached[-1].result

        value = run_execution(
            self._manager,
            "tool_execution",
            own_copy(call.args),
            boundary,
            tool_name=call.name,
            original_args=own_copy(call.original_args),
            middleware_trace=list(call.trace),
            **self._ids(call),
        )
        outcome = reached[-1] if reached else NOT_RUN
        if outcome.status in ("blocked", "cancelled") or (reached and value in (None, outcome.result)):
            return outcome
        if value is None:
            return ToolOutcome.failed("a middleware gave no result and did not run the tool")
        self._tell(call, "tool_execution", self._execution_plugins(), ("result",))
        return ToolOutcome.of_result(value)

    def _at_boundary(self, call: CallInFlight, passed: dict[str, Any]) -> ToolOutcome:
        if passed != call.args:
            refusal = self._judge_again(call, passed)
            if refusal is not None:
                return refusal
        self._relay.emit(ToolStarted, call.turn, call_id=call.id, tool_name=call.name, args=call.args)
        started = time.monotonic()
        try:
            return self._call_tool(call)
        except KeyboardInterrupt:
            call.turn.interrupt.set("Ctrl-C")
            return CANCELLED
        except (ToolArgumentError, PatchError) as error:
            return ToolOutcome.failed(str(error), error_type="invalid_arguments")
        except Exception as error:
            logger.exception("tool %s failed", call.name)
            kind = type(error).__name__
            return ToolOutcome.failed(f"tool {call.name} failed: {kind}: {error}", error_type=kind)
        finally:
            call.duration_ms = round((time.monotonic() - started) * 1000)

    def _call_tool(self, call: CallInFlight) -> ToolOutcome:
        if self._recorded is not None:
            stored = self._recorded(call.id)
            if stored is None:
                message = "the transcript has no result of this call"
                return ToolOutcome.failed(message, error_type="not_recorded")
            return ToolOutcome.of_result(stored)
        tool = self._toolbox.find(call.name)
        if tool is None:  # its plugin was unloaded since the call was judged
            return ToolOutcome.failed(self._toolbox.unknown(call.name), error_type="unknown_tool")
        return tool.handler(self._restored(tool, call), call)

    def _judge_again(self, call: CallInFlight, passed: dict[str, Any]) -> ToolOutcome | None:
        """Judge arguments that a tool_execution middleware changed; None when the tool may run with them."""
        self._tell_change(call, "tool_execution", self._execution_plugins(), passed)
        call.args = own_copy(passed)
        judged = own_copy(passed)
        decision = self._relay.pre_tool_call(call, judged, judgement=2)
        if decision.blocked:
            return _blocked(decision.message)
        if decision.args != call.args:
            logger.info("%s: a change by pre_tool_call is dropped, the arguments are final", call.name)
        decision = decision._replace(args=call.args)
        clearance = self._gate.clear(
            call, decision, self._session, self._relay, again=call.approved, runs=not self.replays
        )
        if not clearance.allowed:
            return _blocked(clearance.message, clearance.error_type)
        call.approved = call.approved or clearance.asked
        return None

    def _restored(self, tool: Tool, call: CallInFlight) -> dict[str, Any]:
        """Return the arguments with the originals of placeholders; only the tool sees them."""
        args = own_copy(call.args)
        if not tool.restores:
            return args
        changed_by = []
        for plugin, callback in self._manager.registrations.restorers:
            before = own_copy(args)
            value, error = self._manager.call_isolated(
                plugin, "restorer", callback, own_copy(args), tool_name=call.name, session_id=call.session_id
            )
            if error is None and isinstance(value, dict):
                args = value
            if args != before:
                changed_by.append(plugin)
        if changed_by:
            self._tell_change(call, "restorer", tuple(changed_by), args)
        return args

    # -- after the tool --------------------------------------------------------------------------------

    def finish(self, call: CallInFlight, outcome: ToolOutcome) -> None:
        """End a call: post_tool_call, transform_tool_result, and the result is what the model will see."""
        if not call.claim():
            logger.warning("%s: the result of a cancelled call came late and is dropped", call.name)
            return
        call.outcome = outcome
        self._relay.post_tool_call(call, outcome.result)
        result = self._relay.transform_tool_result(call, outcome.result).value
        call.result = result
        self._manager.touch_run_file()
        self._relay.emit(
            ToolFinished,
            call.turn,
            call_id=call.id,
            tool_name=call.name,
            args=call.args,
            status=outcome.status,
            result=result,
            duration_ms=call.duration_ms,
            error_message=outcome.error_message,
        )

    def cancel(self, call: CallInFlight) -> None:
        """End a call that the interrupt overtook, wherever on its way it is."""
        if not call.judged:
            self.judge(call)
        if call.result is None:
            self.finish(call, call.refusal or CANCELLED)

    def _ids(self, call: CallInFlight) -> dict[str, Any]:
        return {
            "task_id": call.task_id,
            "session_id": call.session_id,
            "tool_call_id": call.id,
            "turn_id": call.turn.id,
            "api_request_id": call.api_request_id,
        }

    def _execution_plugins(self) -> tuple[str, ...]:
        standing = self._manager.registrations.middleware("tool_execution")
        return tuple(dict.fromkeys(plugin for plugin, _ in standing))

    def _tell_change(self, call: CallInFlight, kind: str, plugins: tuple[str, ...], after: dict[str, Any]) -> None:
        changed = tuple(key for key in {**call.args, **after} if call.args.get(key) != after.get(key))
        self._tell(call, kind, plugins, changed)

    def _tell(self, call: CallInFlight, kind: str, plugins: tuple[str, ...], changed: tuple[str, ...]) -> None:
        about = {"tool_name": call.name, "call_id": call.id}
        self._relay.emit(MiddlewareApplied, call.turn, kind=kind, plugins=plugins, changed=changed, **about)


def _blocked(message: str | None, error_type: str = "plugin_block") -> ToolOutcome:
    return ToolOutcome.failed(message or "blocked by a plugin", status="blocked", error_type=error_type)
