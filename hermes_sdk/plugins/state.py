"""State that plugins keep for a session or a tool call, without leaking one dict a session for ever."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Final

SESSIONS_KEPT: Final = 1_000
CALLS_KEPT: Final = 10_000


class ScopedState:
    """One dict for each id; the ids used longest ago are forgotten when there are too many.

    Args:
        limit: How many ids are remembered.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._states: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, scope_id: str) -> dict[str, Any]:
        """Return the dict of an id, made when it is first asked for; the values are the plugin's."""
        with self._lock:
            state = self._states.setdefault(scope_id, {})
            self._states.move_to_end(scope_id)
            if len(self._states) > self._limit:
                self._states.popitem(last=False)
            return state

    def forget(self, scope_id: str) -> None:
        """Drop the dict of an id."""
        with self._lock:
            self._states.pop(scope_id, None)
