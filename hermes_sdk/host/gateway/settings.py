"""``gateway:`` of config.yaml as validated models. What does not fit ends the start: access depends on it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hermes_sdk.config.schema import dotted, unknown_key
from hermes_sdk.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hermes_sdk.config import Config
    from hermes_sdk.config.document import KeyPath

logger = logging.getLogger(__name__)

SECTION: Final = "gateway"

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _as_ids(value: Any) -> Any:
    """Take ids that YAML read as numbers, and a single one."""
    values = [value] if isinstance(value, str | int) else value
    if not isinstance(values, list):
        return value
    return [str(each) if isinstance(each, int) and not isinstance(each, bool) else each for each in values]


Ids = Annotated[frozenset[str], BeforeValidator(_as_ids)]
"""Ids of users or chats, as the platform has them."""


class PlatformSettings(BaseModel):
    """``gateway.platforms.<name>``: what the gateway itself reads of a platform. Other keys are the adapter's own."""

    model_config = ConfigDict(frozen=True, extra="allow")

    enabled: bool = Field(default=True, description="Whether the adapter starts.")
    allow_users: Ids = Field(
        default=frozenset(), description="Users who may write, by the platform's ids; `*` means everybody."
    )
    allow_chats: Ids = Field(default=frozenset(), description="Chats in which everybody may write, by their ids.")
    pairing: bool = Field(
        default=True, description="Whether an unknown user in a direct chat gets a pairing code; groups never do."
    )
    admin_users: Ids = Field(
        default=frozenset(),
        description="Users who may use every slash command; others then only `user_commands` and `/help`.",
    )
    user_commands: Ids = Field(
        default=frozenset(), description="Slash commands of users who are not in `admin_users`, without the slash."
    )
    session_per_user: bool = Field(
        default=False, description="Whether each user of a group has a conversation of their own."
    )
    when_busy: Literal["interrupt", "queue"] | None = Field(
        default=None, description="The same as `gateway.when_busy`, for this platform."
    )


class GatewaySettings(BaseModel):
    """``gateway:``."""

    model_config = ConfigDict(frozen=True)

    idle_timeout: Seconds | None = Field(
        default=86_400.0, description="Seconds without a message after which a chat begins anew; null never does."
    )
    approval_timeout: Seconds | None = Field(
        default=None, description="Seconds that a question to a chat waits; `approvals.timeout` by default."
    )
    when_busy: Literal["interrupt", "queue"] = Field(
        default="interrupt", description="What a message does to the turn that runs: end it early, or wait for it."
    )
    max_waiting: Annotated[int, Field(ge=1)] = Field(
        default=100, description="Messages of one chat that may wait; one more is not taken, and its sender is told."
    )
    max_turns: Annotated[int, Field(ge=1)] = Field(default=256, description="Turns that run at a time.")
    shutdown_grace: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        default=30.0, description="Seconds that running turns may take to finish when the gateway stops."
    )
    send_timeout: Seconds = Field(default=30.0, description="Seconds that an adapter may take to send a message.")
    hook_timeout: Seconds = Field(
        default=5.0, description="Seconds that a slash command waits for what gateway hooks say about it."
    )
    handler_timeout: Seconds = Field(default=300.0, description="Seconds that one call of a gateway hook may take.")
    platforms: dict[str, PlatformSettings] = Field(
        default_factory=dict, description="Adapters to start, by name, each with its settings."
    )

    def platform(self, name: str) -> PlatformSettings:
        """Return what holds for a platform; the defaults for one that has no section."""
        return self.platforms.get(name) or PlatformSettings()

    def waits(self, platform: str) -> bool:
        """Whether a message waits for the turn that runs, instead of ending it."""
        return (self.platform(platform).when_busy or self.when_busy) == "queue"

    @classmethod
    def from_config(cls, config: Config) -> GatewaySettings:
        """Read ``gateway:`` of a home's configuration; an unknown key is a warning.

        Raises:
            ConfigError: A value does not fit; the message names each key and its place, never the value.
        """
        if config.broken:
            raise ConfigError("the gateway's settings cannot be read", why=str(config.problems[-1]), code="HS111")
        section = config.get(SECTION)
        values = _filled(section) if isinstance(section, dict) else section
        if isinstance(values, dict):
            for key in values:
                if key not in cls.model_fields:
                    logger.warning("%s", unknown_key(config, (SECTION, str(key)), sorted(cls.model_fields)))
        try:
            return cls.model_validate({} if values is None else values)
        except ValidationError as error:
            raise settings_error(error, "the gateway's settings cannot be used", config, (SECTION,)) from None


def _filled(section: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the section with platforms that were switched on by their name alone (``console:``)."""
    values = dict(section)
    platforms = values.get("platforms")
    if platforms is None:
        values.pop("platforms", None)
    elif isinstance(platforms, dict):
        values["platforms"] = {str(name): {} if each is None else each for name, each in platforms.items()}
    return values


def settings_error(error: ValidationError, what: str, config: Config, path: KeyPath) -> ConfigError:
    """Turn pydantic's error about a section of config.yaml into ours; values are never shown.

    Args:
        error: What pydantic found.
        what: What cannot be used.
        config: Knows where keys stand.
        path: The way to the section.
    """
    lines = list(_lines(error, config, path))
    place = config.where((*path, *error.errors(include_input=False, include_url=False)[0]["loc"]))
    return ConfigError(what, where=place, why="; ".join(lines), code="HS111")


def _lines(error: ValidationError, config: Config, path: KeyPath) -> Iterator[str]:
    for detail in error.errors(include_url=False, include_context=False, include_input=False):
        key: KeyPath = (*path, *detail["loc"])
        # a validator's own text may hold the value
        own = detail["type"] in {"value_error", "assertion_error"}
        reason = detail["type"].replace("_", " ") if own else detail["msg"]
        yield f"{dotted(key)} ({config.where(key)}): {reason.lower()}"
