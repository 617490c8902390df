"""The profile of the active home."""

from __future__ import annotations

from hermes_sdk.home import hermes_home, profile_name

__all__ = ["get_active_profile_name"]


def get_active_profile_name() -> str:
    """Return ``default``, the name under ``profiles/``, or ``custom``."""
    return profile_name(hermes_home())
