"""What a user may set under ``plugins.entries.notifier`` in config.yaml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, LiteralString

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

if TYPE_CHECKING:
    import datetime as dt

_WINDOW: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-4]):([0-5]\d)")
_FIELD: Final = re.compile(r"\{(\w*)\}")
_ADDRESS: Final = re.compile(r"https://[^/\s]|http://(127\.\d+\.\d+\.\d+|\[::1\]|localhost)([:/]|\Z)")
FIELDS: Final = ("event", "id", "title", "text", "session")
"""What a webhook's `body` may name in braces."""


def _refused(why: LiteralString) -> PydanticCustomError:
    """Return an error whose type says why: a validator's own text is not shown, it could hold the value."""
    return PydanticCustomError(why.replace(" ", "_"), why)


class Webhook(BaseModel):
    """One address that notices are posted to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: SecretStr = Field(description="Where to: `https://...`, or `http://` on this machine.")
    secret_env: str = Field(default="", description="Variable with the key that deliveries are signed with.")
    body: dict[str, str] = Field(
        default={},
        description="What to post instead of the documented form, for services with a form of their own: "
        "`{text: '{title}: {text}'}`. Then nothing is posted when a notice is over.",
    )
    timeout: float = Field(default=10.0, gt=0, le=60, description="Seconds for one attempt; there are two.")

    @field_validator("url")
    @classmethod
    def _address(cls, value: SecretStr) -> SecretStr:
        if not _ADDRESS.match(value.get_secret_value()):
            raise _refused("a webhook needs an address with https, or with http on this machine")
        return value

    @field_validator("body")
    @classmethod
    def _fields(cls, value: dict[str, str]) -> dict[str, str]:
        for text in value.values():
            if not set(_FIELD.findall(text)) <= set(FIELDS):
                raise _refused(f"a body may name {', '.join(FIELDS)} in braces")
        return value

    def filled(self, values: dict[str, str]) -> dict[str, str]:
        """Return the body with `values` in the places of their names, each place once."""
        return {key: _FIELD.sub(lambda found: values[found[1]], text) for key, text in self.body.items()}


class Settings(BaseModel):
    """Settings of the notifier plugin."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    approvals: bool = Field(default=True, description="Whether questions to a person are told.")
    approval_after: float = Field(
        default=0.0, ge=0, le=3600, description="Seconds that a question may stay unanswered before it is told."
    )
    long_turn: float = Field(
        default=60.0, ge=0, description="Seconds from which the end of a turn is told; 0 for never."
    )
    still_running: bool = Field(default=False, description="Whether a long turn is also told while it runs.")
    every: float = Field(default=0.0, ge=0, description="Fewest seconds between two notices about turns.")
    quiet: list[str] = Field(
        default=[], description="Times without notices, such as `22:00-07:00`, by the clock of this machine."
    )
    details: bool = Field(default=True, description="Whether notices show commands and answers, secrets masked.")
    desktop: Literal["auto", "notify-send", "osascript", "off"] = Field(
        default="auto", description="How the desktop is told; `auto` takes what is installed."
    )
    webhooks: list[Webhook] = Field(default=[], description="Where else notices are sent.")

    @field_validator("quiet")
    @classmethod
    def _windows(cls, values: list[str]) -> list[str]:
        for value in values:
            if not _WINDOW.fullmatch(value.strip()):
                raise _refused("quiet times are written as 22:00-07:00")
        return values

    def is_quiet(self, now: dt.time) -> bool:
        """Whether no notice is wanted at a time of day; a window may pass midnight."""
        minute = now.hour * 60 + now.minute
        for window in self.quiet:
            found = _WINDOW.fullmatch(window.strip())
            hours = [int(part) for part in found.groups()] if found else [0, 0, 0, 0]
            begin, end = hours[0] * 60 + hours[1], hours[2] * 60 + hours[3]
            if begin <= minute < end or (end < begin and (minute >= begin or minute < end)):
                return True
        return False
