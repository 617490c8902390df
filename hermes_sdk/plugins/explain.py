"""``HERMES_PLUGINS_DEBUG``: what discovery and loading do, on stderr, for authors whose plugin does not show up."""

from __future__ import annotations

import logging
import sys
import threading
from typing import Final

from hermes_sdk.home import truthy_env

SWITCH: Final = "HERMES_PLUGINS_DEBUG"
_installed: Final[list[logging.Handler]] = []
_lock: Final = threading.Lock()


def explain_if_asked() -> None:
    """Send the debug log of `hermes_sdk.plugins` to stderr when the switch is on, once a process."""
    if not truthy_env(SWITCH):
        return
    with _lock:
        if _installed:
            return
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("[plugins] %(levelname)s %(message)s"))
        log = logging.getLogger("hermes_sdk.plugins")
        log.addHandler(handler)
        log.setLevel(logging.DEBUG)
        _installed.append(handler)
