"""What went wrong in plugins: logged once with its traceback, then counted (semantics 3.1).

Only text is kept of an exception. A stored one would keep its traceback, and with it the whole payload, alive.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.dispatch.implementation import Implementation

logger = logging.getLogger(__name__)

_LONGEST_TEXT: Final = 500
_LOG_AGAIN_AT: Final = frozenset({10, 100, 1_000, 10_000, 100_000})
_PACKAGE: Final = __name__.partition(".")[0]
_MACHINERY: Final = frozenset({_PACKAGE, "importlib", "importlib_metadata"})
"""Packages whose frames stand between a wrapper of ours and a plugin's code."""

MAX_LATE: Final = 4
"""Late callbacks of one plugin at which it is suspended."""


class DeadlineMissedError(TimeoutError):
    """A callback did not return in time."""


class SuspendedError(TimeoutError):
    """The plugin is left out because too many of its callbacks hang."""


class ReportedError(RuntimeError):
    """A failure that its text says everything about: what failed is no code of this process.

    The text up to a colon is the kind of failure, each of which is logged once.
    """


def missed(timeout: float) -> DeadlineMissedError:
    """Return the error for a deadline of `timeout` seconds."""
    return DeadlineMissedError(f"missed its deadline of {timeout:g} s")


@dataclass(slots=True)
class PluginFailures:
    """The failures of one plugin."""

    count: int = 0
    """How many calls failed."""
    last: str = ""
    """``hook: ErrorClass: text (file:line)`` of the latest."""
    place: str = ""
    """Its ``file:line``."""
    late: int = 0
    """Callbacks that missed their deadline and still run."""
    suspended_until: float = 0.0
    """`time.monotonic()` until which the plugin is left out; 0 when it is not suspended."""
    by_place: dict[str, int] = field(default_factory=dict)
    """Failures by ``hook: ErrorClass (file:line)``."""

    @property
    def suspended(self) -> bool:
        """Whether the plugin is left out at the moment."""
        return self.suspended_until > time.monotonic()


class FailureLog:
    """The failures of all plugins of one manager.

    Args:
        kind: What messages call those whose failures they are.
    """

    def __init__(self, kind: str = "plugin") -> None:
        self._kind = kind
        self.by_plugin: dict[str, PluginFailures] = {}
        self._noted: set[tuple[str, ...]] = set()
        self._lock = threading.Lock()
        self.when_suspended: Callable[[], None] = _nobody
        """Called when a plugin was suspended, and when such a plugin is called again."""

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
        reported = isinstance(error, ReportedError)
        place = place if reported else _within_callback(error, place)
        key = f"{where}: {text.partition(':')[0] if reported else type(error).__name__} ({place})"
        record = self.of(plugin)
        with self._lock:
            record.count += 1
            record.last, record.place = f"{where}: {text} ({place})", place
            times = record.by_place[key] = record.by_place.get(key, 0) + 1
        if times == 1:
            more = "" if reported else f"\n{_traceback(error)}"
            logger.log(level, "%s %r failed in %s at %s: %s%s", self._kind, plugin, where, place, text, more)
        elif times in _LOG_AGAIN_AT:
            logger.log(level, "%s %r failed in %s at %s: %d times so far", self._kind, plugin, where, place, times)
        return text

    def went_late(self, impl: Implementation) -> Callable[[], None]:
        """Count a callback that missed its deadline and goes on; return what to call when it ends after all."""
        record = self.of(impl.plugin)
        with self._lock:
            record.late += 1
            late = record.late
            if late >= MAX_LATE:
                record.suspended_until = time.monotonic() + impl.suspend_seconds
        if late >= MAX_LATE:
            logger.warning(
                "plugin %r is suspended for %g s: %d of its callbacks did not return (latest: %s at %s)",
                impl.plugin,
                impl.suspend_seconds,
                late,
                impl.hook,
                impl.place,
            )
            self.when_suspended()

        def ended() -> None:
            with self._lock:
                record.late -= 1

        return ended

    def is_suspended(self, plugin: str) -> bool:
        """Whether a plugin is left out at the moment."""
        record = self.by_plugin.get(plugin)
        return record is not None and record.suspended

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


def _nobody() -> None:
    """Be nobody who wants to know."""


def describe(error: BaseException) -> str:
    """Return ``ErrorClass: text`` of an exception, kept short, whatever its ``__str__`` does."""
    try:
        text = _writable(str(error))
    except BaseException as broken:
        if isinstance(broken, KeyboardInterrupt):
            raise
        text = f"<its text raised {type(broken).__name__}>"
    if len(text) > _LONGEST_TEXT:
        text = f"{text[:_LONGEST_TEXT]}... ({len(text):,} characters)"
    if isinstance(error, ReportedError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _traceback(error: BaseException) -> str:
    try:
        return _writable("".join(traceback.format_exception(error)).rstrip())
    except BaseException as broken:
        if isinstance(broken, KeyboardInterrupt):
            raise
        return f"<the traceback raised {type(broken).__name__}>"


def _writable(text: str) -> str:
    """Escape what no log file and no JSON reader takes: lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


def _within_callback(error: BaseException, place: str) -> str:
    """Return the innermost ``file:line`` of the traceback in the callback's own file, else `place`.

    Where a library raised says less than which line of the plugin called it; the traceback has both. What this package
    wraps around plugin code, an import most of all, is nobody's own file: the first one behind it is.
    """
    file, wrapped = place.rpartition(":")[0], False
    frame = error.__traceback__
    while frame is not None:
        at = frame.tb_frame.f_code.co_filename
        package = str(frame.tb_frame.f_globals.get("__name__")).partition(".")[0]
        wrapped = wrapped or (at == file and package == _PACKAGE)
        if wrapped and package not in _MACHINERY:
            file, wrapped = at, False
        if at == file:
            place = f"{file}:{frame.tb_lineno}"
        frame = frame.tb_next
    if wrapped and isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno or 1}"  # it has no frame: nothing of it ran
    return place
