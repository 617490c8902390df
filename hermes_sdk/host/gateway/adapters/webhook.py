"""Messages as signed HTTP requests, answers as signed HTTP requests: for programs, and platforms behind a relay.

In: ``POST /hooks/<route>`` with one JSON object, signed like outbound copies of events are (see
`hermes_sdk.shell_hooks.outbound`): ``X-Hermes-Signature: sha256=<HMAC-SHA256 of the body>``. The body holds a timestamp
and an id, so that a signature is good once, and for a few minutes only. Out: the same form, to the route's `reply_url`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hmac
import json
import logging
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from weakref import WeakValueDictionary

import aiohttp
from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.host.gateway.adapters.listening import Listener
from hermes_sdk.host.gateway.adapters.own_settings import read_own
from hermes_sdk.host.gateway.adapters.received import ReceivedRequests
from hermes_sdk.host.gateway.messages import MessageEvent, SendResult, Source
from hermes_sdk.shell_hooks.outbound import SIGNATURE_HEADER, delivery, signature

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hermes_sdk.host.gateway.adapter import Receiver

logger = logging.getLogger(__name__)

NAME: Final = "webhook"
LARGEST_BODY: Final = 262_144
"""Bytes of a request."""
REPLAY_WINDOW: Final = 300.0
"""Seconds that a timestamp may lie behind or ahead."""
KEPT: Final = 2 * REPLAY_WINDOW
"""Seconds behind its timestamp for which a request is remembered: longer than it would be let in again."""
_ATTEMPTS: Final = 4
_FIRST_PAUSE: Final = 0.5
"""Seconds before the second attempt to send an answer; doubled each time."""

_Id = Annotated[str, StringConstraints(min_length=1, max_length=256)]


class Route(BaseModel):
    """``gateway.platforms.webhook.routes.<route>``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    secret: SecretStr = Field(description="Key of the signatures, in both directions; 16 characters at least.")
    reply_url: str | None = Field(
        default=None, pattern=r"^https?://", description="Where answers are posted; without one, nobody gets them."
    )
    timeout: float = Field(default=10.0, gt=0, le=120, description="Seconds that one attempt to post may take.")

    @field_validator("secret")
    @classmethod
    def _long_enough(cls, secret: SecretStr) -> SecretStr:
        if len(secret.get_secret_value()) < 16:  # noqa: PLR2004 - characters
            raise PydanticCustomError("secret_is_too_short", "a secret has 16 characters at least")
        return secret

    @property
    def key(self) -> bytes:
        """The secret as bytes."""
        return self.secret.get_secret_value().encode()


class WebhookSettings(BaseModel):
    """``gateway.platforms.webhook``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8766, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    routes: dict[Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")], Route] = Field(
        min_length=1, description="Routes by name; messages to one come in at `/hooks/<name>`."
    )

    @field_validator("routes")
    @classmethod
    def _secrets_differ(cls, routes: dict[str, Route]) -> dict[str, Route]:
        """Refuse a secret that two routes share: a signature does not say for which of them it was made."""
        names: dict[str, str] = {}
        for name, route in routes.items():
            first = names.setdefault(route.secret.get_secret_value(), name)
            if first != name:
                raise PydanticCustomError(
                    "secret_is_shared",
                    "routes {first} and {name} have the same secret: what was signed for one could be sent to the"
                    " other; give each its own",
                    {"first": first, "name": name},
                )
        return routes


class Incoming(BaseModel):
    """``payload`` of a request: one message."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: Annotated[str, StringConstraints(min_length=1)]
    chat_id: _Id
    chat_type: Literal["dm", "group", "forum"] = "dm"
    user_id: _Id
    user_name: str = ""
    thread_id: _Id | None = None


class Envelope(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    delivery_id: _Id
    timestamp: str
    payload: Incoming


def make(settings: Mapping[str, Any], home: Path) -> Webhook:
    """Return the adapter.

    Raises:
        ConfigError: The settings will not do.
    """
    return Webhook(read_own(WebhookSettings, NAME, settings, home), home)


class Webhook:
    """The adapter. A chat's id is ``<route>/<chat_id>``: routes share no conversations.

    Args:
        settings: See there.
        home: Keeps which requests were taken.
    """

    name = NAME
    enforces_own_access_policy = True
    """Whoever signs for a route vouches for its users."""

    def __init__(self, settings: WebhookSettings, home: Path) -> None:
        self._settings = settings
        self._home = home
        self._listener = Listener(NAME, settings.host, settings.port, home)
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One lock for each request that is being taken: the same one, sent again meanwhile, waits for its end."""

    @property
    def port(self) -> int:
        """The port, once it is bound."""
        return self._listener.port

    @property
    def url(self) -> str:
        """Where requests go, one address for each route."""
        return " ".join(f"{self._listener.origin}/hooks/{route}" for route in self._settings.routes)

    # -- the adapter -----------------------------------------------------------------------------------

    async def start(self, gateway: Receiver) -> None:
        """Listen.

        Raises:
            SessionError: The port is taken, or what was received cannot be remembered.
        """
        self._gateway = gateway
        app = web.Application(client_max_size=LARGEST_BODY)
        app.router.add_post("/hooks/{route}", self._receive)
        self._received = ReceivedRequests(self._home, KEPT)
        self._client = aiohttp.ClientSession()
        try:
            await self._listener.start(app)
        except BaseException:
            await self.stop()
            raise
        logger.info("webhooks on %s/hooks/", self._listener.origin)

    async def stop(self) -> None:
        """Close the port."""
        await self._listener.stop()
        await self._client.close()
        self._received.close()

    async def send(
        self, chat_id: str, text: str, *, thread_id: str | None = None, reply_to: str | None = None
    ) -> SendResult:
        """Post an answer to the route's `reply_url`; tried again for a while when the other side does not take it."""
        name, _, chat = chat_id.partition("/")
        route = self._settings.routes.get(name)
        if route is None:
            return SendResult(ok=False, error=f"there is no route {name[:80]!r}")
        if route.reply_url is None:
            return SendResult(ok=False, error=f"route {name} has no reply_url")
        answer = {"text": text, "chat_id": chat, "thread_id": thread_id, "reply_to": reply_to, "route": name}
        body = delivery(answer)
        headers = {SIGNATURE_HEADER: signature(route.key, body), "Content-Type": "application/json"}
        failure = ""
        for attempt in range(_ATTEMPTS):
            if attempt:
                await asyncio.sleep(_FIRST_PAUSE * 2 ** (attempt - 1))
            failure, final = await self._post(route, body, headers)
            if not failure:
                return SendResult(ok=True, message_id=json.loads(body)["delivery_id"])
            if final:
                break
        return SendResult(ok=False, error=failure)

    async def _post(self, route: Route, body: bytes, headers: Mapping[str, str]) -> tuple[str, bool]:
        """Return why an attempt failed, "" when it did not, and whether another one is of no use."""
        timeout = aiohttp.ClientTimeout(total=route.timeout)
        try:
            async with self._client.post(
                route.reply_url or "", data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as answer:
                if answer.status < HTTPStatus.MULTIPLE_CHOICES:
                    return "", True
                final = answer.status < HTTPStatus.INTERNAL_SERVER_ERROR and answer.status not in {408, 425, 429}
                return f"the other side answered {answer.status}", final
        except TimeoutError:
            return f"the other side did not answer within {route.timeout:g} s", False
        except aiohttp.ClientError as error:
            return f"{type(error).__name__}: {error}", False

    # -- requests --------------------------------------------------------------------------------------

    async def _receive(self, request: web.Request) -> web.Response:
        name = request.match_info["route"]
        route = self._settings.routes.get(name)
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return _problem(413, f"a request has {LARGEST_BODY:,} bytes at most")
        given = request.headers.get(SIGNATURE_HEADER, "")
        # an unknown route takes as long, and says the same, as a wrong signature
        wanted = signature(route.key if route else b"nobody's", body)
        if not hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode()) or route is None:
            return _problem(401, f"{SIGNATURE_HEADER} is missing or wrong")
        if request.content_type != "application/json":
            return _problem(415, "send application/json")
        try:
            envelope = Envelope.model_validate(json.loads(body))
        except (ValidationError, ValueError, RecursionError) as error:
            return _problem(400, _said(error))
        late = _seconds_from_now(envelope.timestamp)
        if late is None or abs(late) > REPLAY_WINDOW:
            return _problem(400, f"timestamp is an ISO 8601 time in UTC, at most {REPLAY_WINDOW:g} s from now")
        lock = self._under_way.setdefault(f"{name}/{envelope.delivery_id}", asyncio.Lock())
        async with lock:
            return await self._take(name, envelope, wanted, late)

    async def _take(self, route: str, envelope: Envelope, signed: str, late: float) -> web.Response:
        """Hand a message over, and remember it once it is stored: one that was lost may be sent again."""
        if self._received.knows(route, envelope.delivery_id, signed):
            return web.json_response({"accepted": False, "duplicate": True})
        message = envelope.payload
        source = Source(
            self.name,
            f"{route}/{message.chat_id}",
            message.chat_type,
            f"{route}/{message.user_id}",
            message.user_name,
            message.thread_id,
        )
        try:
            await self._gateway.accept(MessageEvent(message.text, source, envelope.delivery_id))
        except HermesSdkError as error:
            return _problem(503, f"{error.what}: {error.why}")
        now = time.time()
        self._received.remember(route, envelope.delivery_id, signed, now - late, now)
        return web.json_response({"accepted": True}, status=202)


def _seconds_from_now(timestamp: str) -> float | None:
    try:
        moment = dt.datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return None if moment.tzinfo is None else (dt.datetime.now(dt.UTC) - moment).total_seconds()


def _said(error: Exception) -> str:
    """Return what is wrong with a body, key by key, without its values."""
    if not isinstance(error, ValidationError):
        return "the body is no JSON"
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, each['loc'])) or 'the body'}: {each['msg'].lower()}" for each in details)


def _problem(status: int, text: str) -> web.Response:
    return web.json_response({"error": text}, status=status)
