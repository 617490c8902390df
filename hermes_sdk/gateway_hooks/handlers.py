"""Handlers: `handler.py` as a module of its own, so that neither two hooks nor two homes share anything."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import PluginError, did_you_mean
from hermes_sdk.plugins import upstream_names
from hermes_sdk.plugins.modules import package_in_memory, release_name, reserve_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hermes_sdk.gateway_hooks.hook_file import FoundHook

NAMESPACE: Final = "hermes_gateway_hooks"
HANDLER: Final = "handle"
"""Name of the function in `handler.py`."""


def import_handler(found: FoundHook, home: Path) -> tuple[str, Callable[[str, dict[str, Any]], Any]]:
    """Run a hook's `handler.py` and return (name of its package, ``handle``).

    The directory is a package: ``from . import other`` finds the hook's own other.py. Nothing else in it runs.

    Raises:
        PluginError: There is no ``handle`` that can be called.
        BaseException: Whatever the code raises. Nothing of it stays in `sys.modules` then.
    """
    upstream_names.offer()
    package_in_memory(NAMESPACE)
    name = reserve_name(found.directory.name, home, namespace=NAMESPACE)
    try:
        package_in_memory(name, directory=str(found.directory))
        importlib.invalidate_caches()  # a directory that was written a moment ago
        module = importlib.import_module(f"{name}.handler")
        return name, _handle_of(module, found)
    except BaseException:
        release_name(name, changed=True)
        raise


def release_handler(name: str) -> None:
    """Remove a hook's modules, so that a reload starts from its files as they are then."""
    release_name(name, changed=True)


def place_of(handle: Any, found: FoundHook) -> str:
    """Return ``file:line`` of a handler, of whatever type; the file alone where Python does not know more."""
    code = getattr(inspect.unwrap(handle), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else str(found.directory / "handler.py")


def _handle_of(module: Any, found: FoundHook) -> Callable[[str, dict[str, Any]], Any]:
    handle = getattr(module, HANDLER, None)
    if callable(handle):
        return handle  # type: ignore[no-any-return]  # it came from a handler
    functions = [name for name, value in vars(module).items() if inspect.isfunction(value)]
    raise PluginError(
        f"gateway hook {found.name!r} has nothing to call",
        where=str(found.directory / "handler.py"),
        why="it defines no function `handle(event_type, context)`" if handle is None else "`handle` is not callable",
        fix=did_you_mean(HANDLER, functions).replace("did you mean", "rename") or "define one",
        code="HS152",
    )
