"""`hermes-sdk new`: a plugin to begin with, from the cookiecutter template."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Kind(StrEnum):
    """What a plugin does."""

    GUARD = "guard"
    OBSERVER = "observer"
    REDACTION = "redaction"
    MEMORY_RECALL = "memory-recall"
    TOOL = "tool"
    GATEWAY_HOOK = "gateway-hook"
    SHELL_HOOK = "shell-hook"


class Style(StrEnum):
    """How it is written."""

    HOOKIMPL = "hookimpl"
    REGISTER = "register"


class Packaging(StrEnum):
    """How it reaches people."""

    PIP = "pip"
    DIRECTORY = "directory"


class License(StrEnum):
    """Its licence."""

    MIT = "MIT"
    APACHE = "Apache-2.0"
    BSD = "BSD-3-Clause"
    NONE = "none"


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the plugin: letters, digits, single dashes.")],
    kind: Annotated[Kind | None, typer.Option("--kind", help="What it does; guard by default.")] = None,
    style: Annotated[
        Style | None,
        typer.Option("--style", help="A class with @hookimpl methods (the default), or callbacks in register(ctx)."),
    ] = None,
    packaging: Annotated[
        Packaging | None,
        typer.Option("--packaging", help="A distribution for pip (the default), or a directory for the home."),
    ] = None,
    license_: Annotated[License | None, typer.Option("--license", help="MIT by default.")] = None,
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="Who writes it.")] = "",
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="One line about it.")] = "",
    output: Annotated[
        Path, typer.Option("--output", metavar="DIR", help="Where its directory is made.", file_okay=False)
    ] = Path(),
    no_input: Annotated[
        bool, typer.Option("--no-input", help="Ask nothing; what is not said has its default.")
    ] = False,
) -> None:
    """Make a plugin to begin with.

    With settings, tests, a session that shows it act, and a CI file. On a terminal what is left out is asked for.
    """
    from hermes_sdk.cli.template import Wish, bake

    wish = Wish(
        name=name,
        kind=kind,
        style=style,
        packaging=packaging,
        license=license_,
        author=author,
        description=description,
    )
    raise typer.Exit(bake(wish, output, ask=not no_input))
