"""{{ cookiecutter.__about }}"""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any
{% if cookiecutter.__style == "hookimpl" %}
from hermes_hookspecs import hookimpl, registrar

from .settings import Settings, read

logger = logging.getLogger(__name__)


class Observer:
    """Counts slow tool calls."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings."""
        self._slow_ms = settings.slow_ms
        self.slow: Counter[str] = Counter()

    @hookimpl
    def post_tool_call(self, tool_name: str, duration_ms: float) -> None:
        """Count a call that took long."""
        if duration_ms >= self._slow_ms:
            self.slow[tool_name] += 1
            logger.warning("%s took %d ms", tool_name, duration_ms)

    @hookimpl
    def on_session_end(self, session_id: str) -> None:
        """Say what there was, after each turn."""
        if self.slow:
            logger.info("slow tools so far in %s: %s", session_id, dict(self.slow))


def register(ctx: Any) -> None:  # noqa: ANN401 - hosts bring a class of their own
    """Put the observer in place; loads in hermes-agent too."""
    registrar(Observer(read(ctx)))(ctx)
{%- else %}
from .settings import read

logger = logging.getLogger(__name__)


def register(ctx: Any) -> None:  # noqa: ANN401 - hosts bring a class of their own
    """Put the observer in place."""
    settings = read(ctx)
    slow: Counter[str] = Counter()

    def post_tool_call(tool_name: str, duration_ms: float = 0, **_: object) -> None:
        """Count a call that took long."""
        if duration_ms >= settings.slow_ms:
            slow[tool_name] += 1
            logger.warning("%s took %d ms", tool_name, duration_ms)

    def on_session_end(session_id: str, **_: object) -> None:
        """Say what there was, after each turn."""
        if slow:
            logger.info("slow tools so far in %s: %s", session_id, dict(slow))

    ctx.register_hook("post_tool_call", post_tool_call)
    ctx.register_hook("on_session_end", on_session_end)
{%- endif %}
