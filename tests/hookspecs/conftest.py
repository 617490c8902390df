"""What the contract tests share."""

from pathlib import Path

import pytest
import yaml

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(scope="session")
def contract_file():
    return yaml.safe_load((DATA / "contract" / "hooks.yaml").read_text("utf-8"))
