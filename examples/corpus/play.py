"""Stage a home with the published plugins and play the tour in it. Started by run.py, in .venvs/corpus."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent
GUARD = EXAMPLES.parent / "tests" / "corpus" / "guard"

PUBLISHED = (
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
)
"""The names of the ten, beside those that the home of `make run` enables."""

CHECKS = ("expect", "sees", "not_sees")


def main() -> int:
    options = argparse.ArgumentParser(prog="examples/corpus/run.py")
    options.add_argument("--keep", type=Path, metavar="DIR", help="use this new directory and keep it")
    chosen, passed_on = options.parse_known_args()
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True)
        return play(chosen.keep.absolute(), passed_on)
    with tempfile.TemporaryDirectory(prefix="hermes-corpus-") as directory:
        return play(Path(directory), passed_on)


def play(directory: Path, passed_on: list[str]) -> int:
    """Play the session in a home under `directory`; return the exit code."""
    home = directory / ".hermes"
    stage_home(home)
    session = directory / "tour.yaml"
    session.write_text(yaml.safe_dump(unchecked_tour(), sort_keys=False), encoding="utf-8")
    program = str(Path(sys.executable).with_name("hermes-sdk"))
    command = [program, "run", str(session), "--home", str(home), *passed_on]
    with collector() as url:
        environ = guarded_environ(directory, url)
        return subprocess.run(command, env=environ, cwd=directory, check=False).returncode  # noqa: S603 - ours


def stage_home(home: Path) -> None:
    """Copy the home of `make run`, enable the ten plugins in it, and lay out the one that is a directory."""
    shutil.copytree(EXAMPLES / "home", home)
    config = home / "config.yaml"
    lines = config.read_text(encoding="utf-8").splitlines()
    here = lines.index("  enabled:") + 1
    lines[here:here] = [f"    - {name}" for name in PUBLISHED]
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")

    package = Path(sysconfig.get_path("purelib"), "agentguard_hermes")
    target = home / "plugins" / "agentguard"
    target.mkdir()
    shutil.copy(package / "plugin.yaml", target / "plugin.yaml")
    shutil.copy(package / "plugin.py", target / "__init__.py")


def unchecked_tour() -> dict[str, Any]:
    """Return the tour without its checks: other people's plugins block, ask and rewrite as they see fit."""
    tour = yaml.safe_load((EXAMPLES / "sessions" / "tour.yaml").read_text(encoding="utf-8"))
    tour["title"] += ", with ten published plugins"
    tour["approvals"] = ["once"] * 100
    return without_checks(tour)


def without_checks(value: Any) -> Any:
    """Return a copy of a part of a session without the keys that check what happens."""
    if isinstance(value, dict):
        return {key: without_checks(part) for key, part in value.items() if key not in CHECKS}
    return [without_checks(part) for part in value] if isinstance(value, list) else value


def guarded_environ(user: Path, url: str) -> dict[str, str]:
    """Return the environment variables of the run: nothing of the user's but what a terminal needs."""
    kept = ("COLUMNS", "LANG", "LC_ALL", "LINES", "NO_COLOR", "TERM", "TMPDIR")
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    programs = [HERE / "bin", Path(sys.executable).parent]
    return environ | {
        "HOME": str(user),
        "HERMES_HOME": str(user / ".hermes"),
        "PATH": os.pathsep.join([*map(str, programs), os.environ.get("PATH", os.defpath)]),
        "PYTHONPATH": str(GUARD),  # its sitecustomize.py refuses connections that leave this machine
        "VAIBOT_AUTO_LAUNCH": "0",  # or the plugin starts a daemon
        "AGENTGUARD_URL": url,
        "AGENTGUARD_TIMEPLUS_URL": url,
        "LATITUDE_API_KEY": "none",
        "LATITUDE_PROJECT": "tour",
        "LATITUDE_BASE_URL": url,
    }


class Collector(BaseHTTPRequestHandler):
    """Takes whatever telemetry comes and has no opinion."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@contextmanager
def collector() -> Iterator[str]:
    """Run a `Collector` on a free port of this machine; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    sys.exit(main())
