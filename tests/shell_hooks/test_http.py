"""`type: http` entries and outbound deliveries, against a real server (semantics 8; extra `[http]`)."""

import hashlib
import hmac
import json
import sys
import threading
import uuid
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hermes_hookspecs import HOOKS
from hermes_sdk.shell_hooks import background, outbound
from hermes_sdk.shell_hooks.http import post
from hermes_sdk.shell_hooks.outbound import SIGNATURE_HEADER, signature
from hermes_sdk.shell_hooks.process import STDOUT_LIMIT
from hermes_sdk.shell_hooks.stop import Stop

CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
KEY = "a secret key"


class Server:
    """Answers each request by its path, and keeps what it got."""

    def __init__(self):
        self.requests = []
        self.failures = 0
        """Requests to /flaky that are still to fail."""
        self.release = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                owner.requests.append((self.path, dict(self.headers), body))
                owner.answer(self)

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever)
        self.thread.start()

    def url(self, path):
        return f"http://127.0.0.1:{self.http.server_port}{path}"

    def answer(self, handler):
        status, body, headers = 200, b"{}", {}
        match handler.path:
            case "/block":
                body = b'{"action": "block", "message": "za\xc5\xbc\xc3\xb3\xc5\x82\xc4\x87"}'
            case "/empty":
                body = b""
            case "/text":
                body = b"fine"
            case "/error":
                status, body = 500, b'{"action": "block", "message": "broken, and no"}'
            case "/redirect":
                status, headers = 307, {"Location": self.url("/block")}
            case "/hang":
                self.release.wait(60)
            case "/large":
                body = b"x" * (STDOUT_LIMIT + 1)
            case "/flaky" if self.failures:
                self.failures -= 1
                status = 503
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def close(self):
        self.release.set()
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


def judged(shell_home, server, path, **entry):
    entry = {"type": "http", "url": server.url(path), **entry}
    return shell_home.started({"pre_tool_call": [entry]}).hook.pre_tool_call(**CALL)


def test_the_same_json_is_posted_and_the_answer_counts(shell_home, server):
    decision = judged(shell_home, server, "/block", headers={"X-Token": "t"})
    assert decision[:2] == ("block", "zażółć")
    ((path, headers, body),) = server.requests
    payload = json.loads(body)
    assert path == "/block"
    assert headers["X-Token"] == "t"
    assert headers["content-type"] == "application/json"
    assert (payload["hook_event_name"], payload["tool_input"]) == ("pre_tool_call", {"command": "ls"})


@pytest.mark.parametrize("path", ["/", "/empty"])
def test_an_empty_answer_is_no_opinion(shell_home, server, path):
    assert judged(shell_home, server, path, fail_closed=True).action == "run"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/error", "it answered with status 500"),
        ("/redirect", "it answered with status 307"),
        ("/text", "its output is no JSON object: fine"),
        ("/hang", "it did not answer within 0.3 s"),
        ("/large", f"it answered with more than {STDOUT_LIMIT} bytes"),
    ],
)
def test_any_other_answer_is_a_failure(shell_home, server, path, why):
    decision = judged(shell_home, server, path, fail_closed=True, timeout=5 if path == "/large" else 0.3)
    assert decision.blocked
    assert why in decision.message
    assert server.url(path) in decision.message
    assert len(server.requests) == 1  # a redirect is not followed


def test_an_answer_beside_a_failure_counts(shell_home, server):
    assert judged(shell_home, server, "/error")[:2] == ("block", "broken, and no")


def test_a_server_that_is_not_there_is_a_failure(shell_home, server):
    server.close()
    assert "it cannot be reached" in judged(shell_home, server, "/", fail_closed=True).message


def test_an_interrupt_ends_the_waiting(server):
    stop = Stop()
    threading.Timer(0.1, stop.ask).start()
    assert post(server.url("/hang"), b"{}", {}, 60, stop).failure == "interrupted"


def test_without_httpx_it_says_what_to_install(server, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    assert "pip install 'hermes-sdk[http]'" in post(server.url("/"), b"{}", {}, 5, Stop()).failure


# -- outbound ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def sending(shell_home, server, monkeypatch):
    """Return a function that starts a manager which sends events to a path of the server."""
    monkeypatch.setattr(outbound, "RETRY_AFTER", 0.01)
    monkeypatch.setenv("AUDIT_KEY", KEY)

    def sending(path="/", *, events=("post_tool_call",), **target):
        target = {"url": server.url(path), "events": list(events), "secret_env": "AUDIT_KEY", **target}
        shell_home.hooks({"outbound": [target]})
        return shell_home.start()

    return sending


def fire(manager, event="post_tool_call", **values):
    return getattr(manager.hook, event)(**HOOKS[event].sample(**values))


def test_a_delivery_is_signed_as_a_whole(sending, server):
    manager, _ = sending()
    fire(manager, args={"command": "ls"})
    manager.shutdown()
    ((_, headers, body),) = server.requests
    expected = hmac.new(KEY.encode(), body, hashlib.sha256).hexdigest()
    assert headers[SIGNATURE_HEADER] == f"sha256={expected}" == signature(KEY.encode(), body)
    delivery = json.loads(body)
    assert list(delivery) == ["delivery_id", "timestamp", "payload"]
    assert uuid.UUID(delivery["delivery_id"]).version == 4
    assert abs(datetime.fromisoformat(delivery["timestamp"]) - datetime.now(UTC)) < timedelta(minutes=1)
    assert delivery["payload"]["hook_event_name"] == "post_tool_call"
    assert delivery["payload"]["tool_input"] == {"command": "ls"}


def test_the_key_may_stand_in_the_homes_env_file(sending, shell_home, server, monkeypatch):
    monkeypatch.delenv("AUDIT_KEY")
    (shell_home.path / ".env").write_text(f"AUDIT_KEY='{KEY}'\n")
    manager, _ = sending()
    fire(manager)
    manager.shutdown()
    ((_, headers, body),) = server.requests
    assert headers[SIGNATURE_HEADER] == signature(KEY.encode(), body)


def test_without_its_key_a_target_is_not_registered(sending, monkeypatch, caplog):
    monkeypatch.delenv("AUDIT_KEY")
    manager, in_force = sending()
    assert not manager.has_hook("post_tool_call")
    assert "AUDIT_KEY" in caplog.text
    assert len(in_force.not_in_order()) == 1


def test_an_unapproved_target_is_not_registered(sending, shell_home):
    sending()
    (shell_home.path / "shell-hooks-allowlist.json").unlink()
    manager, in_force = shell_home.start(accept=False)
    assert not manager.has_hook("post_tool_call")
    assert [target.event for target in in_force.unapproved] == ["outbound"]


@pytest.mark.parametrize(("failures", "requests", "lost"), [(1, 2, 0), (2, 2, 1)])
def test_a_failed_delivery_is_tried_once_more_with_the_same_body(sending, server, caplog, failures, requests, lost):
    server.failures = failures
    manager, in_force = sending("/flaky")
    fire(manager)
    manager.shutdown()
    assert len(server.requests) == requests
    assert len({body for _, _, body in server.requests}) == 1
    assert in_force.outbound.lost == lost
    assert ("a delivery is lost" in caplog.text) == bool(lost)


def test_a_redirect_is_not_followed(sending, server):
    manager, in_force = sending("/redirect")
    fire(manager)
    manager.shutdown()
    assert {path for path, _, _ in server.requests} == {"/redirect"}
    assert in_force.outbound.lost == 1


def test_the_agent_does_not_wait_and_the_queue_is_bounded(sending, server, monkeypatch):
    monkeypatch.setattr(background, "LIMIT", 2)
    manager, in_force = sending("/hang", timeout=30)
    fire(manager)
    while not server.requests:
        server.release.wait(0.01)
    for _ in range(4):
        fire(manager)
    assert in_force.outbound.dropped == 2
    server.release.set()
    manager.shutdown()
    assert len(server.requests) == 3


def test_what_is_sent_changes_nothing(sending, server):
    manager, _ = sending("/block", events=["pre_tool_call", "transform_tool_result"])
    assert manager.hook.pre_tool_call(**CALL).action == "run"
    assert fire(manager, "transform_tool_result", result="r").value == "r"
    manager.shutdown()
    sent = [json.loads(body)["payload"]["hook_event_name"] for _, _, body in server.requests]
    assert sent == ["pre_tool_call", "transform_tool_result"]
