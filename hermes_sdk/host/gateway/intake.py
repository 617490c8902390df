"""What becomes of a message that comes in: plugins judge it, then it is authorised, a slash command, or a turn."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from hermes_sdk.errors import SessionError

if TYPE_CHECKING:
    import asyncio

    from hermes_sdk.dispatch.outcomes import DispatchDecision
    from hermes_sdk.host.gateway.access import Access
    from hermes_sdk.host.gateway.chat import Chat
    from hermes_sdk.host.gateway.messages import MessageEvent
    from hermes_sdk.host.gateway.parts import GatewayParts
    from hermes_sdk.host.gateway.runner import GatewayRunner
    from hermes_sdk.host.gateway.slash import SlashCommands

logger = logging.getLogger(__name__)


class Receipt:
    """Tells an adapter what became of one message.

    Args:
        done: Gets None once the message is stored, or was dealt with in another way; else why it was not taken.
    """

    def __init__(self, done: asyncio.Future[None]) -> None:
        self._done = done

    def taken(self) -> None:
        """Say that the message is in good hands."""
        if not self._done.done():
            self._done.set_result(None)

    def refused(self, error: SessionError) -> bool:
        """Say that the message was not taken; False where the adapter waits no more."""
        if self._done.done():
            return False
        self._done.set_exception(error)
        return True


class Intake:
    """Judges the messages of every chat, those of one chat in order.

    Args:
        parts: What all chats share.
        access: Who may write.
        commands: The slash commands.
        gateway: What plugins get to see of the gateway.
    """

    def __init__(self, parts: GatewayParts, access: Access, commands: SlashCommands, gateway: GatewayRunner) -> None:
        self._parts = parts
        self._access = access
        self._commands = commands
        self._gateway = gateway

    def put(self, chat: Chat, event: MessageEvent, receipt: Receipt | None = None) -> None:
        """Judge a message after those of its chat that are there; too many of them are not taken.

        Args:
            chat: Its chat.
            event: The message.
            receipt: Told what became of it; without one, the chat is told that a message was not taken.
        """
        try:
            chat.expect_room(chat.intake, event)
        except SessionError as error:
            _refuse(chat, error, receipt)
            return
        chat.intake.put(lambda: self._handle(chat, event, receipt))

    async def _handle(self, chat: Chat, event: MessageEvent, receipt: Receipt | None) -> None:
        try:
            await self._judge(chat, event, receipt)
        except SessionError as error:
            _refuse(chat, error, receipt)
        except Exception as error:  # the disk is full, say: whoever wrote must not wait for an answer
            logger.exception("a message in %s cannot be stored", chat.key)
            _refuse(chat, _not_taken(type(error).__name__), receipt)
        else:
            if receipt is not None:
                receipt.taken()

    async def _judge(self, chat: Chat, event: MessageEvent, receipt: Receipt | None) -> None:
        if not event.internal:
            if not await self._dispatched(chat, event):
                return
            if not self._access.may_write(event.source):
                await self._pair(chat, event, receipt)
                return
            command = self._commands.recognised(event.text)
            if command is not None:
                if receipt is not None:  # an answer may have to go out before the command is done
                    receipt.taken()
                await self._commands.run(chat, event, *command)
                return
        chat.take(event)

    async def _dispatched(self, chat: Chat, event: MessageEvent) -> bool:
        """Ask the plugins about a message; False when one dealt with it. A rewrite is made."""
        decision: DispatchDecision = await self._parts.firing.fire(
            "pre_gateway_dispatch",
            chat.session_id or "",
            event=event,
            gateway=self._gateway,
            session_store=self._parts.store,
        )
        if decision.action == "skip":
            logger.info("a message in %s was skipped: %s", chat.key, decision.reason or "no reason given")
            return False
        if decision.action == "rewrite" and decision.text is not None:
            event.text = decision.text
        return True

    async def _pair(self, chat: Chat, event: MessageEvent, receipt: Receipt | None) -> None:
        code = self._access.pairing_code(event.source)
        logger.info("a message in %s was refused: its sender is not authorised", chat.key)
        if receipt is not None:
            receipt.taken()
        if code is not None:
            await chat.outbox.say(
                f"I do not know you yet. Ask the owner to run: hermes-sdk gateway pair approve {code}", event
            )


def _refuse(chat: Chat, error: SessionError, receipt: Receipt | None) -> None:
    if receipt is None or not receipt.refused(error):
        chat.tell_refusal(error)


def _not_taken(why: str) -> SessionError:
    return SessionError("this message could not be taken", why=why, fix="write again later", code="HS451")
