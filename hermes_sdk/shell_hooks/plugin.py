"""All shell entries of a home as one more pluggy plugin: each entry one implementation, behind the Python plugins.

An entry that does not concern a call costs a dictionary look-up: no process is started and nothing is serialised.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs.markers import hookimpl
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.implementation import CallbackNotes, note
from hermes_sdk.dispatch.policy import PluginPolicy
from hermes_sdk.shell_hooks.background import BackgroundRuns
from hermes_sdk.shell_hooks.runner import SIDE_BY_SIDE, EntryRunner, Group, in_thread

if TYPE_CHECKING:
    import re

    from hermes_sdk.dispatch.manager import DispatchManager
    from hermes_sdk.shell_hooks.entries import ShellEntry

logger = logging.getLogger(__name__)

PLUGIN_NAME: Final = "shell-hooks"

Refusal = Callable[["ShellEntry"], str]
"""Says why an entry must not run at this moment, or nothing."""


class ToolFilter(dict[str, bool]):
    """Whether a tool's name matches; worked out once a name."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        super().__init__()
        self._pattern = pattern

    def __missing__(self, tool_name: str) -> bool:
        matches = self[tool_name] = self._pattern.fullmatch(tool_name) is not None
        return matches


class ShellHooks:
    """The shell entries of one home, registered with one manager.

    Args:
        manager: Where they are registered.
        runner: What runs them.
        refusal: Asked right before each start: why not, or an empty string.
    """

    def __init__(self, manager: DispatchManager, runner: EntryRunner, refusal: Refusal) -> None:
        self.runner = runner
        self.entries: list[ShellEntry] = []
        """The entries that are registered, refused gates included."""
        self._manager = manager
        self._refusal = refusal
        self._background = BackgroundRuns()

    def register(self, entries: Iterable[ShellEntry]) -> None:
        """Register these entries in place of those that were registered before."""
        self.unregister()
        self.entries = list(entries)
        if not self.entries:
            return
        groups = self._groups()
        holder = PluginHolder(PLUGIN_NAME, self)
        for entry in self.entries:
            holder.add_callback(entry.event, self._callback(entry, groups.get(entry.event)))
        self._manager.register(holder, PLUGIN_NAME, policy=PluginPolicy(source="shell"))

    def unregister(self) -> None:
        """Take all entries out; scripts that run are ended."""
        if self._manager.has_plugin(PLUGIN_NAME):
            self._manager.unregister(name=PLUGIN_NAME)
        self.entries = []

    def interrupt(self) -> int:
        """End every script that runs at the moment, and return how many there were."""
        return self.runner.processes.interrupt()

    def close(self, timeout: float = 5.0) -> None:
        """Let background runs end within `timeout` seconds, then end what is left."""
        self._background.close(timeout)
        self.runner.close()
        self.interrupt()

    def _groups(self) -> dict[str, Group]:
        groups = {}
        for event in dict.fromkeys(entry.event for entry in self.entries):
            beside = [
                entry
                for entry in self.entries
                if entry.event == event and not entry.refused and (event in SIDE_BY_SIDE or entry.parallel)
            ]
            if beside:
                groups[event] = Group(self.runner, beside)
        return groups

    def _callback(self, entry: ShellEntry, group: Group | None) -> Callable[..., Any]:
        """Return what the dispatcher calls for an entry, with its asynchronous form attached."""
        beside = group if group is not None and entry in group else None
        fire = _Firing(self.runner, self._refusal, self._background, entry, beside)

        def run(**arguments: Any) -> Any:
            return fire.synchronously(arguments)

        async def run_async(**arguments: Any) -> Any:
            return await fire.asynchronously(arguments)

        concerns = None if entry.matcher is None else ToolFilter(entry.matcher)
        note(run, CallbackNotes(entry.name, run_async, concerns))
        hookimpl(fail_closed=entry.fail_closed, rejudge=entry.rejudge, specname=entry.event)(run)
        return run


class _Firing:
    """One entry, ready to be fired."""

    def __init__(
        self,
        runner: EntryRunner,
        refusal: Refusal,
        background: BackgroundRuns,
        entry: ShellEntry,
        group: Group | None,
    ) -> None:
        self._runner = runner
        self._refusal = refusal
        self._background = background
        self._entry = entry
        self._group = group

    def synchronously(self, arguments: dict[str, Any]) -> Any:
        """Fire the entry and return its answer, of the hook's return type."""
        if not self._entry.matches(arguments):
            return None
        refused = self._entry.refused or self._refusal(self._entry)
        if refused:
            return self._refuse(refused)
        if self._entry.background:
            self._in_background(arguments)
            return None
        if self._group is None:
            answer = self._runner.run(self._entry, self._runner.payload(self._entry, arguments))
        else:
            try:
                answer = self._group.start(self._entry, arguments, may_block=True).result()
            except BaseException:  # Ctrl-C while waiting: those beside it go too
                self._group.forget()
                self._runner.processes.interrupt()
                raise
        return self._runner.settle(self._entry, answer, arguments)

    async def asynchronously(self, arguments: dict[str, Any]) -> Any:
        """Do the same without ever blocking the event loop."""
        import asyncio

        if not self._entry.matches(arguments):
            return None
        refused = self._entry.refused or self._refusal(self._entry)
        if refused:
            return self._refuse(refused)
        if self._entry.background:
            self._in_background(arguments)
            return None
        if self._group is None:
            payload = self._runner.payload(self._entry, arguments)
            future = in_thread(lambda: self._runner.run(self._entry, payload), "hermes-hook")
        else:
            future = self._group.start(self._entry, arguments, may_block=False)
        answer = await asyncio.wrap_future(future)
        return self._runner.settle(self._entry, answer, arguments)

    def _refuse(self, reason: str) -> Any:
        entry = self._entry
        if not entry.fail_closed:
            return None
        text = f"{entry.name} is declared fail-closed and not in force: {reason}"
        return {"action": "block", "message": text} if entry.event == "pre_tool_call" else f"[output withheld: {text}]"

    def _in_background(self, arguments: Mapping[str, Any]) -> None:
        entry, runner = self._entry, self._runner
        payload = runner.payload(entry, arguments)

        def work() -> None:
            answer = runner.run(entry, payload)
            if answer.failure:
                logger.warning("%s on %s (%s): %s", entry.name, entry.event, entry.where, answer.failure)

        if not self._background.put(work):
            logger.warning(
                "%s on %s: the queue of background runs is full, the oldest is dropped", entry.name, entry.event
            )
