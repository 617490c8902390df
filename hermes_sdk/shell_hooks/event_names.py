"""Names of events that are none: gateway events, Claude Code's, misspelt ones; what is said, and what is blocked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hermes_hookspecs import HOOKS
from hermes_sdk.dispatch.policy import GATED_HOOKS
from hermes_sdk.errors import nearest
from hermes_sdk.shell_hooks.claude import EVENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

_GATEWAY: Final = re.compile(r"(gateway|session|agent|command):")
_OF_CLAUDE: Final[Mapping[str, str]] = {theirs: ours for ours, theirs in EVENTS.items()}


def advice(event: str) -> str:
    """Return what to write instead of a name that is no event's."""
    if _GATEWAY.match(event):
        return "it is a gateway event: write a HOOK.yaml and a handler.py below hooks/ for it"
    meant = _OF_CLAUDE.get(event)
    if meant:
        return f"Claude Code calls it so: write {meant!r} here, and dialect: claude for a script of its kind"
    close = nearest(event, HOOKS)
    return f"did you mean {close!r}?" if close else f"known are {', '.join(HOOKS)}"


def guarded_instead(event: str) -> tuple[str, bool]:
    """Return what a gate on an unknown event blocks (empty: nothing), and whether its matcher can be understood.

    A gateway event can neither block nor withhold, whatever its author thought.
    """
    if _GATEWAY.match(event):
        return "", False
    meant = _OF_CLAUDE.get(event)
    if meant is not None:
        return (meant, False) if meant in GATED_HOOKS else ("", False)
    close = nearest(event, HOOKS)
    if close is not None and close not in GATED_HOOKS:
        return "", False
    return close or GATED_HOOKS[0], True
