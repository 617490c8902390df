"""The edit that gives a function a ``**kwargs``: made where the parser agrees that it is one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from hermes_sdk.check.finding import Edit, Place, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_sdk.check.program import Function

_NAMES: Final = ("kwargs", "_kwargs", "_rest", "_hook_arguments")


def room(function: Function) -> tuple[Edit, ...]:
    """Return the edit that ends the parameters of a function with ``**kwargs``; none where no safe place is found."""
    text = _text(function)
    for place, joined in _candidates(function):
        edit = Edit(place, joined + text)
        if _works(function, edit):
            return (edit,)
    return ()


def _text(function: Function) -> str:
    used = {node.id for node in ast.walk(function.node) if isinstance(node, ast.Name)}
    used |= {arg.arg for arg in function.parameters}
    name = next((name for name in _NAMES if name not in used), "_more_hook_arguments")
    typed = any(arg.annotation for arg in function.parameters)
    return f"**{name}: object" if typed else f"**{name}"


def _candidates(function: Function) -> Iterator[tuple[Place, str]]:
    """Yield where the parameters may end, and what has to stand in front of one more."""
    arguments = function.node.args
    lines, path = function.module.lines, function.module.path
    parts: list[ast.AST] = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *arguments.defaults]
    parts += [default for default in arguments.kw_defaults if default is not None]
    parts += [arguments.vararg] if arguments.vararg else []
    if not parts:
        start = place_of(path, lines, function.node)
        keyword = "lambda" if isinstance(function.node, ast.Lambda) else f"def {function.name}("
        column = lines[start.line - 1].find(keyword, start.column - 1)
        if column >= 0:
            yield _at(start, start.line, column + len(keyword) + 1), " " if keyword == "lambda" else ""
        return
    last = max((place_of(path, lines, part) for part in parts), key=lambda place: (place.end_line, place.end_column))
    line = lines[last.end_line - 1]
    column = last.end_column
    while True:  # a default in parentheses ends behind its node
        yield _at(last, last.end_line, column), ", "
        behind = line[column - 1 :]
        if not behind.lstrip().startswith(")"):
            return
        column += behind.index(")") + 1


def _at(place: Place, line: int, column: int) -> Place:
    return Place(place.path, line, column, line, column)


def _works(function: Function, edit: Edit) -> bool:
    """Whether the edited file has the same parameters there, and a ``**kwargs``."""
    lines = list(function.module.lines)
    place = edit.place
    line = lines[place.line - 1]
    lines[place.line - 1] = line[: place.column - 1] + edit.text + line[place.column - 1 :]
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        return False
    before = function.node
    return any(
        type(node) is type(before)
        and (node.lineno, node.col_offset) == (before.lineno, before.col_offset)
        and node.args.kwarg is not None
        and ast.dump(ast.arguments(**{**vars(node.args), "kwarg": None})) == ast.dump(before.args)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )
