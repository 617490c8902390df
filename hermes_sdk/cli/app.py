"""The typer application: global options, command groups, and commands that plugins brought along."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from hermes_sdk.cli import (
    approvals,
    chat,
    check,
    config,
    dev,
    doctor,
    gateway,
    hooks,
    new,
    plugins,
    run,
    show_log,
    trace,
)
from hermes_sdk.cli.flags import Flags
from hermes_sdk.cli.logs import logging_to
from hermes_sdk.cli.options import AcceptHooksOption, HomeOption, use_accept_hooks, use_home
from hermes_sdk.cli.problems import EXIT_OK, guarded

PROGRAM = "hermes-sdk"


class PluginCommand(TyperCommand):
    """A name that is none of ours: its arguments go unread to the plugin that registered it."""

    def __init__(self, name: str) -> None:
        unread = {"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False}
        super().__init__(name, context_settings=unread, add_help_option=False)

    def invoke(self, ctx: Any) -> Any:
        """Load the plugins and run the command, or fail as for any unknown command."""
        from hermes_sdk.cli.extensions import run_plugin_command

        raise typer.Exit(run_plugin_command(ctx))


class Commands(TyperGroup):
    """The commands of this package; any other name is looked up among those of the loaded plugins."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command `cmd_name`; `Any` because typer has no public names for click's classes."""
        return super().get_command(ctx, cmd_name) or PluginCommand(cmd_name)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "Plugins add commands of their own: `hermes-sdk plugins commands` lists them. "
        "Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 refused by --strict, 130 interrupted."
    ),
)
app.command("run")(run.run)
app.command("chat")(chat.chat)
app.add_typer(plugins.app, name="plugins")
app.add_typer(hooks.app, name="hooks")
app.add_typer(approvals.app, name="approvals")
app.add_typer(config.app, name="config")
app.add_typer(gateway.app, name="gateway")
app.command("doctor")(doctor.doctor)
app.command("check")(check.check)
app.command("new")(new.new)
app.command("dev")(dev.dev)
app.command("replay")(trace.replay)
app.command("explain")(trace.explain)
app.command("report")(trace.report)
app.command("logs")(show_log.logs)


def invoke(arguments: list[str]) -> int:
    """Run the application and return its exit code; no error is raised."""
    flags = Flags()

    def run_command() -> int:
        try:
            typer.main.get_command(app).main(args=arguments, prog_name=PROGRAM, obj=flags)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else EXIT_OK
        return EXIT_OK

    with logging_to(flags.log):
        return guarded(run_command, debug=lambda: flags.debug)


def _show_version(wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import version

    typer.echo(f"{PROGRAM} {version(PROGRAM)}")
    raise typer.Exit


@app.callback()
def _global_options(
    ctx: typer.Context,
    home: HomeOption = None,
    accept_hooks: AcceptHooksOption = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Play, watch and manage agent sessions whose hooks run through pluggy plugins."""
    del version
    ctx.obj.debug = ctx.obj.log.whole = debug
    use_home(home)
    use_accept_hooks(accepted=accept_hooks)
