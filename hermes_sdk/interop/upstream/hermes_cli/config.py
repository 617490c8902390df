"""config.yaml and ``.env`` of the active home, read and written anew by each call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import yaml

from hermes_sdk.config import Config
from hermes_sdk.config.atomic import directory_lock, write_atomically
from hermes_sdk.config.dotenv import read_dotenv
from hermes_sdk.errors import ConfigError
from hermes_sdk.home import hermes_home

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "cfg_get",
    "get_config_path",
    "get_env_path",
    "get_env_value",
    "get_hermes_home",
    "load_config",
    "load_config_readonly",
    "load_env",
    "read_raw_config",
    "save_config",
]


def get_hermes_home() -> Path:
    """Return the active home."""
    return hermes_home()


def get_config_path() -> Path:
    """Return where config.yaml is."""
    return hermes_home() / "config.yaml"


def get_env_path() -> Path:
    """Return where ``.env`` is."""
    return hermes_home() / ".env"


def load_config() -> dict[str, Any]:
    """Return config.yaml as a dict of YAML values, empty where there is none that can be read.

    Defaults of hermes-agent's own settings are not in it: a key that the user did not write is absent.
    """
    return dict(Config.load(hermes_home()).data)


def load_config_readonly() -> dict[str, Any]:
    """Return the same as `load_config`."""
    return load_config()


def read_raw_config() -> dict[str, Any]:
    """Return the same as `load_config`."""
    return load_config()


def cfg_get(cfg: dict[str, Any] | None, *keys: str, default: Any = None) -> Any:
    """Return a value of nested dicts (any YAML type), or `default` where a key on the way is absent.

    Args:
        cfg: What `load_config` gave; None counts as empty.
        keys: The way to the value.
        default: What an absent key gives; a key that is there and empty gives None.
    """
    value: Any = cfg
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return default
        value = value[key]
    return value if keys or isinstance(cfg, dict) else default


def save_config(config: dict[str, Any], **options: Any) -> None:
    """Write config.yaml as a whole. Its comments are lost; ``hermes-sdk plugins enable`` keeps them.

    Args:
        config: Everything that is to be in it, YAML values.
        options: What hermes-agent's function takes besides, of any type; it means nothing here.

    Raises:
        ConfigError: The file that is there cannot be read, so nobody knows what would be lost.
    """
    del options
    home = hermes_home()
    with directory_lock(home):
        present = Config.load(home)
        if present.broken:
            raise ConfigError(
                "config.yaml is not overwritten",
                where=str(present.path),
                why="; ".join(map(str, present.problems)),
                fix="mend it first",
                code="HS109",
            )
        write_atomically(present.path, yaml.safe_dump(config, sort_keys=False, allow_unicode=True).encode("utf-8"))


def load_env() -> dict[str, str]:
    """Return the variables in ``.env``."""
    return read_dotenv(hermes_home())


def get_env_value(key: str) -> str | None:
    """Return a variable of the environment, else of ``.env``, else None."""
    return os.environ.get(key, load_env().get(key))
