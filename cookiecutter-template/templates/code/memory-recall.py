"""{{ cookiecutter.__about }}"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
{% if cookiecutter.__style == "hookimpl" %}
from hermes_hookspecs import AddContext, hookimpl, registrar
{% endif %}
from .settings import {{ "Settings, " if cookiecutter.__style == "hookimpl" }}read

REMEMBER = re.compile(r"\bremember(?: that)? (?P<what>.+)", re.IGNORECASE | re.DOTALL)
LONGEST = 500


class Memories:
    """What each user said, one JSON object a line."""

    def __init__(self, path: Path) -> None:
        """Take the file."""
        self._path = path

    def add(self, user: str, text: str) -> None:
        """Keep a text for a user."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"user": user, "text": text[:LONGEST]}) + "\n")

    def matching(self, user: str, question: str, most: int) -> list[str]:
        """Return what a user said that has words in common with a question, the best first."""
        words = _words(question)
        scored = [(len(words & _words(text)), text) for text in self._of(user)]
        return [text for score, text in sorted(scored, key=lambda each: -each[0]) if score][:most]

    def _of(self, user: str) -> list[str]:
        try:
            lines = self._path.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [kept["text"] for kept in map(json.loads, lines) if kept["user"] == user]


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3}


def data_directory(ctx: Any) -> Path:  # noqa: ANN401 - hosts bring a class of their own
    """Return where the memories are; hermes-agent has no `ctx.paths`."""
    paths = getattr(ctx, "paths", None)
    if paths is not None:
        return Path(paths.data)
    home = Path(os.environ.get("HERMES_HOME") or "~/.hermes").expanduser()
    return home / "plugin-data" / "{{ cookiecutter.name }}"

{% if cookiecutter.__style == "hookimpl" %}
class MemoryRecall:
    """Recalls before the model answers, remembers after it did."""

    def __init__(self, settings: Settings, memories: Memories) -> None:
        """Take the settings and the file."""
        self._most = settings.most
        self._memories = memories
        self._user: dict[str, str] = {}

    @hookimpl
    def pre_llm_call(self, session_id: str, user_message: object, sender_id: str) -> AddContext | None:
        """Add what fits the message."""
        self._user[session_id] = sender_id
        found = self._memories.matching(sender_id, str(user_message), self._most)
        return AddContext("You were told before:\n" + "\n".join(f"- {text}" for text in found)) if found else None

    @hookimpl
    def post_llm_call(self, session_id: str, user_message: object) -> None:
        """Keep what the user asked to remember."""
        if found := REMEMBER.search(str(user_message)):
            self._memories.add(self._user.pop(session_id, ""), found["what"].strip())


def register(ctx: Any) -> None:  # noqa: ANN401 - hosts bring a class of their own
    """Put both hooks in place; loads in hermes-agent too."""
    registrar(MemoryRecall(read(ctx), Memories(data_directory(ctx) / "memories.jsonl")))(ctx)
{%- else %}
def register(ctx: Any) -> None:  # noqa: ANN401 - hosts bring a class of their own
    """Put both hooks in place."""
    settings = read(ctx)
    memories = Memories(data_directory(ctx) / "memories.jsonl")
    users: dict[str, str] = {}

    def pre_llm_call(session_id: str, user_message: object, sender_id: str = "", **_: object) -> dict[str, str] | None:
        """Add what fits the message."""
        users[session_id] = sender_id
        found = memories.matching(sender_id, str(user_message), settings.most)
        return {"context": "You were told before:\n" + "\n".join(f"- {text}" for text in found)} if found else None

    def post_llm_call(session_id: str, user_message: object, **_: object) -> None:
        """Keep what the user asked to remember."""
        if found := REMEMBER.search(str(user_message)):
            memories.add(users.pop(session_id, ""), found["what"].strip())

    ctx.register_hook("pre_llm_call", pre_llm_call)
    ctx.register_hook("post_llm_call", post_llm_call)
{%- endif %}
