"""`<home>/.env`: secrets beside the configuration. Read, never written; the environment always wins."""

from __future__ import annotations

import logging
import os
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

logger = logging.getLogger(__name__)

_ASSIGNMENT: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*(.*)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}


def read_dotenv(home: Path) -> dict[str, str]:
    r"""Return what ``<home>/.env`` sets; an absent or unreadable file sets nothing.

    The format is what people's files have of a shell's: ``KEY=value``, ``export KEY=value``, ``'...'`` taken
    as it is, ``"..."`` with ``\n``, ``\t``, ``\r``, ``\"`` and ``\\``, comments from ``#`` at the start of a
    line or after a blank. There is no expansion of ``$NAME`` and no value over several lines. A line that is
    none of this is skipped with a warning that names the line, not its content.
    """
    path = home / ".env"
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        logger.warning("%s is not read: %s", path, type(error).__name__)
        return {}
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _ASSIGNMENT.fullmatch(line)
        value = _value(match[2]) if match else None
        if match is None or value is None:
            logger.warning("%s:%d is not read: wanted KEY=value", path, number)
        else:
            values[match[1]] = value
    return values


def environment(home: Path) -> Mapping[str, str]:
    """Return the environment as the plugins of a home see it: ``<home>/.env`` below the real variables."""
    return read_dotenv(home) | os.environ


def export_dotenv(home: Path) -> list[str]:
    """Put ``<home>/.env`` into the process's environment, without overriding, and return the names set.

    For a host that serves one home: plugins written for hermes-agent read their keys from `os.environ`.
    """
    missing = {name: value for name, value in read_dotenv(home).items() if name not in os.environ}
    os.environ.update(missing)
    return sorted(missing)


def _value(raw: str) -> str | None:
    """Return the value of the text behind ``=``, or None when a quote is never closed."""
    raw = raw.strip()
    if raw[:1] == "'":
        end = raw.find("'", 1)
        return raw[1:end] if end > 0 and _only_comment(raw[end + 1 :]) else None
    if raw[:1] == '"':
        return _double_quoted(raw)
    return re.split(r"(?:^|\s)#", raw, maxsplit=1)[0].rstrip()


def _double_quoted(raw: str) -> str | None:
    out: list[str] = []
    position = 1
    while position < len(raw):
        character = raw[position]
        if character == '"':
            return "".join(out) if _only_comment(raw[position + 1 :]) else None
        if character == "\\" and position + 1 < len(raw):
            position += 1
            following = raw[position]
            out.append(_ESCAPES.get(following, following if following in '"\\$`' else "\\" + following))
        else:
            out.append(character)
        position += 1
    return None


def _only_comment(rest: str) -> bool:
    return not rest.strip() or rest.lstrip().startswith("#")
