"""docs/reference/cli.md: every command of the application with its arguments and options.

It is made from the declarations, not from the printed help, whose form changes with the version of typer.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE: Final = """\
<!-- Written by python docs/generate from hermes_sdk.cli; edit the command instead. -->

# Command line

`hermes-sdk` and `python -m hermes_sdk` are the same program; every command has `--help`. Text that plugins, tools and
models bring is shown with its control characters spelled out; colours appear on a terminal only and never with
`NO_COLOR`.

## Exit codes

| code | meaning |
|---|---|
| 0 | fine |
| 1 | a session failed, or the command could not do what it was asked |
| 2 | the command line was wrong |
| 3 | `--strict` or `plugins.strict` refused to start |
| 130 | ended by Ctrl-C |

An error is one block on stderr: what, where, why, and how to fix it. `hermes-sdk --debug ...` puts the traceback
above it.

Warnings are one line each on stderr. The whole log, tracebacks of plugins included, is `logs/hermes-sdk.log` in the
home.
{commands}"""

COMMAND: Final = """
## {heading}

{help}
{parameters}"""

PARAMETERS: Final = """
| {kind} | meaning |
|---|---|
{rows}
"""


def render(root: Path) -> dict[Path, str]:
    """Return the page by its path."""
    from hermes_sdk.cli.app import PROGRAM, app

    commands = "".join(_commands(typer.main.get_command(app), PROGRAM))
    return {root / "docs/reference/cli.md": PAGE.format(commands=commands)}


def _commands(command: Any, path: str) -> Iterator[str]:
    # Any: typer has no public names for the classes of commands and parameters
    children: dict[str, Any] = getattr(command, "commands", {})
    if not children or command.params:
        yield _section(command, path, takes_command=bool(children))
    for name, child in children.items():
        yield from _commands(child, f"{path} {name}")


def _section(command: Any, path: str, *, takes_command: bool) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    names = [_argument(argument) for argument in arguments]
    heading = " ".join(
        [path, *(["[OPTIONS]"] if takes_command else []), *names, *(["COMMAND"] if takes_command else [])]
    )
    parameters = "".join(
        PARAMETERS.format(kind=kind, rows="\n".join(f"| `{name(item)}` | {_help(item)} |" for item in items))
        for kind, items, name in (("argument", arguments, _argument), ("option", options, _option))
        if items
    )
    return COMMAND.format(heading=heading, help=inspect.cleandoc(command.help or ""), parameters=parameters)


def _argument(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()).strip("{}[]")
    return name if argument.required else f"[{name}]"


def _option(option: Any) -> str:
    spellings = " / ".join([*option.opts, *option.secondary_opts])
    return f"{spellings} {option.metavar}" if option.metavar else spellings


def _help(parameter: Any) -> str:
    variable = f" Default: `${parameter.envvar}`." if parameter.envvar else ""
    return f"{(parameter.help or '').replace('|', chr(92) + '|')}{variable}"
