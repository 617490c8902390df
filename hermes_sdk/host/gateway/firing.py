"""Where the gateway calls hooks itself, outside of an agent, and tells who listens as an agent does."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from hermes_sdk.host.events import HookFired
from hermes_sdk.host.fire import sent_payload
from hermes_sdk.shell_hooks.fired_by import FIRED_BY, FiredBy

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.host.events import Event, Listener
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)


class GatewayHooks:
    """Calls hooks on the gateway's loop.

    Args:
        manager: Whose hooks to call.
        workdir: Where shell hooks run.
        listener: Told about each call, or None.
    """

    def __init__(self, manager: PluginManager, workdir: Path, listener: Listener | None = None) -> None:
        self._manager = manager
        self._workdir = str(workdir)
        self._listener = listener

    async def fire(self, hook: str, about: str, /, **payload: Any) -> Any:
        """Call a hook, and return its outcome; Any, as each hook has its own.

        Args:
            hook: Its name.
            about: Id of the session that it is about; empty before the first turn.
            payload: What it is sent, of any type.
        """
        listener = self._listener
        sent = sent_payload(payload) if getattr(listener, "wants_payloads", False) else None
        started = time.perf_counter()
        token = FIRED_BY.set(FiredBy(about, self._workdir))
        try:
            outcome = await getattr(self._manager.ahook, hook)(**payload)
        finally:
            FIRED_BY.reset(token)
        if listener is not None:
            milliseconds = (time.perf_counter() - started) * 1000
            event = HookFired(
                session_id=about,
                turn_id="",
                depth=0,
                hook=hook,
                outcome=outcome,
                duration_ms=milliseconds,
                payload=sent,
            )
            try:
                listener(event)
            except Exception:
                logger.exception("the listener failed on %s", hook)
        return outcome


class Listeners:
    """A listener that tells two: a chat, which shows what happens, and whoever listens to the whole gateway.

    Args:
        chat: Hears first; needs no payloads.
        gateway: Hears then; None where nobody does.
    """

    def __init__(self, chat: Listener, gateway: Listener | None) -> None:
        self._chat = chat
        self._gateway = gateway
        self.wants_payloads = bool(getattr(gateway, "wants_payloads", False))

    def __call__(self, event: Event) -> None:
        """Tell both."""
        self._chat(event)
        if self._gateway is not None:
            self._gateway(event)
