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
from collections import OrderedDict
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import aiohttp
from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, ValidationError, field_validator

from hermes_sdk.host.gateway.adapters.own_settings import read_own
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
"""Seconds that a timestamp may lie behind or ahead; ids are remembered for longer than that."""
_REMEMBERED: Final = 100_000
"""Ids of one route that are remembered at most; of more in so short a time, new ones are refused."""
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
            raise ValueError("a secret has 16 characters at least")
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
    return Webhook(read_own(WebhookSettings, NAME, settings, home))


class Webhook:
    """The adapter. A chat's id is ``<route>/<chat_id>``: routes share no conversations.

    Args:
        settings: See there.
    """

    name = NAME
    enforces_own_access_policy = True
    """Whoever signs for a route vouches for its users."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._settings = settings
        self._seen: dict[str, OrderedDict[str, float]] = {route: OrderedDict() for route in settings.routes}
        self._runner: web.AppRunner | None = None
        self.port = 0
        """The port, once it is bound."""

    # -- the adapter -----------------------------------------------------------------------------------

    async def start(self, gateway: Receiver) -> None:
        """Listen.

        Raises:
            OSError: The port is taken.
        """
        self._gateway = gateway
        self._client = aiohttp.ClientSession()
        app = web.Application(client_max_size=LARGEST_BODY)
        app.router.add_post("/hooks/{route}", self._receive)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=2)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._settings.host, self._settings.port).start()
        except OSError:
            await self.stop()
            raise
        self.port = int(self._runner.addresses[0][1])
        logger.info("webhooks on http://%s:%d/hooks/", self._settings.host, self.port)

    async def stop(self) -> None:
        """Close the port."""
        if self._runner is not None:
            await self._runner.cleanup()
        await self._client.close()

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
        if not self._remember(name, envelope.delivery_id):
            return web.json_response({"accepted": False, "duplicate": True})
        message = envelope.payload
        source = Source(
            self.name,
            f"{name}/{message.chat_id}",
            message.chat_type,
            f"{name}/{message.user_id}",
            message.user_name,
            message.thread_id,
        )
        await self._gateway.receive(MessageEvent(message.text, source, envelope.delivery_id))
        return web.json_response({"accepted": True}, status=202)

    def _remember(self, route: str, delivery_id: str) -> bool:
        """Return whether an id is new; forget those whose timestamps no longer count."""
        seen, now = self._seen[route], time.monotonic()
        while seen and now - next(iter(seen.values())) > 2 * REPLAY_WINDOW:
            seen.popitem(last=False)
        if delivery_id in seen or len(seen) >= _REMEMBERED:
            return False
        seen[delivery_id] = now
        return True


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
