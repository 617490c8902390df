"""What config.yaml says about the host, with the values that hold where it says nothing."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hermes_sdk.host import approvals, terminal
from hermes_sdk.host.api import RetrySettings
from hermes_sdk.host.spill import SpillSettings

if TYPE_CHECKING:
    from hermes_sdk.config import Config

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

MAX_ITERATIONS: Final = 90
"""Model requests of one turn."""

MAX_VERIFY: Final = 3
"""Times that pre_verify may ask for more in one turn."""


@dataclass(frozen=True, slots=True)
class HostSettings:
    """Settings of one agent and its children."""

    max_iterations: int = MAX_ITERATIONS
    """``agent.max_turns``, as upstream names it: model requests of one turn."""
    max_verify: int = MAX_VERIFY
    """``agent.max_verify_nudges``: how often a turn lets pre_verify ask for more before the answer goes out."""
    approval_timeout: float = approvals.DEFAULT_TIMEOUT
    """``approvals.timeout``: seconds that a prompt waits."""
    terminal_timeout: float = terminal.DEFAULT_TIMEOUT
    """``terminal.timeout``: seconds that a command may take which names no timeout."""
    redact_secrets: bool = True
    """``security.redact_secrets``: mask what looks like a secret in foreground output."""
    max_depth: int = 2
    """``delegation.max_spawn_depth``: how deep child agents may have child agents."""
    max_children: int = 3
    """``delegation.max_concurrent_children``: child agents that run at a time."""
    child_timeout: float = 600.0
    """``delegation.child_timeout_seconds``: how long one child agent may take."""
    spill: SpillSettings = field(default_factory=SpillSettings)
    """``hooks.output_spill``."""
    retry: RetrySettings = field(default_factory=RetrySettings)
    """``agent.max_retries``: repetitions of a failed model request."""

    @classmethod
    def from_config(cls, config: Config) -> HostSettings:
        """Read a home's configuration; a value that cannot be used is reported and left out."""
        read = _Reader(config)
        default = cls()
        return cls(
            max_iterations=read.count("agent.max_turns", default.max_iterations),
            max_verify=read.count("agent.max_verify_nudges", default.max_verify, least=0),
            approval_timeout=read.seconds("approvals.timeout", default.approval_timeout),
            terminal_timeout=read.seconds("terminal.timeout", default.terminal_timeout),
            redact_secrets=read.flag("security.redact_secrets", default.redact_secrets),
            max_depth=read.count("delegation.max_spawn_depth", default.max_depth, least=0),
            max_children=read.count("delegation.max_concurrent_children", default.max_children),
            child_timeout=read.seconds("delegation.child_timeout_seconds", default.child_timeout),
            spill=SpillSettings(
                enabled=read.flag("hooks.output_spill.enabled", default.spill.enabled),
                max_chars=read.count("hooks.output_spill.max_chars", default.spill.max_chars),
                preview_head=read.count("hooks.output_spill.preview_head", default.spill.preview_head, least=0),
                preview_tail=read.count("hooks.output_spill.preview_tail", default.spill.preview_tail, least=0),
            ),
            retry=RetrySettings(read.count("agent.max_retries", default.retry.max_retries, least=0)),
        )


class _Reader:
    def __init__(self, config: Config) -> None:
        self._config = config
        self._told: set[str] = set()

    def flag(self, key: str, default: bool) -> bool:
        value = self._value(key, default)
        return value if isinstance(value, bool) else self._useless(key, value, "true or false", default)

    def count(self, key: str, default: int, *, least: int = 1) -> int:
        value = self._value(key, default)
        usable = isinstance(value, int) and not isinstance(value, bool) and value >= least
        return value if usable else self._useless(key, value, f"a whole number from {least}", default)

    def seconds(self, key: str, default: float) -> float:
        value = self._value(key, default)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return float(value)
        return self._useless(key, value, "a positive number of seconds", default)

    def _value(self, key: str, default: object) -> Any:  # of any YAML type
        section = key.rpartition(".")[0]
        found = self._config.get(section)
        if found is not None and not isinstance(found, dict) and section not in self._told:
            self._told.add(section)
            where = self._config.where(section)
            logger.warning("%s: %s is %r, wanted a mapping; nothing below it counts", where, section, found)
        return self._config.get(key, default)

    def _useless(self, key: str, value: object, wanted: str, default: _T) -> _T:
        where = self._config.where(key)
        logger.warning("%s: %s is %r, wanted %s; using %r", where, key, value, wanted, default)
        return default
