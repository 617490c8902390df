"""Makes the built-in plugins importable as packages, for tests of their parts."""

import sys
from pathlib import Path

BUILTIN = Path(__file__).resolve().parents[2] / "builtin_plugins"
sys.path.append(str(BUILTIN))
