"""``gateway.platforms.webchat``: the settings of the chat in the browser."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

_PRINTED: Final = re.compile(r"[!-?A-~]+")
"""ASCII without spaces, and without the @ of a user's name."""
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _origin(text: str) -> str:
    """Return an origin in the form in which browsers send it; what is none would silently let nobody in.

    Raises:
        PydanticCustomError: It is none.
    """
    if "*" in text:
        raise PydanticCustomError(
            "origin_has_a_wildcard", "an origin is compared as a whole, * stands for nothing; name each of them"
        )
    scheme, separator, rest = text.partition("://")
    scheme = scheme.lower()
    if not separator or scheme not in _DEFAULT_PORTS:
        raise PydanticCustomError(
            "origin_without_scheme", "an origin begins with https:// or http://, as in https://chat.example.org"
        )
    try:
        parts = urlsplit(f"//{rest}")
        usable = bool(parts.hostname) and parts.port != 0 and _PRINTED.fullmatch(rest) is not None
    except ValueError:
        usable = False
    if not usable:
        raise PydanticCustomError(
            "origin_has_no_host",
            "behind the scheme there is a host name and, if need be, a port, in the form that browsers send"
            " (xn--... for names with other letters)",
        )
    if any(mark in rest for mark in "/?#") or rest.endswith(":"):
        raise PydanticCustomError(
            "origin_has_a_path",
            "an origin ends with its host or port: no slash, path or query, as in https://host:8443",
        )
    return f"{scheme}://{rest.lower().removesuffix(_DEFAULT_PORTS[scheme])}"


_Origin = Annotated[str, AfterValidator(_origin)]


class WebChatSettings(BaseModel):
    """``gateway.platforms.webchat``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(default="127.0.0.1", description="Address to listen on; of this machine's own only.")
    port: int = Field(default=8765, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    token: SecretStr | None = Field(
        default=None, description="Opens the chat; by default one is made and kept in `<home>/webchat-token`."
    )
    user: str = Field(default="owner", min_length=1, description="Id of whoever has the token, as hooks are told.")
    origins: tuple[_Origin, ...] = Field(
        default=(), description="Origins of a proxy in front of it, such as `https://chat.example.org`."
    )

    @field_validator("host")
    @classmethod
    def _only_here(cls, host: str) -> str:
        if host != "localhost" and not _is_loopback(host):
            raise PydanticCustomError(
                "host_is_not_of_this_machine",
                "the web chat listens on this machine only, 127.0.0.1 or ::1; put a proxy with TLS in front of it",
            )
        return host

    @field_validator("token")
    @classmethod
    def _long_enough(cls, token: SecretStr | None) -> SecretStr | None:
        if token is not None and len(token.get_secret_value()) < 16:  # noqa: PLR2004 - characters
            raise PydanticCustomError("token_is_too_short", "a token has 16 characters at least")
        return token
