"""A chat in the browser: a small page, a WebSocket, for whoever has the token, on this machine.

Settings below ``gateway.platforms.webchat``; docs/how-to/web-chat.md shows it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from hermes_sdk.host.gateway.adapters.listening import Listener
from hermes_sdk.host.gateway.adapters.own_settings import read_own
from hermes_sdk.host.gateway.adapters.webchat_access import COOKIE, COOKIE_SECONDS, WebAccess, stored_token
from hermes_sdk.host.gateway.adapters.webchat_log import WebChatLog
from hermes_sdk.host.gateway.adapters.webchat_pages import Pages
from hermes_sdk.host.gateway.adapters.webchat_room import Room
from hermes_sdk.host.gateway.adapters.webchat_settings import WebChatSettings
from hermes_sdk.host.gateway.messages import SendResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from hermes_sdk.host.gateway.adapter import Receiver
    from hermes_sdk.host.gateway.messages import Note

logger = logging.getLogger(__name__)

NAME: Final = "webchat"
_LARGEST_LOGIN: Final = 4_096
_CHAT: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FILES: Final = {
    "chat.css": "text/css",
    "chat.js": "text/javascript",
    "login.js": "text/javascript",
}
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def make(settings: Mapping[str, Any], home: Path) -> WebChat:
    """Return the adapter.

    Raises:
        ConfigError: The settings will not do.
    """
    return WebChat(read_own(WebChatSettings, NAME, settings, home), home)


class WebChat:
    """The adapter.

    Args:
        settings: See there.
        home: Keeps the token and what was shown.
    """

    name = NAME
    enforces_own_access_policy = True
    """Whoever has the token may write."""

    def __init__(self, settings: WebChatSettings, home: Path) -> None:
        self._settings = settings
        self._home = home
        self._rooms: dict[str, Room] = {}
        self._listener = Listener(NAME, settings.host, settings.port, home)
        token = settings.token.get_secret_value() if settings.token else stored_token(home)
        self._token = token
        self._access = WebAccess(token, settings.origins)

    @property
    def url(self) -> str:
        """Where the chat is; the token stands behind ``#``, which browsers do not send."""
        return f"{self._listener.origin}/#token={self._token}"

    # -- the adapter -----------------------------------------------------------------------------------

    async def start(self, gateway: Receiver) -> None:
        """Listen.

        Raises:
            SessionError: The port is taken, or what was shown cannot be kept.
        """
        app = web.Application(middlewares=[self._guard], client_max_size=_LARGEST_LOGIN)
        app.router.add_get("/", self._page)
        app.router.add_post("/login", self._login)
        app.router.add_post("/logout", self._logout)
        app.router.add_get("/ws", self._socket)
        for name in _FILES:
            app.router.add_get(f"/{name}", self._file)
        self._log = WebChatLog(self._home)
        self._pages = Pages(NAME, self._settings.user, gateway, self._log)
        try:
            await self._listener.start(app)
        except BaseException:
            self._log.close()
            raise
        self._access.port = self._listener.port
        logger.info("web chat on %s/", self._listener.origin)

    async def stop(self) -> None:
        """Close every page and the port."""
        for room in self._rooms.values():
            await asyncio.gather(*(page.close(code=1001, message=b"the gateway stops") for page in tuple(room.pages)))
        await self._pages.close()
        await self._listener.stop()
        self._log.close()

    async def send(
        self, chat_id: str, text: str, *, thread_id: str | None = None, reply_to: str | None = None
    ) -> SendResult:
        """Show the agent's answer; a page that is away gets it when it comes back."""
        del thread_id, reply_to
        if _CHAT.fullmatch(chat_id) is None:
            return SendResult(ok=False, error=f"there is no chat {chat_id[:80]!r}")
        await self._room(chat_id).add("agent", text)
        return SendResult(ok=True)

    async def show(self, chat_id: str, note: Note, *, thread_id: str | None = None) -> None:
        """Show a note."""
        del thread_id
        await self._room(chat_id).note(note)

    def _room(self, chat: str) -> Room:
        room = self._rooms.get(chat)
        if room is None:
            room = self._rooms[chat] = Room(chat, self._log)
        return room

    # -- requests --------------------------------------------------------------------------------------

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Let nothing near a handler that was not meant for it, and give every answer its headers."""
        try:
            response = self._refused(request) or await handler(request)
        except web.HTTPException as error:
            response = _problem(error.status, error.reason)
        except Exception:  # a bare answer of the server's own would lack the headers
            logger.exception("web chat: %s %s failed", request.method, request.path)
            response = _problem(500, "the gateway failed at this; its log says why")
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    def _refused(self, request: web.Request) -> web.Response | None:
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        if not self._access.knows_host(host):
            return _problem(421, "this server does not answer to that name")
        if origin is not None and not self._access.knows_origin(origin, host):
            return _problem(403, "requests from that origin are not let in")
        # a page of another site can send a form or open a socket without asking: browsers then always say where from
        if origin is None and (request.method != "GET" or request.path == "/ws") and not self._has_bearer(request):
            return _problem(403, "a request without an origin needs the token in its Authorization header")
        return None

    def _has_bearer(self, request: web.Request) -> bool:
        scheme, _, value = request.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._access.is_token(value.strip())

    def _is_in(self, request: web.Request) -> bool:
        return self._has_bearer(request) or self._access.is_cookie(request.cookies.get(COOKIE, ""))

    async def _page(self, request: web.Request) -> web.Response:
        inside = self._is_in(request)
        return web.Response(
            text=_text_of("chat.html" if inside else "login.html"),
            content_type="text/html",
            status=HTTPStatus.OK if inside else HTTPStatus.UNAUTHORIZED,
        )

    async def _file(self, request: web.Request) -> web.Response:
        name = request.path.lstrip("/")
        if name == "chat.js" and not self._is_in(request):
            return _problem(401, "log in first")
        return web.Response(text=_text_of(name), content_type=_FILES[name])

    async def _login(self, request: web.Request) -> web.Response:
        try:
            document = await request.json()
        except (ValueError, LookupError, RecursionError):  # no JSON, in no known encoding, or too deep
            return _problem(400, 'send {"token": "..."} as JSON')
        token = document.get("token") if isinstance(document, dict) else None
        if not isinstance(token, str) or not self._access.is_token(token):
            await asyncio.sleep(0.2)  # guessing is hopeless, and this keeps the log readable
            logger.warning("web chat: a login with a wrong token was refused")
            return _problem(401, "that is not the token")
        response = web.json_response({"ok": True})
        response.set_cookie(
            COOKIE,
            self._access.new_cookie(),
            max_age=COOKIE_SECONDS,
            httponly=True,
            samesite="Strict",
            path="/",
            secure=self._access.comes_by_tls(request.headers.get("Origin"), request.headers.get("Host", "")),
        )
        return response

    async def _logout(self, request: web.Request) -> web.Response:
        if not self._is_in(request):
            return _problem(401, "log in first")
        response = web.json_response({"ok": True})
        response.del_cookie(COOKIE, path="/")
        return response

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if not self._is_in(request):
            return _problem(401, "log in first")
        chat, after = request.query.get("chat", "main"), request.query.get("after", "0")
        if _CHAT.fullmatch(chat) is None or not after.isdecimal():
            return _problem(400, "chat has letters, digits, _ and -; after is a number")
        return await self._pages.serve(request, self._room(chat), int(after[:18]))


def _problem(status: int, text: str) -> web.Response:
    return web.json_response({"error": text}, status=status)


def _text_of(name: str) -> str:
    return (files("hermes_sdk.host.gateway.adapters") / "webchat_page" / name).read_text("utf-8")
