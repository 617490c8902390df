"""The policy in force: read again when its file changes; a broken one never replaces one that works."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock

from hermes_sdk.errors import HermesSdkError

from .policy import DEFAULT, LoadedPolicy, load_policy, says_fail_open

logger = logging.getLogger(__name__)


class BrokenPolicyError(Exception):
    """The policy cannot be used, and calls are blocked until it can."""


class PolicyFile:
    """A policy, and the file that it comes from. For any thread.

    Args:
        home: The home.
        named: The setting `policy`: a path, relative to the home; empty for the usual place.
    """

    def __init__(self, home: Path, named: str = "") -> None:
        self.home = home
        self._named = named
        self._lock = Lock()
        self._seen: tuple[str, int, int, int] | None = None
        self._loaded: LoadedPolicy | None = None
        self._problem = ""
        """Why the file as it is now cannot be used."""

    @property
    def path(self) -> Path:
        """Where the policy is read from now."""
        if self._named:
            return self.home / Path(self._named).expanduser()
        own = self.home / "guardrails.yaml"
        return own if own.exists() else DEFAULT

    def current(self) -> LoadedPolicy | None:
        """Return the policy in force; None when there is none that works, and failures let calls through.

        Raises:
            BrokenPolicyError: The file cannot be used, and the policy is fail-closed.
        """
        with self._lock:
            path = self.path
            seen = _signature(path)
            if seen != self._seen:
                self._read(path)
                self._seen = seen
            if not self._problem:
                return self._loaded
            closed = self._loaded.policy.fail_closed if self._loaded else not says_fail_open(path)
            if closed:
                raise BrokenPolicyError(self._problem)
            return self._loaded

    def _read(self, path: Path) -> None:
        try:
            loaded = load_policy(path)
        except HermesSdkError as error:
            kept = f"the one of before stays in force ({self._loaded.source})" if self._loaded else "none is in force"
            logger.error("the policy cannot be used: %s; %s", error, kept)  # noqa: TRY400 - the message says all
            self._problem = str(error)
            return
        if self._seen is not None:
            logger.info("the policy %s is in force now", path)
        self._loaded, self._problem = loaded, ""


def _signature(path: Path) -> tuple[str, int, int, int]:
    try:
        status = path.stat()
    except OSError:
        return str(path), 0, 0, 0
    return str(path), status.st_mtime_ns, status.st_size, status.st_ino
