"""From payloads of hooks to attributes, by OpenTelemetry's GenAI conventions where these have a name.

A host may send anything: a value of another type than is expected is left out, since one bad value would cost the
whole batch it is exported in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
CONVERSATION: Final = "gen_ai.conversation.id"
AGENT: Final = "gen_ai.agent.name"
TOOL: Final = "gen_ai.tool.name"
TOOL_CALL: Final = "gen_ai.tool.call.id"
ERROR: Final = "error.type"

LONGEST: Final = 200
"""Characters of a name or id that are sent: some are written by a model."""

_PROVIDERS: Final = {
    "bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "azure-openai": "azure.ai.openai",
    "gemini": "gcp.gemini",
    "google": "gcp.gemini",
    "vertex": "gcp.vertex_ai",
    "mistral": "mistral_ai",
    "grok": "x_ai",
    "xai": "x_ai",
}
_TOKENS: Final = (
    ("gen_ai.usage.cache_read.input_tokens", ("cache_read_tokens",)),
    ("gen_ai.usage.cache_creation.input_tokens", ("cache_write_tokens",)),
    ("gen_ai.usage.reasoning.output_tokens", ("reasoning_tokens",)),
)
_ENDLESS: Final = 2**53
_PORTS: Final = {"http": 80, "https": 443}

Value = str | int | float | bool | list[str]


def text(payload: Mapping[str, Any], *names: str) -> str:
    """Return the first value that is a non-empty text, shortened and encodable; "" without one."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return clean(value[:LONGEST])
    return ""


def clean(value: str) -> str:
    """Return a text that UTF-8 can carry: a lone surrogate, which JSON may hold, would fail its whole batch."""
    return value.encode("utf-8", "replace").decode("utf-8")


def number(payload: Mapping[str, Any], *names: str) -> int | float | None:
    """Return the first value that is a number that OTLP can carry, None without one."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _ENDLESS:
            return value
    return None


def present(**values: Value | None) -> dict[str, Value]:
    """Return what is there, with ``__`` in a name for a dot."""
    return {key.replace("__", "."): value for key, value in values.items() if value not in (None, "", [])}


def provider(payload: Mapping[str, Any]) -> str:
    """Return the provider's name as the conventions have it."""
    name = text(payload, "provider").lower()
    return _PROVIDERS.get(name, name) or "unknown"


def server(payload: Mapping[str, Any]) -> dict[str, Value]:
    """Return where requests go; a password in the address stays out."""
    try:
        parts = urlsplit(text(payload, "base_url"))
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return {}
    return present(server__address=parts.hostname, server__port=port) if parts.hostname else {}


def tokens(usage: Any) -> tuple[int | None, int | None]:
    """Return (input, output) of a usage of any type; None where nobody says."""
    if not isinstance(usage, dict):
        return None, None
    sent = number(usage, "input_tokens", "prompt_tokens")
    got = number(usage, "output_tokens", "completion_tokens")
    return (None if sent is None else int(sent)), (None if got is None else int(got))


def usage_attributes(usage: Any) -> dict[str, Value]:
    """Return the token counts of a usage of any type; zeros of what a provider does not count stay out."""
    sent, got = tokens(usage)
    known = {"gen_ai.usage.input_tokens": sent, "gen_ai.usage.output_tokens": got}
    attributes: dict[str, Value] = {key: value for key, value in known.items() if value is not None}
    if isinstance(usage, dict):
        for key, names in _TOKENS:
            value = number(usage, *names)
            if value:
                attributes[key] = int(value)
    return attributes


def error_of_request(payload: Mapping[str, Any]) -> str:
    """Return `error.type` of a failed request: its HTTP status, else the kind of failure."""
    status = number(payload, "status_code")
    error = payload.get("error")
    named = text(error, "type") if isinstance(error, dict) else ""
    return str(int(status)) if status else text(payload, "reason") or named or "_OTHER"


def blocker(steps: Sequence[Any]) -> str:
    """Return the plugin whose block stands, from the steps of pre_tool_call (of this host's own type)."""
    wrapped = [step.plugin for step in steps if step.what == "wrapped" and step.detail == "block"]
    blocks = [step.plugin for step in steps if step.what == "block"]
    return clean(wrapped[-1] if wrapped else next(iter(blocks), ""))
