"""Who gets in to the web chat, and what pages are told: real requests at a real port."""

import asyncio
import json
import sqlite3

import aiohttp
import pytest
from gateway_desk import call, say, until

from hermes_sdk.errors import ConfigError
from hermes_sdk.host.gateway.adapters import BUILTIN_ADAPTERS
from hermes_sdk.host.gateway.adapters.webchat import WebChat
from hermes_sdk.host.gateway.adapters.webchat_access import COOKIE
from hermes_sdk.host.gateway.adapters.webchat_log import WebChatLog
from hermes_sdk.host.gateway.adapters.webchat_pages import LARGEST_FRAME, LARGEST_MESSAGE
from hermes_sdk.host.gateway.adapters.webchat_settings import WebChatSettings

TOKEN = "a-token-of-some-length"


class Site:
    """A started web chat and a client of it."""

    def __init__(self, talk, chat):
        self.talk = talk
        self.chat = chat
        self.base = f"http://127.0.0.1:{chat._access.port}"
        self.cookie = {"Cookie": f"{COOKIE}={chat._access.new_cookie()}"}
        self.origin = {"Origin": self.base}
        self.client = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))  # cookies of an address

    def socket(self, query="", headers=None):
        return self.client.ws_connect(
            f"{self.base}/ws{query}", headers={**self.cookie, **self.origin, **(headers or {})}
        )


@pytest.fixture
def site(talk, played):
    """Run a test's function with a web chat in front of a gateway."""

    def run(test, *turns, **settings):
        async def whole():
            chat = WebChat(WebChatSettings(port=0, token=TOKEN, **settings), talk.home)
            await talk.start(*turns, adapter=chat)
            site = Site(talk, chat)
            try:
                await test(site)
            finally:
                await site.client.close()

        played(whole())

    run.talk = talk
    return run


async def entries(socket, kind, count=1):
    """Read from a socket until so many entries of a kind came; return them."""
    found = []
    async with asyncio.timeout(20):
        while len(found) < count:
            document = json.loads((await socket.receive()).data)
            if document["type"] == "entry" and document["entry"]["kind"] == kind:
                found.append(document["entry"])
    return found


async def document_of(socket, kind):
    async with asyncio.timeout(20):
        while True:
            document = json.loads((await socket.receive()).data)
            if document["type"] == kind:
                return document


REQUESTS = {
    "the page without a token": ("GET", "/", {}, None, 401),
    "its script without a token": ("GET", "/chat.js", {}, None, 401),
    "a made-up cookie": ("GET", "/", {"Cookie": f"{COOKIE}=a.99999999999.b"}, None, 401),
    "a wrong bearer": ("GET", "/", {"Authorization": "Bearer nope"}, None, 401),
    "the token in the query": ("GET", f"/?token={TOKEN}", {}, None, 401),
    "another host": ("GET", "/", {"Host": "evil.example"}, None, 421),
    "another host with our port": ("GET", "/", {"Host": "evil.example:{port}"}, None, 421),
    "another port": ("GET", "/", {"Host": "127.0.0.1:1"}, None, 421),
    "a host that is cut off": ("GET", "/", {"Host": "["}, None, 421),
    "a host of brackets": ("GET", "/", {"Host": "[::1"}, None, 421),
    "a host with odd letters": ("GET", "/", {"Host": "\u2100.example"}, None, 421),
    "an origin that is cut off": ("GET", "/", {"Origin": "http://["}, None, 403),
    "a port that is none": ("GET", "/", {"Host": "127.0.0.1:99999999"}, None, 421),
    "another origin": ("GET", "/", {"Origin": "http://evil.example"}, None, 403),
    "a null origin": ("POST", "/login", {"Origin": "null"}, {"token": TOKEN}, 403),
    "a login from elsewhere": ("POST", "/login", {"Origin": "https://evil.example"}, {"token": TOKEN}, 403),
    "a login from another port": ("POST", "/login", {"Origin": "http://127.0.0.1:1"}, {"token": TOKEN}, 403),
    "a login without an origin": ("POST", "/login", {}, {"token": TOKEN}, 403),
    "a login with a wrong token": ("POST", "/login", {"Origin": "own"}, {"token": "wrong"}, 401),
    "a login with a list": ("POST", "/login", {"Origin": "own"}, [TOKEN], 401),
    "a login with no text": ("POST", "/login", {"Origin": "own"}, {"token": 7}, 401),
    "a login that is too long": ("POST", "/login", {"Origin": "own"}, {"token": "x" * 10_000}, 413),
    "a login that is no JSON": ("POST", "/login", {"Origin": "own"}, "{", 400),
    "a login with deep JSON": ("POST", "/login", {"Origin": "own"}, "[" * 4_000, 400),
    "a login with a huge number": ("POST", "/login", {"Origin": "own"}, '{"token": ' + "9" * 4_000 + "}", 401),
    "a login in no encoding": (
        *("POST", "/login", {"Origin": "own", "Content-Type": "application/json; charset=klingon"}),
        *({"token": TOKEN}, 400),
    ),
    "a login in another encoding": (
        *("POST", "/login", {"Origin": "own", "Content-Type": "application/json; charset=utf-32"}),
        *({"token": TOKEN}, 400),
    ),
    "a socket without a token": ("GET", "/ws", {"Origin": "own"}, None, 401),
    "a socket from another origin": ("GET", "/ws", {"Origin": "http://evil.example", "Cookie": "own"}, None, 403),
    "a socket without an origin": ("GET", "/ws", {"Cookie": "own"}, None, 403),
    "a chat that is none": ("GET", "/ws?chat=../x", {"Origin": "own", "Cookie": "own"}, None, 400),
    "a place that is none": ("GET", "/ws?after=-1", {"Origin": "own", "Cookie": "own"}, None, 400),
    "another path": ("GET", "/../webchat.py", {"Cookie": "own"}, None, 404),
    "another method": ("DELETE", "/", {"Origin": "own", "Cookie": "own"}, None, 405),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_nobody_gets_in_who_should_not(site, name, caplog):
    method, path, headers, body, status = REQUESTS[name]

    async def ask(site):
        own = {"Origin": site.base, "Cookie": site.cookie["Cookie"]}
        given = {
            key: own[key] if value == "own" else value.replace("{port}", str(site.chat._access.port))
            for key, value in headers.items()
        }
        data = body if body is None or isinstance(body, str) else json.dumps(body)
        async with site.client.request(method, site.base + path, headers=given, data=data) as answer:
            assert answer.status == status
            assert COOKIE not in answer.cookies
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert TOKEN not in await answer.text()
        assert site.talk.runner.session_store.count() == 0
        assert "Traceback" not in caplog.text

    site(ask)


def test_the_token_is_exchanged_for_a_cookie_that_scripts_cannot_read(site):
    async def log_in(site):
        async with site.client.post(f"{site.base}/login", json={"token": TOKEN}, headers=site.origin) as answer:
            assert answer.status == 200
            cookie = answer.headers["Set-Cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
        async with site.client.get(f"{site.base}/") as answer:  # the client keeps cookies
            assert answer.status == 200
            assert 'id="log"' in await answer.text()
        async with site.client.post(f"{site.base}/logout", headers=site.origin) as answer:
            assert answer.status == 200
        async with site.client.get(f"{site.base}/") as answer:
            assert answer.status == 401

    site(log_in)


def test_a_cookie_outlives_a_restart_and_not_the_token(talk):
    first = WebChat(WebChatSettings(token=TOKEN), talk.home)._access
    again = WebChat(WebChatSettings(token=TOKEN), talk.home)._access
    other = WebChat(WebChatSettings(token=TOKEN + "x"), talk.home)._access
    cookie = first.new_cookie()
    assert again.is_cookie(cookie)
    assert not other.is_cookie(cookie)
    head, _, signature = cookie.rpartition(".")
    assert not first.is_cookie(f"{head}9.{signature}")


def test_a_token_is_made_once_and_only_its_user_can_read_it(talk):
    first, again = (WebChat(WebChatSettings(), talk.home) for _ in range(2))
    assert first._token == again._token
    assert len(first._token) > 40
    assert (talk.home / "webchat-token").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"host": "0.0.0.0"}, "gateway.platforms.webchat.host"),
        ({"host": "10.0.0.1"}, "host"),
        ({"token": "short"}, "token"),
        ({"port": 70000}, "port"),
        ({"prot": 1}, "prot"),
        ({"host": "example.org"}, "listens on this machine only"),
        ({"origins": ["chat.example.org"]}, "an origin begins with https:// or http://"),
        ({"origins": ["ftp://chat.example.org"]}, "an origin begins with https:// or http://"),
        ({"origins": ["null"]}, "an origin begins with https:// or http://"),
        ({"origins": ["https://*.example.org"]}, "* stands for nothing"),
        ({"origins": ["*"]}, "* stands for nothing"),
        ({"origins": ["https://chat.example.org/"]}, "no slash, path or query"),
        ({"origins": ["https://chat.example.org/chat?x=1"]}, "no slash, path or query"),
        ({"origins": ["https://chat.example.org:"]}, "no slash, path or query"),
        ({"origins": ["https://"]}, "there is a host name"),
        ({"origins": ["https://a\tb"]}, "there is a host name"),
        ({"origins": ["https://["]}, "there is a host name"),
        ({"origins": ["https://ann@chat.example.org"]}, "there is a host name"),
        ({"origins": ["https://chat.example.org:99999"]}, "there is a host name"),
        ({"origins": ["https://b\u00fccher.example"]}, "xn--"),
        ({"origins": ["https://ok.example", "https://a b"]}, "gateway.platforms.webchat.origins"),
    ],
)
def test_settings_that_will_not_do_are_refused_without_their_values(talk, settings, text):
    with pytest.raises(ConfigError) as caught:
        BUILTIN_ADAPTERS["webchat"](settings, talk.home)
    assert text in str(caught.value)
    assert "short" not in str(caught.value).replace("too_short", "")


def test_a_program_with_the_token_may_leave_the_origin_out(site):
    async def ask(site):
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        async with site.client.ws_connect(f"{site.base}/ws", headers=bearer) as socket:
            assert (await document_of(socket, "ready"))["type"] == "ready"

    site(ask)


def test_a_proxy_that_is_named_may_stand_in_front(site):
    async def ask(site):
        through = {"Host": "chat.example.org", "Origin": "https://chat.example.org"}
        async with site.client.post(f"{site.base}/login", json={"token": TOKEN}, headers=through) as answer:
            assert answer.status == 200

    site(ask, origins=["https://Chat.example.org:443"])


@pytest.mark.parametrize(
    ("headers", "secure"),
    [
        ({"Origin": "https://chat.example.org", "Host": "chat.example.org"}, True),
        ({"Origin": "https://chat.example.org"}, True),  # the proxy names us by our own address
        ({"Host": "chat.example.org", "Authorization": f"Bearer {TOKEN}"}, True),
        ({"Origin": "http://lan.example:8080", "Host": "lan.example:8080"}, False),
        ({"Origin": "own"}, False),
        ({"Origin": "own", "X-Forwarded-Proto": "https"}, False),  # anybody can say that
    ],
)
def test_the_cookie_of_a_page_behind_tls_goes_by_tls_only(site, headers, secure):
    async def ask(site):
        given = {name: site.base if value == "own" else value for name, value in headers.items()}
        async with site.client.post(f"{site.base}/login", json={"token": TOKEN}, headers=given) as answer:
            assert answer.status == 200
            assert ("Secure" in answer.headers["Set-Cookie"]) is secure

    site(ask, origins=["https://chat.example.org", "http://lan.example:8080"])


BAD = {
    "bad_json": "{",
    "bad_json deep": "[" * 30_000,
    "unknown_type": json.dumps({"type": "shout"}),
    "unknown_type list": "[1]",
    "no_text": json.dumps({"type": "message", "id": "1", "text": " "}),
    "no_text number": json.dumps({"type": "message", "id": "1", "text": 7}),
    "no_id": json.dumps({"type": "message", "text": "hi"}),
    "no_id odd": json.dumps({"type": "message", "text": "hi", "id": "<x>"}),
    "bad_approval": json.dumps({"type": "approval", "choice": "once"}),
    "closed": json.dumps({"type": "approval", "choice": "once", "session_key": "x", "approval_id": "y"}),
    "too_long": json.dumps({"type": "message", "id": "1", "text": "x" * (LARGEST_MESSAGE + 1)}),
    "too_long of two bytes each": json.dumps({"type": "message", "id": "1", "text": "\u00fc" * 40_000}),
    "not_text": b"\x00\x01",
}


@pytest.mark.parametrize("name", BAD)
def test_a_malformed_message_is_answered_and_the_connection_goes_on(site, name):
    async def ask(site):
        async with site.socket() as socket:
            if isinstance(BAD[name], bytes):
                await socket.send_bytes(BAD[name])
            else:
                await socket.send_str(BAD[name])
            assert (await document_of(socket, "error"))["code"] == name.partition(" ")[0]
            await socket.send_json({"type": "message", "id": "m1", "text": "hi"})
            assert [entry["text"] for entry in await entries(socket, "agent")] == ["hello"]

    site(ask, [say("hello")])


def test_the_longest_message_is_taken_however_json_writes_it(site):
    text = "\u0001" * LARGEST_MESSAGE  # six bytes each in JSON

    async def ask(site):
        async with site.socket() as socket:
            await socket.send_json({"type": "message", "id": "m1", "text": text})
            assert (await document_of(socket, "received"))["id"] == "m1"
            assert [entry["text"] for entry in await entries(socket, "agent")] == ["hello"]

    site(ask, [say("hello")])


def test_a_frame_that_is_too_long_ends_the_connection_and_reaches_nobody(site):
    async def ask(site):
        async with site.socket() as socket:
            await socket.send_json({"type": "message", "id": "m1", "text": "x" * LARGEST_FRAME})
            async with asyncio.timeout(20):
                while (message := await socket.receive()).type is aiohttp.WSMsgType.TEXT:
                    pass
            assert (message.type, socket.close_code) == (aiohttp.WSMsgType.CLOSE, 1009)
        assert site.talk.runner.session_store.count() == 0

    site(ask)


def test_a_flood_is_slowed_down(site):
    async def ask(site):
        async with site.socket() as socket:
            for _ in range(40):
                await socket.send_str("{")
            codes = [(await document_of(socket, "error"))["code"] for _ in range(40)]
            assert codes == ["bad_json"] * 30 + ["too_fast"] * 10

    site(ask)


def test_a_message_that_comes_twice_counts_once(site):
    async def ask(site):
        async with site.socket() as socket:
            for _ in range(2):
                await socket.send_json({"type": "message", "id": "same", "text": "hi"})
                await document_of(socket, "received")
            await until(lambda: site.talk.runner.session_store.transcript(session_of(site)))
        users = [
            message
            for message in site.talk.runner.session_store.transcript(session_of(site))
            if message["role"] == "user"
        ]
        assert len(users) == 1

    def session_of(site):
        return site.talk.runner.session_store.find("webchat:dm:main").session_id

    site(ask, [say("hello")], [say("never")])


def test_every_page_of_a_chat_sees_everything_and_one_that_comes_back_what_it_missed(site):
    async def ask(site):
        async with site.socket() as one, site.socket() as two, site.socket("?chat=other") as elsewhere:
            await one.send_json({"type": "message", "id": "m1", "text": "hi"})
            for page in (one, two):
                assert (await entries(page, "user"))[0]["text"] == "hi"
                assert (await entries(page, "agent"))[0]["text"] == "hello"
            async with site.socket("?after=1") as back:
                assert (await document_of(back, "entry"))["entry"]["kind"] == "agent"
            await document_of(elsewhere, "ready")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await elsewhere.receive()

    site(ask, [say("hello")])


def test_what_another_process_left_open_is_closed_and_a_page_that_comes_back_learns_it(talk):
    log = WebChatLog(talk.home)
    log.add("main", {"kind": "approval", "text": "?", "choice": None})
    seen = log.add("main", {"kind": "tool", "text": "", "status": "running"})
    log.close()
    log = WebChatLog(talk.home)
    approval, tool = log.since("main", seen.revision)
    log.close()
    assert (approval.entry["choice"], tool.entry["status"]) == ("closed", "cancelled")
    assert (approval.number, tool.number) == (1, 2)


def test_a_log_of_the_first_form_is_read_on(talk):
    connection = sqlite3.connect(talk.home / "webchat.db")
    connection.executescript(
        "CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, entry TEXT NOT NULL);"
        "CREATE TABLE received (chat TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (chat, id)) WITHOUT ROWID;"
    )
    for text in ("one", "two"):
        entry = json.dumps({"kind": "notice", "text": text})
        connection.execute("INSERT INTO entries (chat, entry) VALUES ('main', ?)", (entry,))
    connection.commit()
    connection.close()
    for _ in range(2):
        log = WebChatLog(talk.home)
        assert [found.entry["text"] for found in log.since("main", 1)][:1] == ["two"]
        log.close()
    log = WebChatLog(talk.home)
    assert log.add("main", {"kind": "notice", "text": "three"}).revision == 3
    log.close()


def test_a_revision_is_never_given_out_twice_though_its_entry_is_forgotten(talk, monkeypatch):
    monkeypatch.setattr("hermes_sdk.host.gateway.adapters.webchat_log.KEPT", 1)
    log = WebChatLog(talk.home)
    first = log.add("main", {"kind": "tool", "text": ""})
    log.add("main", {"kind": "notice", "text": "kept"})
    changed = log.change(first.number, {"kind": "tool", "text": "gone"})
    log.close()
    log = WebChatLog(talk.home)
    assert log.add("main", {"kind": "notice", "text": "next"}).revision > changed.revision
    log.close()


def test_a_page_that_comes_back_learns_how_a_question_and_its_tool_call_ended(site):
    async def ask(site):
        async with site.socket() as one:
            await one.send_json({"type": "message", "id": "m1", "text": "tidy up"})
            (asked,) = await entries(one, "approval")
            revision = site.chat._log.since("main")[-1].revision
        async with site.socket() as two:
            answer = {name: asked[name] for name in ("session_key", "approval_id")}
            await two.send_json({"type": "approval", "choice": "once", **answer})
            await entries(two, "agent")
        async with site.socket(f"?after={revision}") as back:
            assert (await entries(back, "approval"))[0]["choice"] == "once"
            assert (await entries(back, "tool"))[0]["status"] == "ok"

    site(ask, [call("rm -rf ./leftovers"), say("tidied")])


def test_a_page_that_joins_is_told_that_the_agent_works(site):
    async def ask(site):
        async with site.socket() as one:
            await one.send_json({"type": "message", "id": "m1", "text": "tidy up"})
            await entries(one, "approval")
        async with site.socket() as back:
            assert (await document_of(back, "typing"))["active"] is True

    site(ask, [call("rm -rf ./leftovers"), say("tidied")])


def test_a_page_cannot_answer_what_another_chat_is_asked(site):
    async def ask(site):
        async with site.socket() as asked, site.socket("?chat=other") as other:
            await asked.send_json({"type": "message", "id": "m1", "text": "tidy up"})
            (question,) = await entries(asked, "approval")
            answer = {"type": "approval", "choice": "once", "approval_id": question["approval_id"]}
            for key in (question["session_key"], "webchat:dm:other"):
                await other.send_json({**answer, "session_key": key})
                said = await document_of(other, "error")
                assert (said["code"], said["approval_id"]) == ("closed", question["approval_id"])
            assert site.talk.runner._chats[question["session_key"]].approval_choices
            # nor one that another platform asks, whatever name the page gives it
            await asked.send_json({**answer, "session_key": "desk:dm:c1"})
            assert (await document_of(asked, "error"))["code"] == "closed"
            await asked.send_json({**answer, "choice": "deny", "session_key": question["session_key"]})
            assert (await entries(asked, "approval"))[0]["choice"] == "deny"

    site(ask, [call("rm -rf ./leftovers"), say("left them")])


def test_a_message_is_acknowledged_when_it_is_stored(site):
    site_plugin = (
        "import asyncio, os\n"
        "async def f(event, **kw):\n"
        "    while event.text == 'slow' and not os.path.exists(os.environ['HERMES_HOME'] + '/go'):\n"
        "        await asyncio.sleep(0.01)\n"
        "def register(ctx):\n    ctx.register_hook('pre_gateway_dispatch', f)\n"
    )

    async def ask(site):
        store = site.talk.runner.session_store
        async with site.socket() as one:
            await one.send_json({"type": "message", "id": "m1", "text": "slow"})
            await entries(one, "user")
            assert not site.chat._log.is_taken("main", "m1")
            async with site.socket() as two:  # the page came back, and sends it again
                await two.send_json({"type": "message", "id": "m1", "text": "slow"})
                (site.talk.home / "go").touch()
                for page in (one, two):
                    assert (await document_of(page, "received"))["id"] == "m1"
                assert site.chat._log.is_taken("main", "m1")
                await entries(two, "agent")
        session = store.find("webchat:dm:main")
        assert [each["content"] for each in store.transcript(session.session_id)] == ["slow", "hello"]

    site.talk.plugin(site_plugin)
    site(ask, [say("hello")], [say("never")])


def test_a_message_that_is_not_taken_says_so_and_may_come_again(site):
    async def ask(site):
        store = site.talk.runner.session_store
        accept = store.accept

        def full(*_):
            raise OSError("the disk is full")

        store.accept = full
        async with site.socket() as page:
            await page.send_json({"type": "message", "id": "m1", "text": "hi"})
            said = await document_of(page, "error")
            assert (said["code"], said["id"]) == ("not_taken", "m1")
            assert said["text"] == "this message could not be taken: OSError; write again later"
            store.accept = accept
            await page.send_json({"type": "message", "id": "m1", "text": "hi"})
            assert (await entries(page, "agent"))[0]["text"] == "hello"
        users = [found.entry for found in site.chat._log.since("main") if found.entry["kind"] == "user"]
        assert [user.get("refused", "") for user in users] == [said["text"], ""]

    site(ask, [say("hello")])


def test_a_message_that_cannot_be_shown_says_so(site):
    async def ask(site):
        is_new = site.chat._log.is_new

        def full(*_):
            raise sqlite3.OperationalError("database or disk is full")

        site.chat._log.is_new = full
        async with site.socket() as page:
            await page.send_json({"type": "message", "id": "m1", "text": "hi"})
            said = await document_of(page, "error")
            assert (said["code"], said["id"]) == ("not_taken", "m1")
            site.chat._log.is_new = is_new
            await page.send_json({"type": "message", "id": "m1", "text": "hi"})
            assert (await entries(page, "agent"))[0]["text"] == "hello"

    site(ask, [say("hello")])


def test_a_page_that_goes_while_it_is_told_everything_is_no_failure(site, caplog):
    async def ask(site):
        for number in range(400):
            site.chat._log.add("main", {"kind": "notice", "text": "x" * 20_000, "number": number})
        socket = await site.socket().__aenter__()
        socket._response.connection.transport.abort()
        await until(lambda: not site.chat._listener._runner.server.connections)
        assert "Traceback" not in caplog.text

    site(ask)
