"""What a user may set under ``plugins.entries.memory_recall`` in config.yaml."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """Settings of the memory_recall plugin."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    budget_tokens: int = Field(
        default=500,
        ge=50,
        le=5_000,
        description="Most tokens that are added to one question; a token is taken for four bytes.",
    )
    max_memories: int = Field(default=8, ge=1, le=50, description="Most memories that are added to one question.")
    store_statements: bool = Field(
        default=True, description="Remember what users state in passing; false: only what `/remember` says."
    )
    keep: int = Field(
        default=5_000,
        ge=10,
        description="So many statements are kept in each room; then the oldest go. Notes of `/remember` stay.",
    )
    half_life_days: float = Field(
        default=90, gt=0, description="After so many days what a memory gets for being new is halved."
    )
