"""The question at a start about a shell hook that nobody approved yet (seed S31)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hermes_sdk.cli.ask import ask
from hermes_sdk.cli.screen import plain

if TYPE_CHECKING:
    from hermes_sdk.shell_hooks.entries import ShellEntry
    from hermes_sdk.shell_hooks.outbound_targets import OutboundTarget


def ask_about_hook(hook: ShellEntry | OutboundTarget) -> bool:
    """Show what would run and ask the person at the terminal whether it may, from now on; on stderr."""
    lines = [f"a shell hook that nobody approved yet ({hook.where}):", f"  {hook.command}", *_about(hook)]
    sys.stderr.write("".join(f"{plain(line)}\n" for line in lines))
    return ask("let it run from now on?", ("yes", "no"), screen=sys.stderr) == "yes"


def _about(hook: ShellEntry | OutboundTarget) -> list[str]:
    from hermes_sdk.shell_hooks.outbound_targets import OutboundTarget

    if isinstance(hook, OutboundTarget):
        return [f"  it would be sent every {' and '.join(hook.events)}, with all that these events carry"]
    matcher = f" of {hook.matcher.pattern}" if hook.matcher is not None else ""
    effect = "; it is fail-closed: while it may not run, it blocks" if hook.fail_closed else ""
    runs = [f"  runs: {' '.join(hook.argv)}"] if hook.argv else []
    return [*runs, f"  on every {hook.event}{matcher}, as you, with everything that you may do{effect}"]
