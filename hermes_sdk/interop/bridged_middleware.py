"""The middleware and restorers of the plugins inside of the bridge, as one middleware a kind of hermes-agent."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.watch import deep_copy
from hermes_sdk.interop.answers import tool_answer
from hermes_sdk.plugins.middleware import KINDS, apply_request, run_execution

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.interop.agent_link import AgentLink
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)

_IDS: Final = ("task_id", "session_id", "tool_call_id", "turn_id", "api_request_id")


class BridgedMiddleware:
    """Chains our request middleware, nests our execution middleware, and puts originals back at the tool.

    Args:
        manager: The manager inside of the bridge.
        link: Asks a person where changed arguments need one.
    """

    def __init__(self, manager: PluginManager, link: AgentLink) -> None:
        self._manager = manager
        self._link = link

    def callbacks(self) -> dict[str, Callable[..., Any]]:
        """Return a callback for each kind that a plugin has middleware of."""
        wanted = {kind for kind in KINDS if self._manager.has_middleware(kind)}
        if self._manager.registrations.restorers:
            wanted.add("tool_execution")
        made: dict[str, Callable[..., Any]] = {
            "tool_request": lambda **context: self._request("tool_request", "args", context),
            "llm_request": lambda **context: self._request("llm_request", "request", context),
            "tool_execution": self._tool_execution,
            "llm_execution": self._llm_execution,
        }
        return {kind: made[kind] for kind in KINDS if kind in wanted}

    def _request(self, kind: str, key: str, context: dict[str, Any]) -> dict[str, Any] | None:
        payload = context.pop(key)
        context.pop(f"original_{key}", None)  # each of ours gets the payload as it came to the bridge
        changed, trace = apply_request(self._manager, kind, payload, **context)
        if not trace:
            return None
        return {key: changed, "source": ", ".join(dict.fromkeys(str(entry["plugin"]) for entry in trace))}

    def _llm_execution(self, *, request: Any, next_call: Callable[[Any], Any], **context: Any) -> Any:
        return run_execution(self._manager, "llm_execution", request, next_call, **context)

    def _tool_execution(self, *, args: dict[str, Any], next_call: Callable[[Any], Any], **context: Any) -> Any:
        judged = deep_copy(args)

        def boundary(passed: dict[str, Any]) -> Any:
            refusal = None if passed == judged else self._judge_again(passed, context)
            if refusal is not None:
                return json.dumps({"error": refusal}, ensure_ascii=False)
            return next_call(self._restored(passed, context))

        return run_execution(self._manager, "tool_execution", args, boundary, **context)

    def _judge_again(self, passed: dict[str, Any], context: dict[str, Any]) -> str | None:
        """Judge arguments that a middleware of ours changed; return why the tool must not run with them."""
        ids: dict[str, Any] = {name: context[name] for name in _IDS if name in context}
        payload = {**ids, "tool_name": context["tool_name"], "args": deep_copy(passed)}
        decision = self._manager.hook.pre_tool_call(**payload, judgement=2)
        answer = tool_answer(decision._replace(args=passed), payload | {"args": passed}, asks=True)
        if not isinstance(answer, dict):
            return None
        if answer["action"] == "block":
            return str(answer["message"])
        return self._link.ask(context["tool_name"], answer.get("message", ""), answer["rule_key"])

    def _restored(self, args: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with the originals of placeholders; only the tool sees them."""
        about = {"tool_name": context["tool_name"], "session_id": context.get("session_id", "")}
        for plugin, callback in self._manager.registrations.restorers:
            value, error = self._manager.call_isolated(plugin, "restorer", callback, deep_copy(args), **about)
            if error is None and isinstance(value, dict):
                args = value
        return args
