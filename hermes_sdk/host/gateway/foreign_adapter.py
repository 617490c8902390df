"""Adapters written for hermes-agent: connected, handed messages and asked to send in the form that they know."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from hermes_sdk.host.gateway.messages import MessageEvent, SendResult, Source, new_message_id

if TYPE_CHECKING:
    from hermes_sdk.host.gateway.adapter import Receiver

logger = logging.getLogger(__name__)


def is_foreign(adapter: Any) -> bool:
    """Whether an object (any: a plugin's) is an adapter in hermes-agent's form: ``connect`` instead of ``start``."""
    return hasattr(adapter, "connect") and hasattr(adapter, "disconnect") and not hasattr(adapter, "start")


class ForeignAdapter:
    """Wraps one.

    Args:
        name: The platform's name.
        adapter: Has ``connect() -> bool``, ``disconnect()``, ``send(chat_id, content, reply_to, metadata)`` and
            ``set_message_handler(handler)``; any type, as it is a plugin's own.
    """

    def __init__(self, name: str, adapter: Any) -> None:
        self.name = name
        self.adapter = adapter

    @staticmethod
    def config_of(own: dict[str, Any]) -> Any:
        """Return settings as hermes-agent hands them to factories: ``enabled``, ``token``, ``api_key``, ``extra``."""
        extra = {key: value for key, value in own.items() if key not in {"token", "api_key"}}
        return SimpleNamespace(
            enabled=True,
            token=own.get("token"),
            api_key=own.get("api_key"),
            extra=own.get("extra") if isinstance(own.get("extra"), dict) else extra,
            get=own.get,
        )

    async def start(self, gateway: Receiver) -> None:
        """Connect.

        Raises:
            ConnectionError: The adapter says that it did not.
        """

        async def handle(event: Any) -> None:
            await gateway.receive(self._received(event))

        self.adapter.set_message_handler(handle)
        if await self.adapter.connect() is False:
            raise ConnectionError("its connect() returned False")

    async def stop(self) -> None:
        """Disconnect."""
        await self.adapter.disconnect()

    async def send(
        self, chat_id: str, text: str, *, thread_id: str | None = None, reply_to: str | None = None
    ) -> SendResult:
        """Send a text."""
        metadata = {"thread_id": thread_id} if thread_id is not None else None
        sent = await self.adapter.send(chat_id, text, reply_to=reply_to, metadata=metadata)
        ok = bool(getattr(sent, "success", sent is not False))
        return SendResult(ok, getattr(sent, "message_id", None), getattr(sent, "error", None))

    def _received(self, event: Any) -> MessageEvent:
        """Return a message of hermes-agent's form in ours."""
        source = event.source
        return MessageEvent(
            str(event.text or ""),
            Source(
                self.name,
                str(source.chat_id),
                getattr(source, "chat_type", None) or "dm",
                str(getattr(source, "user_id", None) or ""),
                str(getattr(source, "user_name", None) or ""),
                getattr(source, "thread_id", None),
            ),
            getattr(event, "message_id", None) or new_message_id(),
            internal=bool(getattr(event, "internal", False)),
        )
