"""The attributes behind ``manager.hook`` and ``manager.ahook``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class AsyncRelay:
    """``manager.ahook``: each attribute is the asynchronous caller of the hook of that name."""

    def __init__(self, entry: Callable[[str], Callable[..., Any]]) -> None:
        self._entry = entry

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._entry(name)


SyncRelay = Any
