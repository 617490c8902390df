"""HC101 to HC105: what is registered, held against the contract of the hooks."""

from __future__ import annotations

import ast
import difflib
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.check.finding import Finding, Place, place_of
from hermes_sdk.check.room import room
from hermes_sdk.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hermes_hookspecs.contract import HookContract
    from hermes_sdk.check.program import Function, Module
    from hermes_sdk.check.registrations import Registration

_SLIP: Final = 0.88
"""How near a name must be to a known one to be a slip of the hand rather than a hook of another host."""

_ACTIONS: Final = {
    "pre_tool_call": frozenset({"block", "approve", "modify"}),
    "pre_gateway_dispatch": frozenset({"skip", "rewrite", "allow"}),
    "pre_verify": frozenset({"continue", "block"}),
}
_NEEDS: Final = {
    ("pre_tool_call", "modify"): "args",
    ("pre_tool_call", "block"): "message",
    ("pre_gateway_dispatch", "rewrite"): "text",
    ("pre_verify", "continue"): "message",
}


def hook_findings(found: Iterable[Registration]) -> Iterator[Finding]:
    """Yield what is wrong with hooks, parameters and answers, each function reported once a hook."""
    seen: set[tuple[str, int]] = set()
    for registration in found:
        contract = HOOKS.get(registration.hook)
        if contract is None:
            yield from _unknown_hook(registration)
        function = registration.function
        if function is None or (registration.hook, id(function.node)) in seen:
            continue
        seen.add((registration.hook, id(function.node)))
        if contract is not None:
            yield from _arguments(registration, function, contract)
            yield from _answers(function, contract)
        yield from _no_room(registration, function)
        yield from _generator(registration, function)


def _unknown_hook(registration: Registration) -> Iterator[Finding]:
    if registration.optional:
        return
    name = registration.hook
    close = nearest(name, HOOKS)
    slip = close is not None and difflib.SequenceMatcher(None, name, close).ratio() >= _SLIP
    message = f"no hook is called {name!r}: nothing fires it"
    fix = f"did you mean {close!r}?" if close else ""
    place = _name_place(registration.module, registration.node)
    yield Finding("HC101", "error" if slip else "warning", place, message, fix)


def _arguments(registration: Registration, function: Function, contract: HookContract) -> Iterator[Finding]:
    sent = contract.argument_names
    required = {id(arg) for arg in function.required}
    for arg in function.parameters:
        if arg.arg in sent:
            continue
        close = nearest(arg.arg, sent)
        fix = f"did you mean {close!r}?" if close else f"it sends {', '.join(sorted(sent)[:6])}, ..."
        place = place_of(function.module.path, function.module.lines, arg)
        if id(arg) in required:
            ends = "pluggy refuses the plugin" if registration.style == "hookimpl" else "the callback is never called"
            yield Finding("HC102", "error", place, f"{contract.name} does not send {arg.arg!r}: {ends}", fix)
        elif not registration.wrapper:
            message = f"{contract.name} does not send {arg.arg!r}: it always has its default"
            yield Finding("HC102", "warning", place, message, fix)


def _no_room(registration: Registration, function: Function) -> Iterator[Finding]:
    if registration.style != "callback" or function.takes_rest:
        return
    lines, path = function.module.lines, function.module.path
    message = f"{function.name} takes no **kwargs, and {registration.hook} may send more than it names"
    fix = "end its parameters with **kwargs"
    place = place_of(path, lines, function.node)
    yield Finding("HC103", "warning", _first_line(place), message, fix, room(function))


def _generator(registration: Registration, function: Function) -> Iterator[Finding]:
    yields = next((node for node in function.body() if isinstance(node, ast.Yield | ast.YieldFrom)), None)
    if yields is not None and not registration.wrapper:
        message = f"{function.name} has a yield in it: as an implementation of {registration.hook} it never runs"
        fix = "return the answer, or mark a wrapper with @hookimpl(wrapper=True)"
        yield Finding("HC104", "error", place_of(function.module.path, function.module.lines, yields), message, fix)


def _answers(function: Function, contract: HookContract) -> Iterator[Finding]:
    for node in function.body():
        if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Dict):
            continue
        answer = _constant_items(node.value)
        message = _fault(answer, contract, whole=len(answer) == len(node.value.keys))
        if message:
            place = place_of(function.module.path, function.module.lines, node)
            yield Finding("HC105", "warning", place, message, f"see the page of {contract.name}")


def _fault(answer: dict[str, Any], contract: HookContract, *, whole: bool) -> str:
    action = answer.get("action")
    name = contract.name
    if contract.kind == "observer":
        return f"{name} ignores answers: {action!r} has no effect" if isinstance(action, str) else ""
    if contract.kind == "transform":
        return f"{name} takes text, and a mapping changes nothing" if whole else ""
    if contract.kind == "context":
        known = "context" in answer or not whole
        return "" if known else f"{name} takes text or a mapping with 'context', and this has none"
    actions = _ACTIONS.get(name, frozenset())
    if isinstance(action, str) and action not in actions:
        close = nearest(action, actions)
        return f"{name} knows no action {action!r}" + (f", did you mean {close!r}?" if close else "")
    need = _NEEDS.get((name, action)) if isinstance(action, str) else None
    if need and whole and need not in answer and not (name == "pre_verify" and "reason" in answer):
        return f"{name} ignores a {action!r} without {need!r}"
    return ""


def _constant_items(node: ast.Dict) -> dict[str, Any]:
    """Return the keys that are written out, each with its value where that is written out too (Any), else None."""
    return {
        key.value: value.value if isinstance(value, ast.Constant) else None
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def _name_place(module: Module, node: ast.AST) -> Place:
    place = place_of(module.path, module.lines, node)
    return _first_line(place) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else place


def _first_line(place: Place) -> Place:
    return Place(place.path, place.line, place.column, place.line, place.column)
