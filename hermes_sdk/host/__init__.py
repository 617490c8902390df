"""A small agent that is real where a plugin can tell: sessions, turns, tools, approvals, children, models.

Names are imported when they are first used, so that reading events costs nothing of the agent behind them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from hermes_sdk.host.agent import Agent
    from hermes_sdk.host.approvers import Approver, NobodyThere, Prompt, Reason, ScriptedApprover
    from hermes_sdk.host.commands import CommandAnswer, run_command
    from hermes_sdk.host.player import Progress, SessionResult, play
    from hermes_sdk.host.session_file import load_session
    from hermes_sdk.host.session_script import SessionScript
    from hermes_sdk.host.settings import HostSettings
    from hermes_sdk.host.turn import TurnResult

_HOMES: Final = {
    "Agent": "agent",
    "Approver": "approvers",
    "CommandAnswer": "commands",
    "HostSettings": "settings",
    "NobodyThere": "approvers",
    "Progress": "player",
    "Prompt": "approvers",
    "Reason": "approvers",
    "ScriptedApprover": "approvers",
    "SessionResult": "player",
    "SessionScript": "session_script",
    "TurnResult": "turn",
    "load_session": "session_file",
    "play": "player",
    "run_command": "commands",
}

__all__ = [
    "Agent",
    "Approver",
    "CommandAnswer",
    "HostSettings",
    "NobodyThere",
    "Progress",
    "Prompt",
    "Reason",
    "ScriptedApprover",
    "SessionResult",
    "SessionScript",
    "TurnResult",
    "load_session",
    "play",
    "run_command",
]


def __getattr__(name: str) -> Any:
    module = _HOMES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
