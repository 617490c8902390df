"""Options that several commands share, and what each does to the process.

Annotations are evaluated by typer, so command modules do without `from __future__ import annotations`.
"""

import os
from pathlib import Path
from typing import Annotated

import typer

from hermes_sdk.cli.problems import warn
from hermes_sdk.home import hermes_home

HomeOption = Annotated[
    Path | None,
    typer.Option("--home", metavar="DIR", help="Home to use instead of $HERMES_HOME or ~/.hermes.", file_okay=False),
]
AcceptHooksOption = Annotated[
    bool,
    typer.Option(
        "--accept-hooks",
        help="Approve every shell hook found at this start without asking; before or after the command.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and no more.")]
PluginOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="DIR",
        help="Load this plugin directory too, for this run only; may be repeated.",
        exists=True,
        file_okay=False,
    ),
]
RecordOption = Annotated[
    Path | None,
    typer.Option(
        "--record", metavar="FILE", help="Write every hook call to a recording; secrets are masked.", dir_okay=False
    ),
]
RecordRawOption = Annotated[
    bool, typer.Option("--record-raw", help="Leave secrets in the recording as they are: it is for your eyes only.")
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="The model, as its endpoint calls it; needs the extra [llm]."),
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        envvar="OPENAI_BASE_URL",
        help="An OpenAI-compatible endpoint; its key is taken from OPENAI_API_KEY.",
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Refuse to start (exit code 3) when a plugin fails, is degraded, or config is unknown.",
    ),
]
WorkdirOption = Annotated[
    Path | None,
    typer.Option("--workdir", metavar="DIR", help="Directory that tools run in.", exists=True, file_okay=False),
]


def use_home(chosen: Path | None) -> Path:
    """Make `chosen` the active home of this process, plugins and child processes included, and return it.

    A home that does not exist is said to be none: one letter wrong, and no guard of the right one is loaded.
    """
    if chosen is not None:
        home = chosen.expanduser().absolute()
        if not home.is_dir():
            warn(f"there is no home {home}: no plugins, hooks or settings are in force")
        os.environ["HERMES_HOME"] = str(home)
    return hermes_home()


def check_who_answers(ctx: typer.Context, script: Path | None, model: str | None) -> None:
    """Have either a model or a script, and no endpoint for a script, which asks nobody."""
    if (script is None) == (model is None):
        raise typer.BadParameter("give either --model NAME or --script FILE")
    given = ctx.get_parameter_source("base_url")  # the environment may have one for others
    if script is not None and given is not None and given.name == "COMMANDLINE":
        raise typer.BadParameter("--base-url is for --model; a script asks nobody")


def redacted(record: Path | None, *, raw: bool) -> bool:
    """Return whether a recording is redacted; ``--record-raw`` alone would be a wish that nothing grants."""
    if raw and record is None:
        raise typer.BadParameter("--record-raw needs --record FILE")
    return not raw


def use_accept_hooks(*, accepted: bool) -> None:
    """Approve unapproved shell hooks in this process: what ``--accept-hooks`` means, wherever it stood."""
    if accepted:
        os.environ["HERMES_ACCEPT_HOOKS"] = "1"
