"""`hermes-sdk dev`: a plugin that is loaded anew whenever it is saved."""

from pathlib import Path
from typing import Annotated

import typer

from hermes_sdk.cli.options import HomeOption, use_home


def dev(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="The plugin's directory, or its project.", exists=True, file_okay=False),
    ] = Path(),
    session: Annotated[
        Path | None,
        typer.Option(
            "--session",
            metavar="FILE",
            help="Played once and recorded; session.yaml beside the plugin by default.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    recording: Annotated[
        Path | None,
        typer.Option(
            "--recording", metavar="FILE", help="Replay this instead of playing a session.", exists=True, dir_okay=False
        ),
    ] = None,
    home: HomeOption = None,
) -> None:
    """Watch a plugin, load it anew when it is saved, and say what it does differently.

    A session is played once and recorded; after each save its hook calls are replayed, and what came out differently
    than before the save is printed. A save that does not load is said, with its place, and the next one is waited for.
    Ctrl-C ends it. Needs the extra [watch].
    """
    from hermes_sdk.cli.dev_loop import develop

    raise typer.Exit(develop(path, use_home(home), session, recording))
