"""The desktop: `notify-send` where there is a freedesktop notification service, `osascript` on macOS.

Texts come from models and from commands. They reach a program as one argument each, never a shell or a script; what the
program itself would read in them (options, markup, escapes) is taken from them here.
"""

from __future__ import annotations

import html
import shutil
import subprocess
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from .errors import OutletError

if TYPE_CHECKING:
    from .notice import Notice
    from .outlets import Outlet

_SECONDS: Final = 5
"""How long one of the programs may take."""
_KEPT: Final = 100
_CLOSE: Final = (
    "gdbus", "call", "--session", "--dest", "org.freedesktop.Notifications",
    "--object-path", "/org/freedesktop/Notifications", "--method", "org.freedesktop.Notifications.CloseNotification",
)  # fmt: skip


def desktop(choice: str) -> Outlet | None:
    """Return the outlet for a setting; None where it is off, or nothing is installed and nothing was asked for."""
    if choice == "off":
        return None
    if choice == "osascript" or (choice == "auto" and shutil.which("osascript")):
        return OsaScript()
    if choice == "notify-send" or shutil.which("notify-send"):
        return NotifySend()
    return None


class NotifySend:
    """Notices through `notify-send`; taken back over D-Bus by the number that it prints."""

    name = "desktop (notify-send)"

    def __init__(self) -> None:
        self._numbers: OrderedDict[str, str] = OrderedDict()

    def show(self, notice: Notice) -> None:
        """Show a notice, and keep its number.

        Raises:
            OutletError: The program is not there, failed or hung.
        """
        urgency = "critical" if notice.urgent else "normal"
        body = html.escape(notice.text, quote=False).replace("\\", "\\\\")  # markup and C escapes are read in a body
        options = ["--app-name=Hermes", f"--urgency={urgency}", "--print-id"]
        printed = _run("notify-send", *options, "--", notice.title, body)
        if printed.strip().isdigit():
            self._numbers[notice.id] = printed.strip()
            if len(self._numbers) > _KEPT:
                self._numbers.popitem(last=False)

    def close(self, notice: Notice, outcome: str) -> None:  # noqa: ARG002 - a desktop forgets why
        """Take a notice from the screen, if it was shown.

        Raises:
            OutletError: D-Bus could not be asked.
        """
        number = self._numbers.pop(notice.id, None)
        if number is not None:
            _run(*_CLOSE, number)


class OsaScript:
    """Notices through macOS' `osascript`, which has no way to take one back."""

    name = "desktop (osascript)"
    _SCRIPT = (
        "on run notice\ndisplay notification (item 3 of notice) with title (item 2 of notice)\nend run"  # a constant
    )

    def show(self, notice: Notice) -> None:
        """Show a notice.

        Raises:
            OutletError: The program is not there, failed or hung.
        """
        # the first word ends the options, whatever the texts begin with
        _run("osascript", "-e", self._SCRIPT, "notice", notice.title, notice.text)

    def close(self, notice: Notice, outcome: str) -> None:
        """Leave it: macOS takes notices away by itself."""


def _run(program: str, *arguments: str) -> str:
    """Run a program and return what it printed."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, each text one argument
            [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except FileNotFoundError:
        raise OutletError(f"{program} is not installed") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OutletError(f"{program}: {error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()[:200]
        raise OutletError(f"{program} failed with exit code {done.returncode}: {said}")
    return done.stdout.decode("utf-8", "replace")
