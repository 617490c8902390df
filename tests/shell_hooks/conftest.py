"""What tests of scripts share."""

from pathlib import Path

import pytest


@pytest.fixture
def own_children():
    """Ask for the ids of this process's children, zombies among them; other tests of a worker may have left some."""

    def ask():
        lists = Path("/proc/self/task").glob("*/children")
        return {child for children in lists for child in children.read_text().split()}

    return ask
