"""Memory: remembers what users state, and recalls what fits the next question where they may see it."""

from __future__ import annotations

from typing import Any

from hermes_sdk.plugins.any_host import paths_of, settings_of

from .commands import FORGET, RECALL, REMEMBER, Commands
from .memories import ABOUT, MemoriesCommand
from .recall import MemoryRecall
from .search import Search
from .settings import Settings
from .sqlite_store import SqliteStore
from .whereabouts import Whereabouts


def register(ctx: Any) -> None:
    """Put the hooks and commands in place.

    Args:
        ctx: The plugin context (any type: hermes-agent's own is fine too).
    """
    settings = settings_of(ctx, Settings)
    paths = paths_of(ctx)
    store = SqliteStore(lambda: paths.data)
    search = Search(store, settings.half_life_days)
    whereabouts = Whereabouts()
    memory = MemoryRecall(store, search, whereabouts, settings)
    ctx.register_hook("pre_llm_call", memory.recall)
    ctx.register_hook("post_llm_call", memory.remember)
    ctx.register_hook("on_session_finalize", memory.forget_session)
    ctx.register_hook("pre_gateway_dispatch", memory.note_message)
    ctx.register_hook("subagent_start", memory.note_child)
    commands = Commands(store, search, whereabouts, settings)
    ctx.register_command("remember", commands.remember, "Remember a note", REMEMBER)
    ctx.register_command("recall", commands.recall, "Show what is remembered", RECALL)
    ctx.register_command("forget", commands.forget, "Forget own memories", FORGET)
    if hasattr(ctx, "register_cli_command"):
        command = MemoriesCommand(store)
        ctx.register_cli_command("memories", ABOUT, command.set_up, description=ABOUT)
