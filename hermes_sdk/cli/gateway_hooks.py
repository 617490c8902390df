"""`hermes-sdk gateway hooks`: the handlers of `<home>/hooks`, listed and tried."""

from pathlib import Path
from typing import Annotated

import typer

from hermes_sdk.cli.options import HomeOption, JsonOption, use_home

app = typer.Typer(
    help="List and try gateway hooks: HOOK.yaml and handler.py in the home's `hooks` directory.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_hooks(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List every gateway hook with its events.

    Nothing is imported. The exit code is 1 when a HOOK.yaml has something that cannot be used.
    """
    from hermes_sdk.cli.gateway_hooks_screen import print_hooks

    raise typer.Exit(print_hooks(use_home(home), as_json=as_json))


@app.command("emit")
def emit(
    ctx: typer.Context,
    event: Annotated[str, typer.Argument(metavar="EVENT", help="An event, such as agent:end or command:reset.")],
    context_file: Annotated[
        Path | None,
        typer.Option(
            "--context",
            metavar="FILE",
            help="JSON: keys of the context; the others are made up.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Hand an event to its handlers, for real.

    They run here, as you, without a gateway, and do what they do: write, post, send. What each returned or raised is
    printed. The exit code is 1 when one fails or cannot be loaded.
    """
    from hermes_sdk.cli.gateway_hooks_trial import emit_event

    ctx.obj.log.muted = ("hermes_sdk.gateway_hooks", "hermes_sdk.dispatch.failures")  # shown in another form
    raise typer.Exit(emit_event(use_home(home), event, context_file, as_json=as_json))
