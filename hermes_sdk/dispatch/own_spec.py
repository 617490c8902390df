"""Hooks outside of the contract: what the spec says that a host added itself, if it did."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pluggy


@dataclass(frozen=True, slots=True)
class OwnSpec:
    """What the dispatcher needs to know about a spec of the host's own."""

    required: tuple[str, ...] = ()
    """Arguments that the host must send."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Values, of any type, of the arguments that it may leave out."""
    first: bool = False
    """``firstresult=True``: the first answer ends the call and is what comes out, as in pluggy."""
    declared: bool = False
    """False for a hook that nobody specified: whatever is sent is an argument of it."""

    @property
    def names(self) -> frozenset[str] | None:
        """Every argument that the hook sends; None where nobody knows."""
        return frozenset((*self.required, *self.defaults)) if self.declared else None


def own_spec(caller: pluggy.HookCaller | None) -> OwnSpec:
    """Return what is known about the hook of a caller, which is not one of the contract."""
    if caller is None or caller.spec is None:
        return OwnSpec()
    spec = caller.spec
    defaults = inspect.unwrap(spec.function).__defaults__ or ()
    return OwnSpec(
        required=tuple(spec.argnames),
        defaults=dict(zip(spec.kwargnames, defaults, strict=False)),
        first=bool(spec.opts.get("firstresult")),
        declared=True,
    )
