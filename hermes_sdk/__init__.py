"""hermes-sdk: the hooks of Hermes agents as a pluggy-based framework.

Everything public is named here and loaded when it is first used, so that ``import hermes_sdk`` stays cheap: no
pydantic, no asyncio, no command line, no package metadata.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_hookspecs import (
        HOOKS,
        AddContext,
        Allow,
        Approve,
        Block,
        Continue,
        Modify,
        Rewrite,
        Skip,
        hookimpl,
        hookspec,
        registrar,
    )
    from hermes_sdk.dispatch.manager import DispatchManager
    from hermes_sdk.dispatch.outcomes import (
        AddedContext,
        DispatchDecision,
        Observed,
        Step,
        ToolDecision,
        Transformed,
        VerifyDecision,
    )
    from hermes_sdk.dispatch.policy import PluginPolicy
    from hermes_sdk.errors import (
        ConfigError,
        HermesSdkError,
        HookDepthError,
        PluginError,
        PluginSignatureError,
        PluginToolOverrideError,
        SessionError,
        StrictError,
    )
    from hermes_sdk.plugins.context import PluginContext
    from hermes_sdk.plugins.manager import PluginManager

_HOMES = {
    "hermes_hookspecs": (
        "HOOKS",
        "AddContext",
        "Allow",
        "Approve",
        "Block",
        "Continue",
        "Modify",
        "Rewrite",
        "Skip",
        "hookimpl",
        "hookspec",
        "registrar",
    ),
    "hermes_sdk.dispatch.manager": ("DispatchManager",),
    "hermes_sdk.dispatch.outcomes": (
        "AddedContext",
        "DispatchDecision",
        "Observed",
        "Step",
        "ToolDecision",
        "Transformed",
        "VerifyDecision",
    ),
    "hermes_sdk.dispatch.policy": ("PluginPolicy",),
    "hermes_sdk.errors": (
        "ConfigError",
        "HermesSdkError",
        "HookDepthError",
        "PluginError",
        "PluginSignatureError",
        "PluginToolOverrideError",
        "SessionError",
        "StrictError",
    ),
    "hermes_sdk.plugins.context": ("PluginContext",),
    "hermes_sdk.plugins.manager": ("PluginManager",),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "HOOKS",
    "AddContext",
    "AddedContext",
    "Allow",
    "Approve",
    "Block",
    "ConfigError",
    "Continue",
    "DispatchDecision",
    "DispatchManager",
    "HermesSdkError",
    "HookDepthError",
    "Modify",
    "Observed",
    "PluginContext",
    "PluginError",
    "PluginManager",
    "PluginPolicy",
    "PluginSignatureError",
    "PluginToolOverrideError",
    "Rewrite",
    "SessionError",
    "Skip",
    "Step",
    "StrictError",
    "ToolDecision",
    "Transformed",
    "VerifyDecision",
    "hookimpl",
    "hookspec",
    "registrar",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used; its type is whatever that name is."""
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
