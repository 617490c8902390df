"""One chat: its messages in order, its agent, and what goes out to it.

Three queues, each in order: what comes in is judged (`intake`), what the agent or a plugin has to do is done (`work`),
what the chat gets to see is sent (`outbox`). So `/stop` and `/approve` get through while a turn runs, and a slow
adapter holds up neither the agent nor other chats.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from hermes_sdk.errors import SessionError
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.bridge import CURRENT
from hermes_sdk.host.conversation import user_message
from hermes_sdk.host.events import SessionStarted
from hermes_sdk.host.gateway.approvals import ChatApprover
from hermes_sdk.host.gateway.firing import Listeners
from hermes_sdk.host.gateway.job_queue import JobQueue
from hermes_sdk.host.gateway.messages import Note
from hermes_sdk.host.gateway.narrator import TurnNarrator
from hermes_sdk.host.session import Surface, new_session_id

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from hermes_sdk.host.events import Event
    from hermes_sdk.host.gateway.messages import MessageEvent, Source
    from hermes_sdk.host.gateway.parts import GatewayParts
    from hermes_sdk.host.gateway.sessions import Owed, StoredSession
    from hermes_sdk.host.turn import TurnResult
    from hermes_sdk.plugins.registrations import CommandEntry

logger = logging.getLogger(__name__)

ResetReason = Literal["new", "reset", "clear", "idle"]

SHUTDOWN: Final = "shutdown"
NEW_MESSAGE: Final = "new_message"
STOPPED: Final = "stop"
LATE: Final = "[Late: the gateway ended before it knew that this answer had arrived.]\n"
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


class Chat:
    """One chat of a gateway. Everything happens on the gateway's loop, but for turns and what says otherwise.

    Args:
        parts: What all chats share.
        key: Its session key.
        source: Where its first message came from.
        loop: The gateway's loop.
    """

    def __init__(self, parts: GatewayParts, key: str, source: Source, loop: asyncio.AbstractEventLoop) -> None:
        self.key = key
        self.source = source
        """Where its last message came from."""
        self.intake = JobQueue(f"intake of {key}")
        self._work = JobQueue(f"work of {key}")
        self._outbox = JobQueue(f"outbox of {key}")
        self._parts = parts
        self._loop = loop
        self._approver = ChatApprover(key, self._post)
        self._turns: list[TurnJob] = []
        self._narrator: TurnNarrator | None = None
        self._agent: Agent | None = None
        self._agent_lock = threading.Lock()
        self._seen = 0
        """Number of the last message of the transcript that the agent knows."""
        self._closing = False
        self._refusing = False

    # -- state -----------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a turn or a plugin's command runs or waits."""
        return not self._work.idle

    @property
    def forgettable(self) -> bool:
        """Whether nothing is lost with this object: all that counts is in the store."""
        queues = (self.intake, self._work, self._outbox)
        return self._agent is None and all(queue.idle for queue in queues)

    @property
    def session_id(self) -> str | None:
        """Id of the conversation that its agent is in; None before the first turn."""
        return None if self._agent is None else self._agent.session_id

    # -- messages --------------------------------------------------------------------------------------

    def take(self, event: MessageEvent, *, number: int | None = None, interrupts: bool | None = None) -> None:
        """Let a message be the next turn; a turn that runs or waits before it ends early, unless it may not be.

        Args:
            event: The message.
            number: Of a message that was accepted by an earlier process.
            interrupts: Whether it ends the running turn; by the settings, and never for internal events, by default.

        Raises:
            SessionError: Too many messages wait.
        """
        if number is None:
            self.expect_room(self._work, event)
            number = self._parts.store.accept(self.key, event)
            self._refusing = False
        if self._closing:
            return  # the next start finds it
        if interrupts is None:
            interrupts = not event.internal and not self._parts.settings.waits(event.source.platform)
        if interrupts:
            self.interrupt(NEW_MESSAGE)
        job = TurnJob(event, number)
        self._turns.append(job)
        self._work.put(lambda: self._turn(job))

    def expect_room(self, queue: JobQueue, event: MessageEvent) -> None:
        """Let no chat pile up more than `gateway.max_waiting` of what people write.

        Args:
            queue: One of this chat's.
            event: What is to be put there; the host's own is always taken.

        Raises:
            SessionError: There are too many.
        """
        most = self._parts.settings.max_waiting
        if len(queue) >= most and not event.internal:
            raise SessionError(
                "this message was not taken",
                why=f"{most} messages wait in this chat already",
                fix="write again when they are done, or end them with /stop",
                code="HS450",
            )

    def tell_refusal(self, error: SessionError) -> None:
        """Tell the chat that a message was not taken: once, until one is taken again, as a flood brings many."""
        if not self._refusing:
            self._refusing = True
            logger.warning("messages in %s are not taken: %s", self.key, error.why)
            self.tell(f"{error.what.capitalize()}: {error.why}; {error.fix}.")

    def interrupt(self, reason: str) -> bool:
        """End the turn that runs, and those that wait, early; False where there is none."""
        for job in self._turns:
            self._cut_off(job, reason)
        return bool(self._turns)

    def _cut_off(self, job: TurnJob, reason: str) -> None:
        if not job.cut_off:
            job.cut_off = reason
        if job is self._turns[0]:
            self._approver.withdraw("the turn was interrupted")
            if self._agent is not None:
                self._agent.interrupt(reason)

    def answer_approval(self, choice: str, approval_id: str | None = None, by: str | None = None) -> bool:
        """Answer the open approval, in the name of a user; False where there is none."""
        return self._approver.answer(choice, approval_id, by)

    @property
    def approval_choices(self) -> tuple[str, ...]:
        """What the open approval may be answered with; nothing where none is open."""
        return self._approver.offered

    # -- turns -----------------------------------------------------------------------------------------

    async def _turn(self, job: TurnJob) -> None:
        event = job.event
        if job.cut_off == SHUTDOWN:  # it has not begun: the next start finds it
            self._turns.remove(job)
            return
        self.source = event.source
        self._show(Note("typing", "working", {"active": True}))
        try:
            result = await self._parts.workers.run(self.key, lambda: self._run(job))
        except Exception as error:
            logger.exception("the turn of chat %s failed", self.key)
            self._parts.store.settle(job.number)
            await self.say(f"This message could not be worked on: {type(error).__name__}.", event)
        else:
            if job.owed is not None:
                await self._outbox.do(partial(self._send_owed, job.owed))
            elif job.cut_off == SHUTDOWN:
                await self.say("The gateway stops before this is done. Your message is kept.", event)
            elif result.reason == "empty_answer":
                await self.say("The model gave no answer.", event)
        finally:
            self._turns.remove(job)
            self._show(Note("typing", "done", {"active": False}))

    def _run(self, job: TurnJob) -> TurnResult:
        """Run a turn, in a thread: the message is stored before it begins, what came of it when it ends."""
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
            self.key,
            event.text,
            begins=agent.system_prompt is None,
            show=self.show_from_thread,
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

    def _agent_of(self, session: StoredSession) -> Agent:
        """Return the agent of a conversation, made or taken up from the store; in a thread."""
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
                surface=Surface("gateway", self.key),
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

    # -- plugins' commands -----------------------------------------------------------------------------

    def run_command(self, entry: CommandEntry, arguments: str, event: MessageEvent) -> None:
        """Run a plugin's slash command after the work that is there; it may take its time, and ask.

        Raises:
            SessionError: Too much waits.
        """
        self.expect_room(self._work, event)

        async def run() -> None:
            text = await self._parts.workers.run(self.key, lambda: self._command(entry, arguments, event))
            if text:
                await self.say(text, event)

        self._work.put(run)

    def _command(self, entry: CommandEntry, arguments: str, event: MessageEvent) -> str:
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

    # -- conversations ---------------------------------------------------------------------------------

    def reset(self, reason: ResetReason, event: MessageEvent) -> None:
        """Begin a new conversation after the work that is there; a turn that runs ends early.

        Raises:
            SessionError: Too much waits.
        """
        self.expect_room(self._work, event)
        self.interrupt("new_session")

        async def run() -> None:
            await self._replace(event.source, reason)

        self._work.put(run)

    def expire(self, before: float) -> None:
        """Begin a new conversation, if nothing was said since a moment (seconds since 1970)."""

        async def run() -> None:
            session = self._parts.store.find(self.key)
            if session is not None and session.started and session.active_at <= before:
                await self._replace(session.source, "idle")

        self._work.put(run)

    async def _replace(self, source: Source, reason: ResetReason) -> None:
        """Replace the conversation, every hook at its place."""
        parts = self._parts
        session = parts.store.get_or_create_session(source)
        old, new = session.session_id if session.started else None, new_session_id()
        chat = {"platform": str(source.platform), "user_id": source.user_id, "session_key": self.key}
        swap: dict[str, Any] = {
            "platform": str(source.platform),
            "reason": _HOOK_REASON.get(reason, "new_session"),
            "old_session_id": old,
            "new_session_id": new,
        }
        await parts.firing.fire("on_session_finalize", session.session_id, session_id=old, **swap)
        await parts.hooks.emit("session:end", chat)
        await self._release()
        parts.store.reset(self.key, reason, new)
        await parts.hooks.emit("session:reset", chat)
        await parts.firing.fire("on_session_reset", new, session_id=new, **swap)
        data = {"session_key": self.key, "session_id": new, "reason": reason}
        self._show(Note("session_reset", "A new conversation begins.", data))

    def rest(self, before: float) -> None:
        """Give the agent back, if nothing was said since a moment (seconds since 1970): the store knows it all."""
        if self._agent is None or self.busy:
            return

        async def run() -> None:
            session = self._parts.store.find(self.key)
            agent = self._agent
            if agent is not None and agent.resumable and (session is None or session.active_at <= before):
                await self._release()

        self._work.put(run)

    async def _release(self) -> None:
        agent, self._agent, self._seen = self._agent, None, 0
        if agent is not None:
            await self._parts.workers.run(self.key, agent.release)

    # -- the end ---------------------------------------------------------------------------------------

    def close_to_turns(self) -> None:
        """Begin no turn any more: what comes now is kept for the next start."""
        self._closing = True

    async def finished(self) -> None:
        """Wait until the work that is there is done, and the chat has seen it."""
        await self.intake.drained()
        await self._work.drained()
        await self._outbox.drained()

    def hurry(self) -> None:
        """End what runs early, because the gateway stops."""
        self._approver.withdraw("the gateway stops", for_good=True)
        self.interrupt(SHUTDOWN)

    async def close(self) -> None:
        """Say that the process's part of the conversation is over; another process may take it up."""
        for queue in (self.intake, self._work, self._outbox):
            queue.cancel()
        agent = self._agent
        if agent is None:
            return
        session = self._parts.store.find(self.key)
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
        await self._release()

    # -- what goes out ---------------------------------------------------------------------------------

    def tell(self, text: str) -> None:
        """Send a text to the chat, after what is on its way, without waiting for it."""
        source = self.source

        async def send() -> None:
            await self._parts.delivery.send(source, text)

        self._outbox.put(send)

    def send_late(self, owed: Owed) -> None:
        """Send an answer that an earlier process may not have sent."""
        self._outbox.put(partial(self._send_owed, owed, LATE))

    async def _send_owed(self, owed: Owed, mark: str = "") -> None:
        delivery = self._parts.delivery
        if owed.source.platform not in delivery.platforms:
            return  # the next start may have it
        await delivery.send(owed.source, mark + owed.text, reply_to=owed.reply_to)
        self._parts.store.sent(owed)

    async def say(self, text: str, event: MessageEvent | None = None) -> None:
        """Send a text to the chat, after what is on its way; returns when it is sent, or was not."""
        source = self.source if event is None else event.source
        reply_to = event.message_id if event is not None and not event.internal else None
        await self._outbox.do(lambda: self._parts.delivery.send(source, text, reply_to=reply_to))

    def _show(self, note: Note, arrived: Callable[[bool], None] | None = None) -> None:
        source = self.source

        async def show() -> None:
            shown = await self._parts.delivery.show(source, note)
            if arrived is not None:
                arrived(shown)

        self._outbox.put(show)

    def show_from_thread(self, note: Note) -> None:
        """Show a note, from any thread."""
        self._post(note, None)

    def _post(self, note: Note, arrived: Callable[[bool], None] | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._show, note, arrived)
        except RuntimeError:  # the loop is closed
            if arrived is not None:
                arrived(False)


def _end_if_cut_off(agent: Agent, job: TurnJob) -> None:
    """End a turn early that was cut off before the agent could be told."""
    if job.cut_off:
        agent.interrupt(job.cut_off)
