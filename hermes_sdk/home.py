"""Where Hermes keeps its things. `HERMES_HOME` is read at call time, never cached (semantics 5.7)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

_DEFAULT = "~/.hermes"


def hermes_home() -> Path:
    """Return the active home: ``$HERMES_HOME``, else ``~/.hermes``; absolute, not necessarily existing."""
    return Path(os.environ.get("HERMES_HOME") or _DEFAULT).expanduser().absolute()


def profile_name(home: Path) -> str:
    """Return the profile of a home: ``default``, the name under ``<root>/profiles/``, or ``custom``."""
    if home.parent.name == "profiles":
        return home.name
    return "default" if home == Path(_DEFAULT).expanduser().absolute() else "custom"


def truthy_env(name: str) -> bool:
    """Whether an environment switch is on: ``1``, ``true``, ``yes`` or ``on`` in any case."""
    return os.environ.get(name, "").strip().lower() in {"1", "true", "yes", "on"}


def safe_mode() -> Literal["off", "on", "force"]:
    """Whether ``HERMES_SAFE_MODE`` is set: no plugin, shell hook or gateway hook is loaded then.

    ``force`` is for hosts without a person, which otherwise refuse to start with fail-closed gates off.
    """
    value = os.environ.get("HERMES_SAFE_MODE", "").strip().lower()
    if value == "force":
        return "force"
    return "on" if truthy_env("HERMES_SAFE_MODE") else "off"
