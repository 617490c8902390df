"""HC501 to HC503: what a plugin expects of its host: members of `ctx`, modules, releases."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.check.finding import Finding, Place, place_of
from hermes_sdk.check.releases import HOOK_SINCE, MEMBER_SINCE, OURS_ALONE, RELEASES
from hermes_sdk.errors import nearest
from hermes_sdk.plugins.context import PluginContext
from hermes_sdk.plugins.patching import HOST_MODULES
from hermes_sdk.plugins.upstream_names import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hermes_sdk.check.program import Function, Module, Program
    from hermes_sdk.check.registrations import Registration
    from hermes_sdk.check.target import Target

MEMBERS: Final = frozenset({name for name in dir(PluginContext) if not name.startswith("_")} | {"manifest", "paths"})
"""What `ctx` has; the last two are set when it is made."""

_GUARDS: Final = frozenset({"hasattr", "getattr", "supports"})


@dataclass(frozen=True, slots=True)
class MemberUse:
    """One ``ctx.name``."""

    name: str
    node: ast.Attribute | ast.Call
    module: Module
    guarded: bool
    """Whether the plugin asks first, or lives with an AttributeError."""


def member_uses(program: Program, entries: Iterable[Function]) -> list[MemberUse]:
    """Return what is read from `ctx`, in ``register`` and in the functions that it is passed to."""
    uses: list[MemberUse] = []
    seen: set[tuple[int, str]] = set()
    waiting = [(entry, entry.parameters[0].arg) for entry in entries if entry.parameters]
    while waiting:
        function, name = waiting.pop()
        if (id(function.node), name) in seen:
            continue
        seen.add((id(function.node), name))
        # lambdas and inner functions of register see ctx too
        for node in ast.walk(function.node):
            if isinstance(node, ast.Attribute) and _is_name(node.value, name) and isinstance(node.ctx, ast.Load):
                uses.append(MemberUse(node.attr, node, function.module, _is_guarded(node, node.attr, function)))
            elif isinstance(node, ast.Call):
                uses.extend(_getattr_use(node, name, function.module))
                waiting.extend(_passed_on(program, node, name, function.module))
    return uses


def context_findings(
    program: Program, found: Iterable[Registration], uses: Iterable[MemberUse], target: Target
) -> Iterator[Finding]:
    """Yield what hosts do not have, or do not have in every release."""
    uses = list(uses)
    for use in uses:
        if use.name not in MEMBERS and not use.guarded:
            close = nearest(use.name, MEMBERS)
            fix = f"did you mean {close!r}?" if close else "ask with hasattr(ctx, ...) first"
            yield Finding("HC501", "error", _place(use), f"ctx has no {use.name!r}: it raises AttributeError", fix)
    for module in program.modules.values():
        yield from _host_imports(module)
    yield from _versions(list(found), uses, target)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _getattr_use(call: ast.Call, name: str, module: Module) -> Iterator[MemberUse]:
    """Read ``getattr(ctx, "x")`` as ``ctx.x``; with a default it is a question."""
    if isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) == 2:  # noqa: PLR2004
        owner, attribute = call.args
        if _is_name(owner, name) and isinstance(attribute, ast.Constant) and isinstance(attribute.value, str):
            yield MemberUse(attribute.value, call, module, guarded=_in_try(call, module))


def _passed_on(program: Program, call: ast.Call, name: str, module: Module) -> Iterator[tuple[Function, str]]:
    function = program.function(call.func, module)
    if function is None:
        return
    parameters = function.parameters
    for parameter, given in zip(parameters, call.args, strict=False):
        if _is_name(given, name):
            yield function, parameter.arg
    for word in call.keywords:
        if word.arg and _is_name(word.value, name):
            yield function, word.arg


def _is_guarded(node: ast.AST, member: str, function: Function) -> bool:
    if _in_try(node, function.module):
        return True
    for call in ast.walk(function.node):
        if not isinstance(call, ast.Call):
            continue
        asked = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        texts = {argument.value for argument in call.args if isinstance(argument, ast.Constant)}
        if asked in _GUARDS and member in texts:
            return True
    return False


def _in_try(node: ast.AST, module: Module, *, errors: frozenset[str] = frozenset({"AttributeError"})) -> bool:
    """Whether a node stands in a ``try`` whose handlers take one of these errors."""
    inner = node
    for outer in module.enclosing(node):
        if isinstance(outer, ast.Try) and inner in outer.body:
            for handler in outer.handlers:
                types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                names = {module.dotted(kind) for kind in types if kind is not None}
                if handler.type is None or names & (errors | {"Exception", "BaseException"}):
                    return True
        inner = outer
    return False


def _host_imports(module: Module) -> Iterator[Finding]:
    errors = frozenset({"ImportError", "ModuleNotFoundError"})
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        for name in names:
            if name.partition(".")[0] not in HOST_MODULES or _is_offered(name) or _is_own(name, module):
                continue
            if _in_try(node, module, errors=errors) or _for_checkers(node, module):
                continue
            message = f"{name} is inside of hermes-agent: where that is not installed the import fails"
            place = place_of(module.path, module.lines, node)
            yield Finding("HC502", "warning", place, message, "import it in a try, or ask ctx for what you need")


def _is_offered(name: str) -> bool:
    """Whether hermes-sdk has a module of this name for plugins, where hermes-agent is not."""
    path = DIRECTORY.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or path.joinpath("__init__.py").is_file()


def _is_own(name: str, module: Module) -> bool:
    """Whether the plugin has a top-level module of that name itself, such as ``tools``."""
    return name.partition(".")[0] == module.name.partition(".")[0]


def _for_checkers(node: ast.AST, module: Module) -> bool:
    return any(
        isinstance(outer, ast.If) and module.dotted(outer.test).rpartition(".")[2] == "TYPE_CHECKING"
        for outer in module.enclosing(node)
    )


def _versions(found: list[Registration], uses: list[MemberUse], target: Target) -> Iterator[Finding]:
    needs: list[tuple[str, str, Place]] = []
    for registration in found:
        since = HOOK_SINCE.get(registration.hook)
        if since and registration.hook in HOOKS:
            place = place_of(registration.module.path, registration.module.lines, registration.node)
            needs.append((since, f"the hook {registration.hook}", place))
    for use in uses:
        if use.guarded:
            continue
        if use.name in MEMBER_SINCE:
            needs.append((MEMBER_SINCE[use.name], f"ctx.{use.name}", _place(use)))
        elif use.name in OURS_ALONE:
            message = f"ctx.{use.name} is hermes-sdk's own: hermes-agent does not have it"
            yield Finding("HC503", "note", _place(use), message, f"there, ask with hasattr(ctx, {use.name!r}) first")
    seen: set[str] = set()
    for since, what, place in sorted(needs, key=lambda need: Version(need[0]), reverse=True):
        if what in seen:
            continue
        seen.add(what)
        older = _admitted_before(target.requires_host, since)
        message = f"{what} came with hermes-agent {since}"
        if older:
            message += f", and the declared '{target.requires_host}' admits {older}"
            fix = f"require hermes-agent>={since}"
            yield Finding("HC503", "warning", place, message, fix)
        else:
            yield Finding("HC503", "note", place, message)


def _admitted_before(declared: str | None, since: str) -> str | None:
    """Return the newest older release that a declared requirement admits, or None; None too without one."""
    if declared is None:
        return None
    admitted = SpecifierSet(declared)
    older = [release for release in RELEASES if Version(release) < Version(since) and admitted.contains(release)]
    return older[-1] if older else None


def _place(use: MemberUse) -> Place:
    return place_of(use.module.path, use.module.lines, use.node)
