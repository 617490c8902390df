"""The measured implementations: each says nothing, so that only the way to it is measured.

`native` implementations name what they need; `legacy` callbacks are written the way that surveyed Hermes
plugins are: a few named arguments with defaults, and ``**kwargs`` for the rest. Standard library only: the
peer's interpreter imports this module too.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any


def native(hook: str) -> FunctionType:
    """Return a new implementation of `hook` that names two arguments."""
    return _fresh(_NATIVE[hook], hook)


def legacy(hook: str) -> FunctionType:
    """Return a new callback for `hook` with defaulted arguments and ``**kwargs``."""
    return _fresh(_LEGACY[hook], hook)


def _fresh(function: FunctionType, name: str) -> FunctionType:
    """Return a function of its own, as every plugin has its own."""
    return FunctionType(function.__code__, function.__globals__, name, function.__defaults__)


def _native_pre_tool_call(tool_name: str, args: dict[str, Any]) -> None: ...


def _native_post_tool_call(tool_name: str, result: str) -> None: ...


def _native_transform_tool_result(tool_name: str, result: str) -> None: ...


def _native_pre_llm_call(session_id: str, user_message: str) -> None: ...


def _legacy_pre_tool_call(tool_name: str = "", args: Any = None, **kwargs: Any) -> None: ...


def _legacy_post_tool_call(tool_name: str = "", args: Any = None, result: Any = None, **kwargs: Any) -> None: ...


def _legacy_transform_tool_result(tool_name: str = "", result: str = "", **kwargs: Any) -> None: ...


def _legacy_pre_llm_call(session_id: str = "", user_message: str = "", **kwargs: Any) -> None: ...


_NATIVE = {
    "pre_tool_call": _native_pre_tool_call,
    "post_tool_call": _native_post_tool_call,
    "transform_tool_result": _native_transform_tool_result,
    "pre_llm_call": _native_pre_llm_call,
}
_LEGACY = {
    "pre_tool_call": _legacy_pre_tool_call,
    "post_tool_call": _legacy_post_tool_call,
    "transform_tool_result": _legacy_transform_tool_result,
    "pre_llm_call": _legacy_pre_llm_call,
}
HOOKS = tuple(_NATIVE)
"""The measured hooks."""
