"""Paths of the active home."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.home import hermes_home

__all__ = [
    "display_hermes_home",
    "get_config_path",
    "get_default_hermes_root",
    "get_env_path",
    "get_hermes_dir",
    "get_hermes_home",
    "get_skills_dir",
]


def get_hermes_home() -> Path:
    """Return the active home: ``HERMES_HOME``, else ``~/.hermes``."""
    return hermes_home()


def get_default_hermes_root() -> Path:
    """Return the home that profiles live under: the active one, or the one of which it is a profile."""
    home = hermes_home()
    return home.parent.parent if home.parent.name == "profiles" else home


def get_config_path() -> Path:
    """Return where config.yaml is."""
    return hermes_home() / "config.yaml"


def get_env_path() -> Path:
    """Return where ``.env`` is."""
    return hermes_home() / ".env"


def get_skills_dir() -> Path:
    """Return where the user's skills are."""
    return hermes_home() / "skills"


def get_hermes_dir(new_subpath: str, old_name: str) -> Path:
    """Return a directory of the home: the old one while something is in it, else the new one.

    Args:
        new_subpath: Where it belongs: ``cache/images``.
        old_name: Where it used to be: ``image_cache``.
    """
    old = hermes_home() / old_name
    in_use = old.is_file() or (old.is_dir() and any(old.iterdir()))
    return old if in_use else hermes_home() / new_subpath


def display_hermes_home() -> str:
    """Return the active home for people, with ``~`` for the user's directory."""
    home = hermes_home()
    return f"~/{home.relative_to(Path.home())}" if home.is_relative_to(Path.home()) else str(home)
