"""{{ cookiecutter.__about }}"""

from __future__ import annotations

import json
from typing import Any

from .settings import read

SCHEMA = {
    "name": "{{ cookiecutter.__module }}",
    "description": "Count the words of a text.",
    "parameters": {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The text."}},
        "required": ["text"],
    },
}


def register(ctx: Any) -> None:  # noqa: ANN401 - hosts bring a class of their own
    """Offer the tool."""
    settings = read(ctx)

    def count(args: dict[str, Any], **_: object) -> str:
        """Return what the model gets: JSON."""
        text = args.get("text")
        if not isinstance(text, str):
            return json.dumps({"error": "text is missing"})
        return json.dumps({"words": len(text[: settings.longest].split())})

    ctx.register_tool(name=SCHEMA["name"], toolset="{{ cookiecutter.name }}", schema=SCHEMA, handler=count)
