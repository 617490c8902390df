"""Commands that plugins registered with `ctx.register_cli_command`: `hermes-sdk <name> ...`.

Plugins are loaded for a name that is none of ours, and for nothing else: `hermes-sdk --help` runs no plugin code.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from hermes_sdk.cli.problems import EXIT_OK
from hermes_sdk.cli.start import load_plugins, opened_manager
from hermes_sdk.errors import HermesSdkError, PluginError, did_you_mean
from hermes_sdk.home import hermes_home

if TYPE_CHECKING:
    import typer

    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.plugins.registrations import CliCommandEntry


def run_plugin_command(ctx: typer.Context) -> int:
    """Run the plugin command that `ctx` was made for and return its exit code."""
    name = str(ctx.info_name)
    with opened_manager(hermes_home()) as manager:
        load_plugins(manager)
        entry = manager.registrations.cli_commands.get(name)
        if entry is None:
            known = {*manager.registrations.cli_commands, *_own_commands(ctx)}
            hint = did_you_mean(name, known).replace("did", "Did", 1)  # as the library that parses says it
            (ctx.parent or ctx).fail(f"No such command {name!r}. {hint}".rstrip())
        return _run(manager, entry, ctx.args)


def _own_commands(ctx: Any) -> list[str]:
    # Any: typer has no public name for the class of a group
    return list(ctx.parent.command.commands)


def _run(manager: PluginManager, entry: CliCommandEntry, arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=f"hermes-sdk {entry.name}",
        description=entry.description or entry.help,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _contained(manager, entry, "setup", lambda: entry.setup_fn(parser))
    if entry.handler_fn is not None:
        parser.set_defaults(func=entry.handler_fn)
    namespace = parser.parse_args(arguments)
    handler = getattr(namespace, "func", None)
    if handler is None:
        parser.print_help()
        return EXIT_OK
    code = _contained(manager, entry, "run", lambda: handler(namespace))
    return code if isinstance(code, int) else EXIT_OK


def _contained(manager: PluginManager, entry: CliCommandEntry, doing: str, call: Any) -> Any:
    """Run plugin code; a `SystemExit` of it is an exit code, any other failure one readable error.

    An error in our own form says all that a user needs: it is no failure of the plugin, and is shown as it is.

    `call` and the result are `Any`: both are the plugin's.
    """
    ended: list[SystemExit | HermesSdkError] = []

    def guarded() -> Any:
        try:
            return call()
        except (SystemExit, HermesSdkError) as end:
            ended.append(end)
            return None

    result, error = manager.call_isolated(entry.plugin, f"command {entry.name}", guarded)
    if ended:
        raise ended[0]
    if error is not None:
        raise PluginError(
            f"command {entry.name!r} of plugin {entry.plugin!r} failed to {doing}", why=error, code="HS240"
        )
    return result
