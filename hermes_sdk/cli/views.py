"""How `hermes-sdk run` shows a session: as a timeline with a table under it, or as one JSON document."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Protocol

from rich.text import Text

from hermes_sdk.cli.documents import RunDocument
from hermes_sdk.cli.problems import as_document, warn
from hermes_sdk.cli.screen import console, plain
from hermes_sdk.cli.start import plugins_in_force
from hermes_sdk.cli.summary_table import summary_table
from hermes_sdk.cli.timeline import Timeline

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from rich.console import Console

    from hermes_sdk.host.events import Event
    from hermes_sdk.host.player import SessionResult
    from hermes_sdk.host.session_script import SessionScript
    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.trace.summary import Tally


class View(Protocol):
    """Shows one session while it runs and what came of it."""

    def begin(self, script: SessionScript, manager: PluginManager) -> None:
        """Show what is about to run."""

    def __call__(self, event: Event) -> None:
        """Show an event."""

    def printed(self, who: str, text: str) -> None:
        """Show a line that a plugin printed; `who` is "" when nobody knows which."""

    def warned(self, text: str) -> None:
        """Show a warning from the log."""

    def end(self, result: SessionResult, tally: Tally) -> None:
        """Show what the session came to."""

    def failed(self, error: BaseException) -> None:
        """Say that there is no result, before `error` goes on its way."""


class TimelineView:
    """For people.

    Args:
        stream: The real stdout.
        log: Where plugins' failures are logged.
        quiet: Leave the timeline out.
    """

    def __init__(self, stream: TextIO, log: Path, *, quiet: bool) -> None:
        self.console: Console = console(stream)
        self._log = log
        self._timeline = None if quiet else Timeline(self.console)

    def begin(self, script: SessionScript, manager: PluginManager) -> None:
        """Print the session's title and the plugins that are in force."""
        title = script.title or (script.path.name if script.path else script.kind)
        self.console.print(Text(plain(title), "bold"))
        self.console.print(Text(plain(f"plugins: {plugins_in_force(manager)}"), "dim"))
        if self._timeline is not None:
            self._timeline.align((*manager.plugins, "delegate_task"))

    def __call__(self, event: Event) -> None:
        """Draw an event."""
        if self._timeline is not None:
            self._timeline(event)

    def printed(self, who: str, text: str) -> None:
        """Draw a printed line."""
        if self._timeline is not None:
            self._timeline.printed(who, text)

    def warned(self, text: str) -> None:
        """Draw a warning, in its place among the events."""
        if self._timeline is not None:
            self._timeline.warned(text)
        else:
            warn(text)

    def end(self, result: SessionResult, tally: Tally) -> None:
        """Print the table of plugins, then counts and what went wrong."""
        if self._timeline is not None:
            self._timeline.close()
        self.console.print()
        if tally.rows():
            self.console.print(summary_table(tally))
            self.console.print()
        statuses = sorted(result.statuses.items(), key=lambda item: (item[0] != "ok", item[0]))
        ended = ", ".join(f"{count} {status}" for status, count in statuses)
        counts = (
            f"turns: {result.completed} of {result.turns} completed; "
            f"tool calls: {sum(result.statuses.values())}{f' ({ended})' if ended else ''}; {result.seconds:.1f} s"
        )
        self.console.print(Text(counts))
        hooks = f"hook calls: {result.hook_calls}, {result.hook_ms_per_tool_call:.2f} ms of hooks a tool call"
        self.console.print(Text(hooks))
        if any(row.failed for row in tally.rows()):
            self.console.print(Text(f"where plugins failed, with tracebacks: {plain(self._log)}", "yellow"))
        for problem in result.problems:
            self.console.print(Text(f"failed: {plain(problem)}", "bold red"))

    def failed(self, error: BaseException) -> None:
        """Draw what is held back; the error is printed by whoever catches it."""
        del error
        if self._timeline is not None:
            self._timeline.close()


class JsonView(RunDocument):
    """For programs: see `RunDocument`."""

    def begin(self, script: SessionScript, manager: PluginManager) -> None:
        """Nothing: the document begins with its events."""

    def warned(self, text: str) -> None:
        """Print a warning on stderr."""
        warn(text)

    def end(self, result: SessionResult, tally: Tally) -> None:
        """Write the result."""
        session = asdict(result)
        problems = session.pop("problems")
        self.close(ok=result.ok, problems=problems, session=session, summary=tally.as_document())

    def failed(self, error: BaseException) -> None:
        """Write the error in place of a result, if anybody reads it; whoever caught it prints it too."""
        with suppress(OSError):
            self.close(ok=False, error=as_document(error))
