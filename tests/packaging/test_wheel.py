"""The wheel, installed into a fresh environment: the same as the checkout, built-in plugins included."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SESSION = """
title: from the wheel
turns:
  - user: which branch do we release from
    model:
      - tools: [{name: terminal, args: {command: echo token sk-abcdefghijklmnopqrstuvwxyz0123456789AB}}]
      - say: from main
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    target = tmp_path_factory.mktemp("dist")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(target), str(ROOT)], check=True, timeout=300)
    (built,) = target.glob("hermes_sdk-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return the bin directory of an environment that has the wheel and what it depends on."""
    environment = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(environment, with_pip=True)
    commands = environment / "bin"
    pip = [str(commands / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True, timeout=600)
    return commands


@pytest.mark.wheel
def test_nothing_with_a_generic_name_lands_in_site_packages(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {Path(name).parts[0] for name in archive.namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"hermes_sdk", "hermes_hookspecs"}


@pytest.mark.wheel
@pytest.mark.timeout(600)
def test_a_session_runs_with_the_built_in_plugins_of_the_wheel(installed, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("plugins:\n  enabled: ['builtin:redaction', 'builtin:memory_recall']\n")
    session = tmp_path / "session.yaml"
    session.write_text(SESSION)
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    played = subprocess.run(
        [str(installed / "hermes-sdk"), "run", str(session), "--home", str(home), "--json"],
        capture_output=True,
        text=True,
        env=environ,
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert (played.returncode, played.stderr) == (0, "")
    document = json.loads(played.stdout)
    assert "[redacted:" in played.stdout
    assert {event["type"] for event in document["events"]} >= {"ToolFinished", "Answer", "SessionEnded"}
