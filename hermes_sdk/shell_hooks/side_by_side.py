"""Entries of one event that start together and are folded one by one (semantics 8.5).

The dispatcher asks one implementation after another. The first entry that is asked in a hook call starts all that the
call concerns, on the arguments of that moment; the others find their answers on the way when their turn comes.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_sdk.shell_hooks.fired_by import session_of
from hermes_sdk.shell_hooks.payload import Message
from hermes_sdk.shell_hooks.threads import done, in_thread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future

    from hermes_sdk.shell_hooks.answer import Answer
    from hermes_sdk.shell_hooks.entries import ShellEntry
    from hermes_sdk.shell_hooks.runner import EntryRunner
    from hermes_sdk.shell_hooks.stop import Stop


@dataclass(frozen=True, slots=True)
class Started:
    """An entry that runs, or has run."""

    answer: Future[Answer]
    stop: Stop


class _Call:
    """The entries of one hook call that are still to be asked."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.identity = _identity(arguments)
        self.args = arguments.get("args")  # kept alive, so that its identity stays its own
        self.pending: dict[ShellEntry, Started | None] = {}
        """None: the call did not concern the entry when the others started."""


def _identity(arguments: Mapping[str, Any]) -> tuple[Any, ...]:
    ids = ("session_id", "parent_session_id", "turn_id", "tool_call_id", "task_id")
    return (*(arguments.get(name) for name in ids), id(arguments.get("args")))


class SideBySide:
    """The entries of one event that start together.

    Args:
        runner: Runs them.
        entries: In the order in which they are declared.
    """

    def __init__(self, runner: EntryRunner, entries: Sequence[ShellEntry]) -> None:
        self._runner = runner
        self._entries = tuple(entries)
        # hook calls of one thread or task come one after another, those of others have their own value
        self._call: ContextVar[_Call | None] = ContextVar("hermes_side_by_side", default=None)

    def __contains__(self, entry: ShellEntry) -> bool:
        return entry in self._entries

    def ask(self, entry: ShellEntry, arguments: Mapping[str, Any], *, here: bool) -> Started | None:
        """Return what became of an entry in this hook call; None where the call does not concern it.

        Args:
            entry: The entry whose turn it is.
            arguments: What the hook was fired with.
            here: Whether it may run in this thread, so that it has ended when it is returned.
        """
        call = self._call.get()
        if call is not None and call.identity == _identity(arguments) and entry in call.pending:
            found = call.pending.pop(entry)
            if not call.pending:
                self._call.set(None)  # nothing of a call is kept when it is over
            return found
        again = arguments.get("judgement", 1) > 1  # the dispatcher asks only some of them once more
        later = () if again else self._entries[self._entries.index(entry) + 1 :]
        messages: dict[str, Message] = {}
        call = _Call(arguments)
        concerned = entry.matches(arguments)
        tool_name = str(arguments.get("tool_name") or "")
        for other in later:
            if other.matches_tool(tool_name):  # the dispatcher does not ask the others at all
                call.pending[other] = self._start(other, arguments, messages) if other.matches(arguments) else None
        self._call.set(call if call.pending else None)
        return self._start(entry, arguments, messages, here=here) if concerned else None

    def _start(
        self, entry: ShellEntry, arguments: Mapping[str, Any], messages: dict[str, Message], *, here: bool = False
    ) -> Started:
        message = messages.get(entry.dialect)
        if message is None:
            message = messages[entry.dialect] = Message(self._runner.payload(entry, arguments))
            message.line  # noqa: B018 - encoded before the first answer can change the arguments
        stop = self._runner.stop(session_of(message))

        def run() -> Answer:
            return self._runner.answer(entry, message, stop)

        return Started(done(run()) if here else in_thread(run, "hermes-hook"), stop)

    def abandon(self) -> None:
        """End what was started, because the hook call was cut short."""
        call = self._call.get()
        self._call.set(None)
        for started in () if call is None else call.pending.values():
            if started is not None:
                started.stop.ask()
