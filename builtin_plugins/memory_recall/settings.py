"""What a user may set under ``plugins.entries.memory_recall`` in config.yaml."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

_POSTGRES: Final = ("postgresql://", "postgres://")


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
    postgres: SecretStr | None = Field(
        default=None,
        description="Where memories are kept instead of in the file, such as `postgresql://agent@db.example/memory`; "
        "the password is best left to `~/.pgpass` or `HERMES_PLUGIN_MEMORY_RECALL_POSTGRES`.",
    )
    postgres_schema: str = Field(
        default="hermes_memory",
        pattern=r"^[a-z_][a-z0-9_]{0,62}$",
        description="The schema there; whoever names the same one shares its memories.",
    )
    local_name: str = Field(
        default="",
        max_length=100,
        description="Who uses the command line, where memories are kept in PostgreSQL; by default the user's name at "
        "the machine's. The same name on two machines is the same person.",
    )

    @field_validator("postgres")
    @classmethod
    def _address(cls, value: SecretStr | None) -> SecretStr | None:
        written = value.get_secret_value() if value is not None else None
        if written is not None and not written.startswith(_POSTGRES) and "=" not in written:
            raise PydanticCustomError(
                "must_be_an_address_that_begins_with_postgresql", "must be postgresql://user@host/database"
            )
        return value
