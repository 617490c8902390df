"""Middleware: plugins that rewrite a request or stand round an execution (semantics 6.2).

Four kinds. ``tool_request`` and ``llm_request`` return ``{"args": dict}`` or ``{"request": dict}`` and are chained;
``tool_execution`` and ``llm_execution`` get ``next_call`` and are nested, the first in calling order outermost.
Whatever one of them does wrong, the request goes on as if it were not there.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs.markers import TELEMETRY_SCHEMA_VERSION
from hermes_sdk.dispatch.awaiting import is_awaitable
from hermes_sdk.dispatch.signature import read_signature
from hermes_sdk.dispatch.watch import deep_copy, same

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)

MIDDLEWARE_SCHEMA_VERSION: Final = "hermes.middleware.v1"
KINDS: Final = ("tool_request", "tool_execution", "llm_request", "llm_execution")
_PAYLOADS: Final = {"tool": "args", "llm": "request"}
_TOLD_ABOUT: Final = ("source", "reason", "name")


def apply_request(
    manager: PluginManager, kind: str, payload: dict[str, Any], **context: Any
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Let request middleware rewrite a payload, each working on what the one before made of it.

    What a middleware changes in place counts too, as with hermes-agent, unless it returns another payload or fails.

    Args:
        manager: Whose plugins.
        kind: ``tool_request`` or ``llm_request``.
        payload: Arguments of a tool, or a request to a model; it is not changed.
        context: What else the middleware is told: ``tool_name``, ids, ... of the types of the hooks.

    Returns:
        (the payload to go on with, one entry for each rewrite with its ``plugin`` and ``source``).
    """
    callbacks = manager.registrations.middleware(kind)
    if not callbacks:
        return payload, []
    key = _payload_key(kind)
    original = deep_copy(payload)
    current = payload
    trace: list[dict[str, Any]] = []
    for plugin, callback in callbacks:
        own = deep_copy(current)
        given = _arguments(context) | {key: own, f"original_{key}": deep_copy(original)}
        answer, error = manager.call_isolated(plugin, f"{kind} middleware", callback, **_fitting(callback, given))
        if error is not None:
            continue  # and what it changed in place is gone with its copy
        said = answer if isinstance(answer, dict) and key in answer else {}
        if said and not isinstance(said[key], dict):
            found = type(said[key]).__name__
            logger.warning("plugin %r: its %s middleware gave %s as %r: ignored", plugin, kind, found, key)
            said = {}
        if said or not same(own, current):
            current = deep_copy(said.get(key, own))
            trace.append(_trace(plugin, said))
    return current, trace


def run_execution(
    manager: PluginManager, kind: str, payload: Any, terminal: Callable[[Any], Any], **context: Any
) -> Any:
    """Run something with execution middleware round it and return its result, of whatever type.

    A middleware calls ``next_call(payload=None)`` once at most. If it raises before that it is skipped; if it
    raises afterwards what came from downstream stands, be it a result or an error.

    Args:
        manager: Whose plugins.
        kind: ``tool_execution`` or ``llm_execution``.
        payload: Arguments of the tool, or the request, of any type that `terminal` takes.
        terminal: The execution itself.
        context: What else the middleware is told, of the types of the hooks.

    Raises:
        BaseException: Whatever `terminal` raised, unless a middleware dealt with it.
    """
    callbacks = manager.registrations.middleware(kind)
    if not callbacks:
        return terminal(payload)
    key = _payload_key(kind)
    given = _arguments(context)
    given.setdefault(f"original_{key}", payload)

    def call_at(index: int, current: Any) -> Any:
        if index == len(callbacks):
            return terminal(current)
        plugin, callback = callbacks[index]
        frame = _Frame(plugin, kind, lambda passed: call_at(index + 1, current if passed is None else passed))
        arguments = given | {key: current, "next_call": frame.next_call}
        answer, error = manager.call_isolated(
            plugin, f"{kind} middleware", frame.guarded, callback, _fitting(callback, arguments)
        )
        if error is None and not frame.passed_on_error:
            frame.over = True
            return answer
        return frame.fallback()

    return call_at(0, payload)


class _Frame:
    """One middleware's turn in a chain."""

    def __init__(self, plugin: str, kind: str, downstream: Callable[[Any], Any]) -> None:
        self.over = False
        self.passed_on_error = False
        """The middleware let an error from downstream through: not its own failure."""
        self._plugin = plugin
        self._kind = kind
        self._downstream = downstream
        self._called = False
        self._result: Any = None
        self._error: BaseException | None = None

    def next_call(self, payload: Any = None) -> Any:
        """Go on to the next middleware, or to the execution itself (payload and result of any type)."""
        if self._called or self.over:
            raise RuntimeError(f"{self._kind} middleware may call next_call once, and before it returns")
        self._called = True
        try:
            self._result = self._downstream(payload)
        except BaseException as error:
            self._error = error
            raise
        return self._result

    def guarded(self, callback: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Call the middleware; an error from downstream that it lets through is noted, not raised."""
        try:
            answer = callback(**arguments)
        except BaseException as error:
            if error is not self._error:
                raise
            self.passed_on_error = True
            return None
        return self._awaited(answer) if is_awaitable(answer) else answer

    async def _awaited(self, answer: Any) -> Any:
        try:
            return await answer
        except BaseException as error:
            if error is not self._error:
                raise
            self.passed_on_error = True
            return None

    def fallback(self) -> Any:
        """Return what the chain gives without this middleware (any type), running downstream if it has not run."""
        self.over = True
        if self._error is not None:
            raise self._error
        return self._result if self._called else self._downstream(None)


def _payload_key(kind: str) -> str:
    return _PAYLOADS[kind.partition("_")[0]]


def _arguments(context: dict[str, Any]) -> dict[str, Any]:
    return {
        "telemetry_schema_version": TELEMETRY_SCHEMA_VERSION,
        "middleware_schema_version": MIDDLEWARE_SCHEMA_VERSION,
        **context,
    }


def _fitting(callback: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """Pick what a callback names; one with ``**kwargs`` gets everything, as with hooks."""
    signature = read_signature(callback)
    return {name: value for name, value in given.items() if signature.accepts(name)}


def _trace(plugin: str, answer: dict[str, Any]) -> dict[str, Any]:
    told = {key: answer[key] for key in _TOLD_ABOUT if isinstance(answer.get(key), str) and answer[key]}
    return {"plugin": plugin, "source": plugin} | told
