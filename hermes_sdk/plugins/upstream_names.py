"""Offers the modules of hermes-agent that existing plugins import, where hermes-agent is not installed (semantics 9).

They lie in one directory, which is the last place where Python looks: a module that is installed under one of these
names always wins, and a package that is only partly there is never completed by ours.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

DIRECTORY: Final = Path(__file__).resolve().parents[1] / "interop" / "upstream"
"""Where the modules are."""
NAMES: Final = ("agent", "gateway", "hermes_cli", "hermes_constants", "run_agent", "tools")
"""Their names at top level; everything below a package is found through the package."""


class UpstreamNames:
    """A finder for `sys.meta_path` that knows these names only."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where one of the modules is."""
        del path, target
        return PathFinder.find_spec(fullname, [str(DIRECTORY)]) if fullname in NAMES else None


_finder: Final = UpstreamNames()


def offer() -> None:
    """Have the names found from now on, wherever nothing else finds them."""
    if _finder not in sys.meta_path:
        sys.meta_path.append(_finder)


def is_offered(name: str) -> bool:
    """Whether a module at top level is ours, or nobody's: no host is there whose module it would be."""
    for finder in sys.meta_path:
        if finder is _finder:
            break
        find_spec = getattr(finder, "find_spec", None)
        if find_spec is not None and find_spec(name, None) is not None:
            return False
    return True
