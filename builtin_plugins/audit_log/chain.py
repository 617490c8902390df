"""The hash chain: each record holds the hash of the one before it, and ends with its own.

A line is written once and checked as it stands: the hash is over the bytes of the line without the hash itself, so
that no second way of writing the same JSON has to be agreed on.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

GENESIS: Final = "0" * 64
"""What the first record of all has for the hash of the one before it."""

_PURPOSE: Final = b"hermes-sdk audit_log "
_SEAL: Final = re.compile(rb',"hash":"([0-9a-f]{64})"\}')
_SEAL_BYTES: Final = len(',"hash":"') + 64 + len('"}')


class Chain:
    """Hashes records, with a key or without.

    Args:
        key: What nobody can recompute the chain without; None for a chain that anybody can check, and write.
    """

    def __init__(self, key: bytes | None) -> None:
        # one key a purpose: else who makes the agent log a text would get the hash of a record with that text
        self._chain_key = _derived(key, b"chain")
        self._text_key = _derived(key, b"text")
        self.name = "sha256" if key is None else "hmac-sha256"
        """What a file's first record calls it."""
        self.key_id = "" if key is None else hmac.digest(key, _PURPOSE + b"id", "sha256").hex()[:16]
        """What tells keys apart without telling them; empty without one."""

    def text_digest(self, data: bytes) -> str:
        """Return what stands for a text in a record; with a key, so that nobody can try what the text may have been."""
        return _digest(self._text_key, data)

    def sealed(self, content: Mapping[str, Any]) -> tuple[bytes, str]:
        """Return (line, hash) of a record whose values are ready for JSON.

        In ASCII: nothing that somebody says ends a line for some reader, or means something to a terminal.
        """
        body = json.dumps(content, separators=(",", ":")).encode()
        digest = _digest(self._chain_key, body)
        return body[:-1] + f',"hash":"{digest}"}}\n'.encode(), digest

    def holds(self, record: Record) -> bool:
        """Whether a record's hash is the one of its content."""
        return hmac.compare_digest(_digest(self._chain_key, record.body), record.hash)


def _derived(key: bytes | None, purpose: bytes) -> bytes | None:
    return None if key is None else hmac.digest(key, _PURPOSE + purpose, "sha256")


def _digest(key: bytes | None, data: bytes) -> str:
    return hashlib.sha256(data).hexdigest() if key is None else hmac.digest(key, data, "sha256").hex()


@dataclass(frozen=True, slots=True)
class Record:
    """A line that was read and has the form of a record; whether its hash is right is not said."""

    data: Mapping[str, Any]
    body: bytes
    """What the hash is over."""
    hash: str

    @property
    def seq(self) -> int:
        """Its number in the log, from 1."""
        seq: int = self.data["seq"]
        return seq

    @property
    def prev(self) -> str:
        """The hash of the record before it."""
        return str(self.data.get("prev"))

    @property
    def kind(self) -> str:
        """The hook, or what happened to the log."""
        return str(self.data.get("kind"))

    @property
    def time(self) -> str:
        """When it was written, by the clock of the machine: ISO 8601 in UTC."""
        return str(self.data.get("time"))


def parsed(line: bytes) -> Record | None:
    """Return the record of a line without its line end, or None where it is none."""
    seal = _SEAL.fullmatch(line[-_SEAL_BYTES:])
    if seal is None:
        return None
    body = line[:-_SEAL_BYTES] + b"}"
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not isinstance(data.get("seq"), int) or isinstance(data["seq"], bool):
        return None
    return Record(data, body, seal[1].decode())
