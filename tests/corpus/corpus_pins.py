"""The pinned plugins and what was recorded of them, read from data/corpus/plugins.json."""

import hashlib
import json
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data" / "corpus"
PINS = {pin["name"]: pin for pin in json.loads((DATA / "plugins.json").read_text(encoding="utf-8"))}


def recorded(value):
    """Return a value in the form that plugins.json keeps it in: a long text as length and SHA-256."""
    if isinstance(value, str) and (len(value) > 110 or "\n" in value):
        return {"length": len(value), "sha256": hashlib.sha256(value.encode()).hexdigest()}
    if isinstance(value, dict):
        return {key: recorded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [recorded(item) for item in value]
    return value
