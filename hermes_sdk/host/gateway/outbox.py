"""What one chat gets to see, in order: texts, notes, and answers that an earlier process owes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from hermes_sdk.host.gateway.job_queue import JobQueue

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from hermes_sdk.host.gateway.delivery import Delivery
    from hermes_sdk.host.gateway.messages import MessageEvent, Note, Source
    from hermes_sdk.host.gateway.sessions import Owed, SessionStore

LATE: Final = "[Late: the gateway ended before it knew that this answer had arrived.]\n"


class Outbox:
    """What goes out to a chat. Everything happens on the gateway's loop, but for what says otherwise.

    Args:
        delivery: Sends it.
        store: Is told which answers were sent.
        source: Where it goes.
        loop: The gateway's loop.
        name: For the log.
    """

    def __init__(
        self, delivery: Delivery, store: SessionStore, source: Source, loop: asyncio.AbstractEventLoop, name: str
    ) -> None:
        self.source = source
        """Where the chat's last message came from."""
        self.queue: Final = JobQueue(name)
        self._delivery = delivery
        self._store = store
        self._loop = loop

    def tell(self, text: str) -> None:
        """Send a text, after what is on its way, without waiting for it."""
        source = self.source

        async def send() -> None:
            await self._delivery.send(source, text)

        self.queue.put(send)

    async def say(self, text: str, event: MessageEvent | None = None) -> None:
        """Send a text, after what is on its way; returns when it is sent, or was not."""
        source = self.source if event is None else event.source
        reply_to = event.message_id if event is not None and not event.internal else None
        await self.queue.do(lambda: self._delivery.send(source, text, reply_to=reply_to))

    def show(self, note: Note, arrived: Callable[[bool], None] | None = None) -> None:
        """Show a note; `arrived` is told whether the platform took it."""
        source = self.source

        async def show() -> None:
            shown = await self._delivery.show(source, note)
            if arrived is not None:
                arrived(shown)

        self.queue.put(show)

    def show_from_thread(self, note: Note, arrived: Callable[[bool], None] | None = None) -> None:
        """Show a note, from any thread."""
        try:
            self._loop.call_soon_threadsafe(self.show, note, arrived)
        except RuntimeError:  # the loop is closed
            if arrived is not None:
                arrived(False)

    # -- answers that are kept until they are sent -----------------------------------------------------

    async def answer(self, owed: Owed) -> None:
        """Send the answer of a turn, after what is on its way; returns when it is sent, or was not."""
        await self.queue.do(partial(self._send_owed, owed))

    def send_late(self, owed: Owed) -> None:
        """Send an answer that an earlier process may not have sent."""
        self.queue.put(partial(self._send_owed, owed, LATE))

    async def _send_owed(self, owed: Owed, mark: str = "") -> None:
        if owed.source.platform not in self._delivery.platforms:
            return  # the next start may have it
        await self._delivery.send(owed.source, mark + owed.text, reply_to=owed.reply_to)
        self._store.sent(owed)
