"""Guardrails: a policy in YAML says which tool calls run, which a person is asked about, and which do not run."""

from __future__ import annotations

import logging
from functools import partial
from importlib.util import find_spec
from typing import Any

from hermes_sdk.plugins.any_host import paths_of, settings_of

from .command import run, set_up
from .guard import Guard, missing
from .settings import Settings

logger = logging.getLogger(__name__)


def register(ctx: Any) -> None:
    """Put the guard in front of every tool.

    Args:
        ctx: The plugin context (any type: hermes-agent's own is fine too).
    """
    guard = Guard(settings_of(ctx, Settings), paths_of(ctx).home)
    if not all(map(find_spec, ("tree_sitter", "tree_sitter_bash", "limits"))):
        # no exception: a host that goes on without us would guard nothing
        logger.error("guardrails blocks what it cannot judge: %s", missing())
    ctx.register_hook("pre_tool_call", guard.pre_tool_call)
    ctx.register_hook("pre_llm_call", guard.callers.note)
    ctx.register_hook("subagent_start", guard.callers.note_child)
    ctx.register_hook("on_session_finalize", guard.callers.forget)
    about = "check a policy, and what it would have done in a recording"
    ctx.register_cli_command("guardrails", about, set_up, partial(run, guard.file))
