"""A plugin's Python files as a program that can be asked what a name stands for, without running it.

What cannot be told from the text is left open: a name that stands for nothing known resolves to None, and nothing is
said about it.
"""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEEPEST: Final = 12
"""Names that stand for names that stand for ...: followed this far, as they may go in a circle."""


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of the program as something that is called."""

    node: FunctionNode | ast.Lambda
    module: Module
    bound: bool = False
    """Whether its first parameter is an instance that the caller does not give."""

    @property
    def name(self) -> str:
        """Its name, for messages."""
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name

    @property
    def is_async(self) -> bool:
        """Whether calling it gives a coroutine."""
        return isinstance(self.node, ast.AsyncFunctionDef)

    @property
    def parameters(self) -> list[ast.arg]:
        """Its named parameters, without a bound first one."""
        arguments = self.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        return [*positional[1 if self.bound else 0 :], *arguments.kwonlyargs]

    @property
    def required(self) -> list[ast.arg]:
        """Those of them that have no default."""
        arguments = self.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        filled = positional[len(positional) - len(arguments.defaults) :] if arguments.defaults else []
        filled += [arg for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default]
        return [arg for arg in self.parameters if arg not in filled]

    @property
    def takes_rest(self) -> bool:
        """Whether there is a ``**kwargs``."""
        return self.node.args.kwarg is not None

    def body(self) -> Iterator[ast.AST]:
        """Yield the nodes that run when it is called: nested functions and classes are not entered."""
        yield from own_nodes(self.node)


@dataclass(eq=False, slots=True)
class Module:
    """One file."""

    name: str
    """Dotted, as its package knows it."""
    path: Path
    text: str
    tree: ast.Module
    lines: list[str] = field(default_factory=list)
    is_package: bool = False
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict, repr=False)
    imports: dict[str, str] = field(default_factory=dict)
    """What an imported name stands for, dotted; relative imports made absolute."""

    def __post_init__(self) -> None:
        # not splitlines(): a form feed in a string ends no line for the parser
        self.lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    self.imports[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                origin = self._absolute(node)
                for alias in node.names:
                    self.imports[alias.asname or alias.name] = f"{origin}.{alias.name}".strip(".")

    def enclosing(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what stands around a node, from the inside out."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def dotted(self, node: ast.expr) -> str:
        """Return what an expression such as ``time.sleep`` names, imports followed; empty for anything else."""
        if isinstance(node, ast.Attribute):
            owner = self.dotted(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        return self.imports.get(node.id, node.id) if isinstance(node, ast.Name) else ""

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.name.split(".") if self.is_package else self.name.split(".")[:-1]
        package = package[: len(package) - (node.level - 1)]
        return ".".join([*package, *([node.module] if node.module else [])])


class Program:
    """All files of a plugin.

    Args:
        modules: The files, by dotted name.
    """

    def __init__(self, modules: dict[str, Module]) -> None:
        self.modules = modules

    def function(self, node: ast.expr, module: Module, depth: int = 0) -> Function | None:
        """Return the function that an expression gives when it is called, or None where the text does not say."""
        if depth > _DEEPEST:
            return None
        match node:
            case ast.Lambda():
                return Function(node, module)
            case ast.Name():
                return self._by_name(node, module, depth)
            case ast.Attribute():
                return self._by_attribute(node, module, depth)
            case ast.Call():
                return self._made_by(node, module, depth)
            case _:
                return None

    def value(self, name: ast.Name, module: Module) -> ast.expr | None:
        """Return the expression that a name was given where it is used, if it was given one only."""
        for scope in (*module.enclosing(name), module.tree):
            if isinstance(scope, (*_FUNCTIONS, ast.Lambda)):
                parameter = next((value for arg, value in _parameters(scope) if arg == name.id), name)
                if parameter is not name:  # `lambda event=event: ...` keeps the value of the name outside
                    kept = self.value(parameter, module) if isinstance(parameter, ast.Name) else None
                    return kept or parameter
            if isinstance(scope, (*_FUNCTIONS, ast.Module)):
                stored = [node for node in own_nodes(scope) if _stores(node, name.id)]
                if stored:
                    return _assigned(module.parents[stored[0]], name.id) if len(stored) == 1 else None
        return None

    # -- what a name stands for ------------------------------------------------------------------------------------

    def _by_name(self, node: ast.Name, module: Module, depth: int) -> Function | None:
        for scope in (*module.enclosing(node), module.tree):
            if isinstance(scope, (*_FUNCTIONS, ast.Lambda)) and node.id in dict(_parameters(scope)):
                break
            if isinstance(scope, (*_FUNCTIONS, ast.Module)):
                for candidate in own_nodes(scope):
                    if isinstance(candidate, _FUNCTIONS) and candidate.name == node.id:
                        return Function(candidate, module, _takes_instance(candidate, module))
        if (value := self.value(node, module)) is not None and value is not node:
            return self.function(value, module, depth + 1)
        return None if self._is_local(node, module) else self._imported(module.imports.get(node.id, ""))

    @staticmethod
    def _is_local(node: ast.Name, module: Module) -> bool:
        functions = (outer for outer in module.enclosing(node) if isinstance(outer, (*_FUNCTIONS, ast.Lambda)))
        return any(node.id in dict(_parameters(function)) for function in functions)

    def _imported(self, dotted: str) -> Function | None:
        owner, _, name = dotted.rpartition(".")
        module = self.modules.get(owner)
        if module is None or not name:
            return None
        for node in own_nodes(module.tree):
            if isinstance(node, _FUNCTIONS) and node.name == name:
                return Function(node, module)
        again = module.imports.get(name, "")  # a package that hands on what its module has
        return self._imported(again) if again != dotted else None

    def _by_attribute(self, node: ast.Attribute, module: Module, depth: int) -> Function | None:
        if found := self._imported(module.dotted(node)):
            return found
        cls = self._class_of(node.value, module, depth)
        return self._method(cls, node.attr) if cls else None

    def _class_of(self, node: ast.expr, module: Module, depth: int) -> tuple[ast.ClassDef, Module] | None:
        """Return the class of the instance that an expression gives."""
        if depth > _DEEPEST:
            return None
        if isinstance(node, ast.Name):
            if node.id in {"self", "cls"}:
                found = next((outer for outer in module.enclosing(node) if isinstance(outer, ast.ClassDef)), None)
                return (found, module) if found else None
            value = self.value(node, module)
            return self._class_of(value, module, depth + 1) if value is not None and value is not node else None
        if isinstance(node, ast.Call):
            return self._class(module.dotted(node.func), module)
        return None

    def _class(self, dotted: str, module: Module) -> tuple[ast.ClassDef, Module] | None:
        owner, _, name = dotted.rpartition(".")
        home = self.modules.get(owner) if owner else module
        for node in own_nodes(home.tree) if home else ():
            if isinstance(node, ast.ClassDef) and node.name == name and home:
                return node, home
        return None

    def _method(self, found: tuple[ast.ClassDef, Module], name: str, depth: int = 0) -> Function | None:
        cls, module = found
        for node in cls.body:
            if isinstance(node, _FUNCTIONS) and node.name == name:
                return Function(node, module, _takes_instance(node, module))
        for base in cls.bases if depth < _DEEPEST else ():
            inherited = self._class(module.dotted(base), module)
            if inherited and (method := self._method(inherited, name, depth + 1)):
                return method
        return None

    def _made_by(self, call: ast.Call, module: Module, depth: int) -> Function | None:
        """Return the inner function that a function of ours returns: ``make_callback(config)``."""
        if module.dotted(call.func) == "functools.partial":
            return None  # which parameters are left cannot be told in general
        maker = self.function(call.func, module, depth + 1)
        if maker is None or isinstance(maker.node, ast.Lambda) or maker.is_async:
            return None
        returned = [node.value for node in maker.body() if isinstance(node, ast.Return) and node.value is not None]
        if len(returned) != 1:
            return None
        return self.function(returned[0], maker.module, depth + 1)


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without those of the functions, lambdas and classes inside it."""
    waiting: deque[ast.AST] = deque(ast.iter_child_nodes(scope))
    if isinstance(scope, _FUNCTIONS):  # decorators and defaults run where it is defined
        waiting = deque(scope.body)
    elif isinstance(scope, ast.Lambda):
        waiting = deque([scope.body])
    while waiting:
        node = waiting.popleft()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            waiting.extendleft(reversed(list(ast.iter_child_nodes(node))))


def _takes_instance(node: FunctionNode, module: Module) -> bool:
    if not isinstance(module.parents.get(node), ast.ClassDef):
        return False
    return not any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in node.decorator_list)


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def _assigned(node: ast.AST, name: str) -> ast.expr | None:
    """Return what a statement gives a name, or None where it does not say: a loop, a `with`, an unpacking."""
    match node:
        case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
            return value
        case ast.AnnAssign(target=ast.Name(id=found), value=value) if found == name:
            return value
        case ast.NamedExpr(target=ast.Name(id=found), value=value) if found == name:
            return value
        case _:
            return None


def _parameters(node: FunctionNode | ast.Lambda) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield each parameter with its default, or with None."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    filled: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + [*arguments.defaults]
    yield from ((arg.arg, default) for arg, default in zip(positional, filled, strict=True))
    yield from ((arg.arg, default) for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    yield from ((arg.arg, None) for arg in (arguments.vararg, arguments.kwarg) if arg is not None)
