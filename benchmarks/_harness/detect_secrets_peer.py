"""detect-secrets as a peer, in a virtual environment and a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "compat"))

import environments

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION: Final = "1.5.0"
NAME: Final = "detect-secrets"
_WORKER: Final = Path(__file__).with_name("detect_secrets_worker.py")


class PeerError(Exception):
    """The peer cannot be installed or does not answer."""


def scan(texts: Sequence[str], rounds: int = 1) -> tuple[list[list[str]], float]:
    """Return what the peer finds in each text, and the seconds of its fastest round.

    Raises:
        PeerError: pip could not install it, or it failed.
    """
    try:
        python = environments.environment(VERSION, NAME) / "bin" / "python"
    except environments.EnvironmentNotMadeError as error:
        raise PeerError(f"{error}; --without-detect-secrets leaves its rows out") from error
    request = json.dumps({"texts": list(texts), "rounds": rounds})
    done = subprocess.run([str(python), str(_WORKER)], input=request, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerError(f"detect-secrets failed: {done.stderr.strip()[-500:]}")
    answer = json.loads(done.stdout)
    return answer["found"], answer["seconds"]
