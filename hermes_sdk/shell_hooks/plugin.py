"""All shell entries of a home as one more pluggy plugin: each entry one implementation, behind the Python plugins.

An entry that does not concern a call costs a dictionary look-up: no process is started and nothing is serialised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs.markers import hookimpl
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.implementation import CallbackNotes, note
from hermes_sdk.dispatch.policy import PluginPolicy
from hermes_sdk.shell_hooks.background import BackgroundRuns
from hermes_sdk.shell_hooks.fired_by import session_of
from hermes_sdk.shell_hooks.payload import Message
from hermes_sdk.shell_hooks.runner import EntryRunner, refuse
from hermes_sdk.shell_hooks.side_by_side import SideBySide, Started
from hermes_sdk.shell_hooks.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hermes_sdk.dispatch.manager import DispatchManager
    from hermes_sdk.shell_hooks.entries import ShellEntry

PLUGIN_NAME: Final = "shell-hooks"

TOGETHER: Final = frozenset({"pre_tool_call", "pre_llm_call"})
"""Events whose entries start side by side; on others those do that say `parallel`."""


class ShellHooks:
    """The shell entries of one home, registered with one manager.

    Args:
        manager: Where they are registered.
        runner: What runs them.
    """

    def __init__(self, manager: DispatchManager, runner: EntryRunner) -> None:
        self.runner = runner
        self.entries: list[ShellEntry] = []
        """The entries that are registered, refused gates included."""
        self._manager = manager
        self._background = BackgroundRuns()

    def register(self, entries: Iterable[ShellEntry]) -> None:
        """Register these entries in place of all that are registered; no call finds neither."""
        self.entries = list(entries)
        if not self.entries:
            self.unregister()
            return
        together = self._together()
        holder = PluginHolder(PLUGIN_NAME, self)
        for entry in self.entries:
            holder.add_callback(entry.event, self._callback(entry, together.get(entry.event)))
        self._manager.replace(holder, PLUGIN_NAME, policy=PluginPolicy(source="shell"))

    def unregister(self) -> None:
        """Take all entries out."""
        self.entries = []
        if self._manager.has_plugin(PLUGIN_NAME):
            self._manager.unregister(name=PLUGIN_NAME)

    def close(self, timeout: float) -> None:
        """Let background runs end within `timeout` seconds, then end everything that is left."""
        self._background.close(timeout)
        self.runner.close()

    def _together(self) -> dict[str, SideBySide]:
        groups = {}
        for event in dict.fromkeys(entry.event for entry in self.entries):
            members = [
                entry
                for entry in self.entries
                if entry.event == event and not entry.refused and (event in TOGETHER or entry.parallel)
            ]
            if len(members) > 1:
                groups[event] = SideBySide(self.runner, members)
        return groups

    def _callback(self, entry: ShellEntry, group: SideBySide | None) -> Callable[..., Any]:
        """Return what the dispatcher calls for an entry, with its asynchronous form attached."""
        beside = group if group is not None and entry in group else None
        fire = _Firing(self.runner, self._background, entry, beside)

        def run(**arguments: Any) -> Any:
            return fire.synchronously(arguments)

        async def run_async(**arguments: Any) -> Any:
            return await fire.asynchronously(arguments)

        concerns = None if entry.matcher is None else entry.matches_tool
        note(run, CallbackNotes(entry.name, run_async, concerns, entry.where, beside))
        hookimpl(fail_closed=entry.fail_closed, rejudge=entry.rejudge, specname=entry.event)(run)
        return run


class _Firing:
    """One entry, ready to be fired."""

    def __init__(
        self, runner: EntryRunner, background: BackgroundRuns, entry: ShellEntry, group: SideBySide | None
    ) -> None:
        self._runner = runner
        self._background = background
        self._entry = entry
        self._group = group

    def synchronously(self, arguments: dict[str, Any]) -> Any:
        """Fire the entry and return its answer, of the hook's return type."""
        entry, runner = self._entry, self._runner
        if self._group is not None:
            return self._with_the_others(self._group, arguments)
        if not entry.matches(arguments):
            return None
        if entry.refused:
            return refuse(entry, entry.refused)
        message = Message(runner.payload(entry, arguments))
        if entry.background:
            return self._later(message)
        answer = runner.answer(entry, message, runner.stop(session_of(message)))
        return runner.settle(entry, answer, arguments)

    def _with_the_others(self, group: SideBySide, arguments: dict[str, Any]) -> Any:
        started: Started | None = None
        try:
            started = group.ask(self._entry, arguments, here=True)
            if started is None:
                return None
            answer = started.answer.result()
        except BaseException:  # Ctrl-C while waiting: those beside it go too
            if started is not None:
                started.stop.ask()
            group.abandon()
            raise
        return self._runner.settle(self._entry, answer, arguments)

    async def asynchronously(self, arguments: dict[str, Any]) -> Any:
        """Do the same without ever blocking the event loop."""
        import asyncio

        entry, runner = self._entry, self._runner
        started: Started | None
        if self._group is not None:
            started = self._group.ask(entry, arguments, here=False)
            if started is None:
                return None
        elif not entry.matches(arguments):
            return None
        elif entry.refused:
            return refuse(entry, entry.refused)
        else:
            message = Message(runner.payload(entry, arguments))
            if entry.background:
                return self._later(message)
            stop = runner.stop(session_of(message))
            started = Started(in_thread(lambda: runner.answer(entry, message, stop), "hermes-hook"), stop)
        try:
            answer = await asyncio.wrap_future(started.answer)
        except BaseException:  # the host does not want it any more
            started.stop.ask()
            if self._group is not None:
                self._group.abandon()
            raise
        return runner.settle(entry, answer, arguments)

    def _later(self, message: Message) -> None:
        entry, runner = self._entry, self._runner
        message.line  # noqa: B018 - encoded now: the values are the host's
        session_id = session_of(message)

        def work() -> None:
            answer = runner.answer(entry, message, runner.stop(session_id))
            for problem in filter(None, (answer.failure, answer.remark)):
                runner.figures.warn_once(entry, problem)

        if not self._background.put(work):
            runner.figures.warn_once(entry, "the queue of background runs is full: the oldest is dropped")
