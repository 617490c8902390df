"""Play the tour with ten published plugins beside the project's own, in an environment of their own.

    python examples/corpus/run.py [--keep DIR] [options of `hermes-sdk run`]

The plugins are strangers' code. They are installed into .venvs/corpus, pinned and checked by hash, without
their dependencies, and run as you in a temporary home; connections that leave this machine are refused.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENVIRONMENT = ROOT / ".venvs" / "corpus"
PYTHON = ENVIRONMENT / "bin" / "python"
REQUIREMENTS = HERE / "requirements.txt"

NOTICE = """\
This runs third-party code: ten plugins that strangers published on PyPI, listed in
examples/corpus/requirements.txt, are installed into .venvs/corpus and loaded unmodified. They run
as you, on this machine, in a temporary home; they may only connect to this machine itself.
Every approval that the session has no answer for is given, once.
"""


def main() -> int:
    print(NOTICE, file=sys.stderr, flush=True)
    make_environment()
    command = [str(PYTHON), str(HERE / "play.py"), *sys.argv[1:]]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own script


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
        [*pip, "--no-deps", str(ROOT / "examples" / "entrypoint-plugin")],
        [*pip, "--no-deps", "--require-hashes", "--requirement", str(REQUIREMENTS)],
    ):
        subprocess.run(command, check=True)  # noqa: S603 - our own command lines
    made_from.write_text(pins, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
