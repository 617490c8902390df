"""How often: rate limits, counted in this process or, for several gateways together, in Redis."""

from __future__ import annotations

import logging
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from .judge import Reason, Verdict, about, touches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from .calls import Call
    from .policy import Limit, LoadedPolicy

logger = logging.getLogger(__name__)

_RETRY_AFTER: Final = 5.0
"""Seconds without asking a storage that failed."""
_PATIENCE: Final = 1.0
"""Seconds that one question to the storage may take."""


class LimitsUnavailableError(Exception):
    """The storage of the counts cannot be reached, and the settings do not let calls pass then."""


class Counter(Protocol):
    """Counts."""

    def hit(self, limit: str, *key: str) -> bool:
        """Count once more; False when there were too many already."""
        ...


class LibraryCounter:
    """Counts with the library `limits`.

    Args:
        storage: Address of a storage; empty for this process's memory.
        when_down: What happens while it cannot be reached.

    Raises:
        ImportError: A package is not installed.
    """

    def __init__(self, storage: str = "", when_down: Literal["memory", "block"] = "memory") -> None:
        from limits.storage import MemoryStorage, storage_from_string
        from limits.strategies import MovingWindowRateLimiter

        self._memory = MovingWindowRateLimiter(MemoryStorage())
        self._shared: Any = None
        """Any: whichever strategy; None without a storage."""
        self._when_down = when_down
        self._down_until = 0.0
        if storage:
            if storage.startswith("redis"):
                import_module("redis")  # the library's own message does not name our extra
            options = {"socket_timeout": _PATIENCE, "socket_connect_timeout": _PATIENCE, "wrap_exceptions": True}
            self._shared = MovingWindowRateLimiter(storage_from_string(storage, **options))

    def hit(self, limit: str, *key: str) -> bool:
        """Count once more.

        Raises:
            LimitsUnavailableError: The storage is down, and that blocks.
        """
        from limits import parse
        from limits.errors import StorageError

        item = parse(limit)
        if self._shared is not None and time.monotonic() >= self._down_until:
            try:
                return bool(self._shared.hit(item, "hermes-guardrails", *key))
            except StorageError as error:
                self._down_until = time.monotonic() + _RETRY_AFTER
                logger.warning(
                    "the counts of the rate limits cannot be reached (%s)", type(error.storage_error).__name__
                )
        if self._shared is not None and self._when_down == "block":
            raise LimitsUnavailableError
        return self._memory.hit(item, "hermes-guardrails", *key)


def exceeded(loaded: LoadedPolicy, call: Call, verdict: Verdict, counter: Counter, now: datetime) -> Verdict:
    """Count a call that the rules let through; returns the verdict, stricter where there were too many."""
    for limit in loaded.policy.limits:
        if not _counts(limit, call, now):
            continue
        if counter.hit(limit.limit, limit.name, *_key(limit, call)):
            continue
        act = call.acts[0]
        message = limit.message or f"more than {limit.limit} of these"
        reason = Reason(limit.action, act, limit.name, message, loaded.places[limit.name])
        if limit.action == "block":
            return Verdict("block", (reason,), verdict.call)
        kept = verdict.reasons if verdict.action == "approve" else ()
        verdict = Verdict("approve", (*kept, reason), verdict.call)
    return verdict


def _counts(limit: Limit, call: Call, now: datetime) -> bool:
    return about(limit, call, now) and any(touches(limit, act, call, lenient=True) for act in call.acts)


def _key(limit: Limit, call: Call) -> Iterator[str]:
    values = {
        "user": call.caller.user,
        "session": call.session_id,
        "tool": call.tool,
        "platform": call.caller.platforms[-1] if call.caller.platforms else "",
    }
    return (f"{name}={values[name]}" for name in limit.per)
