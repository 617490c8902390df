"""Redaction: masks secrets in what the model sees of a tool, and in what the user sees of the model."""

from __future__ import annotations

import logging
from typing import Any

from hermes_hookspecs import hookimpl

from .redactor import Redactor
from .settings import read
from .vault import Vault

logger = logging.getLogger(__name__)

_redactor = Redactor()


def register(ctx: Any) -> None:
    """Read the settings and put the hooks in place.

    Args:
        ctx: The plugin context (any type: a host that knows no `@hookimpl` brings its own).
    """
    settings = read(ctx)
    _redactor.masker.look_for(settings.kinds())
    _redactor.tools = settings.arguments
    _redactor.vault = None
    ctx.register_hook("transform_tool_result", transform_tool_result)
    ctx.register_hook("transform_terminal_output", transform_terminal_output)
    ctx.register_hook("transform_terminal_output", mask_first)
    ctx.register_hook("transform_llm_output", transform_llm_output)
    ctx.register_hook("pre_tool_call", pre_tool_call)
    if settings.arguments:
        ctx.register_middleware("tool_request", _redactor.request)
    permissions = settings.permissions()
    if permissions and not hasattr(ctx, "register_restorer"):
        logger.warning("redaction: this host cannot put originals back, so `restore` has no effect here")
    elif permissions:
        _redactor.vault = Vault(permissions)
        ctx.register_middleware("tool_execution", _redactor.run)
        ctx.register_restorer(_redactor.vault.restore)
        ctx.register_hook("on_session_finalize", _redactor.vault.forget)


@hookimpl(trylast=True)
def transform_tool_result(result: str, session_id: str = "", **_: Any) -> str | None:
    """Mask what any tool gives back; last, so that what other plugins add is masked too."""
    return _redactor.changed(result, session_id)


@hookimpl(tryfirst=True, specname="transform_terminal_output")
def mask_first(output: str, **_: Any) -> str | None:
    """Mask the raw output of a command before other plugins shorten it: half a secret would not be recognised."""
    return _redactor.changed(output)


@hookimpl(trylast=True)
def transform_terminal_output(output: str, **_: Any) -> str | None:
    """Mask it again before the host cuts it, so that what other plugins added is masked too."""
    return _redactor.changed(output)


@hookimpl(trylast=True)
def transform_llm_output(response_text: str, session_id: str = "", **_: Any) -> str | None:
    """Mask the model's answer before it is shown, stored and sent: a user may have typed a secret."""
    return _redactor.changed(response_text, session_id)


@hookimpl(trylast=True)
def pre_tool_call(args: dict[str, Any], tool_name: str = "", session_id: str = "", **_: Any) -> None:
    """Mask, in place, what other plugins put into the arguments of a tool whose arguments are masked."""
    args.update(_redactor.arguments(args, tool_name, session_id))
