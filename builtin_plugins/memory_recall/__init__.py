"""Memory: remembers what users state, and recalls what fits the next question where they may see it."""

from __future__ import annotations

import getpass
import socket
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import PluginError
from hermes_sdk.plugins.any_host import paths_of, settings_of

from .commands import FORGET, RECALL, REMEMBER, Commands
from .memories import ABOUT, MemoriesCommand
from .recall import MemoryRecall
from .search import Search
from .settings import Settings
from .sqlite_store import SqliteStore
from .whereabouts import Whereabouts

if TYPE_CHECKING:
    from .store import Store


def register(ctx: Any) -> None:
    """Put the hooks and commands in place.

    Args:
        ctx: The plugin context (any type: hermes-agent's own is fine too).
    """
    settings = settings_of(ctx, Settings)
    store = _store(ctx, settings)
    search = Search(store, settings.half_life_days)
    # on a machine of one's own there is one command line; where several machines share memories it has a name
    name = "" if settings.postgres is None else settings.local_name or f"{getpass.getuser()}@{socket.gethostname()}"
    whereabouts = Whereabouts(name)
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
        command = MemoriesCommand(store, settings, name)
        ctx.register_cli_command("memories", ABOUT, command.set_up, description=ABOUT)
    if hasattr(ctx, "on_unload"):
        ctx.on_unload(store.close)


def _store(ctx: Any, settings: Settings) -> Store:
    """Return the store that the settings name (the context is of any type)."""
    if settings.postgres is None:
        paths = paths_of(ctx)
        return SqliteStore(lambda: paths.data)
    try:
        from .postgres_store import PostgresStore
    except ImportError as error:
        raise PluginError(
            "memories cannot be kept in PostgreSQL",
            where="plugins.entries.memory_recall.postgres",
            why=f"psycopg is not installed ({error})",
            fix="pip install 'hermes-sdk[postgres]'",
        ) from error
    return PostgresStore(settings.postgres.get_secret_value(), settings.postgres_schema)
