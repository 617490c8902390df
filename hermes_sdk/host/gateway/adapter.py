"""What the gateway asks of an adapter, and what it offers to one.

An adapter connects one messaging platform. It turns what arrives there into a `MessageEvent` and hands it to
`Receiver.receive`; the gateway calls `send` with each answer. An adapter may also have ``show`` (see `ShowsNotes`):
without it, approval requests and notices arrive by `send` as plain text, and the other notes are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from hermes_sdk.host.gateway.messages import MessageEvent, Note, SendResult


class Receiver(Protocol):
    """The gateway as adapters see it."""

    async def receive(self, event: MessageEvent) -> None:
        """Take one message: it is queued in its chat, and this returns soon. Raises nothing for plugin faults.

        One that cannot be taken, because too many wait or it cannot be stored, is answered in its chat.
        """
        ...

    async def accept(self, event: MessageEvent) -> None:
        """Take one message, and return once it is stored, or was dealt with in another way.

        For adapters that acknowledge messages: what is acknowledged after it survives a crash. It may have to wait for
        plugins, so whatever reads the platform's connection must not wait for it.

        Raises:
            SessionError: It was not taken, because too many wait or it cannot be stored; it may be sent again later.
        """
        ...

    async def answer_approval(self, session_key: str, choice: str, *, approval_id: str | None = None) -> bool:
        """Answer the oldest open approval of a chat, or the one that is named; False when none is open.

        For surfaces with buttons, which know from the ``approval_request`` note what is asked. The adapter vouches
        that the person who pressed may answer in that chat.

        Args:
            session_key: From the note.
            choice: ``once``, ``session``, ``always`` or ``deny``; one that was not offered counts as ``deny``.
            approval_id: From the note.
        """
        ...


class Adapter(Protocol):
    """One platform."""

    @property
    def name(self) -> str:
        """The platform's name; `Source.platform` of its messages."""
        ...

    async def start(self, gateway: Receiver) -> None:
        """Connect, and hand messages to `gateway` from now on.

        Raises:
            Exception: When it cannot connect; the gateway reports it and runs on with the other adapters.
        """
        ...

    async def stop(self) -> None:
        """Disconnect. Called once, after the last turn has ended; no message arrives afterwards."""
        ...

    async def send(
        self, chat_id: str, text: str, *, thread_id: str | None = None, reply_to: str | None = None
    ) -> SendResult:
        """Send a text to a chat. A failure is a result, not an exception; one that raises counts as failed.

        Args:
            chat_id: The chat.
            text: What to say, Markdown or plain.
            thread_id: Topic or thread inside the chat.
            reply_to: Id of the message that this answers.
        """
        ...


@runtime_checkable
class ShowsNotes(Protocol):
    """An adapter that shows more than replies."""

    async def show(self, chat_id: str, note: Note, *, thread_id: str | None = None) -> None:
        """Show a note; one that raises counts as not delivered."""
        ...
