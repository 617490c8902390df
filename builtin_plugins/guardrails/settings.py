"""What a user may set under ``plugins.entries.guardrails`` in config.yaml."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

_STORAGES = ("redis", "rediss", "redis+unix", "redis+sentinel", "redis+cluster", "memory")


class Settings(BaseModel):
    """Settings of the guardrails plugin."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    policy: str = Field(
        default="",
        description="Path of the policy, relative to the home; by default guardrails.yaml there, else the one that "
        "comes along.",
    )
    limits_storage: SecretStr = Field(
        default=SecretStr(""),
        description="Where rate limits are counted: `redis://host:6379/0` for several gateways, this process by "
        "default.",
    )
    limits_down: Literal["memory", "block"] = Field(
        default="memory", description="While that storage is down: count in this process, or block what has a limit."
    )

    @field_validator("limits_storage")
    @classmethod
    def _address(cls, value: SecretStr) -> SecretStr:
        address = value.get_secret_value()
        if address and urlsplit(address).scheme not in _STORAGES:
            raise PydanticCustomError(
                "limits_storage_must_be_an_address_such_as_redis", "write an address such as redis://localhost:6379/0"
            )
        return value
