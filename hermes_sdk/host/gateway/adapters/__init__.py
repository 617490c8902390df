"""The adapters that come with the gateway; each is imported when it is used, as two of them need an extra."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from hermes_sdk.host.gateway.adapter import Adapter


def _factory(module: str) -> Callable[[Mapping[str, Any], Path], Adapter]:
    def make(settings: Mapping[str, Any], home: Path) -> Adapter:
        try:
            loaded = import_module(f"{__name__}.{module}")
        except ModuleNotFoundError as error:
            if error.name != "aiohttp":
                raise
            raise SessionError(
                f"the platform {module} needs aiohttp",
                why="it is not installed",
                fix="pip install 'hermes-sdk[gateway]'",
                code="HS444",
            ) from None
        adapter: Adapter = loaded.make(settings, home)
        return adapter

    return make


BUILTIN_ADAPTERS: Final = {name: _factory(name) for name in ("console", "webchat", "webhook")}
"""Makes an adapter of ``gateway.platforms.<name>`` and the home, by the platform's name."""
