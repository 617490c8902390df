"""One chat of the web chat: its entries, and the pages that show it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from aiohttp import web

    from hermes_sdk.host.gateway.adapters.webchat_log import WebChatLog
    from hermes_sdk.host.gateway.messages import Note

_SEND_SECONDS: Final = 10.0
"""How long a page may take to read; one that takes longer comes back by itself, with what it missed."""


class Room:
    """Entries go to the log first, then to every page.

    Args:
        chat: Its id.
        log: Keeps the entries.
    """

    def __init__(self, chat: str, log: WebChatLog) -> None:
        self.chat = chat
        self.pages: set[web.WebSocketResponse] = set()
        self._log = log
        self._order = asyncio.Lock()
        """Held while documents go out, so that a page that joins sees each entry's latest form last."""
        self._open: dict[str, tuple[int, dict[str, Any]]] = {}
        """Entries that may change: running tool calls, open approvals and messages on their way, by their ids."""
        self._typing = False

    async def add(self, kind: str, text: str, *, key: str | None = None, **fields: Any) -> None:
        """Add an entry and show it; with a key it can be changed later. `fields` are JSON-ready."""
        entry = {"kind": kind, "text": text, "at": time.time(), **fields}
        added = self._log.add(self.chat, entry)
        if key is not None:
            self._open[key] = (added.number, entry)
        await self.show(added.document)

    async def change(self, key: str, **fields: Any) -> bool:
        """Change an open entry for the last time; False where there is none. `fields` are JSON-ready."""
        found = self._open.pop(key, None)
        if found is None:
            return False
        number, entry = found
        entry |= fields
        await self.show(self._log.change(number, entry).document)
        return True

    def settle(self, key: str) -> None:
        """Leave an open entry as it is for good."""
        self._open.pop(key, None)

    def asks(self, approval_id: str) -> str | None:
        """Return the session key of an open approval; None for one that is not open in this chat."""
        _, entry = self._open.get(approval_id, (0, {}))
        return entry["session_key"] if entry.get("kind") == "approval" else None

    async def note(self, note: Note) -> None:
        """Show a note of the gateway."""
        data = dict(note.data)
        match note.kind:
            case "tool_started":
                key = str(data.get("tool_call_id"))
                await self.add("tool", "", key=key, tool=data.get("tool_name"), args=data.get("args"), status="running")
            case "tool_finished":
                status, result, why = data.get("status"), data.get("result"), str(data.get("why") or "")
                key = str(data.get("tool_call_id"))
                if not await self.change(key, status=status, result=result, text=why):  # blocked before it began
                    tool = data.get("tool_name")
                    await self.add("tool", why, tool=tool, args=data.get("args"), status=status, result=result)
            case "approval_request":
                await self.add(
                    "approval",
                    str(data.get("description") or ""),
                    key=str(data.get("approval_id")),
                    session_key=data.get("session_key"),
                    approval_id=data.get("approval_id"),
                    command=data.get("command"),
                    choices=data.get("choices"),
                    choice=None,
                )
            case "approval_closed":
                await self.change(str(data.get("approval_id")), choice=data.get("choice"), closed=note.text)
            case "session_reset":
                await self.add("divider", note.text)
            case "typing":
                self._typing = bool(data.get("active"))
                await self.show({"type": "typing", "active": self._typing})
            case _:
                await self.add("notice", note.text, level=data.get("level", "info"))

    async def join(self, page: web.WebSocketResponse, after: int) -> None:
        """Show a page what is new, or was changed, behind a revision, and from now on everything.

        Raises:
            TimeoutError: The page does not read.
        """
        async with self._order, asyncio.timeout(_SEND_SECONDS):
            await page.send_json({"type": "hello", "chat": self.chat})
            for found in self._log.since(self.chat, after):
                await page.send_json(found.document)
            await page.send_json({"type": "typing", "active": self._typing})
            await page.send_json({"type": "ready"})
            self.pages.add(page)

    async def show(self, document: dict[str, Any]) -> None:
        """Send a document, JSON-ready, to every page."""
        async with self._order:
            await asyncio.gather(*(self._send(page, document) for page in tuple(self.pages)))

    async def _send(self, page: web.WebSocketResponse, document: dict[str, Any]) -> None:
        try:
            async with asyncio.timeout(_SEND_SECONDS):
                await page.send_json(document)
        except Exception:
            self.pages.discard(page)
            with contextlib.suppress(Exception):
                await page.close()
