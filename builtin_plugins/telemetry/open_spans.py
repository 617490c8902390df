"""The spans that are open: by session, turn and call, so that sessions never mix, and never more than a bound.

Contexts of threads and tasks play no part: a hook's ids say where it belongs.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.trace import Span, SpanContext

    from .attributes import Value

MOST: Final = 1_000
"""Turns, calls of one turn, and sessions that are remembered; beyond that the oldest are ended or forgotten."""

_T = TypeVar("_T")


class Recent(Generic[_T]):
    """The latest values by key, for any thread."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._values: OrderedDict[Any, _T] = OrderedDict()

    def get(self, key: object) -> _T | None:
        """Return a value, None where there is none."""
        return self._values.get(key)

    def put(self, key: object, value: _T) -> list[_T]:
        """Keep a value, and return what is not kept any more: what had its key, and the oldest one if it is full."""
        with self._lock:
            gone = [self._values.pop(key)] if key in self._values else []
            self._values[key] = value
            if len(self._values) > self._most:
                gone.append(self._values.popitem(last=False)[1])
            return gone

    def pop(self, key: object) -> _T | None:
        """Return a value and forget it."""
        with self._lock:
            return self._values.pop(key, None)

    def values(self) -> list[_T]:
        """Return all, the oldest first."""
        with self._lock:
            return list(self._values.values())


@dataclass(slots=True, eq=False)
class Open:
    """One span of a turn that is open."""

    kind: str
    """``chat``, ``tool`` or ``approval``."""
    span: Span
    name: str
    """Name of the model or tool."""
    labels: dict[str, Value] = field(default_factory=dict)
    """What its metrics have too."""
    over: bool = False
    """Whether what it stands for is over, and only hooks still run."""
    blocked_by: str = ""


@dataclass(slots=True, eq=False)
class Turn:
    """A turn, or a place for calls that belong to none."""

    session: str
    id: str
    span: Span | None
    """None where calls belong to no turn."""
    labels: dict[str, Value] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)
    calls: Recent[Open] = field(default_factory=Recent)
    """Open spans below it by (kind, id)."""
    asked: bool = False
    """Whether the user's message is known: what follows it in this session with another message is another turn."""

    def open_tools(self) -> list[Open]:
        """Return the tools that were not over yet, in the order in which they were wished for."""
        return [call for call in self.calls.values() if call.kind == "tool" and not call.over]


class OpenTurns:
    """All turns of a process.

    Args:
        end: Ends a turn that nobody ended, with all its calls, and says why.
    """

    def __init__(self, end: Callable[[Turn, str], None]) -> None:
        self.lock = threading.RLock()
        self._end = end
        self._by_session: Recent[Turn] = Recent()
        self._loose: Recent[Turn] = Recent()
        self._last: Recent[tuple[str, SpanContext]] = Recent()
        self._parents: Recent[SpanContext] = Recent()

    def add(self, turn: Turn) -> None:
        """Take a turn in; one that its session had already is ended."""
        with self.lock:
            gone = self._by_session.put(turn.session, turn)
        for old in gone:
            self._end(old, "superseded" if old.session == turn.session else "too_many")

    def of(self, session: str, turn_id: str) -> Turn | None:
        """Return the turn that ids mean; None for one that is over or was never seen."""
        with self.lock:
            turn = self._by_session.get(session)
            if turn is not None and (not turn_id or turn.id in ("", turn_id)):
                return turn
            return self._loose.get((session, turn_id))

    def of_turn_id(self, turn_id: str) -> Turn | None:
        """Return the turn of an id, for hooks that do not say which session they mean."""
        with self.lock:
            turns = [*self._by_session.values(), *self._loose.values()]
        return next((turn for turn in reversed(turns) if turn.id == turn_id), None) if turn_id else None

    def loose(self, session: str, turn_id: str) -> Turn:
        """Return a place for calls that belong to no open turn."""
        with self.lock:
            turn = self._loose.get((session, turn_id)) or Turn(session, turn_id, None)
            gone = [old for old in self._loose.put((session, turn_id), turn) if old is not turn]
        for old in gone:
            self._end(old, "too_many")
        return turn

    def remove(self, turn: Turn) -> bool:
        """Forget a turn, and return whether it was there: whoever removes it ends its span."""
        with self.lock:
            if self._by_session.get(turn.session) is turn:
                self._by_session.pop(turn.session)
            elif self._loose.get((turn.session, turn.id)) is turn:
                self._loose.pop((turn.session, turn.id))
            else:
                return False
            if turn.span is not None:
                self._last.put(turn.session, (turn.id, turn.span.get_span_context()))
            return True

    def of_session(self, session: str) -> list[Turn]:
        """Return all open turns of a session."""
        with self.lock:
            turns = [*self._by_session.values(), *self._loose.values()]
        return [turn for turn in turns if turn.session == session]

    def everything(self) -> list[Turn]:
        """Return all open turns."""
        with self.lock:
            return [*self._loose.values(), *self._by_session.values()]

    # -- what outlives a turn --------------------------------------------------------------------------

    def previous(self, session: str) -> tuple[str, SpanContext] | None:
        """Return (turn id, context) of the latest turn of a session that ended."""
        with self.lock:
            return self._last.get(session)

    def forget_session(self, session: str) -> None:
        """Drop what is kept of a session that is over."""
        with self.lock:
            self._last.pop(session)
            self._parents.pop(session)

    def put_below(self, session: str, parent: SpanContext) -> None:
        """Note what a child agent's session belongs below."""
        with self.lock:
            self._parents.put(session, parent)

    def above(self, session: str) -> SpanContext | None:
        """Return what a child agent's session belongs below; None for one that a person talks to."""
        with self.lock:
            return self._parents.get(session)
