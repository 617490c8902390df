"""Redaction: masks secrets in tool results and terminal output before the model sees them."""

from __future__ import annotations

from typing import Any

from hermes_hookspecs import hookimpl

from .kinds import KINDS
from .masker import Masker
from .settings import read

_masker = Masker(KINDS)


def register(ctx: Any) -> None:
    """Read the settings and put the two hooks in place.

    Args:
        ctx: The plugin context (any type: a host that knows no `@hookimpl` brings its own).
    """
    _masker.look_for(read(ctx).kinds())
    ctx.register_hook("transform_tool_result", transform_tool_result)
    ctx.register_hook("transform_terminal_output", transform_terminal_output)


@hookimpl(trylast=True)
def transform_tool_result(result: str, **_: Any) -> str | None:
    """Mask what any tool gives back; last, so that what other plugins add is masked too."""
    return _masked(result)


@hookimpl(trylast=True)
def transform_terminal_output(output: str, **_: Any) -> str | None:
    """Mask the raw output of a command, before it is cut: half a secret would not be recognised."""
    return _masked(output)


def _masked(text: str) -> str | None:
    masked = _masker.mask(text)
    return None if masked is text else masked
