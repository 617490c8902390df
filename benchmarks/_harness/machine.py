"""What a figure was measured on: without it no two runs can be compared."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path


def describe(**more: str) -> dict[str, object]:
    """Return the machine and the versions that matter, plus what the caller adds."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "pluggy": metadata.version("pluggy"),
        "hermes-sdk": metadata.version("hermes-sdk"),
        **more,
    }


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
