"""Play the tour with ten published plugins beside the project's own, in an environment of their own.

    python examples/corpus/run.py [--keep DIR] [options of `hermes-sdk run`]

The plugins are strangers' code. They are installed into .venvs/corpus, pinned and checked by hash, without
their dependencies, and run as you in a temporary home; connections that leave this machine are refused.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".venvs" / "corpus"
PYTHON = ENVIRONMENT / "bin" / "python"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
EXAMPLES = ROOT / "examples"
GUARD = ROOT / "tests" / "corpus" / "guard"
STUBS = ROOT / "tests" / "data" / "corpus" / "stubs"

PUBLISHED = [
    "acp",
    "agentguard",
    "axiorank",
    "chat_recorder",
    "hermes-loop",
    "latitude",
    "multi-user-rbac",
    "noisegate",
    "rtk-rewrite",
    "vaibot",
]
"""The names of the ten, beside those that the home of `make run` enables."""

NOTICE = """\
This runs third-party code: ten plugins that strangers published on PyPI, listed in
examples/corpus/requirements.txt, are installed into .venvs/corpus and loaded unmodified. They run
as you, on this machine, in a temporary home; they may only connect to this machine itself.
"""


def main() -> int:
    layout = argparse.RawDescriptionHelpFormatter
    options = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    options.add_argument("--keep", type=Path, metavar="DIR", help="use this new directory and keep it")
    chosen, passed_on = options.parse_known_args()
    print(NOTICE, file=sys.stderr, flush=True)
    make_environment()
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True)
        return play(chosen.keep.absolute(), passed_on)
    with tempfile.TemporaryDirectory(prefix="hermes-corpus-") as directory:
        return play(Path(directory), passed_on)


def make_environment() -> None:
    """Make .venvs/corpus, unless it was made from these very pins."""
    made_from = ENVIRONMENT / "made-from.txt"
    pins = REQUIREMENTS.read_text(encoding="utf-8")
    if made_from.exists() and made_from.read_text(encoding="utf-8") == pins:
        return
    print("making .venvs/corpus (once)", file=sys.stderr, flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)],
        [*pip, "--editable", str(ROOT)],
        [*pip, "--no-deps", str(EXAMPLES / "entrypoint-plugin")],
        [*pip, "--no-deps", "--require-hashes", "--requirement", str(REQUIREMENTS)],
    ):
        subprocess.run(command, check=True)  # noqa: S603 - our own command lines
    made_from.write_text(pins, encoding="utf-8")


def play(directory: Path, passed_on: list[str]) -> int:
    """Play the session in a home under `directory`; return the exit code."""
    user = directory / "user"
    home = user / ".hermes"
    stage_home(home)
    session = str(EXAMPLES / "sessions" / "tour.yaml")
    command = [str(ENVIRONMENT / "bin" / "hermes-sdk"), "run", session, "--home", str(home), *passed_on]
    environ = guarded_environ(user)
    return subprocess.run(command, env=environ, cwd=user, check=False).returncode  # noqa: S603 - as above


def stage_home(home: Path) -> None:
    """Copy the home of `make run`, enable the ten plugins in it, and lay out the one that is a directory."""
    shutil.copytree(EXAMPLES / "home", home)
    config = home / "config.yaml"
    lines = config.read_text(encoding="utf-8").splitlines()
    here = lines.index("  enabled:") + 1
    lines[here:here] = [f"    - {name}" for name in PUBLISHED]
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")

    target = home / "plugins" / "agentguard"
    target.mkdir()
    (package,) = ENVIRONMENT.glob("lib/python*/site-packages/agentguard_hermes")
    shutil.copy(package / "plugin.yaml", target / "plugin.yaml")
    shutil.copy(package / "plugin.py", target / "__init__.py")


def guarded_environ(user: Path) -> dict[str, str]:
    """Return the environment variables of the run: nothing of the user's but what a terminal needs."""
    kept = ("COLUMNS", "LANG", "LC_ALL", "LINES", "NO_COLOR", "TERM", "TMPDIR")
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    return environ | {
        "HOME": str(user),
        "HERMES_HOME": str(user / ".hermes"),
        "PATH": os.pathsep.join([str(STUBS), str(ENVIRONMENT / "bin"), os.environ.get("PATH", os.defpath)]),
        "PYTHONPATH": str(GUARD),  # its sitecustomize.py refuses connections that leave this machine
        "VAIBOT_AUTO_LAUNCH": "0",  # or the plugin starts a daemon
    }


if __name__ == "__main__":
    sys.exit(main())
