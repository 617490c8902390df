"""`hermes-sdk replay`, `explain` and `report`: what a recording says."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hermes_sdk.cli.options import HomeOption, JsonOption, PluginOption, use_home

RecordingArgument = Annotated[
    Path,
    typer.Argument(metavar="RECORDING", help="What `hermes-sdk run --record` wrote.", exists=True, dir_okay=False),
]


class ReportFormat(StrEnum):
    """What a report is written as."""

    HTML = "html"
    CHROME_TRACE = "chrome-trace"


def replay(
    recording: RecordingArgument, plugin: PluginOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Fire the recorded hook calls at today's plugins.

    Says what comes out differently; no tool runs, no model is asked. The exit code is 1 when anything differs: a
    regression test in one line.
    """
    from hermes_sdk.cli.trace_screen import replay_recording

    raise typer.Exit(replay_recording(recording, use_home(home), tuple(plugin or ()), as_json=as_json))


def explain(
    recording: RecordingArgument,
    call: Annotated[str, typer.Option("--call", metavar="ID", help="Only hook calls about this tool call.")] = "",
    tool: Annotated[str, typer.Option("--tool", metavar="NAME", help="Only hook calls about this tool.")] = "",
    turn: Annotated[
        int | None, typer.Option("--turn", metavar="N", min=1, help="Only hook calls of this turn; the first one is 1.")
    ] = None,
    plugin: Annotated[str, typer.Option("--by", metavar="PLUGIN", help="Only those in which this plugin acted.")] = "",
    number: Annotated[
        int | None, typer.Option("--number", metavar="N", min=1, help="Only the entry of this number.")
    ] = None,
    whole: Annotated[bool, typer.Option("--all", help="Those in which nobody acted, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say who blocked or changed what, and why.

    Each hook call in which a plugin acted, step by step, with what each step changed.
    """
    from hermes_sdk.cli.trace_screen import Wanted, explain_recording

    wanted = Wanted(call=call, tool=tool, turn=turn or 0, plugin=plugin, number=number or 0, whole=whole)
    raise typer.Exit(explain_recording(recording, wanted, as_json=as_json))


def report(
    recording: RecordingArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where it goes.", dir_okay=False)],
    form: Annotated[
        ReportFormat, typer.Option("--format", help="A page, or a trace for the profilers of browsers and Perfetto.")
    ] = ReportFormat.HTML,
) -> None:
    """Draw a recording as one page that needs no network."""
    from hermes_sdk.cli.trace_screen import write_report

    raise typer.Exit(write_report(recording, output, form.value))
