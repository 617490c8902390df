"""The pages of the web chat: sockets that stay open, and what comes in through them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import sqlite3
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

from aiohttp import WSMsgType, web

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.host.gateway.messages import MessageEvent, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermes_sdk.host.gateway.adapter import Receiver
    from hermes_sdk.host.gateway.adapters.webchat_log import WebChatLog
    from hermes_sdk.host.gateway.adapters.webchat_room import Room

logger = logging.getLogger(__name__)

LARGEST_MESSAGE: Final = 65_536
"""Bytes of one message's text as UTF-8."""
LARGEST_FRAME: Final = 6 * LARGEST_MESSAGE + 4_096
"""Bytes of one message as JSON, which may write a byte of text as six (a backslash, u and four digits)."""
_MESSAGE_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_BURST: Final = 30
_BURST_SECONDS: Final = 10.0
"""A page may send so many messages in so many seconds."""


class Pages:
    """Reads what pages send, and answers them.

    Args:
        platform: The platform's name.
        user: Id of whoever writes.
        gateway: Takes messages and answers.
        log: Knows which messages were taken.
    """

    def __init__(self, platform: str, user: str, gateway: Receiver, log: WebChatLog) -> None:
        self._platform = platform
        self._user = user
        self._gateway = gateway
        self._log = log
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One lock for each message that is being taken: a page that comes back sends it again."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, request: web.Request, room: Room, after: int) -> web.WebSocketResponse:
        """Keep a page up to date, from a revision on, and take what it sends until it goes."""
        page = web.WebSocketResponse(heartbeat=30, max_msg_size=LARGEST_FRAME)
        await page.prepare(request)
        sent: deque[float] = deque(maxlen=_BURST)
        try:
            await room.join(page, after)
            async for message in page:
                if message.type is not WSMsgType.TEXT:
                    await _complain(page, "not_text", "send JSON as text")
                elif len(sent) == _BURST and time.monotonic() - sent[0] < _BURST_SECONDS:
                    await _complain(page, "too_fast", f"at most {_BURST} messages in {_BURST_SECONDS:g} s")
                else:
                    sent.append(time.monotonic())
                    await self._received(room, page, message.data)
        except (ConnectionError, TimeoutError):  # it went away, or does not read: it comes back by itself
            logger.debug("a page of chat %s is gone", room.chat, exc_info=True)
        finally:
            room.pages.discard(page)
        return page

    async def close(self) -> None:
        """Wait for nothing any more; pages send again what was not acknowledged."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _received(self, room: Room, page: web.WebSocketResponse, text: str) -> None:
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            await _complain(page, "bad_json", "that is no JSON")
            return
        kind = document.get("type") if isinstance(document, dict) else None
        if kind == "message":
            await self._message(room, page, document)
        elif kind == "approval":
            await self._approval(room, page, document)
        else:
            await _complain(page, "unknown_type", "type is 'message' or 'approval'")

    async def _message(self, room: Room, page: web.WebSocketResponse, document: Mapping[str, Any]) -> None:
        text, message_id = document.get("text"), document.get("id")
        if not isinstance(message_id, str) or _MESSAGE_ID.fullmatch(message_id) is None:
            await _complain(page, "no_id", "id has letters, digits, _ and -")
        elif not isinstance(text, str) or not text.strip():
            await _complain(page, "no_text", "text is a text that is not empty", id=message_id)
        elif len(text.encode("utf-8", "surrogatepass")) > LARGEST_MESSAGE:
            await _complain(page, "too_long", f"a message has {LARGEST_MESSAGE:,} bytes at most", id=message_id)
        else:
            try:
                if self._log.is_new(room.chat, message_id):
                    await room.add("user", text, key=_key(message_id), id=message_id)
            except sqlite3.Error as error:  # the disk is full, say
                logger.exception("a message of chat %s cannot be kept", room.chat)
                why = f"this message could not be taken: {type(error).__name__}; write again later"
                await _complain(page, "not_taken", why, id=message_id)
                return
            # not here: a plugin may take its time to judge it, and the page must be able to answer an approval
            task = asyncio.create_task(self._take(room, page, text, message_id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _take(self, room: Room, page: web.WebSocketResponse, text: str, message_id: str) -> None:
        """Hand a message over, and acknowledge it when it is stored."""
        lock = self._under_way.setdefault(f"{room.chat}/{message_id}", asyncio.Lock())
        async with lock:
            if not self._log.is_taken(room.chat, message_id):
                source = Source(self._platform, room.chat, user_id=self._user, user_name=self._user)
                try:
                    await self._gateway.accept(MessageEvent(text, source, message_id))
                except HermesSdkError as error:
                    self._log.forget(room.chat, message_id)
                    said = f"{error.what}: {error.why}; {error.fix}"
                    await room.change(_key(message_id), refused=said)
                    await _complain(page, "not_taken", said, id=message_id)
                    return
                self._log.take(room.chat, message_id)
                room.settle(_key(message_id))
        await _answer(page, {"type": "received", "id": message_id})

    async def _approval(self, room: Room, page: web.WebSocketResponse, document: Mapping[str, Any]) -> None:
        key, choice, approval_id = (document.get(name) for name in ("session_key", "choice", "approval_id"))
        if not (isinstance(key, str) and isinstance(choice, str) and isinstance(approval_id, str)):
            await _complain(page, "bad_approval", "an approval has session_key, choice and approval_id")
        # a page answers what its own chat is asked, and nothing else
        elif room.asks(approval_id) != key or not await self._gateway.answer_approval(
            key, choice, approval_id=approval_id
        ):
            await _complain(page, "closed", "that question is not open any more", approval_id=approval_id)


def _key(message_id: str) -> str:
    return f"message {message_id}"  # a page chooses its ids: none may be that of an approval or a tool call


async def _complain(page: web.WebSocketResponse, code: str, text: str, **about: str) -> None:
    await _answer(page, {"type": "error", "code": code, "text": text, **about})


async def _answer(page: web.WebSocketResponse, document: Mapping[str, Any]) -> None:
    with contextlib.suppress(ConnectionError):  # it went away; it asks again when it comes back
        await page.send_json(document)
