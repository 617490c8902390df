"""The session whose hooks are being fired: where scripts run, and which of them its interrupt ends."""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from hermes_sdk.shell_hooks.payload import Message


class FiredBy(NamedTuple):
    """A session, as far as scripts are concerned."""

    session_id: str = ""
    workdir: str = ""
    """Where it works; empty where the host has one directory for everything: the process's own."""


FIRED_BY: Final[ContextVar[FiredBy]] = ContextVar("hermes_fired_by", default=FiredBy())  # noqa: B039 - immutable
"""Set by a host around each hook call."""


def session_of(message: Message) -> str:
    """Return the session that fires a message's hook; some events do not name it."""
    return message.session_id or FIRED_BY.get().session_id


def working_directory() -> str:
    """Return the working directory of the session, by default the process's own."""
    workdir = FIRED_BY.get().workdir
    if workdir:
        return workdir
    try:
        return os.getcwd()  # noqa: PTH109 - text is what is sent
    except FileNotFoundError:  # somebody removed it
        return "/"
