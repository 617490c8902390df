"""Since which release hermes-agent has a hook or a member of `ctx`; `make compat` holds it to the releases."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

RELEASES: Final = ("0.13.0", "0.14.0", "0.15.0", "0.16.0", "0.17.0", "0.18.0", "0.18.1", "0.19.0")
"""Releases that brought something, from the oldest that this project is held to; what is in no table here was there."""

HOOK_SINCE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "api_request_error": "0.16.0",
        "subagent_start": "0.16.0",
        "pre_verify": "0.18.0",
        "kanban_task_blocked": "0.18.0",
        "kanban_task_claimed": "0.18.0",
        "kanban_task_completed": "0.18.0",
    }
)

MEMBER_SINCE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "register_auxiliary_task": "0.15.0",
        "register_browser_provider": "0.15.0",
        "register_dashboard_auth_provider": "0.15.0",
        "register_transcription_provider": "0.15.0",
        "register_tts_provider": "0.15.0",
        "register_middleware": "0.17.0",
        "register_slack_action_handler": "0.17.0",
        "profile_name": "0.18.0",
        "register_secret_source": "0.18.1",
    }
)

OURS_ALONE: Final = frozenset(
    {
        "background",
        "call_state",
        "on_unload",
        "paths",
        "register_hookimpls",
        "register_restorer",
        "session_state",
        "settings",
        "supports",
        "trace_hooks",
    }
)
"""Members of `ctx` that no hermes-agent has."""
