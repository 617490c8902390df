"""Finds out whether a plugin patches the insides of hermes-agent, which it cannot do where that is not installed.

Its source is read, not run again: an attribute of something that was imported from one of the host's modules, and is
assigned to or given to ``setattr``, is a patch. (Rule: semantics 9.)
"""

from __future__ import annotations

import ast
import re
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.plugins.upstream_names import is_offered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_sdk.plugins.loaded import LoadedPlugin

HOST_MODULES: Final = frozenset(
    {
        "acp_adapter", "agent", "batch_runner", "cli", "cron", "gateway", "hermes_cli", "hermes_constants",
        "hermes_logging", "hermes_state", "hermes_time", "mcp_serve", "model_tools", "plugins", "providers",
        "run_agent", "tools", "toolset_distributions", "toolsets", "trajectory_compressor", "tui_gateway", "utils",
    }
)  # fmt: skip
"""The modules of hermes-agent at top level."""

_IMPORTS: Final = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(?:%s)\b" % "|".join(HOST_MODULES).encode(), re.MULTILINE)


def patched_internals(plugin: LoadedPlugin) -> list[str]:
    """Return what of hermes-agent the modules of a plugin patch, as dotted names, where hermes-agent is absent.

    Args:
        plugin: A plugin whose code was imported.
    """
    found: dict[str, None] = {}
    for module in _own_modules(_top_module(plugin), set()):
        try:
            with open(module.__file__ or "", "rb") as file:  # noqa: PTH123 - a path object costs as much as the search
                source = file.read()
            if _IMPORTS.search(source):
                found |= dict.fromkeys(_patches(ast.parse(source)))
        except (OSError, SyntaxError, ValueError, RecursionError, TypeError):  # no file, or none that can be read
            continue
    return [name for name in found if is_offered(_top(name))]


def _top(name: str) -> str:
    return name.partition(".")[0]


def _top_module(plugin: LoadedPlugin) -> Any:
    if plugin.candidate.entry_point is None:
        return plugin.module
    return sys.modules.get(plugin.candidate.path.partition(":")[0].partition(".")[0].strip())


def _own_modules(module: Any, seen: set[int]) -> Iterator[ModuleType]:
    """Yield a module and those below it that were imported; a package has them as attributes."""
    if not isinstance(module, ModuleType) or id(module) in seen:
        return
    seen.add(id(module))
    yield module
    below = f"{module.__name__}."
    for child in list(vars(module).values()):
        if isinstance(child, ModuleType) and child.__name__.startswith(below):
            yield from _own_modules(child, seen)


def _patches(tree: ast.AST) -> Iterator[str]:
    names = dict(_imported(tree))
    if not names:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and (value := _dotted(node.value, names)):
            names |= {target.id: value for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        for target in _changed(node):
            if isinstance(target, ast.Attribute) and (name := _dotted(target, names)):
                yield name
        if isinstance(node, ast.Call) and (name := _set_by_call(node, names)):
            yield name


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (name in the file, what of the host it is)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _top(alias.name) in HOST_MODULES:
                    yield (alias.asname, alias.name) if alias.asname else (_top(alias.name), _top(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level and _top(node.module or "") in HOST_MODULES:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _changed(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign | ast.Delete):
        return node.targets
    return [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else []


def _set_by_call(call: ast.Call, names: dict[str, str]) -> str:
    """Return what ``setattr(host, "name", ...)`` sets."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "setattr" and len(call.args) > 1):
        return ""
    owner, attribute = _dotted(call.args[0], names), call.args[1]
    if not owner:
        return ""
    return f"{owner}.{ast.literal_eval(attribute)}" if isinstance(attribute, ast.Constant) else f"{owner}.(computed)"


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """Return what of the host an expression such as ``loop.Agent.run`` is, or an empty text."""
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, names)
        return f"{owner}.{node.attr}" if owner else ""
    return names.get(node.id, "") if isinstance(node, ast.Name) else ""
