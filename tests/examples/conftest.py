"""The examples as a user has them: the distribution installed by pip, the home copied."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="session")
def installed_guard(tmp_path_factory):
    """Install the example distribution into a directory of its own and return it."""
    target = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source") / "entrypoint-plugin"
    shutil.copytree(EXAMPLES / "entrypoint-plugin", source)
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*install, "--target", str(target), str(source)], check=True)
    return target


@pytest.fixture
def home(tmp_path):
    """Return a copy of the example home."""
    return Path(shutil.copytree(EXAMPLES / "home", tmp_path / "home"))


@pytest.fixture
def tour():
    """Return the session that `make run` plays."""
    return EXAMPLES / "sessions" / "tour.yaml"
