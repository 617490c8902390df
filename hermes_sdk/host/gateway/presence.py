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
    from typing import IO

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
        self._path = home / "run" / "gateway.json"
        self._lock = _locked(home)
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
        self._lock.close()


def _locked(home: Path) -> IO[bytes]:
    """Return the open lock file of a home's gateway; the lock ends with the process, and with its restart.

    Raises:
        SessionError: Another process holds it.
    """
    import fcntl

    path = home / "run" / "gateway.lock"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = path.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        other = running_gateway(home) or {}
        raise SessionError(
            "a gateway of this home runs already",
            where=f"pid {other.get('pid', 'unknown')}, since {other.get('started', 'just now')}",
            fix="`hermes-sdk gateway restart` restarts it, `hermes-sdk gateway stop` ends it",
            code="HS445",
        ) from error
    return lock
