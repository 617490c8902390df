"""One implementation as a callback of hermes-agent: its arguments, its awaiting, its answer in that host's words."""

from __future__ import annotations

import copy
import hashlib
import inspect
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs.contract import HOOKS, REQUIRED
from hermes_hookspecs.directives import Directive
from hermes_hookspecs.markers import impl_notes

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_hookspecs.contract import HookContract

_NAMED: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def make_callback(hook: str, function: Callable[..., Any], *, asks: bool) -> Callable[..., Any]:
    """Return the callback that stands for an implementation.

    Args:
        hook: The hook that it implements.
        function: A function or bound method; any return type.
        asks: Whether the host puts an approve before a person.

    Raises:
        ValueError: It requires an argument that the hook does not send.
    """
    contract = HOOKS.get(hook)
    arguments = _Arguments(hook, contract, function)
    fail_closed = impl_notes(function).fail_closed
    kind = contract.kind if contract is not None else "observer"

    def callback(**sent: Any) -> Any:
        try:
            answer = function(**arguments.of(sent))
            if inspect.isawaitable(answer):
                from hermes_hookspecs.agent_loop import run

                answer = run(answer)
            if hook == "pre_tool_call":
                return _tool_answer(answer, sent, asks=asks)
            return _answer(answer, kind)
        except (Exception, SystemExit) as error:
            if fail_closed and (notice := _closed(hook, kind, function, error)) is not None:
                return notice
            if isinstance(error, Exception):
                raise
            raise RuntimeError(f"{hook} called sys.exit({error.code!r})") from error  # hermes-agent would end

    callback.__name__ = getattr(function, "__name__", hook)
    callback.__qualname__ = getattr(function, "__qualname__", hook)
    callback.__module__ = getattr(function, "__module__", __name__)
    return callback


class _Arguments:
    """What an implementation is called with: what it names, and with ``**kwargs`` everything."""

    def __init__(self, hook: str, contract: HookContract | None, function: Callable[..., Any]) -> None:
        parameters = inspect.signature(function).parameters.values()
        named = [parameter for parameter in parameters if parameter.kind in _NAMED]
        self._takes_rest = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
        self._names = frozenset(parameter.name for parameter in named)
        self._defaults: dict[str, Any] = {}
        self._partners: dict[str, str] = {}
        if contract is None:
            return
        unsent = [one.name for one in named if one.default is one.empty and one.name not in contract.argument_names]
        if unsent:
            sent = ", ".join(sorted(contract.argument_names))
            raise ValueError(f"{hook} does not send {', '.join(map(repr, unsent))}; it sends {sent}")
        for argument in contract.arguments:
            if self._takes_rest or argument.name in self._names:
                self._defaults[argument.name] = None if argument.default is REQUIRED else argument.default
        for alias, name in contract.aliases.items():
            self._partners |= {alias: name, name: alias}

    def of(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of one call: aliases from their partner, what is missing from the contract."""
        given = dict(sent) if self._takes_rest else {name: sent[name] for name in self._names if name in sent}
        for name, default in self._defaults.items():
            if name not in given:
                partner = self._partners.get(name, name)
                given[name] = sent[partner] if partner in sent else copy.deepcopy(default)
        return given


def _tool_answer(answer: Any, sent: dict[str, Any], *, asks: bool) -> dict[str, Any] | None:
    """Return an answer to pre_tool_call as the host reads it; a modify is done here, in place.

    Raises:
        ValueError: It was meant as a directive and cannot be used.
    """
    answer = answer.to_dict() if isinstance(answer, Directive) else answer
    if not isinstance(answer, dict) or "action" not in answer:
        return None
    action, message, args = answer["action"], answer.get("message"), sent.get("args")
    if action == "block" and isinstance(message, str) and message.strip():
        return answer
    if action == "approve":
        return {"rule_key": _key_of_call(sent.get("tool_name"), args)} | answer if asks else _refusal(message)
    if action == "modify" and isinstance(answer.get("args"), dict) and isinstance(args, dict):
        args.update(copy.deepcopy(answer["args"]))
        return None
    raise ValueError(f"an answer of pre_tool_call cannot be used: action {action!r} without what it needs")


def _key_of_call(tool_name: Any, args: Any) -> str:
    """Return a key for one tool with these arguments: without a key that host remembers "always" for the whole tool."""
    return f"{tool_name}:{hashlib.sha256(repr((tool_name, args)).encode('utf-8', 'replace')).hexdigest()[:16]}"


def _refusal(reason: Any) -> dict[str, Any]:
    why = f": {reason}" if isinstance(reason, str) and reason.strip() else ""
    return {"action": "block", "message": f"blocked: a person has to approve this, and nobody can be asked here{why}"}


def _answer(answer: Any, kind: str) -> Any:
    """Return an answer to any other hook (of any type) as the host reads it.

    Raises:
        TypeError: A transform returned something else than a text.
    """
    if isinstance(answer, Directive):
        return answer.to_dict()
    if kind == "transform" and not isinstance(answer, str | None):
        raise TypeError(f"a transform returns str or None, not {type(answer).__name__}")
    return None if kind == "observer" else answer


def _closed(hook: str, kind: str, function: Callable[..., Any], error: BaseException) -> Any:
    """Return what a fail-closed implementation answers when it failed: a block, a notice, or None for no answer."""
    failed = f"{function.__module__} failed in {hook} and is declared fail-closed: {type(error).__name__}: {error}"
    if hook == "pre_tool_call":
        return {"action": "block", "message": f"blocked: plugin {failed}"}
    return f"[output withheld: plugin {failed}]" if kind == "transform" else None
