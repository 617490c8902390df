"""`hermes-sdk plugins`: what is installed, what loads, what does not and why, and switching it on and off.

Nothing here runs plugin code but what says so: `--load`, and `commands`.
"""

from typing import Annotated

import typer

from hermes_sdk.cli.options import HomeOption, JsonOption, use_home

app = typer.Typer(help="List, inspect, enable and disable plugins.", no_args_is_help=True, rich_markup_mode=None)

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The plugin; may carry its source, as in builtin:redaction.")
]
LoadOption = Annotated[
    bool,
    typer.Option(
        "--load", help="Load the plugins first: runs their code, and shows what they register and what fails."
    ),
]


@app.command("list")
def list_plugins(home: HomeOption = None, load: LoadOption = False, as_json: JsonOption = False) -> None:
    """List every plugin, and why it is not loaded.

    In calling order, with source, version, status and hooks. Nothing is imported; what a running session has loaded is
    read from the home.
    """
    from hermes_sdk.cli.plugins_listing import print_list

    print_list(use_home(home), load=load, as_json=as_json)


@app.command("info")
def info(name: NameArgument, home: HomeOption = None, load: LoadOption = False, as_json: JsonOption = False) -> None:
    """Show all that is known about a plugin.

    Other copies of the same name are shown too.
    """
    from hermes_sdk.cli.plugins_listing import print_details

    print_details(use_home(home), name, load=load, as_json=as_json)


@app.command("enable")
def enable(name: NameArgument, home: HomeOption = None) -> None:
    """Load a plugin from the next start on."""
    from hermes_sdk.interop.running import refuse_switching
    from hermes_sdk.plugins import enabling
    from hermes_sdk.plugins.discovery import discover

    active = use_home(home)
    refuse_switching(active)
    _say(enabling.enable(active, name, discover(active).candidates).messages)


@app.command("disable")
def disable(name: NameArgument, home: HomeOption = None) -> None:
    """Never load a plugin from the next start on."""
    from hermes_sdk.interop.running import refuse_switching
    from hermes_sdk.plugins import enabling
    from hermes_sdk.plugins.discovery import discover

    active = use_home(home)
    refuse_switching(active)
    _say(enabling.disable(active, name, discover(active).candidates).messages)


@app.command("commands")
def commands(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the commands that plugins add.

    Loads the plugins, which runs their code. Commands of hermes-sdk itself and slash commands of a chat are shown.
    """
    from hermes_sdk.cli import plugins_screen, screen
    from hermes_sdk.cli.start import load_plugins, opened_manager

    with opened_manager(use_home(home)) as manager:
        load_plugins(manager)
        table = manager.registrations
        found = [
            {"command": f"hermes-sdk {entry.name}", "plugin": entry.plugin, "help": entry.help}
            for entry in table.cli_commands.values()
        ]
        found += [
            {"command": f"/{entry.name} {entry.args_hint}".rstrip(), "plugin": entry.plugin, "help": entry.description}
            for entry in table.commands.values()
        ]
    if as_json:
        screen.print_json({"commands": found})
    else:
        plugins_screen.show_commands(found)


def _say(messages: list[str]) -> None:
    from hermes_sdk.cli.screen import plain

    for message in messages:
        print(plain(message))
