"""The settings of one adapter: ``gateway.platforms.<name>`` without what the gateway itself reads there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from hermes_sdk.config import Config
from hermes_sdk.host.gateway.settings import settings_error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_M = TypeVar("_M", bound=BaseModel)


def read_own(model: type[_M], name: str, settings: Mapping[str, Any], home: Path) -> _M:
    """Return validated settings.

    Args:
        model: What they must be.
        name: The platform.
        settings: What stands in the configuration, of any type.
        home: Whose configuration it is, for messages.

    Raises:
        ConfigError: A value does not fit, or a key is unknown; the message names each with its place, never a value.
    """
    try:
        return model.model_validate(dict(settings))
    except ValidationError as error:
        path = ("gateway", "platforms", name)
        raise settings_error(
            error, f"the settings of platform {name} cannot be used", Config.load(home), path
        ) from None
