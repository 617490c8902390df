"""The tool ``send_message(platform, chat, text)``: an agent of a gateway writes into any of its chats."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import did_you_mean
from hermes_sdk.host.calls import ToolOutcome
from hermes_sdk.host.gateway.messages import Source
from hermes_sdk.host.toolbox import Tool, ToolArgumentError

if TYPE_CHECKING:
    from hermes_sdk.host.calls import CallInFlight
    from hermes_sdk.host.gateway.delivery import Delivery

NAME: Final = "send_message"
_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "platform": {"type": "string", "description": "Name of the platform, such as webchat."},
        "chat": {"type": "string", "description": "Id of the chat there."},
        "text": {"type": "string", "description": "What to say."},
    },
    "required": ["platform", "chat", "text"],
}


class SendMessage:
    """Sends over the adapters of a gateway.

    Args:
        delivery: Sends.
        loop: The gateway's loop, where adapters live.
    """

    def __init__(self, delivery: Delivery, loop: asyncio.AbstractEventLoop) -> None:
        self._delivery = delivery
        self._loop = loop

    def tool(self) -> Tool:
        """Return the tool."""
        return Tool(NAME, "Send a message to a chat of a messaging platform.", _PARAMETERS, self.send)

    def send(self, args: dict[str, Any], call: CallInFlight) -> ToolOutcome:  # noqa: ARG002 - a handler's form
        """Send, and say what it led to; waits until the adapter has it."""
        platform, chat, text = (_text(args, name) for name in ("platform", "chat", "text"))
        known = self._delivery.platforms
        if platform not in known:
            hint = did_you_mean(platform, known) or f"connected are {', '.join(known) or 'none'}"
            return ToolOutcome.failed(f"the platform {platform!r} is not connected; {hint}", error_type="not_connected")
        sent = asyncio.run_coroutine_threadsafe(self._delivery.send(Source(platform, chat), text), self._loop).result()
        if not sent.ok:
            return ToolOutcome.failed(f"the message was not sent: {sent.error}", error_type="not_sent")
        return ToolOutcome(json.dumps({"sent": True, "message_id": sent.message_id}))


def _text(args: dict[str, Any], name: str) -> str:
    value = args.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ToolArgumentError(f"{name} is a text that is not empty")
    return value
