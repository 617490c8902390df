"""Shell hooks: scripts that config.yaml declares, as one more plugin. A host needs one call, `register_from_config`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.shell_hooks.register import register_from_config

__all__ = ["register_from_config"]


def __getattr__(name: str) -> Any:
    """Load what a host needs when it is asked for: scripts in Python import this package too, for `script` only."""
    if name != "register_from_config":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hermes_sdk.shell_hooks.register import register_from_config

    return register_from_config
