"""hermes-agent as a peer: its own virtual environment, and a worker process there that measures on request.

The worker sleeps while it is not asked, so the two hosts are measured by turns, each with the packages that
it was released with.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from types import TracebackType

    from _harness.measure import Timer

VERSION: Final = "0.19.0"
ROOT: Final = Path(__file__).resolve().parents[2]
ENVIRONMENT: Final = ROOT / ".venvs" / f"hermes-agent-{VERSION}"
_WORKER: Final = Path(__file__).with_name("hermes_agent_worker.py")


class PeerError(Exception):
    """The peer cannot be installed or does not answer."""


def environment() -> Path:
    """Return the peer's virtual environment, made on the first call.

    Raises:
        PeerError: pip could not install the peer.
    """
    marker = ENVIRONMENT / ".complete"
    if marker.exists():
        return ENVIRONMENT
    print(f"installing hermes-agent {VERSION} into {ENVIRONMENT.relative_to(ROOT)} (once)", file=sys.stderr)
    steps = (
        [sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)],
        [str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "install", "--quiet", f"hermes-agent=={VERSION}"],
    )
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            raise PeerError(
                f"hermes-agent {VERSION} cannot be installed: {done.stderr.strip()[-500:]}; "
                "--without-hermes-agent leaves its rows out"
            )
    marker.touch()
    return ENVIRONMENT


def peer_environ(home: Path) -> dict[str, str]:
    """Return the environment variables of a peer process: its own home, nothing of the user's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home), "HERMES_HOME": str(home)}


class Worker:
    """A running peer process; a context manager that ends it."""

    def __init__(self) -> None:
        python = environment() / "bin" / "python"
        self._home = tempfile.TemporaryDirectory(prefix="hermes-peer-")
        self._process = subprocess.Popen(
            [str(python), str(_WORKER)],
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
