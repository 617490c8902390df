"""Stands in for the package of the command line; `__version__` says which contract is kept, and by whom."""

from __future__ import annotations

from importlib.metadata import version
from typing import Final

CONTRACT: Final = "0.19.0"
"""The release of hermes-agent whose plugins load here."""

__version__ = f"{CONTRACT}+hermes.sdk.{version('hermes-sdk')}"
