"""What hooks say, made into notices: what is open, what is over, and what is not worth a notice."""

from __future__ import annotations

import datetime as dt
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .notice import Notice, duration, shown

if TYPE_CHECKING:
    from .outlets import Outlets
    from .settings import Settings

_MOST: Final = 1_000
"""Turns and questions that are kept; a host that never ends them must not make this grow."""
_CHILD: Final = "subagent"
_BY_A_MODEL: Final = "smart"


@dataclass(slots=True)
class _Turn:
    began: float
    answer: str = ""
    running: Notice | None = None
    timer: threading.Timer | None = None


class Watcher:
    """Follows the questions and turns of one process.

    Args:
        settings: The plugin's settings.
        outlets: Where notices go.
    """

    def __init__(self, settings: Settings, outlets: Outlets) -> None:
        self._settings = settings
        self._outlets = outlets
        self._lock = threading.RLock()
        self._questions: dict[tuple[str, str], tuple[Notice, threading.Timer | None]] = {}
        self._turns: dict[str, _Turn] = {}
        self._finished: dict[str, Notice] = {}
        self._told_at: float | None = None

    # -- questions -----------------------------------------------------------------------------------------

    def asked(
        self,
        command: str,
        description: str,
        session_key: str = "",
        surface: str = "",
        tool_call_id: str = "",
        **_: Any,
    ) -> None:
        """Tell of a question, at once or after a while."""
        if not self._settings.approvals or surface == _BY_A_MODEL:
            return
        text = shown(f"{description}\n{command}") if self._settings.details else ""
        notice = Notice("approval_requested", "Hermes asks for approval", text, session_key, urgent=True)
        key = (session_key, tool_call_id or command)
        after = self._settings.approval_after
        timer = _timer(after, self._still_open, key, notice) if after else None
        with self._lock:
            _keep(self._questions, key, (notice, timer))
            if timer is None:
                self._tell(notice)
            else:
                timer.start()

    def _still_open(self, key: tuple[str, str], notice: Notice) -> None:
        with self._lock:
            if self._questions.get(key, (None, None))[0] is notice:
                self._tell(notice)

    def answered(self, command: str, choice: str, session_key: str = "", tool_call_id: str = "", **_: Any) -> None:
        """Take a question back: whoever it was, somebody has answered."""
        with self._lock:
            notice, timer = self._questions.pop((session_key, tool_call_id or command), (None, None))
            if timer is not None:
                timer.cancel()
            if notice is not None:
                self._outlets.close(notice, choice)

    # -- turns ---------------------------------------------------------------------------------------------

    def turn_began(self, session_id: str | None = None, platform: str = "", **_: Any) -> None:
        """Note when a turn began; whoever wrote its message has seen that the last one is over."""
        session = session_id or ""
        if not self._settings.long_turn or platform == _CHILD:
            return
        turn = _Turn(time.monotonic())
        if self._settings.still_running:
            turn.timer = _timer(self._settings.long_turn, self._still_running, session, turn)
        with self._lock:
            seen = self._finished.pop(session, None)
            _keep(self._turns, session, turn)
            if turn.timer is not None:
                turn.timer.start()
            if seen is not None:
                self._outlets.close(seen, "seen")

    def turn_answered(self, session_id: str = "", assistant_response: str = "", **_: Any) -> None:
        """Keep the answer for the notice: the hook that ends every turn does not bring it."""
        turn = self._turns.get(session_id)
        if turn is not None:
            turn.answer = assistant_response

    def turn_ended(
        self,
        session_id: str | None = None,
        completed: bool = True,
        interrupted: bool = False,
        reason: str | None = None,
        **_: Any,
    ) -> None:
        """Tell of a long turn that is over, unless a person ended it."""
        session = session_id or ""
        with self._lock:
            turn = self._turns.pop(session, None)
            if turn is None:
                return
            self._end(turn, "finished")
            took = time.monotonic() - turn.began
            if took < self._settings.long_turn or interrupted:
                return
            title = f"Hermes {'has finished' if completed else 'gave up'} after {duration(took)}"
            text = turn.answer if completed else (reason or "").replace("_", " ")
            notice = Notice("turn_finished", title, shown(text) if self._settings.details else "", session)
            if self._tell(notice):
                _keep(self._finished, session, notice)

    def session_ended(self, session_id: str | None = None, old_session_id: str | None = None, **_: Any) -> None:
        """Forget a session; the notice of its last turn stays, for whoever was away when it ended."""
        with self._lock:
            self._finished.pop(session_id or old_session_id or "", None)

    def close(self) -> None:
        """Take back what nobody can answer any more, and let the rest go out."""
        with self._lock:
            questions, self._questions = [*self._questions.values()], {}
            turns, self._turns = [*self._turns.values()], {}
            for notice, timer in questions:
                if timer is not None:
                    timer.cancel()
                self._outlets.close(notice, "over")
            for turn in turns:
                self._end(turn, "over")
        self._outlets.end()

    def _end(self, turn: _Turn, outcome: str) -> None:
        if turn.timer is not None:
            turn.timer.cancel()
        if turn.running is not None:
            self._outlets.close(turn.running, outcome)

    # -- telling -------------------------------------------------------------------------------------------

    def _still_running(self, session: str, turn: _Turn) -> None:
        with self._lock:
            if self._turns.get(session) is turn:  # else it ended while the timer went off
                turn.running = Notice(
                    "turn_running", f"Hermes works since {duration(self._settings.long_turn)}", "", session
                )
                self._tell(turn.running)

    def _tell(self, notice: Notice) -> bool:
        """Send a notice, with the lock held; False where it is not the time for it."""
        if self._settings.is_quiet(dt.datetime.now().astimezone().time()):
            return False
        if not notice.urgent:
            now = time.monotonic()
            if self._told_at is not None and now - self._told_at < self._settings.every:
                return False
            self._told_at = now
        self._outlets.show(notice)
        return True


def _timer(seconds: float, call: Any, *args: Any) -> threading.Timer:
    """Return a timer that does not keep the process alive (callback and arguments are of any type)."""
    timer = threading.Timer(seconds, call, args)
    timer.daemon = True
    return timer


def _keep(table: dict[Any, Any], key: Any, value: Any) -> None:
    """Set a value as the youngest one (keys and values of any type); the oldest one goes where there are too many."""
    table.pop(key, None)
    table[key] = value
    if len(table) > _MOST:
        del table[next(iter(table))]
