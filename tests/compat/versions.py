"""The releases of hermes-agent that this project is held to. The next release is one line."""

from __future__ import annotations

from typing import Final

VERSIONS: Final = (
    "0.13.0",
    "0.15.2",
    "0.17.0",
    "0.18.2",
    "0.19.0",
)
"""Oldest first."""

UPSTREAM: Final = "0.19.0"
"""The release that "upstream" means: what differs from it is in `differences.toml`, and benchmarks measure it."""
