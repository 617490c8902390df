"""hermes-agent as a peer: its own virtual environment, and a worker process there that measures on request.

The worker sleeps while it is not asked, so the two hosts are measured by turns, each with the packages that
it was released with.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "compat"))

import environments
from environments import host_environ as peer_environ
from versions import UPSTREAM as VERSION

if TYPE_CHECKING:
    from types import TracebackType

    from _harness.measure import Timer

__all__ = ["VERSION", "PeerError", "Worker", "environment", "peer_environ"]

_WORKER: Final = Path(__file__).with_name("hermes_agent_worker.py")


class PeerError(Exception):
    """The peer cannot be installed or does not answer."""


def environment() -> Path:
    """Return the peer's virtual environment, made on the first call.

    Raises:
        PeerError: pip could not install the peer.
    """
    try:
        return environments.environment(VERSION)
    except environments.EnvironmentNotMadeError as error:
        raise PeerError(f"{error}; --without-hermes-agent leaves its rows out") from error


class Worker:
    """A running peer process; a context manager that ends it.

    Args:
        script: What runs there.
    """

    def __init__(self, script: Path = _WORKER) -> None:
        python = environment() / "bin" / "python"
        self._home = tempfile.TemporaryDirectory(prefix="hermes-peer-")
        self._process = subprocess.Popen(
            [str(python), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=peer_environ(Path(self._home.name)),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=10)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._home.cleanup()

    def timer(self, hook: str, callbacks: int, payload: dict[str, Any]) -> Timer:
        """Return a timer of the peer's `invoke_hook` over so many legacy callbacks.

        It is good until the next call of `timer`: the worker holds one prepared manager.
        """
        self._ask({"prepare": hook, "callbacks": callbacks, "payload": payload})
        return lambda loops, /: self._ask({"loops": loops})["seconds"]

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._process.stdin is None or self._process.stdout is None:
            raise PeerError("the worker was started without pipes")
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise PeerError("the hermes-agent worker ended before its answer; its stderr says why")
        return json.loads(answer)
