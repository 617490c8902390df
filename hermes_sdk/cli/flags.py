"""What the options in front of a command say, and the log that they shape."""

from __future__ import annotations

from dataclasses import dataclass, field

from hermes_sdk.cli.logs import ScreenLog


@dataclass(slots=True)
class Flags:
    """Handed to every command as ``ctx.obj``."""

    debug: bool = False
    """Errors and warnings show their traceback."""
    log: ScreenLog = field(default_factory=ScreenLog)
    """Shows warnings; a command that draws on the screen takes them over."""
