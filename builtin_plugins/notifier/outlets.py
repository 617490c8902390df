"""Where notices go: the desktop and webhooks, each with a queue and a thread of its own.

So a webhook that does not answer holds up neither the agent nor the desktop.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, Protocol

from hermes_sdk.plugins.background import BackgroundQueue

from .desktop import desktop
from .errors import OutletError
from .webhook import WebhookOutlet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .notice import Notice
    from .settings import Settings

logger = logging.getLogger(__name__)

_WAITING: Final = 100
"""Notices that may wait for one outlet; more of them nobody reads."""
_KEPT: Final = 1_000
"""Notices that can still be taken back."""
_AT_THE_END: Final = 5.0
"""Seconds that an outlet has for what waits when the host ends."""


class Outlet(Protocol):
    """One way to a person. Its methods raise `OutletError`, and are called from one thread only."""

    name: str

    def show(self, notice: Notice) -> None:
        """Show a notice."""

    def close(self, notice: Notice, outcome: str) -> None:
        """Take a notice back; `outcome` says why it is over."""


class Outlets:
    """All ways to a person that the settings name and this machine has. Not for several threads at once.

    Args:
        settings: The plugin's settings.
    """

    def __init__(self, settings: Settings) -> None:
        self.outlets = [*outlets_of(settings)]
        self._queues = [
            BackgroundQueue(f"notifier to {each.name}", _SaidOnce(each), limit=_WAITING) for each in self.outlets
        ]
        self._told: OrderedDict[str, None] = OrderedDict()
        if not self.outlets:
            how = "install notify-send (package libnotify-bin), or set `webhooks`"
            logger.warning("notifier: there is nowhere to show a notice: %s", how)

    def show(self, notice: Notice) -> None:
        """Show a notice everywhere, soon."""
        self._told[notice.id] = None
        if len(self._told) > _KEPT:
            self._told.popitem(last=False)
        self._send(lambda outlet: outlet.show(notice))

    def close(self, notice: Notice, outcome: str) -> None:
        """Take a notice back everywhere, soon, if it was told at all."""
        if self._told.pop(notice.id, self) is None:
            self._send(lambda outlet: outlet.close(notice, outcome))

    def end(self) -> None:
        """Let what waits go out, for a few seconds."""
        for queue in self._queues:
            queue.close(_AT_THE_END)

    def _send(self, act: Callable[[Outlet], None]) -> None:
        for outlet, queue in zip(self.outlets, self._queues, strict=True):
            queue.submit(act, outlet)


class _SaidOnce:
    """Runs what an outlet has to do, and says a failure once until something works again."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._failing = False

    def __call__(self, _plugin: str, _what: str, act: Callable[..., Any], *args: Any) -> tuple[Any, str | None]:
        try:
            act(*args)
        except Exception as error:
            why = str(error) if isinstance(error, OutletError) else f"{type(error).__name__}: {error}"
            logger.log(logging.DEBUG if self._failing else logging.WARNING, "notifier: %s: %s", self._outlet.name, why)
            self._failing = True
            return None, why
        self._failing = False
        return None, None


def outlets_of(settings: Settings) -> Iterator[Outlet]:
    """Yield the outlets that the settings name and this machine has."""
    shown = desktop(settings.desktop)
    if shown is not None:
        yield shown
    yield from (WebhookOutlet(webhook) for webhook in settings.webhooks)
