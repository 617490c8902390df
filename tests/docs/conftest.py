"""The generator of the reference pages: imported, or run in a checkout of its own."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def seed_rules(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "generate"))
    return importlib.import_module("seed_rules")


@pytest.fixture
def checkout(tmp_path):
    """A folder with the generator and the list of rules; `run` starts the generator there."""
    shutil.copytree(ROOT / "docs" / "generate", tmp_path / "docs" / "generate")
    (tmp_path / "tests" / "data" / "contract").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "data" / "contract" / "seed-rules.md", tmp_path / "tests" / "data" / "contract")
    return tmp_path


@pytest.fixture
def run(checkout):
    def generate(*arguments):
        command = [sys.executable, checkout / "docs" / "generate", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return generate
