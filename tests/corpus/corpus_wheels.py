"""Get the pinned wheels with pip, once, and unpack each into a directory of its own under .cache/corpus."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from corpus_pins import PINS

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "corpus"
UNREACHABLE = "after connection broken by"
"""What pip says when it could not talk to the registry, as opposed to a wheel that is missing or altered."""


class RegistryUnreachableError(Exception):
    """The package registry does not answer; no wheel was missing or altered."""


def fetch():
    """Return `{distribution: directory it is installed in}`; downloads what the cache does not hold.

    Raises RegistryUnreachableError when there is no connection, and AssertionError for all else that can go
    wrong: a wheel that was withdrawn, a hash that differs, a wheel that pip cannot install.
    """
    with _locked():
        if missing := [pin for pin in PINS.values() if not _is_cached(pin)]:
            _download(missing)
        return {name: _installed(pin) for name, pin in PINS.items()}


def requirements(pins):
    """Return the pins as a requirements file that pip checks by hash."""
    return "".join(f"{pin['name']}=={pin['version']} --hash=sha256:{pin['sha256']}\n" for pin in pins)


@contextmanager
def _locked():
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _wheel(pin):
    return CACHE / "wheels" / pin["wheel"]


def _is_cached(pin):
    wheel = _wheel(pin)
    return wheel.exists() and hashlib.sha256(wheel.read_bytes()).hexdigest() == pin["sha256"]


def _pip(*arguments):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _download(pins):
    with tempfile.TemporaryDirectory(dir=CACHE) as directory:
        listed = Path(directory, "requirements.txt")
        listed.write_text(requirements(pins), encoding="utf-8")
        done = _pip(
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--require-hashes",
            "-r",
            str(listed),
            "-d",
            directory,
        )
        if done.returncode and UNREACHABLE in done.stderr:
            broken = next(line for line in done.stderr.splitlines() if UNREACHABLE in line)
            raise RegistryUnreachableError(broken.strip())
        assert done.returncode == 0, f"pip download failed:\n{done.stderr}"
        for pin in pins:
            _wheel(pin).parent.mkdir(exist_ok=True)
            Path(directory, pin["wheel"]).replace(_wheel(pin))


def _installed(pin):
    target = CACHE / "sites" / f"{pin['name']}-{pin['version']}-{pin['sha256'][:12]}"
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(dir=CACHE))
        done = _pip(
            "install",
            "--no-deps",
            "--no-index",
            "--no-compile",
            "--target",
            str(unfinished),
            str(_wheel(pin)),
        )
        assert done.returncode == 0, f"pip install of {pin['wheel']} failed:\n{done.stderr}"
        shutil.move(unfinished, target)
    return target
