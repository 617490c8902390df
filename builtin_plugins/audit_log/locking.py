"""One writer at a time, among the threads of a process and among processes, and nobody waits for long."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATIENCE: Final = 2.0
"""Seconds that a writer waits for its turn: others take microseconds, unless they were stopped in the middle."""

_NO_PATIENCE: Final = 0.02
"""Seconds that it waits while it was in vain the last time: a turn of an agent writes some twenty records."""

_LONGEST_PAUSE: Final = 0.02


class Turn:
    """Whose turn it is to write to a directory. The directory itself carries the lock: no file is left behind."""

    def __init__(self) -> None:
        self._threads = threading.Lock()
        self._descriptor = -1
        self._patience = PATIENCE

    @contextmanager
    def taken(self, directory: Path) -> Iterator[None]:
        """Hold the turn.

        Raises:
            OSError: The directory cannot be opened, or somebody else holds the turn for longer than `PATIENCE`.
        """
        if not self._threads.acquire(timeout=self._patience):
            raise self._busy("another thread of this process")
        try:
            self._open(directory)
            try:
                self._lock()
                yield
            finally:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        finally:
            self._threads.release()

    def _open(self, directory: Path) -> None:
        if self._descriptor >= 0:
            if os.path.samestat(os.fstat(self._descriptor), directory.stat()):
                return
            os.close(self._descriptor)  # somebody put another directory in its place
            self._descriptor = -1
        self._descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def close(self, last: Callable[[], None] | None = None) -> None:
        """Do one last thing when no thread has its turn, and let go of the directory; the next turn opens it again."""
        with self._threads:
            if last is not None:
                last()
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    def _lock(self) -> None:
        deadline, pause = time.monotonic() + self._patience, 0.0005
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise self._busy("another process") from None
                time.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                self._patience = PATIENCE
                return

    def _busy(self, who: str) -> OSError:
        waited, self._patience = self._patience, _NO_PATIENCE
        return OSError(errno.EBUSY, f"{who} holds the log, for more than {waited:g} s")
