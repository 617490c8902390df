"""Copies of events for somebody else's server: signed, fire and forget, off the agent's path.

The body is one JSON object, ``{"delivery_id", "timestamp", "payload"}``, signed as a whole: whoever knows the key can
tell that nothing of it was changed, and by id and timestamp that it is no repetition. A delivery that fails is tried
once more, with the same body; then it is counted as lost.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import logging
import time
import uuid
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs.markers import hookimpl
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.implementation import CallbackNotes, note
from hermes_sdk.dispatch.policy import PluginPolicy
from hermes_sdk.shell_hooks.background import BackgroundRuns
from hermes_sdk.shell_hooks.http import post
from hermes_sdk.shell_hooks.payload import encode, payload_of
from hermes_sdk.shell_hooks.stop import Stop, Stops

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hermes_sdk.dispatch.manager import DispatchManager
    from hermes_sdk.shell_hooks.outbound_targets import OutboundTarget

logger = logging.getLogger(__name__)

PLUGIN_NAME: Final = "shell-outbound"
"""Its name in pluggy; it sorts behind the entries, whose changes are sent too."""
SIGNATURE_HEADER: Final = "X-Hermes-Signature"
"""``sha256=`` and the HMAC-SHA256 of the body in hex."""

RETRY_AFTER: Final = 1.0
"""Seconds between the two attempts."""


class Outbound:
    """The outbound targets of one home, registered with one manager.

    Args:
        manager: Where they are registered.
        cwd: Says where the session works.
    """

    def __init__(self, manager: DispatchManager, cwd: Callable[[], str]) -> None:
        self.lost = 0
        """Deliveries that failed twice."""
        self._manager = manager
        self._cwd = cwd
        self._queue = BackgroundRuns()
        self._stops = Stops()
        self._closing = False

    def register(self, targets: Iterable[tuple[OutboundTarget, bytes]]) -> None:
        """Register these targets, each with its key, in place of all that are registered."""
        holder = PluginHolder(PLUGIN_NAME, self)
        for target, key in targets:
            for event in target.events:
                holder.add_callback(event, self._callback(target, key, event))
        if holder.hooks:
            self._manager.replace(holder, PLUGIN_NAME, policy=PluginPolicy(source="shell"))
        else:
            self.unregister()

    def unregister(self) -> None:
        """Take all targets out."""
        if self._manager.has_plugin(PLUGIN_NAME):
            self._manager.unregister(name=PLUGIN_NAME)

    def close(self, timeout: float) -> None:
        """Let deliveries go out for at most `timeout` seconds; what is left then is lost."""
        self._closing = True  # no pause before a second attempt any more
        self._queue.close(timeout)
        self._stops.ask()

    @property
    def dropped(self) -> int:
        """Deliveries that the queue had no room or no time for."""
        return self._queue.dropped

    def _callback(self, target: OutboundTarget, key: bytes, event: str) -> Callable[..., None]:
        def send(**arguments: Any) -> None:
            body = delivery(payload_of(event, arguments, self._cwd()))
            if not self._queue.put(lambda: self._deliver(target, key, body)):
                logger.warning("%s: the queue is full, the oldest delivery is dropped", target.name)

        note(send, CallbackNotes(target.name, place=target.where))
        hookimpl(rejudge=False, specname=event)(send)
        return send

    def _deliver(self, target: OutboundTarget, key: bytes, body: bytes) -> None:
        headers = {SIGNATURE_HEADER: signature(key, body)}
        stop = Stop()
        self._stops.add(stop)
        try:
            failure = post(target.url, body, headers, target.timeout, stop).failure
            if failure and not stop.asked:
                if not self._closing:
                    time.sleep(RETRY_AFTER)
                failure = post(target.url, body, headers, target.timeout, stop).failure
        finally:
            self._stops.remove(stop)
        if failure:
            self.lost += 1
            logger.warning("%s: a delivery is lost (%d so far): %s", target.name, self.lost, failure)


def delivery(payload: Mapping[str, Any]) -> bytes:
    """Return the body of a new delivery."""
    timestamp = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return encode({"delivery_id": str(uuid.uuid4()), "timestamp": timestamp, "payload": payload})


def signature(key: bytes, body: bytes) -> str:
    """Return the value of the signature header for a body."""
    return f"sha256={hmac.new(key, body, hashlib.sha256).hexdigest()}"
