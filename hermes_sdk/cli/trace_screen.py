"""How a recording is shown: what differs today, who did what, and as a page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK, warn
from hermes_sdk.cli.screen import console, plain, print_json, shortened
from hermes_sdk.cli.start import load_plugins, opened_manager
from hermes_sdk.errors import SessionError, counted
from hermes_sdk.trace.chrome import chrome_trace
from hermes_sdk.trace.page import page
from hermes_sdk.trace.recording import read_recording
from hermes_sdk.trace.replaying import replay
from hermes_sdk.trace.stepwise import acting, difference, steps_of, verdict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rich.console import Console

    from hermes_sdk.trace.recording import Entry, Recording
    from hermes_sdk.trace.replaying import Difference, ReplayReport

_STYLES: Final = {"-": "red", "+": "green"}
_WIDEST: Final = 160


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which hook calls are explained."""

    call: str = ""
    tool: str = ""
    turn: int = 0
    """Number of a turn, from 1, of the session or of a child agent."""
    plugin: str = ""
    number: int = 0
    whole: bool = False

    def takes(self, entry: Entry, turns: Mapping[str, object]) -> bool:
        """Whether a hook call is one of them; `turns` has the number of each turn by its id."""
        data = entry.data
        acted = [step["plugin"] for step in entry.steps if acting(step["what"])]
        return (
            (not self.number or entry.number == self.number)
            and (not self.call or data.get("call") == self.call)
            and (not self.tool or data.get("tool") == self.tool)
            and (not self.turn or turns.get(str(data.get("turn"))) == self.turn)
            and (not self.plugin or self.plugin in acted)
            and (bool(acted) or self.whole or bool(self.number))
        )


def replay_recording(path: Path, home: Path, plugins: tuple[Path, ...], *, as_json: bool) -> int:
    """Replay a recording at the plugins of a home, show what differs, and return the exit code."""
    recording = _read(path)
    with opened_manager(home) as manager:
        load_plugins(manager, plugins)
        report = replay(recording, manager)
        names = list(manager.plugins)
    if as_json:
        differences = [_document(each) for each in report.differences]
        incomparable = [
            {"number": each.entry.number, "hook": each.entry.name, "tool": each.entry.data.get("tool"), "why": each.why}
            for each in report.incomparable
        ]
        counts = {"same": report.same, "calls": report.calls, "skipped": report.skipped}
        print_json(counts | {"differences": differences, "incomparable": incomparable})
    else:
        _show_replay(console(), recording, report, names)
    return EXIT_OK if report.same else EXIT_FAILED


def _show_replay(screen: Console, recording: Recording, report: ReplayReport, plugins: list[str]) -> None:
    then = ", ".join(plugin["key"] for plugin in recording.header.get("plugins") or ())
    if sorted(then.split(", ")) != sorted(plugins):
        now = ", ".join(plugins) or "none"
        screen.print(Text(plain(f"plugins then: {then or 'none'}; now: {now}"), "dim"))
    show_differences(screen, report)


def show_differences(screen: Console, report: ReplayReport) -> None:
    """Show what came out differently in a replay, and how much did not."""
    for each in report.differences:
        data = each.entry.data
        about = f" {data['tool']}" if data.get("tool") else ""
        screen.print(Text(plain(f"{each.entry.number} {each.entry.name}{about}: {each.field} differs"), "bold"))
        screen.print(Text(plain(f"  then: {', '.join(each.before_steps) or 'nobody acted'}"), "dim"))
        screen.print(Text(plain(f"  now:  {', '.join(each.after_steps) or 'nobody acts'}"), "dim"))
        _show_diff(screen, difference(each.before, each.after))
    for name, count in report.skipped.items():
        warn(f"{counted(count, 'call')} of {name} left out: this contract has no such hook")
    for incomparable in report.incomparable:
        warn(f"{incomparable}; a recording of less, or one with --record-raw, can be")
    same = report.calls - len({each.entry.number for each in report.differences}) - len(report.incomparable)
    screen.print(
        Text(f"{same} of {report.calls} hook calls come out as they did", "bold" if report.same else "bold red")
    )


def explain_recording(path: Path, wanted: Wanted, *, as_json: bool) -> int:
    """Explain hook calls and return the exit code: 1 when none is as wanted.

    Raises:
        SessionError: It is no recording.
    """
    recording = _read(path)
    started = (entry.data for entry in recording.entries if entry.name == "TurnStarted")
    turns = {str(data.get("turn")): data.get("number") for data in started}
    entries = [entry for entry in recording.hooks() if wanted.takes(entry, turns)]
    if as_json:
        print_json({"calls": [_explained(entry) for entry in entries]})
    else:
        screen = console()
        for entry in entries:
            _show_entry(screen, entry)
        if not entries:
            print("no hook call is as wanted, or no plugin acted; --all shows the others")
    return EXIT_OK if entries else EXIT_FAILED


def _show_entry(screen: Console, entry: Entry) -> None:
    data = entry.data
    about = " ".join(str(data[key]) for key in ("tool", "call") if data.get(key))
    head = f"{entry.number} {entry.name}{' ' + about if about else ''}: {verdict(entry)}"
    screen.print(Text(plain(head), "bold"))
    for step in steps_of(entry):
        time = f", {step.duration_ms:.2f} ms" if step.duration_ms is not None else ""
        text = Text(plain(f"  {step.plugin} ({step.source}{time}) "))
        text.append(step.what, "dim" if not acting(step.what) else "bold")
        if step.error or step.detail:
            text.append(plain(f": {step.error or step.detail}"))
        screen.print(text)
        _show_diff(screen, step.diff)


def _show_diff(screen: Console, lines: Any) -> None:
    for line in lines:  # an iterable of str
        screen.print(Text(plain(f"      {shortened(line, _WIDEST)}"), _STYLES.get(line[:1], "dim")))


def write_report(path: Path, output: Path, form: str) -> int:
    """Write a report and return the exit code.

    Raises:
        SessionError: It is no recording, or the report cannot be written.
    """
    recording = _read(path)
    text = page(recording) if form == "html" else json.dumps(chrome_trace(recording))
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise SessionError(
            "the report cannot be written", where=str(output), why=str(error.strerror), code="HS463"
        ) from None
    print(f"{counted(len(recording.entries), 'entry', plural='entries')} in {plain(output)}")
    return EXIT_OK


def _read(path: Path) -> Recording:
    recording = read_recording(path)
    for warning in recording.warnings:
        warn(warning)
    return recording


def _explained(entry: Entry) -> dict[str, Any]:
    data = entry.data
    shared = {key: data.get(key) for key in ("tool", "call", "session", "turn")}
    steps = [asdict(step) for step in steps_of(entry)]
    return {"number": entry.number, "hook": entry.name, **shared, "verdict": verdict(entry), "steps": steps}


def _document(each: Difference) -> dict[str, Any]:
    return {
        "number": each.entry.number,
        "hook": each.entry.name,
        "tool": each.entry.data.get("tool"),
        "field": each.field,
        "before": each.before,
        "after": each.after,
        "before_steps": list(each.before_steps),
        "after_steps": list(each.after_steps),
    }
