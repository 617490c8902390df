"""`hermes-sdk logs`: what a gateway, or the command line, has logged in the home."""

from enum import StrEnum
from typing import Annotated

import typer

from hermes_sdk.cli.options import HomeOption, use_home


class Level(StrEnum):
    """Levels of log records."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"
    CRITICAL = "CRITICAL"


def logs(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="`gateway`, or `hermes-sdk`: the log of all other commands.")
    ] = "gateway",
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is added, until Ctrl-C.")] = False,
    level: Annotated[
        Level,
        typer.Option("--level", metavar="LEVEL", case_sensitive=False, help="Leave out what is below this level."),
    ] = Level.DEBUG,
    lines: Annotated[int, typer.Option("--lines", "-n", metavar="N", min=0, help="Lines to begin with.")] = 50,
    home: HomeOption = None,
) -> None:
    """Print the end of a log.

    The gateway writes `logs/gateway.log` in the home; a full file is put aside, and following goes on with the next
    one. Control characters are spelled out.
    """
    from hermes_sdk.cli.log_file import print_log

    raise typer.Exit(print_log(use_home(home), name, lines=lines, level=level.value, follow=follow))
