"""Redaction: masks secrets in what the model sees of a tool, and in what the user sees of the model."""

from __future__ import annotations

from typing import Any

from hermes_hookspecs import hookimpl

from .kinds import KINDS
from .masker import Masker
from .settings import read

_masker = Masker(KINDS)


def register(ctx: Any) -> None:
    """Read the settings and put the three hooks in place.

    Args:
        ctx: The plugin context (any type: a host that knows no `@hookimpl` brings its own).
    """
    _masker.look_for(read(ctx).kinds())
    ctx.register_hook("transform_tool_result", transform_tool_result)
    ctx.register_hook("transform_terminal_output", transform_terminal_output)
    ctx.register_hook("transform_llm_output", transform_llm_output)


@hookimpl(trylast=True)
def transform_tool_result(result: str, **_: Any) -> str | None:
    """Mask what any tool gives back; last, so that what other plugins add is masked too."""
    return _masked(result)


@hookimpl(trylast=True)
def transform_terminal_output(output: str, **_: Any) -> str | None:
    """Mask the raw output of a command, before it is cut: half a secret would not be recognised."""
    return _masked(output)


@hookimpl(trylast=True)
def transform_llm_output(response_text: str, **_: Any) -> str | None:
    """Mask the model's answer before it is shown, stored and sent: a user may have typed a secret."""
    return _masked(response_text)


def _masked(text: str) -> str | None:
    masked = _masker.mask(text)
    return None if masked is text else masked
