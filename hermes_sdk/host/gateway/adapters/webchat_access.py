"""Who gets in to the web chat: the token, the cookie that it is exchanged for, and where a page may come from.

The page is served to this machine only, but every web site that its browser has open can reach that, too: a request
counts only with the right Host (a name that somebody rebinds to 127.0.0.1 has another one), from the right Origin,
and with the token or its cookie.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

COOKIE: Final = "hermes_webchat"
COOKIE_SECONDS: Final = 30 * 86_400
TOKEN_FILE: Final = "webchat-token"  # noqa: S105 - the name of the file
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


def stored_token(home: Path) -> str:
    """Return the token that was made for a home, or make one; only its user can read the file."""
    path = home / TOKEN_FILE
    try:
        token = path.read_text("ascii").strip()
    except FileNotFoundError:
        token = ""
    if token:
        return token
    token = secrets.token_urlsafe(32)
    home.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    return token


class WebAccess:
    """Decides about requests.

    Args:
        token: Opens the chat.
        origins: Origins besides the server's own, such as that of a proxy: ``https://chat.example.org``; as browsers
            send them.
    """

    def __init__(self, token: str, origins: Iterable[str] = ()) -> None:
        self._token = token.encode()
        self._origins = frozenset(origins)
        self._hosts = frozenset(urlsplit(origin).netloc for origin in self._origins)
        self._tls_hosts = frozenset(urlsplit(origin).netloc for origin in self._origins if origin.startswith("https:"))
        self.port = 0
        """The server's port, once it is bound."""

    def is_token(self, value: str) -> bool:
        """Whether somebody knows the token; compared in constant time."""
        return hmac.compare_digest(value.encode("utf-8", "replace"), self._token)

    def knows_host(self, host: str) -> bool:
        """Whether a request was meant for this server."""
        host = host.lower()
        if host in self._hosts:
            return True
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname, parts.port or 80
        except ValueError:  # "[", or a port that is none
            return False
        return name in _LOOPBACK and port == self.port

    def knows_origin(self, origin: str, host: str) -> bool:
        """Whether a page may send requests: it is one of this server's own, or of a proxy that is named."""
        origin = origin.lower()
        return origin in self._origins or (origin == f"http://{host.lower()}" and self.knows_host(host))

    def comes_by_tls(self, origin: str | None, host: str) -> bool:
        """Whether a browser reaches this server by TLS: through a proxy whose origin begins with ``https:``.

        What the configuration says counts, not a header such as X-Forwarded-Proto, which anybody can send.

        Args:
            origin: Of a request that was let in; None where it has none.
            host: Its Host.
        """
        if origin is not None:
            return origin.lower().startswith("https:")
        return host.lower() in self._tls_hosts

    def new_cookie(self) -> str:
        """Return the value of a cookie that stands for the token for a while, also after a restart."""
        head = f"{secrets.token_urlsafe(12)}.{int(time.time()) + COOKIE_SECONDS}"
        return f"{head}.{self._sign(head)}"

    def is_cookie(self, value: str) -> bool:
        """Whether a cookie was given out for this token and is still good."""
        head, _, signature = value.rpartition(".")
        if not hmac.compare_digest(signature.encode("utf-8", "replace"), self._sign(head).encode()):
            return False
        return int(head.rpartition(".")[2]) > time.time()

    def _sign(self, head: str) -> str:
        return hmac.new(self._token, f"webchat-cookie:{head}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()
