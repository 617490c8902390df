"""`hermes-sdk gateway`: the messaging gateway of a home."""

from pathlib import Path
from typing import Annotated

import typer

from hermes_sdk.cli import gateway_hooks, gateway_pair
from hermes_sdk.cli.options import (
    AcceptHooksOption,
    BaseUrlOption,
    HomeOption,
    JsonOption,
    ModelOption,
    PluginOption,
    RecordOption,
    RecordRawOption,
    StrictOption,
    WorkdirOption,
    check_who_answers,
    redacted,
    use_accept_hooks,
    use_home,
)

app = typer.Typer(help="Run a messaging gateway.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(gateway_hooks.app, name="hooks")
app.add_typer(gateway_pair.app, name="pair")


@app.command("run")
def run(
    ctx: typer.Context,
    script: Annotated[
        Path | None,
        typer.Option(
            "--script",
            metavar="FILE",
            help="Answer each chat from the turns of a session script instead of a model.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    platform: Annotated[
        list[str] | None,
        typer.Option(
            "--platform",
            metavar="NAME",
            help="Start this platform, and those that are named like this only; may be repeated.",
        ),
    ] = None,
    plugin: PluginOption = None,
    home: HomeOption = None,
    workdir: WorkdirOption = None,
    record: RecordOption = None,
    record_raw: RecordRawOption = False,
    strict: StrictOption = False,
    accept_hooks: AcceptHooksOption = False,
) -> None:
    """Run the gateway until it is told to end.

    Starts the platforms of `gateway.platforms` in config.yaml; where it names none, the web chat. Ctrl-C and SIGTERM
    end it: turns that run may finish for a while, messages that are left are kept for the next start.
    """
    check_who_answers(ctx, script, model)
    from hermes_sdk.cli.gateway_run import GatewayRequest, run_gateway

    use_accept_hooks(accepted=accept_hooks)
    request = GatewayRequest(
        home=use_home(home),
        script=script,
        model=model,
        base_url=base_url,
        platforms=tuple(platform or ()),
        plugins=tuple(plugin or ()),
        workdir=workdir,
        strict=strict,
        record=record,
        redacted=redacted(record, raw=record_raw),
    )
    raise typer.Exit(run_gateway(request))


@app.command("status")
def status(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Show the gateway that runs for a home.

    The exit code is 1 when none runs, or a platform is not connected.
    """
    from hermes_sdk.cli.gateway_control import print_status

    raise typer.Exit(print_status(use_home(home), as_json=as_json))


@app.command("restart")
def restart(home: HomeOption = None) -> None:
    """Let the running gateway end as it does on SIGTERM, and start anew with what it was started with."""
    from hermes_sdk.cli.gateway_control import restart_gateway

    raise typer.Exit(restart_gateway(use_home(home)))


@app.command("stop")
def stop(home: HomeOption = None) -> None:
    """End the running gateway."""
    from hermes_sdk.cli.gateway_control import stop_gateway

    raise typer.Exit(stop_gateway(use_home(home)))
