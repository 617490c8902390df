"""`hermes-sdk notifier test`: shows a notice everywhere, takes it back, and says what came of it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from .notice import Notice
from .outlets import outlets_of

if TYPE_CHECKING:
    import argparse

    from .settings import Settings


def set_up(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    commands = parser.add_subparsers(dest="what", required=True)
    test = commands.add_parser("test", help="show a notice everywhere, and take it back")
    test.add_argument("--seconds", type=float, default=3.0, help="how long it is shown")


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Run the command; returns its exit code, 1 where a notice did not get through."""
    outlets = [*outlets_of(settings)]
    notice = Notice("turn_finished", "Hermes can reach you", "This is a test and goes by itself.")
    failed = not outlets
    if failed:
        _say("nowhere: install notify-send (package libnotify-bin), or set `webhooks`")
    for outlet in outlets:
        try:
            outlet.show(notice)
            time.sleep(max(0.0, options.seconds))
            outlet.close(notice, "over")
        except Exception as error:
            failed = True
            _say(f"{outlet.name}: {error}")
        else:
            _say(
                f"{outlet.name}: shown and taken back"
                if outlet.name != "desktop (osascript)"
                else f"{outlet.name}: shown"
            )
    return int(failed)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
