"""The conversation of one chat: its agent, made or taken up when somebody writes, given back when nobody does."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from hermes_sdk.host.agent import Agent
from hermes_sdk.host.bridge import CURRENT
from hermes_sdk.host.conversation import user_message
from hermes_sdk.host.events import SessionStarted
from hermes_sdk.host.gateway.firing import Listeners
from hermes_sdk.host.gateway.narrator import TurnNarrator
from hermes_sdk.host.session import Surface, new_session_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.host.approvers import Approver
    from hermes_sdk.host.events import Event
    from hermes_sdk.host.gateway.messages import MessageEvent, Note, Source
    from hermes_sdk.host.gateway.parts import GatewayParts
    from hermes_sdk.host.gateway.sessions import Owed, StoredSession
    from hermes_sdk.host.turn import TurnResult
    from hermes_sdk.plugins.registrations import CommandEntry

ResetReason = Literal["new", "reset", "clear", "idle"]

SHUTDOWN: Final = "shutdown"
_HOOK_REASON: Final = {"idle": "idle"}
"""What hooks are told of why a conversation was replaced; for commands it is ``new_session``, as upstream has it."""


@dataclass(slots=True, eq=False)
class TurnJob:
    """A message on its way through its turn."""

    event: MessageEvent
    number: int
    """Of the accepted message in the store."""
    cut_off: str = ""
    """Why the turn is to end early."""
    owed: Owed | None = None
    """Its answer, which the store keeps until it is sent."""


class Conversation:
    """What a chat's agent is in. One thing at a time: the chat's queue sees to that.

    Args:
        parts: What all chats share.
        key: The chat's session key.
        approver: Asks the chat.
        show: Shows it a note, from any thread.
    """

    def __init__(self, parts: GatewayParts, key: str, approver: Approver, show: Callable[[Note], None]) -> None:
        self._parts = parts
        self._key = key
        self._approver = approver
        self._show = show
        self._narrator: TurnNarrator | None = None
        self._agent: Agent | None = None
        self._agent_lock = threading.Lock()
        self._seen = 0
        """Number of the last message of the transcript that the agent knows."""

    @property
    def agent(self) -> Agent | None:
        """Its agent; None before the first turn, and after it was given back."""
        return self._agent

    # -- in a thread -----------------------------------------------------------------------------------

    def run(self, job: TurnJob) -> TurnResult:
        """Run a turn: the message is stored before it begins, what came of it when it ends."""
        parts, event = self._parts, job.event
        session = parts.store.get_or_create_session(event.source)
        agent = self._agent_of(session)
        message = user_message(event.text)
        number = parts.store.begin_turn(job.number, session.session_id, event.source, message)
        agent.history.extend(parts.store.transcript(session.session_id, self._seen, before=number))
        length = len(agent.history)
        narrator = TurnNarrator(
            parts.hooks,
            event.source,
            session.session_id,
            self._key,
            event.text,
            begins=agent.system_prompt is None,
            show=self._show,
            started=lambda: _end_if_cut_off(agent, job),
        )
        self._narrator = narrator
        answer: tuple[str, MessageEvent] | None = None
        try:
            parts.before_turn(agent.model)
            result = agent.run_turn(event.text, sender_id=event.source.user_id)
            answer = None if result.answer is None else (result.answer, event)
        finally:
            self._narrator = None
            kept = None if job.cut_off == SHUTDOWN and answer is None else job.number
            added = agent.history[length + 1 :]
            self._seen, others, job.owed = parts.store.end_turn(kept, session.session_id, number, added, answer)
            if others:  # their order is the transcript's
                agent.history[:] = parts.store.transcript(session.session_id)
        narrator.ended(result.answer)
        return result

    def run_command(self, entry: CommandEntry, arguments: str, event: MessageEvent) -> str:
        """Run a plugin's slash command, and return what the chat is to see."""
        agent = self._agent_of(self._parts.store.get_or_create_session(event.source))
        token = CURRENT.set(agent)
        try:
            manager = self._parts.manager
            said, error = manager.call_isolated(entry.plugin, f"command /{entry.name}", entry.handler, arguments)
        finally:
            CURRENT.reset(token)
        if error is not None:
            return f"/{entry.name} of plugin {entry.plugin} failed: {error}"
        return "" if said is None else str(said)

    def _agent_of(self, session: StoredSession) -> Agent:
        """Return the agent of a conversation, made or taken up from the store."""
        with self._agent_lock:
            if self._agent is not None:
                return self._agent
            parts = self._parts
            agent = Agent(
                parts.manager,
                parts.model(),
                workdir=parts.workdir,
                platform=str(session.source.platform),
                session_id=session.session_id,
                approver=self._approver,
                listener=Listeners(self._hear, parts.listener),
                settings=parts.host_settings,
                system_prompt=parts.system_prompt,
                surface=Surface("gateway", self._key),
                hosted=True,
                tools=parts.tools,
            )
            if session.started:
                # its next turn brings what was said, with whatever else stands in the transcript by then
                agent.resume((), system_prompt=session.system_prompt, turns=session.turns)
            self._agent = agent
            return agent

    def _hear(self, event: Event) -> None:
        agent, narrator = self._agent, self._narrator
        if isinstance(event, SessionStarted) and not event.depth and agent is not None and agent.system_prompt:
            # before the first request goes out: whoever takes the session up must send the same bytes
            self._parts.store.keep_system_prompt(event.session_id, agent.system_prompt)
        if narrator is not None:
            narrator(event)

    # -- on the gateway's loop -------------------------------------------------------------------------

    async def replace(self, source: Source, reason: ResetReason) -> str:
        """Replace the conversation by a new one, every hook at its place, and return the new one's id."""
        parts = self._parts
        session = parts.store.get_or_create_session(source)
        old, new = session.session_id if session.started else None, new_session_id()
        chat = {"platform": str(source.platform), "user_id": source.user_id, "session_key": self._key}
        swap: dict[str, Any] = {
            "platform": str(source.platform),
            "reason": _HOOK_REASON.get(reason, "new_session"),
            "old_session_id": old,
            "new_session_id": new,
        }
        await parts.firing.fire("on_session_finalize", session.session_id, session_id=old, **swap)
        await parts.hooks.emit("session:end", chat)
        await self.release()
        parts.store.reset(self._key, reason, new)
        await parts.hooks.emit("session:reset", chat)
        await parts.firing.fire("on_session_reset", new, session_id=new, **swap)
        return new

    async def release(self) -> None:
        """Give the agent back: the store knows all that it knew."""
        agent, self._agent, self._seen = self._agent, None, 0
        if agent is not None:
            await self._parts.workers.run(self._key, agent.release)

    async def close(self) -> None:
        """Say that this process's part of the conversation is over; another process may take it up."""
        agent = self._agent
        if agent is None:
            return
        session = self._parts.store.find(self._key)
        if session is not None and session.started:
            await self._parts.firing.fire(
                "on_session_finalize",
                agent.session_id,
                session_id=agent.session_id,
                platform=agent.platform,
                reason=SHUTDOWN,
                old_session_id=agent.session_id,
                new_session_id=None,
            )
        await self.release()


def _end_if_cut_off(agent: Agent, job: TurnJob) -> None:
    """End a turn early that was cut off before the agent could be told."""
    if job.cut_off:
        agent.interrupt(job.cut_off)
