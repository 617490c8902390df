"""docs/reference/cli.md: the help of every command, as the application prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE: Final = """\
<!-- Written by python docs/generate from hermes_sdk.cli; edit the command instead. -->

# Command line

`hermes-sdk` and `python -m hermes_sdk` are the same program. Text that plugins, tools and models bring is shown
with its control characters spelled out; colours appear on a terminal only and never with `NO_COLOR`.

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
{commands}"""

COMMAND: Final = """
## {name}

```text
{help}
```
"""


def render(root: Path) -> dict[Path, str]:
    """Return the page by its path."""
    from hermes_sdk.cli.app import PROGRAM, app

    commands = "".join(_commands(typer.main.get_command(app), PROGRAM, None))
    return {root / "docs/reference/cli.md": PAGE.format(commands=commands)}


def _commands(command: Any, name: str, parent: Any) -> Iterator[str]:
    # Any: typer has no public names for the classes of commands and contexts
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    context.terminal_width = 80
    path = f"{parent.command_path} {name}" if parent else name
    yield COMMAND.format(name=path, help=command.get_help(context).strip())
    for child in getattr(command, "commands", {}).values():
        yield from _commands(child, child.name, context)
