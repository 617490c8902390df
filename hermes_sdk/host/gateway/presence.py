"""``<home>/run/gateway.json``: the gateway that runs for a home, for `status`, `restart`, and a second one's start."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from typing import TYPE_CHECKING, Any

from hermes_sdk.config.atomic import write_atomically
from hermes_sdk.errors import SessionError
from hermes_sdk.plugins.runfile import process_started, still_runs

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)


def running_gateway(home: Path) -> dict[str, Any] | None:
    """Return what the running gateway of a home says of itself, JSON-ready; None where none runs."""
    with contextlib.suppress(OSError, ValueError):
        content = json.loads((home / "run" / "gateway.json").read_bytes())
        if isinstance(content, dict) and still_runs(content):
            return content
    return None


class Presence:
    """This process's claim to be the gateway of a home.

    Args:
        home: The home.

    Raises:
        SessionError: Another process is it.
    """

    def __init__(self, home: Path) -> None:
        other = running_gateway(home)
        if other is not None and other["pid"] != os.getpid():  # after a restart it is this process
            raise SessionError(
                "a gateway of this home runs already",
                where=f"pid {other['pid']}, since {other.get('started')}",
                fix="`hermes-sdk gateway restart` restarts it, `hermes-sdk gateway stop` ends it",
                code="HS445",
            )
        self._path = home / "run" / "gateway.json"
        pid = os.getpid()
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._head = {"pid": pid, "process_started": process_started(pid), "started": started, "run": time.time_ns()}
        self._written: dict[str, Any] | None = None

    def say(self, state: str, figures: dict[str, Any]) -> None:
        """Write what there is to say, JSON-ready, when it has changed.

        Args:
            state: ``starting``, ``running`` or ``stopping``.
            figures: See `GatewayRunner.figures`.
        """
        content = self._head | {"state": state} | figures
        if content == self._written:
            return
        self._written = content
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(self._path, json.dumps(content, indent=1).encode())
        except OSError as error:
            logger.warning("%s is not written: %s", self._path, error)

    def leave(self) -> None:
        """Say that no gateway runs any more."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
