"""Whose call it is: what hooks say about sessions, kept until a session ends.

pre_tool_call names a session and nobody behind it. Who writes and where from is in pre_llm_call of the same turn; a
child agent answers to whoever its parent answers to.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

_LOCAL: Final = ("", "cli", "tui")
_CHILD: Final = "subagent"
_KEPT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a session answers to."""

    user: str = ""
    """``platform:id``, ``local`` on the machine itself, empty when nobody said."""
    platforms: tuple[str, ...] = ()
    """Where the session runs, and where its parents do."""


NOBODY: Final = Caller()


class Callers:
    """Remembers who sessions answer to. For any thread."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Caller] = OrderedDict()
        self._lock = Lock()

    def of(self, session_id: str) -> Caller:
        """Return whose session it is."""
        return self._known.get(session_id, NOBODY)

    def note(self, session_id: str = "", platform: str = "", sender_id: str = "", **_: Any) -> None:
        """Take what a turn's start says; a callback of pre_llm_call."""
        surface = (platform or "").lower()
        with self._lock:
            before = self._known.get(session_id or "", NOBODY)
            if sender_id:
                user = f"{surface}:{sender_id}"
            elif surface in _LOCAL:
                user = "local"
            else:  # a group's message without a sender is nobody's, not that of whoever wrote before
                user = before.user if surface == _CHILD else ""
            parents = before.platforms if surface == _CHILD else ()
            self._keep(session_id or "", Caller(user, tuple(dict.fromkeys([surface or "cli", *parents]))))

    def note_child(self, parent_session_id: str = "", child_session_id: str = "", **_: Any) -> None:
        """Take a child agent's start: it answers to its parent's user; a callback of subagent_start."""
        with self._lock:
            parent = self._known.get(parent_session_id or "", NOBODY)
            self._keep(child_session_id or "", Caller(parent.user, (_CHILD, *parent.platforms)))

    def forget(self, session_id: str | None = None, **_: Any) -> None:
        """Forget a session; a callback of on_session_finalize."""
        with self._lock:
            self._known.pop(session_id or "", None)

    def _keep(self, session_id: str, caller: Caller) -> None:
        self._known[session_id] = caller
        self._known.move_to_end(session_id)
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
