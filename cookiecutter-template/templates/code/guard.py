"""{{ cookiecutter.__about }}"""

from __future__ import annotations

from typing import Any
{% if cookiecutter.__style == "hookimpl" %}
from hermes_hookspecs import Block, hookimpl, registrar

from .settings import Settings, read


class Guard:
    """Looks at every command before it runs."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings."""
        self._forbidden = settings.forbidden

    @hookimpl
    def pre_tool_call(self, tool_name: str, args: dict[str, Any]) -> Block | None:
        """Return a block, or None for no opinion."""
        if tool_name != "terminal":
            return None
        command = str(args.get("command", ""))
        found = next((text for text in self._forbidden if text in command), None)
        return None if found is None else Block(f"{found!r} is not allowed here")


def register(ctx: Any) -> None:  # noqa: ANN401 - hosts bring a class of their own
    """Put the guard in place; loads in hermes-agent too."""
    registrar(Guard(read(ctx)))(ctx)
{%- else %}
from .settings import read


def register(ctx: Any) -> None:  # noqa: ANN401 - hosts bring a class of their own
    """Put the guard in place."""
    settings = read(ctx)

    def pre_tool_call(tool_name: str, args: dict[str, Any], **_: object) -> dict[str, str] | None:
        """Return a block, or None for no opinion."""
        if tool_name != "terminal":
            return None
        command = str(args.get("command", ""))
        found = next((text for text in settings.forbidden if text in command), None)
        return None if found is None else {"action": "block", "message": f"{found!r} is not allowed here"}

    ctx.register_hook("pre_tool_call", pre_tool_call)
{%- endif %}
