"""The session whose hooks are being fired: where scripts run, and which of them its interrupt ends."""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import Final, NamedTuple


class FiredBy(NamedTuple):
    """A session, as far as scripts are concerned."""

    session_id: str = ""
    workdir: str = ""
    """Where it works; empty where the host has one directory for everything: the process's own."""


FIRED_BY: Final[ContextVar[FiredBy]] = ContextVar("hermes_fired_by", default=FiredBy())  # noqa: B039 - immutable
"""Set by a host around each hook call."""


def working_directory() -> str:
    """Return the working directory of the session, by default the process's own."""
    workdir = FIRED_BY.get().workdir
    if workdir:
        return workdir
    try:
        return os.getcwd()  # noqa: PTH109 - text is what is sent
    except FileNotFoundError:  # somebody removed it
        return "/"
