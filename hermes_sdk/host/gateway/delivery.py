"""What goes out to chats: texts, and notes for adapters that show them. Nothing here raises for an adapter's fault."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from hermes_sdk.host.gateway.adapter import ShowsNotes
from hermes_sdk.host.gateway.messages import SendResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermes_sdk.host.gateway.adapter import Adapter
    from hermes_sdk.host.gateway.messages import Note, Source

logger = logging.getLogger(__name__)

_AS_TEXT: Final = frozenset({"approval_request", "notice", "session_reset"})
"""Notes that a chat without forms for them still has to see."""


class Delivery:
    """Sends to chats.

    Args:
        adapters: By the platform's name; looked up at each use.
        timeout: Seconds that one call of an adapter may take.
    """

    def __init__(self, adapters: Mapping[str, Adapter], timeout: float) -> None:
        self._adapters = adapters
        self._timeout = timeout

    @property
    def platforms(self) -> list[str]:
        """Names of the platforms that are connected."""
        return sorted(self._adapters)

    async def send(self, source: Source, text: str, *, reply_to: str | None = None) -> SendResult:
        """Send a text to the chat that a message came from; a failure is logged and returned."""
        adapter = self._adapters.get(source.platform)
        if adapter is None:
            return self._failed(source, "the platform is not connected")
        try:
            async with asyncio.timeout(self._timeout):
                result = await adapter.send(source.chat_id, text, thread_id=source.thread_id, reply_to=reply_to)
        except TimeoutError:
            return self._failed(source, f"the adapter did not answer within {self._timeout:g} s")
        except Exception as error:
            logger.debug("adapter %s failed", source.platform, exc_info=True)
            return self._failed(source, f"{type(error).__name__}: {error}")
        return result if result.ok else self._failed(source, result.error or "the adapter does not say why")

    async def show(self, source: Source, note: Note) -> bool:
        """Show a note, or send it as text where it must be seen; return whether it arrived."""
        adapter: object = self._adapters.get(source.platform)
        if not isinstance(adapter, ShowsNotes):
            # nobody waits for a word about a chat that was idle
            silent = note.kind not in _AS_TEXT or note.data.get("reason") == "idle"
            return silent or (await self.send(source, note.text)).ok
        try:
            async with asyncio.timeout(self._timeout):
                await adapter.show(source.chat_id, note, thread_id=source.thread_id)
        except Exception as error:
            self._failed(source, f"{type(error).__name__}: {error}", what=note.kind)
            return False
        return True

    @staticmethod
    def _failed(source: Source, why: str, what: str = "message") -> SendResult:
        logger.warning("%s: a %s did not reach chat %s: %s", source.platform, what, source.chat_id, why)
        return SendResult(ok=False, error=why)
