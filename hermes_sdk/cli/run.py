"""`hermes-sdk run`: play a session file, watch it, and see what each plugin did."""

from pathlib import Path
from typing import Annotated

import typer

from hermes_sdk.cli.options import (
    AcceptHooksOption,
    HomeOption,
    JsonOption,
    PluginOption,
    RecordOption,
    RecordRawOption,
    StrictOption,
    WorkdirOption,
    redacted,
    use_accept_hooks,
    use_home,
)


def run(
    ctx: typer.Context,
    session: Annotated[
        Path,
        typer.Argument(
            metavar="SESSION",
            help="A session script (YAML), or a conversation in OpenAI's format (JSON, JSONL).",
            exists=True,
            dir_okay=False,
        ),
    ],
    plugin: PluginOption = None,
    home: HomeOption = None,
    workdir: WorkdirOption = None,
    live: Annotated[
        bool | None,
        typer.Option(
            "--live/--recorded",
            help="Run the tools of a conversation for real, or repeat their recorded results; a script runs its tools.",
            show_default="recorded",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the table only, not the timeline.")] = False,
    as_json: JsonOption = False,
    record: RecordOption = None,
    record_raw: RecordRawOption = False,
    strict: StrictOption = False,
    accept_hooks: AcceptHooksOption = False,
) -> None:
    """Play a session and show what plugins do in it.

    A timeline names the plugin behind each event as it happens; a table at the end counts what each plugin did.
    With --json, stdout is one document: {"events": [...], "ok": ..., "problems": [...], "session": {...},
    "summary": {...}}. Exit code 1 when the session failed.
    """
    from hermes_sdk.cli.run_session import RunRequest, run_session

    use_accept_hooks(accepted=accept_hooks)
    request = RunRequest(
        session=session,
        home=use_home(home),
        plugins=tuple(plugin or ()),
        workdir=workdir,
        live=live,
        strict=strict,
        quiet=quiet,
        as_json=as_json,
        record=record,
        redacted=redacted(record, raw=record_raw),
    )
    raise typer.Exit(run_session(request, ctx.obj.log))
