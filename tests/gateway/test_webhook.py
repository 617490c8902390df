"""Signed messages in, signed answers out: real requests at real ports."""

import asyncio
import datetime as dt
import json
import os
import sys
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from gateway_desk import Desk, say, until

from hermes_sdk.errors import ConfigError
from hermes_sdk.host.gateway.adapters import BUILTIN_ADAPTERS
from hermes_sdk.host.gateway.adapters.received import ReceivedRequests
from hermes_sdk.host.gateway.adapters.webhook import LARGEST_BODY, Webhook, WebhookSettings
from hermes_sdk.shell_hooks.outbound import SIGNATURE_HEADER, delivery, signature

SECRET = "a-secret-of-some-length"
MESSAGE = {"text": "hi", "chat_id": "7", "user_id": "u1"}


class Other:
    """The other side: takes answers as it is told to."""

    def __init__(self):
        self.statuses = []
        self.got = []

    async def start(self):
        app = web.Application()
        app.router.add_post("/answers", self.take)
        self.runner = web.AppRunner(app, access_log=None)
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self.runner.addresses[0][1]}/answers"

    async def take(self, request):
        self.got.append((request.headers.get(SIGNATURE_HEADER), await request.read()))
        return web.Response(status=self.statuses.pop(0) if self.statuses else 200)


@pytest.fixture
def hooked(talk, played):
    def run(test, *turns):
        async def whole():
            other = Other()
            url = await other.start()
            routes = {"shop": {"secret": SECRET, "reply_url": url}, "mute": {"secret": SECRET + "2"}}
            hook = Webhook(WebhookSettings(port=0, routes=routes), talk.home)
            await talk.start(*turns, adapter=hook)
            async with aiohttp.ClientSession() as client:
                try:
                    await test(hook, other, client)
                finally:
                    await other.runner.cleanup()

        played(whole())

    return run


async def post(hook, client, body, *, route="shop", sign=SECRET, headers=None):
    given = {"Content-Type": "application/json", **(headers or {})}
    if sign is not None:
        given[SIGNATURE_HEADER] = signature(sign.encode(), body)
    async with client.post(f"http://127.0.0.1:{hook.port}/hooks/{route}", data=body, headers=given) as answer:
        return answer.status, await answer.text()


def at(seconds=0, **changes):
    moment = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=seconds)
    return json.dumps({"delivery_id": "d1", "timestamp": moment.isoformat(), "payload": MESSAGE} | changes).encode()


def test_a_signed_message_is_answered_with_a_signed_one(hooked):
    async def test(hook, other, client):
        assert (await post(hook, client, delivery(MESSAGE)))[0] == 202
        await until(lambda: other.got)
        signed, body = other.got[0]
        assert signed == signature(SECRET.encode(), body)
        answer = json.loads(body)["payload"]
        assert (answer["text"], answer["chat_id"], answer["route"]) == ("hello", "7", "shop")
        assert answer["reply_to"]

    hooked(test, [say("hello")])


REFUSED = {
    "no signature": ({"sign": None}, at, 401),
    "a wrong key": ({"sign": "another-secret-of-length"}, at, 401),
    "another route's key": ({"sign": SECRET + "2"}, at, 401),
    "an unknown route": ({"route": "nowhere"}, at, 401),
    "a signature in another form": ({"sign": None, "headers": {SIGNATURE_HEADER: "deadbeef"}}, at, 401),
    "a signature that is no text": ({"sign": None, "headers": {SIGNATURE_HEADER: "sha256=\udcff"}}, at, 401),
    "an old timestamp": ({}, lambda: at(-400), 400),
    "a future timestamp": ({}, lambda: at(400), 400),
    "a timestamp without a zone": ({}, lambda: at(timestamp="2026-01-01T00:00:00"), 400),
    "no timestamp": ({}, lambda: at(timestamp=None), 400),
    "no JSON": ({}, lambda: b"{", 400),
    "deep JSON": ({}, lambda: b"[" * 100_000, 400),
    "a list": ({}, lambda: b"[]", 400),
    "no text": ({}, lambda: at(payload=MESSAGE | {"text": ""}), 400),
    "a text that is none": ({}, lambda: at(payload=MESSAGE | {"text": 7}), 400),
    "an unknown key": ({}, lambda: at(payload=MESSAGE | {"internal": True}), 400),
    "another content type": ({"headers": {"Content-Type": "text/plain"}}, at, 415),
    "too long": ({}, lambda: at(payload=MESSAGE | {"text": "x" * LARGEST_BODY}), 413),
}


@pytest.mark.parametrize("name", REFUSED)
def test_nothing_gets_in_that_should_not(hooked, talk, name):
    how, body, status = REFUSED[name]

    async def test(hook, other, client):
        try:
            answered = await post(hook, client, body(), **how)
        except UnicodeEncodeError:  # the client does not even send that
            return
        assert answered[0] == status
        assert SECRET not in answered[1]
        assert talk.runner.session_store.count() == 0

    hooked(test)


def test_a_request_that_is_sent_again_counts_once(hooked, talk):
    async def test(hook, other, client):
        body = at()
        assert (await post(hook, client, body))[0] == 202
        assert await post(hook, client, body) == (200, '{"accepted": false, "duplicate": true}')
        await until(lambda: other.got)
        assert len(other.got) == 1

    hooked(test, [say("hello")], [say("never")])


def test_an_answer_is_posted_again_until_it_is_taken(hooked):
    async def test(hook, other, client):
        other.statuses = [500, 503]
        await post(hook, client, delivery(MESSAGE))
        await until(lambda: len(other.got) == 3)
        assert len({body for _, body in other.got}) == 1

    hooked(test, [say("hello")])


@pytest.mark.parametrize(("status", "attempts"), [(404, 1), (302, 1)])
def test_an_answer_that_is_refused_is_not_posted_again(hooked, status, attempts):
    async def test(hook, other, client):
        other.statuses = [status] * 4
        sent = await hook.send("shop/7", "hello")
        assert (sent.ok, sent.error) == (False, f"the other side answered {status}")
        assert len(other.got) == attempts

    hooked(test)


def test_routes_share_no_conversations_and_one_may_be_mute(hooked, talk):
    async def test(hook, other, client):
        await post(hook, client, delivery(MESSAGE))
        await post(hook, client, delivery(MESSAGE), route="mute", sign=SECRET + "2")
        await until(lambda: talk.runner.session_store.count() == 2)
        assert (await hook.send("mute/7", "x")).error == "route mute has no reply_url"
        assert (await hook.send("nowhere/7", "x")).ok is False

    hooked(test, [say("hello")])


def test_settings_that_will_not_do_are_refused(talk):
    for settings in (
        {},
        {"routes": {}},
        {"routes": {"a": {"secret": "short"}}},
        {"routes": {"a/b": {"secret": SECRET}}},
        {"routes": {"a": {"secret": SECRET, "reply_url": "file:///etc/passwd"}}},
        {"routes": {"a": {"secret": SECRET}, "b": {"secret": SECRET}}},
    ):
        with pytest.raises(ConfigError) as caught:
            BUILTIN_ADAPTERS["webhook"](settings, talk.home)
        assert SECRET not in str(caught.value)


def test_routes_must_not_share_a_secret(talk):
    with pytest.raises(ConfigError, match="routes a and b have the same secret: what was signed for one could be sent"):
        BUILTIN_ADAPTERS["webhook"]({"routes": {"a": {"secret": SECRET}, "b": {"secret": SECRET}}}, talk.home)


def open_files(home):
    return [
        name
        for name in ("webchat.db", "gateway-received.db")
        if str(home / name) in {os.path.realpath(path) for path in Path("/proc/self/fd").iterdir()}
    ]


@pytest.mark.parametrize("platform", ["webhook", "webchat"])
def test_a_port_that_is_taken_is_said_and_the_others_run(talk, played, platform, caplog):
    async def test():
        other = Other()
        port = int((await other.start()).rpartition(":")[2].partition("/")[0])
        own = f"routes: {{a: {{secret: {SECRET}}}}}" if platform == "webhook" else f"token: {SECRET}"
        talk.config(f"gateway:\n  platforms:\n    {platform}:\n      port: {port}\n      {own}\n")
        runner = await talk.start([say("hello")], adapter=Desk())
        assert runner.missing[platform] == (
            f"[HS449] platform {platform} cannot listen on 127.0.0.1 port {port} (gateway.platforms.{platform}.port, "
            f"{talk.home}/config.yaml:4:7): another program listens there; end that one, or choose another port;"
            " 0 takes a free one"
        )
        assert "Traceback" not in caplog.text
        assert await talk.ask("hi") == "hello"
        await other.runner.cleanup()
        if sys.platform == "linux":
            assert open_files(talk.home) == []

    played(test())


class Again:
    """The same webhook, started anew on its home as after a restart."""

    def __init__(self, talk):
        self.talk = talk

    async def start(self, **routes):
        hook = Webhook(WebhookSettings(port=0, routes=routes or {"shop": {"secret": SECRET}}), self.talk.home)
        await self.talk.start([say("hello")], adapter=hook)
        return hook


def test_a_request_that_is_sent_again_after_a_restart_counts_once(talk, played):
    async def test():
        body = at()
        async with aiohttp.ClientSession() as client:
            hook = await Again(talk).start()
            assert (await post(hook, client, body))[0] == 202
            await talk.stop()
            hook = await Again(talk).start()
            assert await post(hook, client, body) == (200, '{"accepted": false, "duplicate": true}')
            assert (talk.home / "gateway-received.db").stat().st_mode & 0o777 == 0o600
            # the signature does not name the route: under another name it is the same request
            await talk.stop()
            hook = await Again(talk).start(store={"secret": SECRET})
            again = await post(hook, client, body, route="store")
            assert again == (200, '{"accepted": false, "duplicate": true}')

    played(test())


def test_what_cannot_come_again_is_forgotten(talk):
    received = ReceivedRequests(talk.home, 600)
    received.remember("shop", "old", "s1", 1_000, 1_000)
    received.remember("shop", "ahead", "s2", 1_300, 1_000)
    received.remember("shop", "new", "s3", 1_700, 1_700)
    assert len(received) == 2
    assert not received.knows("shop", "old", "s1")
    assert received.knows("shop", "ahead", "other")
    assert received.knows("other", "other", "s2")
    assert not received.knows("other", "ahead", "other")
    received.close()


def test_a_file_that_is_no_database_keeps_the_platform_away_and_says_so(talk, played):
    async def test():
        (talk.home / "gateway-received.db").write_text("no database at all, though long enough to be read as one" * 9)
        talk.config(f"gateway:\n  platforms:\n    webhook: {{port: 0, routes: {{a: {{secret: {SECRET}}}}}}}\n")
        runner = await talk.start([say("hello")], adapter=Desk())
        assert "gateway-received.db" in runner.missing["webhook"]
        assert "put the file aside" in runner.missing["webhook"]
        assert await talk.ask("hi") == "hello"

    played(test())


def test_a_request_is_acknowledged_when_its_message_is_stored_and_may_come_again_when_it_is_not(hooked, talk):
    async def test(hook, other, client):
        store, body = talk.runner.session_store, at()
        accept, stored = store.accept, []

        def full(*_):
            raise OSError("the disk is full")

        store.accept = full
        status, text = await post(hook, client, body)
        assert (status, json.loads(text)) == (503, {"error": "this message could not be taken: OSError"})

        def slow(*arguments):
            stored.append(arguments[1].text)
            return accept(*arguments)

        store.accept = slow
        assert (await post(hook, client, body))[0] == 202
        assert stored == ["hi"]

    hooked(test, [say("hello")])


def test_the_same_request_twice_at_once_counts_once(hooked, talk):
    talk.plugin(
        "import asyncio\n"
        "async def f(**kw):\n    await asyncio.sleep(0.2)\n"
        "def register(ctx):\n    ctx.register_hook('pre_gateway_dispatch', f)\n"
    )

    async def test(hook, other, client):
        body = at()
        answers = await asyncio.gather(*(post(hook, client, body) for _ in range(5)))
        assert sorted(status for status, _ in answers) == [200, 200, 200, 200, 202]

    hooked(test, [say("hello")])


def test_timestamps_at_the_end_of_time_are_refused_as_others_are(hooked):
    async def test(hook, other, client):
        for moment in ("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "\ud800", "1e400"):
            assert (await post(hook, client, at(timestamp=moment)))[0] == 400

    hooked(test)
