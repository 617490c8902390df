"""Plugin code as Python modules: imported under names of our own, and removed without a trace.

A directory plugin is ``hermes_plugins.<slug>``, as in hermes-agent, or ``hermes_plugins.<slug>__<8 hex>`` in every
home but the process's first, so that two homes never share module state. Handlers of gateway hooks are named likewise,
in a namespace of their own.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import threading
import types
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import PluginError

if TYPE_CHECKING:
    from pathlib import Path

NAMESPACE: Final = "hermes_plugins"

_lock: Final = threading.Lock()
_first_home: list[str] = []
_taken: set[str] = set()


def reserve_name(key: str, home: Path, *, namespace: str = NAMESPACE) -> str:
    """Return a module name for a plugin, or what else lies in a directory, that nothing loaded in the process has."""
    where = os.path.realpath(home)
    with _lock:
        if not _first_home:
            _first_home.append(where)
        name = f"{namespace}.{_slug(key)}"
        if where != _first_home[0]:
            name += f"__{_digest(where)}"
        number = 2
        free = name
        # a second manager of one home, keys that differ in punctuation only, or a plugin of hermes-agent itself
        while free in _taken or free in sys.modules:
            free = f"{name}_{number}"
            number += 1
        _taken.add(free)
        return free


def release_name(name: str, *, changed: bool = False) -> None:
    """Remove a plugin's modules, its submodules included.

    Args:
        name: What `reserve_name` gave.
        changed: Also drop cached bytecode, because the files may have changed: Python tells them apart by size
            and by whole seconds, and a reload in the same second would run the old code.
    """
    for module_name in [known for known in sys.modules if known == name or known.startswith(name + ".")]:
        module = sys.modules.pop(module_name)
        cached = getattr(module, "__cached__", None)
        if changed and isinstance(cached, str):
            with contextlib.suppress(OSError):
                os.unlink(cached)  # noqa: PTH108 - a module may have put anything there
    parent, _, child = name.rpartition(".")
    with contextlib.suppress(AttributeError, KeyError):
        delattr(sys.modules[parent], child)
    with _lock:
        _taken.discard(name)


def import_directory(name: str, directory: str) -> types.ModuleType:
    """Run a plugin's ``__init__.py`` as module `name`; nothing else in its directory runs unless it imports it.

    Raises:
        BaseException: Whatever the code raises.
    """
    parent = package_in_memory(name.rpartition(".")[0])
    spec = importlib.util.spec_from_file_location(
        name, f"{directory}{os.sep}__init__.py", submodule_search_locations=[directory]
    )
    if spec is None or spec.loader is None:
        raise PluginError(f"no module can be made of {directory}", code="HS205")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    setattr(parent, name.rpartition(".")[2], module)
    return module


def import_entry_point(entry_point: Any) -> Any:
    """Return what an entry point names: a module, a function or an object, of whatever type.

    If that fails, modules of the same top-level package that it brought in are removed again, so that the next
    attempt starts from the beginning.

    Args:
        entry_point: An `importlib_metadata.EntryPoint`.

    Raises:
        BaseException: Whatever the code raises.
    """
    before = set(sys.modules)
    try:
        return entry_point.load()
    except BaseException:
        package = entry_point.value.partition(":")[0].partition(".")[0].strip()
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == package:
                sys.modules.pop(name, None)
        raise


def package_in_memory(name: str, *, directory: str | None = None) -> types.ModuleType:
    """Return a package without a file of its own, made at the first call: relative imports and pickles go through it.

    Args:
        name: Its full name.
        directory: Where its submodules are; without one it has only those that are put into it.
    """
    module = sys.modules.get(name)
    if module is None:
        module = types.ModuleType(name, "Code that was loaded from directories.")
        module.__path__ = [] if directory is None else [directory]
        module.__package__ = name
        sys.modules[name] = module
    return module


def _slug(key: str) -> str:
    """Return a key as an identifier; where that loses more than upstream's spelling does, a digest keeps it apart."""
    slug = key.replace("/", "__").replace("-", "_")
    if re.fullmatch(r"\w+", slug, re.ASCII):
        return slug
    return f"{re.sub(r'[^A-Za-z0-9_]', '_', slug)}_{_digest(key)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]
