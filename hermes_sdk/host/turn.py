"""One turn: from a user message to the answer, with every hook at its place.

on_session_start (first turn, once the system prompt is built) -> pre_llm_call -> the loop of model requests
and tool calls -> pre_verify -> transform_llm_output -> post_llm_call -> on_session_end, which comes always.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hermes_sdk.errors import counted
from hermes_sdk.host.api import TurnInterruptedError
from hermes_sdk.host.batch import Batch
from hermes_sdk.host.conversation import assistant_message, tool_message, user_message, with_context
from hermes_sdk.host.events import (
    Answer,
    ContextSpilled,
    Notice,
    SessionStarted,
    TurnEnded,
    TurnStarted,
    VerifyAsked,
)
from hermes_sdk.host.models.base import ModelError, ToolCall
from hermes_sdk.host.session import new_call_id
from hermes_sdk.host.spill import fit
from hermes_sdk.host.system_prompt import in_checkout
from hermes_sdk.host.tool_path import CANCELLED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_sdk.host.conversation import Message
    from hermes_sdk.host.models.base import ModelReply
    from hermes_sdk.host.session import Turn
    from hermes_sdk.host.workbench import Workbench

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended."""

    answer: str | None
    """The final answer, after transform_llm_output; None without one."""
    completed: bool
    interrupted: bool
    reason: str | None
    """``iteration_limit``, ``model_error``, ``empty_answer``, or why interrupted; None if completed."""
    error: ModelError | None
    turn_id: str
    api_calls: int
    tool_calls: int
    duration_ms: float


class TurnRunner:
    """Runs one turn.

    Args:
        bench: The session's parts.
        turn: The turn, begun.
    """

    def __init__(self, bench: Workbench, turn: Turn) -> None:
        self._bench = bench
        self._session = bench.session
        self._relay = bench.relay
        self._turn = turn
        self._context = ""
        self._place = 0
        self._error: ModelError | None = None
        self._reason: str | None = "failed"
        self._answer: str | None = None
        self._ended = False

    def run(self) -> TurnResult:
        """Take the turn to its end.

        Returns:
            How it ended. A model that does not answer, Ctrl-C and `interrupt` are ends, not exceptions.
        """
        try:
            self._begin()
            answer = self._converse()
            if answer is not None:
                self._deliver(answer)
        except (TurnInterruptedError, KeyboardInterrupt) as error:
            self._turn.interrupt.set("Ctrl-C" if isinstance(error, KeyboardInterrupt) else "interrupted")
        except ModelError as error:
            self._error, self._reason = error, "model_error"
            self._relay.emit(Notice, self._turn, text=str(error), level="warning")
        finally:
            self._close_open_calls()
            self.end()
        return self.result()

    def result(self) -> TurnResult:
        """Return how the turn ended."""
        turn = self._turn
        return TurnResult(
            answer=self._answer,
            completed=self._answer is not None,
            interrupted=self._interrupted,
            reason=self._why,
            error=self._error,
            turn_id=turn.id,
            api_calls=turn.api_calls,
            tool_calls=turn.tool_calls,
            duration_ms=turn.duration_ms,
        )

    def end(self) -> None:
        """Fire on_session_end, once: at the end of the turn, or at exit while the turn still runs."""
        if self._ended:
            return
        self._ended = True
        completed = self._answer is not None
        self._relay.on_session_end(self._turn, completed=completed, interrupted=self._interrupted, reason=self._why)
        self._relay.emit(
            TurnEnded,
            self._turn,
            completed=completed,
            interrupted=self._interrupted,
            reason=self._why,
            duration_ms=self._turn.duration_ms,
            api_calls=self._turn.api_calls,
            tool_calls=self._turn.tool_calls,
        )

    @property
    def _interrupted(self) -> bool:
        return self._answer is None and self._turn.interrupt.is_set()

    @property
    def _why(self) -> str | None:
        if self._answer is not None:
            return None
        return self._turn.interrupt.reason if self._interrupted else self._reason

    # -- beginning -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        session, turn = self._session, self._turn
        self._relay.emit(TurnStarted, turn, number=turn.number, user_message=turn.user_message)
        is_first_turn = not session.history
        if session.system_prompt is None:
            session.system_prompt = self._bench.build_system_prompt()
            self._relay.emit(SessionStarted, turn, model=session.model, platform=session.platform)
            self._relay.on_session_start(turn)
        self._place = len(session.history)
        session.history.append(user_message(turn.user_message))
        added = self._relay.pre_llm_call(turn, is_first_turn=is_first_turn)
        if added.text:
            # a wrapper may have replaced the text, and then there are no pieces
            self._add_context(added.pieces or (added.text,))

    def _add_context(self, pieces: Iterable[str]) -> None:
        bench = self._bench
        self._context, spilled = fit(pieces, bench.settings.spill, bench.manager.home, self._session.id)
        for moved in spilled:
            self._relay.emit(ContextSpilled, self._turn, path=moved.path or "", characters=moved.characters)

    # -- the loop --------------------------------------------------------------------------------------

    def _converse(self) -> str | None:
        tools = self._bench.toolbox.definitions()
        for _ in range(self._bench.max_iterations):
            self._stop_if_interrupted()
            reply = self._bench.caller.ask(self._turn, self._messages(), tools)
            self._stop_if_interrupted()
            if reply.tool_calls:
                self._call_tools(reply)
                continue
            self._session.history.append(assistant_message(reply.text))
            follow_up = self._verify(reply.text)
            if follow_up is None:
                self._reason = None if reply.text.strip() else "empty_answer"
                return reply.text if reply.text.strip() else None
            self._session.history.append(user_message(follow_up))
        self._reason = "iteration_limit"
        text = f"the turn ends after {self._bench.max_iterations} model requests without an answer"
        self._relay.emit(Notice, self._turn, text=text, level="warning")
        return None

    def _messages(self) -> list[Message]:
        """Return what the model gets: the stored conversation, and this turn's context where it belongs."""
        messages: list[Message] = [{"role": "system", "content": self._session.system_prompt or ""}]
        messages += self._session.history
        if self._context:
            messages[self._place + 1] = with_context(messages[self._place + 1], self._context)
        return messages

    def _call_tools(self, reply: ModelReply) -> None:
        wished = _with_own_ids(reply.tool_calls)
        self._session.history.append(assistant_message(reply.text, wished))
        calls = [self._bench.path.begin(self._turn, call) for call in wished]
        Batch(self._bench.path, calls).run()
        for call in calls:
            # Ctrl-C in post_tool_call leaves a call that is over without a result
            result = CANCELLED.result if call.result is None else call.result
            self._session.history.append(tool_message(call.id, call.name, result))

    def _stop_if_interrupted(self) -> None:
        if self._turn.interrupt.is_set():
            raise TurnInterruptedError

    def _verify(self, answer: str) -> str | None:
        """Return the follow-up message of a plugin that keeps the agent going, or None."""
        turn = self._turn
        most = self._bench.settings.max_verify
        if not turn.changed_paths or not answer.strip() or not most:
            return None
        if turn.verify_attempts >= most:
            message = f"pre_verify asked to go on {counted(most, 'time')}, the answer goes out as it is"
            logger.info("%s: %s", turn.id, message)
            self._relay.emit(VerifyAsked, turn, attempt=turn.verify_attempts, message=message, stopped=True)
            return None
        coding = in_checkout(self._bench.workdir)
        decision = self._relay.pre_verify(turn, answer=answer, coding=coding)
        if decision.message is None:
            return None
        self._relay.emit(VerifyAsked, turn, attempt=turn.verify_attempts, message=decision.message)
        turn.verify_attempts += 1
        return decision.message

    # -- the end ---------------------------------------------------------------------------------------

    def _deliver(self, text: str) -> None:
        self._answer = self._relay.transform_llm_output(self._turn, text).value
        self._relay.emit(Answer, self._turn, text=self._answer)
        self._relay.post_llm_call(self._turn, self._answer)

    def _close_open_calls(self) -> None:
        """Give every tool call of the history a result: without one, no model takes the conversation."""
        history = self._session.history
        answered = {message.get("tool_call_id") for message in history if message["role"] == "tool"}
        last = next((message for message in reversed(history) if message["role"] == "assistant"), None)
        for call in (last or {}).get("tool_calls", ()):
            if call["id"] not in answered:
                history.append(tool_message(call["id"], call["function"]["name"], CANCELLED.result))


def _with_own_ids(calls: Iterable[ToolCall]) -> list[ToolCall]:
    """Return the calls, each with an id that no other one of the answer has: hooks pair up by them."""
    seen: set[str] = set()
    unique: list[ToolCall] = []
    for call in calls:
        own = call if call.id and call.id not in seen else replace(call, id=new_call_id())
        seen.add(own.id)
        unique.append(own)
    return unique
