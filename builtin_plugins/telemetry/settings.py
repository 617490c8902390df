"""What a user may set under ``plugins.entries.telemetry`` in config.yaml."""

from __future__ import annotations

import re
from typing import Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_LINE: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?")


class Settings(BaseModel):
    """Settings of the telemetry plugin; what is not set is left to the standard ``OTEL_*`` variables."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    export: Literal["otlp", "console", "off"] = Field(
        default="otlp", description="Where an own provider sends: a collector, or standard error as a tree."
    )
    endpoint: str | None = Field(
        default=None, description="Base address of the collector; `/v1/traces` and `/v1/metrics` are added."
    )
    headers: dict[str, SecretStr] = Field(default={}, description="Headers sent to the collector.")
    provider: Literal["auto", "global", "own"] = Field(
        default="auto",
        description="`global` uses the providers of the application, `own` makes new ones; `auto` uses the "
        "application's where it has set some before plugins are loaded.",
    )
    service_name: str | None = Field(default=None, min_length=1, description="`service.name` of an own provider.")
    resource: dict[str, str] = Field(default={}, description="More resource attributes of an own provider.")
    agent_name: str = Field(default="hermes", min_length=1, max_length=100, description="`gen_ai.agent.name`.")
    sample: float | None = Field(default=None, ge=0, le=1, description="Share of turns that are traced.")
    hook_spans: bool = Field(default=True, description="Whether hooks in which plugins ran have spans and metrics.")
    content: bool = Field(
        default=False, description="Whether prompts, answers, arguments and results are sent, secrets masked."
    )
    content_chars: int = Field(default=4_000, ge=100, le=100_000, description="Characters of one text that are sent.")
    flush_seconds: float = Field(
        default=3.0, ge=0, le=30, description="Seconds that the end of the process waits for the collector."
    )

    @field_validator("endpoint")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            why = "endpoint is a base address such as http://localhost:4318"
            raise PydanticCustomError("endpoint_is_a_base_address_such_as_http_localhost_4318", why)
        return value.rstrip("/")

    @field_validator("headers")
    @classmethod
    def _fit_for_http(cls, value: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, header in value.items():
            # what the HTTP library refuses it quotes, and so a secret would be in the log
            if not (_HEADER.fullmatch(name) and _LINE.fullmatch(header.get_secret_value())):
                raise PydanticCustomError("a_header_is_one_line_of_ascii", "a header is one line of ascii")
        return value
