"""`gateway hooks list`: what is there, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK, warn
from hermes_sdk.cli.screen import console, print_json
from hermes_sdk.gateway_hooks.hook_file import DIRECTORY, find_hooks

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.gateway_hooks.hook_file import FoundHook

_STYLES = {"refused": "red", "disabled": "yellow", "enabled": "green"}


def print_hooks(home: Path, *, as_json: bool = False) -> int:
    """Print the gateway hooks of a home and return the exit code."""
    hooks, around = find_hooks(home)
    problems = [*around, *(problem for hook in hooks for problem in hook.problems)]
    if as_json:
        rows = [
            {
                "name": hook.name,
                "state": _state(hook),
                "events": list(hook.events),
                "description": hook.description,
                "path": str(hook.directory),
            }
            for hook in hooks
        ]
        print_json({"hooks": rows, "problems": list(map(str, problems))})
    elif not hooks and not problems:
        print(f"no gateway hooks in {home / DIRECTORY}")
    else:
        from hermes_sdk.cli.tables import PlainTable

        cells = [(hook.name, _state(hook), ", ".join(hook.events), hook.description) for hook in hooks]
        console().print(PlainTable(("hook", "state", "events", "description"), cells, styles=_STYLES))
    if not as_json:
        for problem in problems:
            warn(str(problem))
    return EXIT_FAILED if any(problem.severity == "error" for problem in problems) else EXIT_OK


def _state(hook: FoundHook) -> str:
    if not hook.enabled:
        return "disabled"
    return "refused" if hook.refused else "enabled"
