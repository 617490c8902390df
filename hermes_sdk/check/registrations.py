"""What a program registers: calls of ``register_hook``, loops over tables included, and `@hookimpl` functions."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from hermes_sdk.check.program import Function, own_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_sdk.check.program import Module, Program

_MARKERS: Final = frozenset({"hermes_hookspecs.hookimpl", "hermes_sdk.hookimpl", "hermes_hookspecs.markers.hookimpl"})
_MOST_ROWS: Final = 200
"""Rows of a table that are looked at."""


@dataclass(frozen=True, slots=True)
class Registration:
    """One implementation of one hook."""

    hook: str
    node: ast.AST
    """What to point at when the hook is wrong."""
    module: Module
    style: Literal["callback", "hookimpl"]
    function: Function | None
    """What is called; None where the text does not say."""
    wrapper: bool = False
    optional: bool = False
    """Whether its author knows that a host may not have the hook."""


def registrations(program: Program) -> list[Registration]:
    """Return everything that the program registers, as far as its text says so."""
    found: list[Registration] = []
    for module in program.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and _is_register_hook(node):
                found.extend(_callbacks(program, module, node))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.extend(_hookimpl(program, module, node))
    return found


def _is_register_hook(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "register_hook"


def _callbacks(program: Program, module: Module, call: ast.Call) -> Iterator[Registration]:
    given = {word.arg: word.value for word in call.keywords}
    name = call.args[0] if call.args else given.get("hook_name")
    callback = call.args[1] if len(call.args) > 1 else given.get("callback")
    if name is None or callback is None:
        return
    for bound in _rows(program, module, call):
        hook = _replaced(name, bound, program, module)
        if isinstance(hook, ast.Constant) and isinstance(hook.value, str):
            target = _replaced(callback, bound, program, module)
            yield Registration(hook.value, hook, module, "callback", program.function(target, module))


def _rows(program: Program, module: Module, call: ast.Call) -> Iterator[dict[str, ast.expr]]:
    """Yield what the variables of the loops around a call stand for, once for each row of their tables."""
    loops = [node for node in module.enclosing(call) if isinstance(node, ast.For)]
    if not loops:
        yield {}
        return
    for row in _table(program, module, loops[0].iter)[:_MOST_ROWS]:
        yield dict(_unpacked(loops[0].target, row))


def _table(program: Program, module: Module, node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Name) and (value := program.value(node, module)) is not None:
        node = value
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return list(node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "items":
        table: ast.expr | None = node.func.value
        if isinstance(table, ast.Name):
            table = program.value(table, module)
        if isinstance(table, ast.Dict):
            pairs = zip(table.keys, table.values, strict=True)
            return [ast.Tuple([key, value], ast.Load()) for key, value in pairs if key is not None]
    return []


def _unpacked(target: ast.expr, row: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, row
    elif isinstance(target, ast.Tuple) and isinstance(row, ast.Tuple | ast.List):
        for inner, value in zip(target.elts, row.elts, strict=False):
            yield from _unpacked(inner, value)


def _replaced(node: ast.expr, bound: dict[str, ast.expr], program: Program, module: Module) -> ast.expr:
    """Return what an expression stands for: a loop's variable, or a constant that has a name."""
    if not isinstance(node, ast.Name):
        return node
    if node.id in bound:
        return bound[node.id]
    value = program.value(node, module)
    if isinstance(value, ast.Name) and value.id in bound:
        return bound[value.id]
    return value if isinstance(value, ast.Constant) else node


def _hookimpl(program: Program, module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Registration]:
    for mark in node.decorator_list:
        call = mark if isinstance(mark, ast.Call) else None
        if not _is_marker(program, module, call.func if call else mark):
            continue
        options = {word.arg: word.value for word in call.keywords} if call else {}
        name = options.get("specname")
        if name is None or (isinstance(name, ast.Constant) and name.value is None):
            hook = node.name
        else:
            name = _replaced(name, {}, program, module)
            if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
                continue  # the text does not say which hook it is, as with a function that makes many of them
            hook = name.value
        in_class = isinstance(module.parents.get(node), ast.ClassDef)
        static = any(isinstance(other, ast.Name) and other.id == "staticmethod" for other in node.decorator_list)
        yield Registration(
            hook,
            node,
            module,
            "hookimpl",
            Function(node, module, bound=in_class and not static),
            wrapper=_is_true(options.get("wrapper")) or _is_true(options.get("hookwrapper")),
            optional=_is_true(options.get("optionalhook")),
        )


def _is_marker(program: Program, module: Module, mark: ast.expr) -> bool:
    if module.dotted(mark) in _MARKERS:
        return True
    value = program.value(mark, module) if isinstance(mark, ast.Name) else None
    if not isinstance(value, ast.Call) or module.dotted(value.func) != "pluggy.HookimplMarker":
        return False
    project = value.args[0] if value.args else None
    return isinstance(project, ast.Constant) and project.value == "hermes"


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def register_functions(program: Program) -> list[Function]:
    """Return the functions that a host calls with its `ctx`: those named ``register`` at the top of a module."""
    return [
        Function(node, module)
        for module in program.modules.values()
        for node in own_nodes(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "register"
    ]
