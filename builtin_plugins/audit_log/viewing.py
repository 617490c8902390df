"""A record on one line, for people, and as the cells of a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .chain import Record

COLUMNS: Final = (
    "seq", "time", "pid", "kind", "session", "turn", "call", "tool", "decision", "by", "why", "rule_key", "status",
    "choice", "decided_by", "command", "child", "hash",
)  # fmt: skip
_DETAILS: Final = (
    "why", "error", "reason", "asked", "command", "user_message", "answer", "goal", "summary", "text", "next", "files",
    "bytes", "host",
)  # fmt: skip
"""Of these, the first that a record has says what it was about."""

_LONGEST: Final = 160
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def one_line(record: Record) -> str:
    """Return a record in short. What stands in it is hostile: nothing that moves a terminal's cursor comes through."""
    data = record.data
    session = str(data.get("session") or "-")
    words = [
        _word(data, "tool"),
        _joined(data, "decision", "by"),
        _joined(data, "choice", "decided_by"),
        _word(data, "status"),
        *_steps(data),
        next((_text(data[name]) for name in _DETAILS if data.get(name)), ""),
    ]
    told = "  ".join(filter(None, words))
    return _printable(f"{record.seq:>6}  {record.time[:23]}  {session[:24]:<24}  {record.kind:<22}  {told}".rstrip())


def cells(record: Record) -> list[str]:
    """Return a record as the cells of COLUMNS; a spreadsheet takes none of them for a formula."""
    values = dict(record.data) | {"hash": record.hash}
    texts = ("" if values.get(name) is None else _text(values[name], most=10_000) for name in COLUMNS)
    return [f"'{text}" if text.startswith(_FORMULA) else text for text in texts]


def _word(data: Any, name: str) -> str:
    return str(data.get(name) or "")


def _joined(data: Any, name: str, by: str) -> str:
    if not data.get(name):
        return ""
    return f"{data[name]} by {data[by]}" if data.get(by) else str(data[name])


def _steps(data: Any) -> list[str]:
    """Return what plugins did on the way, but for what stands in front already."""
    steps = data.get("steps")
    if not isinstance(steps, list):
        return []
    known = (data.get("decision"), data.get("by"))
    told = [(step.get("what"), step.get("plugin")) for step in steps if isinstance(step, dict)]
    return [", ".join(f"{what} by {plugin}" for what, plugin in told if (what, plugin) != known)]


def _text(value: Any, most: int = _LONGEST) -> str:
    """Return a value of a record as a text: of one that was cut, what was kept."""
    if isinstance(value, dict) and "digest" in value:
        value = value.get("text") or f"<{value.get('chars')} characters>"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else f"{text[:most]}..."


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
