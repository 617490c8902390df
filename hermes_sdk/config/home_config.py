"""`config.yaml` of one home, with the place of every key."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config.document import YamlDocument
from hermes_sdk.config.problems import Problem, kind_of
from hermes_sdk.config.schema import dotted, unknown_key
from hermes_sdk.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hermes_sdk.config.document import KeyPath

CONFIG_NAME: Final = "config.yaml"
FALLBACK_NAME: Final = "cli-config.yaml"
_FALLBACK_KEYS: Final = ("hooks", "hooks_auto_accept")
_SECTIONS: Final = ("plugins", "hooks", "hooks_auto_accept", "hooks_trust", "gateway")
"""What is read of the file and would be missed."""
_ALIKE: Final = 0.8
"""How much a key must look like one of them; `tools` and `hooks` are 0.6 alike."""


class Config:
    """The configuration of one home; reading it never fails, it collects `problems`.

    Built from a file with `Config.load(home)`, or from a mapping by hosts and tests that have no file.
    """

    def __init__(self, home: Path, document: YamlDocument | None, data: Mapping[str, Any]) -> None:
        self.home = home
        self.path = home / CONFIG_NAME
        self.document = document
        """The file behind it; None for a configuration handed over as a mapping."""
        self.data = data
        """Everything in it, as YAML has it (values of any YAML type)."""
        self.problems: list[Problem] = []
        self._fallback: YamlDocument | None = None
        self._from_fallback: tuple[str, ...] = ()

    @classmethod
    def load(cls, home: Path) -> Config:
        """Read ``<home>/config.yaml``; an absent file is an empty configuration."""
        document = YamlDocument(home / CONFIG_NAME)
        data = document.data
        config = cls(home, document, data if isinstance(data, dict) else {})
        config.problems.extend(document.problems)
        if data is not None and not isinstance(data, dict):
            document.broken = True
            config.problems.append(
                Problem("HS103", CONFIG_NAME, document.where(), kind_of(data), "a mapping of settings")
            )
        config._report_misspelt()
        config._read_fallback()
        return config

    @classmethod
    def of(cls, home: Path, data: Mapping[str, Any]) -> Config:
        """Take a mapping (values of any YAML type) instead of a file; it is copied."""
        return cls(home, None, copy.deepcopy(dict(data)))

    @property
    def broken(self) -> bool:
        """Whether the file is there but not understood: nobody knows then what the user switched off."""
        return self.document is not None and self.document.broken

    def get(self, key: str | KeyPath, default: Any = None) -> Any:
        """Return the value of a key (of any YAML type), or `default` where it is absent.

        Args:
            key: ``"plugins.enabled"``, or a tuple where a name has a dot in it.
            default: What an absent key gives; a key that is there and empty gives None.
        """
        value: Any = self.data
        for step in self._path(key):
            if not isinstance(value, dict) or step not in value:
                return default
            value = value[step]
        return value

    def has(self, key: str | KeyPath) -> bool:
        """Whether the key is there, also when it is empty."""
        missing = object()
        return self.get(key, missing) is not missing

    def where(self, key: str | KeyPath = ()) -> str:
        """Return ``file:line:column`` of a key, of its nearest parent, or the key itself without a file."""
        path = self._path(key)
        if self._fallback is not None and path and path[0] in self._from_fallback:
            return self._fallback.where(path)
        return dotted(path) if self.document is None else self.document.where(path)

    def file_of(self, key: str) -> Path:
        """Return the file that a top-level key counts in: config.yaml, or where the key came from instead."""
        from_fallback = key in _FALLBACK_KEYS and self._from_fallback
        return self.home / FALLBACK_NAME if from_fallback else self.path

    @staticmethod
    def _path(key: str | KeyPath) -> KeyPath:
        return tuple(key.split(".")) if isinstance(key, str) else key

    def _report_misspelt(self) -> None:
        """Report sections that look like ours; other keys are hermes-agent's, and none of our business."""
        for key in self.data:
            if not isinstance(key, str) or key in _SECTIONS:
                continue
            meant = nearest(key, _SECTIONS, cutoff=_ALIKE)
            if meant is not None and meant not in self.data:
                self.problems.append(unknown_key(self, (key,), _SECTIONS))

    def _read_fallback(self) -> None:
        """Take shell hooks from cli-config.yaml where config.yaml has none (the seed names both files)."""
        fallback = YamlDocument(self.home / FALLBACK_NAME)
        if not fallback.exists:
            return
        self._fallback = fallback
        self.problems.extend(fallback.problems)
        theirs = fallback.data if isinstance(fallback.data, dict) else {}
        offered = [key for key in _FALLBACK_KEYS if key in theirs]
        if any(key in self.data for key in _FALLBACK_KEYS):
            found, wanted = f"a key that {CONFIG_NAME} overrules", f"it in {CONFIG_NAME} only"
            for key in offered:
                place = fallback.where((key,))
                self.problems.append(Problem("HS106", key, place, found, wanted, "move or delete it", "warning"))
        else:
            self._from_fallback = tuple(offered)
            self.data = dict(self.data) | {key: theirs[key] for key in offered}
