"""{{ cookiecutter.__about }}"""

import json
import os
import time
from pathlib import Path


def log_file() -> Path:
    """Return where the log is: below the home that the gateway runs for."""
    home = Path(os.environ.get("HERMES_HOME") or "~/.hermes").expanduser()
    return home / "logs" / "{{ cookiecutter.name }}.jsonl"


def handle(event_type: str, context: dict[str, object]) -> None:
    """Note an event; a handler may also be `async def`."""
    line = {"at": time.time(), "event": event_type, "user": context.get("user_id"), "args": context.get("args")}
    path = log_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
