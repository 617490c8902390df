"""Memory: remembers finished turns in a local file and recalls what fits the next question."""

from __future__ import annotations

from typing import Any

from .recall import MemoryRecall
from .settings import data_directory, read
from .store import MemoryStore


def register(ctx: Any) -> None:
    """Put the hooks and commands in place.

    Args:
        ctx: The plugin context (any type: hermes-agent's own is fine too).
    """
    memory = MemoryRecall(MemoryStore(data_directory(ctx) / "memories.sqlite3"), read(ctx))
    ctx.register_hook("pre_llm_call", memory.recall)
    ctx.register_hook("post_llm_call", memory.store_turn)
    ctx.register_hook("on_session_finalize", memory.forget_session)
    ctx.register_hook("pre_gateway_dispatch", memory.note_speaker)
    ctx.register_command("remember", memory.remember_command, "Remember a note", "<what to remember>")
    ctx.register_command("recall", memory.recall_command, "Show what is remembered", "[words]")
    ctx.register_command("forget", memory.forget_command, "Forget one memory, or all", "<number> | all")
