"""What a user may set under ``plugins.entries.terminal_digest`` in config.yaml."""

from __future__ import annotations

import re
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

_SEPARATORS: Final = re.compile(r"&&|\|\||[|;&\n]")


class Settings(BaseModel):
    """Settings of the terminal_digest plugin."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    over: int = Field(default=16_000, ge=1_000, description="Characters from which an output is shortened.")
    to: int = Field(default=8_000, ge=500, description="Characters that it is shortened to, roughly.")
    skip: list[str] = Field(
        default=["cat", "head", "tail", "sed", "diff", "git diff", "git show"],
        description="Commands whose output is left as it is, because all of it was asked for.",
    )

    @model_validator(mode="after")
    def _shorter(self) -> Settings:
        if self.to > self.over:
            raise PydanticCustomError("to_must_not_be_more_than_over", "to must not be more than over")
        return self

    def skips(self, command: str) -> bool:
        """Whether the last part of a command line is one whose output is left as it is."""
        parts = [part.split() for part in _SEPARATORS.split(command) if part.strip()]
        return bool(parts) and any(parts[-1][: len(words)] == words for words in map(str.split, self.skip) if words)
