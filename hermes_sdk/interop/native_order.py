"""Where the bridge stands among the callbacks of hermes-agent itself, and what that costs its transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_hookspecs import HOOKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def transforms_in_front(ctx: Any, ours: Mapping[str, Callable[..., Any]]) -> list[str]:
    """Return one sentence for each transform of hermes-agent's own plugins that stands in front of ours.

    That host takes the first text, so where such a transform returns one, ours is not heard.

    Args:
        ctx: The context that hermes-agent gave to the bridge, of its own type.
        ours: The bridge's callback for each hook.
    """
    table: Mapping[str, list[Any]] = getattr(getattr(ctx, "_manager", None), "_hooks", {})
    found: list[str] = []
    for hook, callback in ours.items():
        if hook not in HOOKS or HOOKS[hook].kind != "transform":
            continue
        callbacks = table.get(hook, [])
        in_front = callbacks[: callbacks.index(callback)] if callback in callbacks else []
        found.extend(
            f"{hook}: {_name(native)} of hermes-agent's own plugins stands in front of hermes-sdk; where it returns a "
            "text, hermes-agent takes that and none of ours"
            for native in in_front
        )
    return found


def _name(callback: Any) -> str:
    """Return ``module.function`` of a callback (of any type)."""
    name = getattr(callback, "__qualname__", type(callback).__qualname__)
    return f"{getattr(callback, '__module__', '?')}.{name}"
