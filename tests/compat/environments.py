"""A virtual environment for each release of hermes-agent, or of another peer, made once under .venvs and kept.

    python tests/compat/environments.py [VERSION ...]

makes those that are missing, of all releases in `versions.py` by default. Standard library only.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from versions import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
_FOLDER: Final = ROOT / ".venvs"
_HOST: Final = "hermes-agent"


class EnvironmentNotMadeError(Exception):
    """pip could not install a release."""


def directory(version: str, package: str = _HOST) -> Path:
    """Return where the environment of a release is or would be."""
    return _FOLDER / f"{package}-{version}"


def is_made(version: str, package: str = _HOST) -> bool:
    """Whether the environment of a release is there, so that `environment` need not install anything."""
    return (directory(version, package) / ".complete").exists()


def environment(version: str, package: str = _HOST) -> Path:
    """Return the environment of a release, made on the first call.

    Raises:
        EnvironmentNotMadeError: pip could not install the release.
    """
    path = directory(version, package)
    with _one_at_a_time(path):
        if not is_made(version, package):
            _make(f"{package}=={version}", path)
    return path


def host_environ(home: Path) -> dict[str, str]:
    """Return the environment variables of a host's process: its own home, nothing of the user's.

    hermes-agent would install further packages into its environment on the way; here it does not.
    """
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home), "HERMES_HOME": str(home), "HERMES_DISABLE_LAZY_INSTALLS": "1"}


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    path.parent.mkdir(exist_ok=True)
    with path.with_name(f".{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(release: str, path: Path) -> None:
    sys.stderr.write(f"installing {release} into {path.relative_to(ROOT)} (once)\n")
    python = str(path / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", release]
    for step in ([sys.executable, "-m", "venv", "--clear", str(path)], pip):
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            why = done.stderr.strip()[-500:]
            raise EnvironmentNotMadeError(f"{release} cannot be installed: {why}")
    (path / ".complete").touch()


def main(versions: list[str]) -> int:
    """Make what is missing; return the exit code."""
    try:
        for version in versions or VERSIONS:
            environment(version)
    except EnvironmentNotMadeError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
