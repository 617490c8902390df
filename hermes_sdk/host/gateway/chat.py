"""One chat: its messages in order, its conversation, and what goes out to it.

Three queues, each in order: what comes in is judged (`intake`), what the agent or a plugin has to do is done (`work`),
what the chat gets to see is sent (`outbox`). So `/stop` and `/approve` get through while a turn runs, and a slow
adapter holds up neither the agent nor other chats.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from hermes_sdk.errors import SessionError
from hermes_sdk.host.gateway.approvals import ChatApprover
from hermes_sdk.host.gateway.conversation import SHUTDOWN, Conversation, TurnJob
from hermes_sdk.host.gateway.job_queue import JobQueue
from hermes_sdk.host.gateway.messages import Note
from hermes_sdk.host.gateway.outbox import Outbox

if TYPE_CHECKING:
    import asyncio

    from hermes_sdk.host.gateway.conversation import ResetReason
    from hermes_sdk.host.gateway.messages import MessageEvent, Source
    from hermes_sdk.host.gateway.parts import GatewayParts
    from hermes_sdk.plugins.registrations import CommandEntry

logger = logging.getLogger(__name__)

NEW_MESSAGE: Final = "new_message"
STOPPED: Final = "stop"


class Chat:
    """One chat of a gateway. Everything happens on the gateway's loop.

    Args:
        parts: What all chats share.
        key: Its session key.
        source: Where its first message came from.
        loop: The gateway's loop.
    """

    def __init__(self, parts: GatewayParts, key: str, source: Source, loop: asyncio.AbstractEventLoop) -> None:
        self.key = key
        self.intake = JobQueue(f"intake of {key}")
        self._work = JobQueue(f"work of {key}")
        self.outbox = Outbox(parts.delivery, parts.store, source, loop, f"outbox of {key}")
        self._parts = parts
        self._approver = ChatApprover(key, self.outbox.show_from_thread)
        self._conversation = Conversation(parts, key, self._approver, self.outbox.show_from_thread)
        self._turns: list[TurnJob] = []
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
        queues = (self.intake, self._work, self.outbox.queue)
        return self._conversation.agent is None and all(queue.idle for queue in queues)

    @property
    def session_id(self) -> str | None:
        """Id of the conversation that its agent is in; None before the first turn."""
        agent = self._conversation.agent
        return None if agent is None else agent.session_id

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
            self.outbox.tell(f"{error.what.capitalize()}: {error.why}; {error.fix}.")

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
            if self._conversation.agent is not None:
                self._conversation.agent.interrupt(reason)

    def answer_approval(self, choice: str, approval_id: str | None = None, by: str | None = None) -> bool:
        """Answer the open approval, in the name of a user; False where there is none."""
        return self._approver.answer(choice, approval_id, by)

    @property
    def approval_choices(self) -> tuple[str, ...]:
        """What the open approval may be answered with; nothing where none is open."""
        return self._approver.offered

    # -- turns -----------------------------------------------------------------------------------------

    async def _turn(self, job: TurnJob) -> None:
        event, outbox = job.event, self.outbox
        if job.cut_off == SHUTDOWN:  # it has not begun: the next start finds it
            self._turns.remove(job)
            return
        outbox.source = event.source
        outbox.show(Note("typing", "working", {"active": True}))
        try:
            result = await self._parts.workers.run(self.key, lambda: self._conversation.run(job))
        except Exception as error:
            logger.exception("the turn of chat %s failed", self.key)
            self._parts.store.settle(job.number)
            await outbox.say(f"This message could not be worked on: {type(error).__name__}.", event)
        else:
            if job.owed is not None:
                await outbox.answer(job.owed)
            elif job.cut_off == SHUTDOWN:
                await outbox.say("The gateway stops before this is done. Your message is kept.", event)
            elif result.reason == "empty_answer":
                await outbox.say("The model gave no answer.", event)
        finally:
            self._turns.remove(job)
            outbox.show(Note("typing", "done", {"active": False}))

    # -- plugins' commands -----------------------------------------------------------------------------

    def run_command(self, entry: CommandEntry, arguments: str, event: MessageEvent) -> None:
        """Run a plugin's slash command after the work that is there; it may take its time, and ask.

        Raises:
            SessionError: Too much waits.
        """
        self.expect_room(self._work, event)

        async def run() -> None:
            text = await self._parts.workers.run(
                self.key, lambda: self._conversation.run_command(entry, arguments, event)
            )
            if text:
                await self.outbox.say(text, event)

        self._work.put(run)

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
        new = await self._conversation.replace(source, reason)
        data = {"session_key": self.key, "session_id": new, "reason": reason}
        self.outbox.show(Note("session_reset", "A new conversation begins.", data))

    def rest(self, before: float) -> None:
        """Give the agent back, if nothing was said since a moment (seconds since 1970): the store knows it all."""
        if self._conversation.agent is None or self.busy:
            return

        async def run() -> None:
            session = self._parts.store.find(self.key)
            agent = self._conversation.agent
            if agent is not None and agent.resumable and (session is None or session.active_at <= before):
                await self._conversation.release()

        self._work.put(run)

    # -- the end ---------------------------------------------------------------------------------------

    def close_to_turns(self) -> None:
        """Begin no turn any more: what comes now is kept for the next start."""
        self._closing = True

    async def finished(self) -> None:
        """Wait until the work that is there is done, and the chat has seen it."""
        for queue in (self.intake, self._work, self.outbox.queue):
            await queue.drained()

    def hurry(self) -> None:
        """End what runs early, because the gateway stops."""
        self._approver.withdraw("the gateway stops", for_good=True)
        self.interrupt(SHUTDOWN)

    async def close(self) -> None:
        """Say that the process's part of the conversation is over; another process may take it up."""
        for queue in (self.intake, self._work, self.outbox.queue):
            queue.cancel()
        await self._conversation.close()
