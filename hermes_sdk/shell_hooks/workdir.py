"""Where the session works whose hooks are being fired: what scripts are told, and where they run (semantics 8.1)."""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import Final

WORKDIR: Final[ContextVar[str]] = ContextVar("hermes_workdir", default="")
"""Set by a host around each hook call; empty where a host has one directory for everything."""


def working_directory() -> str:
    """Return the working directory of the session, by default the process's own."""
    workdir = WORKDIR.get()
    if workdir:
        return workdir
    try:
        return os.getcwd()  # noqa: PTH109 - text is what is sent
    except FileNotFoundError:  # somebody removed it
        return "/"
