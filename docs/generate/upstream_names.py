"""docs/reference/upstream-names.md: the modules of hermes-agent that are there where it is not installed."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

SOURCE: Final = "hermes_sdk/interop/upstream"

PAGE: Final = """\
<!-- Written by python docs/generate from {source}; edit the docstrings there instead. -->

# Names of hermes-agent

Plugins written for hermes-agent import some of its modules. Where hermes-agent is not installed, these are importable
from the moment a `PluginManager` loads plugins, with the functions that published plugins use, on the parts of
hermes-sdk. Python looks for them last: a module that is installed under one of these names always wins, and a package
of which only a part is installed is not completed. A name that is not listed raises ImportError, as it does without
hermes-sdk; plugins that ask first are ready for that.

A plugin that assigns to what it imported from hermes-agent (`run_agent.AIAgent.run = ...`, `setattr(gateway, ...)`)
patches a host that is not here. It loads, and `hermes-sdk plugins list --load` shows it as degraded: *loads but cannot
act here*, with what it patches. Where hermes-agent is installed it is not reported.
{modules}"""

MODULE: Final = """
## {name}

{about}

| name | what it is |
|---|---|
{rows}
"""


def render(root: Path) -> dict[Path, str]:
    """Return the page by its path."""
    folder = root / SOURCE
    files = sorted(file for file in folder.rglob("*.py") if file.parent != folder or file.stem != "__init__")
    modules = "".join(_module(file.relative_to(folder)) for file in files)
    return {root / "docs/reference/upstream-names.md": PAGE.format(source=SOURCE, modules=modules)}


def _module(file: Path) -> str:
    name = ".".join((*file.parent.parts, file.stem)).removesuffix(".__init__")
    module = importlib.import_module(f"{SOURCE.replace('/', '.')}.{name}")
    rows = "\n".join(f"| `{shown}` | {about} |" for shown, about in _members(module))
    about = inspect.cleandoc(module.__doc__ or "").replace("``", "`")
    return MODULE.format(name=f"`{name}`", about=about, rows=rows) if rows else f"\n## `{name}`\n\n{about}\n"


def _members(module: ModuleType) -> Iterator[tuple[str, str]]:
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if inspect.isroutine(value) or inspect.isclass(value):
            yield (f"{name}{_signature(value)}" if inspect.isroutine(value) else name), _summary(value)
        else:
            yield name, f"an instance of `{type(value).__name__}`" if _is_ours(value) else f"a {type(value).__name__}"


def _signature(function: Any) -> str:
    """Return names and defaults of a function's parameters (Any: whatever can be called)."""
    signature = inspect.signature(function)
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def _summary(value: Any) -> str:
    """Return the first sentence of what something (of any type) says about itself, on one line."""
    summary = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return " ".join(summary.split()).replace("|", "\\|").replace("``", "`")


def _is_ours(value: Any) -> bool:
    return type(value).__module__.startswith("hermes_sdk")
