"""Reading a stored conversation: OpenAI's messages as JSON, or one a line.

JSON is a list of messages, or an object with ``messages`` and, if it is known, ``model`` and ``title``. In JSON lines
each line is a message; a line with one of these keys instead of a role says the same about the conversation.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NoReturn

from hermes_sdk.errors import SessionError, did_you_mean
from hermes_sdk.host.models.transcript import split_turns
from hermes_sdk.host.session_script import SessionScript

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hermes_sdk.host.conversation import Message

_ROLES: Final = ("system", "developer", "user", "assistant", "tool")


def load_transcript(path: Path) -> SessionScript:
    """Read a conversation to replay.

    Raises:
        SessionError: It cannot be read, or is no conversation.
    """
    about: dict[str, Any] = {}
    messages: list[Message] = []
    for where, value in _rows(path, about):
        messages.append(_message(value, where))
    system, turns = split_turns(messages)
    if not turns:
        _refuse(str(path), "it has no user message", "a transcript is a list of messages in OpenAI's format")
    model, title = about.get("model"), about.get("title")
    return SessionScript(
        "transcript",
        title=title if isinstance(title, str) else path.stem,
        path=path,
        model=model if isinstance(model, str) and model else "transcript/replay",
        system=system or "",
        transcript=tuple(turns),
    )


def _rows(path: Path, about: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield (place, message); what is said about the conversation goes into `about`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        _refuse(str(path), str(error))
    if path.suffix == ".jsonl":
        yield from _lines(path, text, about)
        return
    document = _parse(text, str(path))
    if isinstance(document, dict):
        about |= {key: value for key, value in document.items() if key != "messages"}
        document = document.get("messages")
    if not isinstance(document, list):
        _refuse(str(path), "there is no list of messages", 'give a list, or an object with "messages"')
    for number, value in enumerate(document):
        yield f"{path}: message {number + 1}", value


def _lines(path: Path, text: str, about: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    # not splitlines(), which also splits at characters that JSON leaves as they are, such as U+2028
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        value = _parse(line, where)
        if isinstance(value, dict) and "role" not in value:
            about |= {key: inner for key, inner in value.items() if key != "messages"}
            for message in value.get("messages") or ():
                yield where, message
        else:
            yield where, value


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        _refuse(where, f"it is not JSON: {error}")


def _message(value: Any, where: str) -> Message:
    if not isinstance(value, dict):
        _refuse(where, f"a message is an object, not {type(value).__name__}")
    role = value.get("role")
    if role not in _ROLES:
        _refuse(where, f"the role is {role!r}", did_you_mean(str(role), _ROLES) or f"roles: {', '.join(_ROLES)}")
    calls = value.get("tool_calls")
    if calls is not None and not (isinstance(calls, list) and all(isinstance(call, dict) for call in calls)):
        _refuse(where, "tool_calls is no list of calls")
    return value


def _refuse(where: str, why: str, fix: str = "") -> NoReturn:
    raise SessionError("a transcript cannot be played", where=where, why=why, fix=fix, code="HS431")
