"""What went wrong in plugins: logged once with its traceback, then counted (semantics 3.1).

Only text is kept of an exception. A stored one would keep its traceback, and with it the whole payload, alive.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from dataclasses import dataclass, field

logger = logging.getLogger(__name__)

_LOG_AGAIN_AT = frozenset({10, 100, 1_000, 10_000, 100_000})


@dataclass(slots=True)
class PluginFailures:
    """The failures of one plugin."""

    count: int = 0
    """How many calls failed."""
    last: str = ""
    """``hook: ErrorClass: text (file:line)`` of the latest."""
    late: int = 0
    """Synchronous callbacks that missed their deadline and still run."""
    suspended_until: float = 0.0
    """`time.monotonic()` until which the plugin is left out; 0 when it is not suspended."""
    by_place: dict[str, int] = field(default_factory=dict)
    """Failures by ``hook: ErrorClass (file:line)``."""

    @property
    def suspended(self) -> bool:
        """Whether the plugin is left out at the moment."""
        return self.suspended_until > time.monotonic()


class FailureLog:
    """The failures of all plugins of one manager."""

    def __init__(self) -> None:
        self.by_plugin: dict[str, PluginFailures] = {}
        self._noted: set[tuple[str, ...]] = set()
        self._lock = threading.Lock()

    def of(self, plugin: str) -> PluginFailures:
        """Return the record of a plugin, made when it is first asked for."""
        with self._lock:
            return self.by_plugin.setdefault(plugin, PluginFailures())

    def record(self, plugin: str, where: str, error: BaseException, place: str, *, level: int) -> str:
        """Count a failure, log it if it is new, and return it as ``ErrorClass: text``.

        Args:
            plugin: Name of the plugin.
            where: The hook, or what else the plugin was doing.
            error: What was raised.
            place: ``file:line`` of the implementation.
            level: Logging level of the first report.
        """
        text = describe(error)
        place = _raised_at(error) or place
        key = f"{where}: {type(error).__name__} ({place})"
        record = self.of(plugin)
        with self._lock:
            record.count += 1
            record.last = f"{where}: {text} ({place})"
            times = record.by_place[key] = record.by_place.get(key, 0) + 1
        if times == 1:
            logger.log(level, "plugin %r failed in %s at %s: %s\n%s", plugin, where, place, text, _traceback(error))
        elif times in _LOG_AGAIN_AT:
            logger.log(level, "plugin %r failed in %s at %s: %d times so far", plugin, where, place, times)
        return text

    def once(self, *key: str) -> bool:
        """Return True the first time this key is given: for things worth one line a manager."""
        with self._lock:
            if key in self._noted:
                return False
            self._noted.add(key)
            return True

    def forget(self, plugin: str) -> None:
        """Drop the record of a plugin that was unloaded, so that its name starts afresh."""
        with self._lock:
            self.by_plugin.pop(plugin, None)
            self._noted = {key for key in self._noted if key[0] != plugin}


def describe(error: BaseException) -> str:
    """Return ``ErrorClass: text`` of an exception, whatever its ``__str__`` does."""
    try:
        text = str(error)
    except Exception as broken:
        text = f"<its text raised {type(broken).__name__}>"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _traceback(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error)).rstrip()
    except Exception as broken:
        return f"<the traceback raised {type(broken).__name__}>"


def _raised_at(error: BaseException) -> str:
    """Return ``file:line`` where the exception was raised, or nothing if it has no traceback."""
    place = error.__traceback__
    if place is None:
        return ""
    while place.tb_next is not None:
        place = place.tb_next
    return f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}"
