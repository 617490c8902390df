"""`hermes-sdk check`: read plugins without importing them, and say what will not work."""

from pathlib import Path
from typing import Annotated

import typer

from hermes_sdk.cli.options import JsonOption


def check(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH|DISTRIBUTION",
            help="A plugin directory, a project, a Python file, a wheel, or an installed distribution.",
        ),
    ],
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended safely, in place.")] = False,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="Leave a rule out; may be repeated.")
    ] = None,
    sarif: Annotated[
        Path | None,
        typer.Option("--sarif", metavar="FILE", help="Write SARIF 2.1.0 to a file too; - is stdout.", dir_okay=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is wrong with plugins, without importing them.

    Hooks and arguments that no host sends, answers that no hook understands, calls that hold the agent up, packaging
    that no host finds, secrets. A comment `# hermes: ignore[CODE]` silences a line. The exit code is 1 when there are
    errors or warnings; notes do not count.
    """
    from hermes_sdk.cli.check_screen import check_targets

    raise typer.Exit(check_targets(targets, ignore=ignore or [], mend=fix, sarif_file=sarif, as_json=as_json))
