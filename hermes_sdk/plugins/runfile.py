"""``<home>/run/<pid>.json``: what a running host has loaded, for `plugins list` and `doctor` (semantics 3.6)."""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config.atomic import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

WRITE_INTERVAL: Final = 1.0
"""Seconds between two writes at least."""


class RunFile:
    """The run file of this process for one home.

    It is written when something changed, at most once a second; what changes in between is written by a timer.

    Args:
        home: The home.
        describe: Gives the content, JSON-ready; called when a write is due.
    """

    def __init__(self, home: Path, describe: Callable[[], dict[str, Any]]) -> None:
        self.path = home / "run" / f"{os.getpid()}.json"
        self._describe = describe
        self._pid = os.getpid()
        self._head = {"pid": self._pid, "process_started": process_started(self._pid), "started": _now()}
        self._lock = threading.Lock()
        self._written: dict[str, Any] | None = None
        self._written_at = float("-inf")
        self._timer: threading.Timer | None = None
        self._closed = False
        atexit.register(self.close)

    def touch(self) -> None:
        """Say that something may have changed."""
        with self._lock:
            if self._closed or self._timer is not None:
                return
            wait = self._written_at + WRITE_INTERVAL - time.monotonic()
            if wait > 0:
                self._timer = threading.Timer(wait, self._late)
                self._timer.daemon = True
                self._timer.start()
                return
            self._write()

    def _late(self) -> None:
        with self._lock:
            self._timer = None
            if not self._closed:
                self._write()

    def _write(self) -> None:
        content = self._head | self._describe()
        if content == self._written:
            return
        self._written, self._written_at = content, time.monotonic()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(self.path, json.dumps(content, default=str, indent=1).encode())
        except OSError as error:  # a read-only home is no reason to stop
            logger.debug("%s is not written: %s", self.path, error)

    def close(self) -> None:
        """Remove the file; a forked child leaves its parent's alone."""
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        atexit.unregister(self.close)
        if os.getpid() == self._pid:
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)


def running_hosts(home: Path) -> list[dict[str, Any]]:
    """Return the run files of a home whose process still runs, the latest start first; damaged ones are skipped."""
    found = []
    directory = home / "run"
    try:
        names = [entry.name for entry in os.scandir(directory) if entry.name.endswith(".json")]
    except OSError:
        return []
    for name in names:
        with contextlib.suppress(OSError, ValueError):
            content = json.loads((directory / name).read_bytes())
            if isinstance(content, dict) and f"{content.get('pid')}.json" == name and still_runs(content):
                found.append(content)
    return sorted(found, key=lambda content: str(content.get("started")), reverse=True)


def still_runs(content: dict[str, Any]) -> bool:
    """Whether the process that wrote a file, with its ``pid`` and ``process_started``, runs; pids are used again."""
    pid = content.get("pid")
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's process: it runs
        pass
    return process_started(pid) == content.get("process_started")


def process_started(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot; None where nobody says. Tells reused pids apart."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
