"""{{ cookiecutter.__about }}"""

from __future__ import annotations

import re
from typing import Any
{% if cookiecutter.__style == "hookimpl" %}
from hermes_hookspecs import hookimpl, registrar

from .settings import Settings, read


class Redaction:
    """Masks what matches; runs last, so that what other plugins add is masked too."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings."""
        self._pattern = re.compile("|".join(f"(?:{pattern})" for pattern in settings.patterns) or r"(?!)")

    @hookimpl(trylast=True)
    def transform_tool_result(self, result: str) -> str | None:
        """Return the masked text, or None where nothing is to be masked."""
        return self._masked(result)

    @hookimpl(trylast=True)
    def transform_terminal_output(self, output: str) -> str | None:
        """Mask the raw output too, before it is cut."""
        return self._masked(output)

    def _masked(self, text: str) -> str | None:
        masked = self._pattern.sub("[masked]", text)
        return None if masked == text else masked


def register(ctx: Any) -> None:  # noqa: ANN401 - hosts bring a class of their own
    """Put the masks in place; loads in hermes-agent too."""
    registrar(Redaction(read(ctx)))(ctx)
{%- else %}
from .settings import read


def register(ctx: Any) -> None:  # noqa: ANN401 - hosts bring a class of their own
    """Put the masks in place."""
    pattern = re.compile("|".join(f"(?:{each})" for each in read(ctx).patterns) or r"(?!)")

    def masked(text: str) -> str | None:
        """Return the masked text, or None where nothing is to be masked."""
        found = pattern.sub("[masked]", text)
        return None if found == text else found

    def transform_tool_result(result: str, **_: object) -> str | None:
        """Mask what any tool gives back."""
        return masked(result)

    def transform_terminal_output(output: str, **_: object) -> str | None:
        """Mask the raw output too, before it is cut."""
        return masked(output)

    ctx.register_hook("transform_tool_result", transform_tool_result)
    ctx.register_hook("transform_terminal_output", transform_terminal_output)
{%- endif %}
