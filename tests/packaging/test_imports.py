"""`import hermes_sdk` is cheap: what costs time is loaded when it is used."""

import subprocess
import sys

HEAVY = ("pydantic", "asyncio", "rich", "typer", "importlib_metadata")


def test_importing_the_package_loads_nothing_heavy():
    code = f"import sys, hermes_sdk; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "[]"


def test_every_public_name_can_be_loaded():
    code = "import hermes_sdk; print([name for name in hermes_sdk.__all__ if not hasattr(hermes_sdk, name)])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "[]"
