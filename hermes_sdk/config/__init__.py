"""Configuration of a home: config.yaml with positions, careful edits of it, and `.env`."""

from __future__ import annotations

from hermes_sdk.config.home_config import Config
from hermes_sdk.config.problems import Problem

__all__ = ["Config", "Problem"]
