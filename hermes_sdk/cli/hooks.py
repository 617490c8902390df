"""`hermes-sdk hooks`: the scripts of `hooks:` in config.yaml, looked at, tried, approved, and imported.

`test` and `doctor` run scripts for real, and say so before they do; everything else only looks and writes consent.
"""

from pathlib import Path
from typing import Annotated

import typer

from hermes_sdk.cli.options import HomeOption, JsonOption, use_home

app = typer.Typer(
    help="List, try, approve and examine the scripts of `hooks:` in config.yaml.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

EventArgument = Annotated[str, typer.Argument(metavar="EVENT", help="A hook, such as pre_tool_call.")]
CwdOption = Annotated[
    Path | None,
    typer.Option("--cwd", metavar="DIR", help="Where scripts run; here by default.", exists=True, file_okay=False),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Answer every question with yes.")]


@app.command("list")
def list_hooks(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List every entry, its consent, and its figures.

    With matcher, timeout, and what running hosts did with it. Nothing is run. The exit code is 1 when the configuration
    or the allowlist has something that cannot be used.
    """
    from hermes_sdk.cli.hooks_listing import print_hooks

    raise typer.Exit(print_hooks(use_home(home), as_json=as_json))


@app.command("test")
def try_event(
    event: EventArgument,
    for_tool: Annotated[str, typer.Option("--for-tool", metavar="TOOL", help="The tool that is called.")] = "",
    payload_file: Annotated[
        Path | None,
        typer.Option(
            "--payload-file",
            metavar="FILE",
            help="JSON: arguments of the hook, or a payload as a script reads it; the rest is made up.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    home: HomeOption = None,
    cwd: CwdOption = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Fire an event at its scripts, for real.

    Says what their answers mean. A script reads exactly what it reads in a session. It runs as you, in your directory,
    and can change what you can change. One that is not approved runs only after a question. The exit code is 1 when one
    fails or is not run.
    """
    from hermes_sdk.cli.hooks_trial import TrialRequest, try_hooks

    request = TrialRequest(
        event=event,
        home=use_home(home),
        cwd=(cwd or Path.cwd()).absolute(),
        tool=for_tool,
        payload_file=payload_file,
        yes=yes,
        as_json=as_json,
    )
    raise typer.Exit(try_hooks(request))


@app.command("approve")
def approve(
    command: Annotated[
        str | None, typer.Argument(metavar="[COMMAND]", help="As written in config.yaml; all when left out.")
    ] = None,
    home: HomeOption = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Let scripts run from the next start on.

    Without a command, every script that is not approved or changed since is shown, and you are asked about each.
    """
    from hermes_sdk.cli.hooks_consent import approve_hooks

    raise typer.Exit(approve_hooks(use_home(home), command, yes=yes, as_json=as_json))


@app.command("revoke")
def revoke(
    command: Annotated[str, typer.Argument(metavar="COMMAND", help="As written in config.yaml, ~ unexpanded.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take approvals back, from the next start on.

    A running host keeps its hooks until it ends.
    """
    from hermes_sdk.cli.hooks_consent import revoke_hooks

    raise typer.Exit(revoke_hooks(use_home(home), command, as_json=as_json))


@app.command("doctor")
def doctor(
    home: HomeOption = None,
    cwd: CwdOption = None,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Whether to run approved scripts at all.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Check every script; runs the approved ones for real.

    Looked at: permissions, shebang, line ends, consent, changes since, answer and time on a made-up payload, and
    whether a running host has it. The exit code is 1 when something is wrong.
    """
    from hermes_sdk.cli.hooks_doctor import examine_hooks

    directory = (cwd or Path.cwd()).absolute()
    raise typer.Exit(examine_hooks(use_home(home), directory, start=run, as_json=as_json))


@app.command("schema")
def schema(event: EventArgument, as_json: JsonOption = False) -> None:
    """Print JSON Schema of payload and answer.

    One document with the keys `payload` and `answer`, with or without --json.
    """
    from hermes_sdk.cli.screen import print_json
    from hermes_sdk.shell_hooks.answer_schema import answer_schema
    from hermes_sdk.shell_hooks.schema import payload_schema

    del as_json
    print_json({"payload": payload_schema(event), "answer": answer_schema(event)})


@app.command("import")
def import_settings(
    settings: Annotated[
        Path,
        typer.Argument(metavar="SETTINGS", help="A settings.json of Claude Code.", exists=True, dir_okay=False),
    ],
    write: Annotated[bool, typer.Option("--write", help="Add the block to config.yaml.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show Claude Code's hooks as a `hooks:` block.

    With what has no equivalent. Nothing is written without --write, and nothing runs before it is approved. The exit
    code is 1 when nothing at all could be taken over.
    """
    from hermes_sdk.cli.hooks_import import import_hooks

    raise typer.Exit(import_hooks(settings, use_home(home), write=write, as_json=as_json))
