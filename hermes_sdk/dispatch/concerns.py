"""Which of a hook's implementations a tool concerns, where some are for certain tools only: looked up in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_KEPT: Final = 1000
"""Names that are remembered; models make up names."""


class Concerned(dict[str, "tuple[bool, ...]"]):
    """For a tool's name, whether it concerns each of some implementations; worked out once a name.

    Args:
        filters: What each of them says to a name.
    """

    def __init__(self, filters: Sequence[Callable[[str], bool]]) -> None:
        super().__init__()
        self._filters = filters
        self.nobody = (False,) * len(filters)
        """This very tuple is what a name gives that concerns none of them."""

    def __missing__(self, tool_name: str) -> tuple[bool, ...]:
        """Work out a name."""
        found = tuple(concerns(tool_name) for concerns in self._filters)
        if not any(found):
            found = self.nobody
        if len(self) >= _KEPT:
            self.clear()
        self[tool_name] = found
        return found
