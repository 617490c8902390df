"""What floors above keep with a manager: more hooks than plugins bring, such as those of scripts.

A companion shares the manager's life. It is told when everything is loaded anew, it has its say in strict mode, in
safe mode and in the run file, and it ends with the manager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hermes_sdk.config import Config


class Companion(Protocol):
    """One source of hooks beside the plugins."""

    @property
    def name(self) -> str:
        """What it is called, and the key of its section of the run file."""
        ...

    def reload(self, config: Config) -> None:
        """Come into force anew, by a configuration that was read anew."""
        ...

    def describe(self) -> Any:
        """Return its section of the run file, JSON-ready."""
        ...

    def not_in_order(self) -> list[str]:
        """Return what strict mode does not start with."""
        ...

    def gates_off(self) -> list[str]:
        """Return its fail-closed members that safe mode keeps out, as ``name (hooks)``."""
        ...

    def interrupt(self, session_id: str) -> None:
        """End what runs for a session at the moment."""
        ...

    def close(self) -> None:
        """Go out of force, and end what runs; `reload` may bring it back."""
        ...


class Companions:
    """The companions of one manager, by name."""

    def __init__(self) -> None:
        self._known: dict[str, Companion] = {}

    def __iter__(self) -> Iterator[Companion]:
        return iter(list(self._known.values()))

    def get(self, name: str) -> Companion | None:
        """Return the companion of a name, or None."""
        return self._known.get(name)

    def add(self, companion: Companion) -> None:
        """Take a companion in, in place of one that has its name; the host ends that one."""
        self._known[companion.name] = companion

    def reload(self, config: Config) -> None:
        """Bring all into force anew."""
        for companion in self:
            companion.reload(config)

    def describe(self) -> dict[str, Any]:
        """Return the sections of the run file."""
        return {companion.name: companion.describe() for companion in self}

    def not_in_order(self) -> list[str]:
        """Return everything that strict mode does not start with."""
        return [problem for companion in self for problem in companion.not_in_order()]

    def gates_off(self) -> list[str]:
        """Return every gate that safe mode keeps out."""
        return [gate for companion in self for gate in companion.gates_off()]

    def interrupt(self, session_id: str) -> None:
        """End what runs for a session at the moment."""
        for companion in self:
            companion.interrupt(session_id)

    def close(self) -> None:
        """End all, the last one first."""
        for companion in reversed(list(self)):
            companion.close()
