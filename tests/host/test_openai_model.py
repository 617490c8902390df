"""OpenAIModel against a real HTTP server on loopback."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hermes_sdk.errors import SessionError
from hermes_sdk.host.api import RetrySettings
from hermes_sdk.host.models import ModelError, OpenAIModel
from hermes_sdk.host.settings import HostSettings

PATIENT = HostSettings(retry=RetrySettings(max_retries=3, first_delay=0.0))


def completion(content=None, *calls):
    message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
            for number, (name, args) in enumerate(calls)
        ]
    return 200, {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def failure(status):
    return status, {"error": {"message": f"failed with {status}", "type": "test"}}


class Endpoint:
    """A chat completions endpoint that gives the answers it was told to, and keeps the requests."""

    def __init__(self):
        self.answers = []
        self.requests = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.requests.append((self.path, self.headers["Authorization"], json.loads(body)))
                status, answer = endpoint.answers.pop(0)
                sent = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@pytest.fixture
def endpoint():
    endpoint = Endpoint()
    thread = threading.Thread(target=endpoint.server.serve_forever)
    thread.start()
    yield endpoint
    endpoint.server.shutdown()
    endpoint.server.server_close()
    thread.join()


@pytest.fixture
def model(endpoint):
    model = OpenAIModel("asked-model", base_url=endpoint.url, api_key="test-key")
    yield model
    model.close()


def test_a_turn_with_a_tool_call_runs_against_the_endpoint(start, ledger, endpoint, model):
    endpoint.answers = [completion(None, ("terminal", {"command": "echo real"})), completion("all done")]
    agent = start(model=model)
    result = agent.run_turn("do it")
    assert (result.answer, result.api_calls, result.tool_calls) == ("all done", 2, 1)
    (path, key, first), (_, _, second) = endpoint.requests
    assert (path, key, first["model"]) == ("/v1/chat/completions", "Bearer test-key", "asked-model")
    assert "terminal" in [tool["function"]["name"] for tool in first["tools"]]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "tool"]
    assert second["messages"][2]["tool_calls"][0]["id"] == second["messages"][3]["tool_call_id"] == "call_0"
    assert json.loads(second["messages"][3]["content"])["output"] == "real\n"
    after = ledger.payloads("post_api_request")[0]
    assert (after["response_model"], after["usage"]["total_tokens"], after["provider"]) == (
        "served-model",
        18,
        "openai",
    )
    assert after["base_url"].startswith(endpoint.url)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again_and_each_attempt_is_told(start, ledger, endpoint, model, status):
    endpoint.answers = [failure(status), failure(status), completion("at last")]
    assert start(model=model, settings=PATIENT).run_turn("hello").answer == "at last"
    errors = ledger.payloads("api_request_error")
    assert [(row["status_code"], row["retry_count"], row["retryable"]) for row in errors] == [
        (status, 0, True),
        (status, 1, True),
    ]
    assert len(endpoint.requests) == 3


def test_a_refused_request_ends_the_turn_at_once(start, endpoint, model):
    endpoint.answers = [failure(401)]
    result = start(model=model, settings=PATIENT).run_turn("hello")
    assert (result.error.status_code, result.error.retryable) == (401, False)
    assert len(endpoint.requests) == 1


def test_an_endpoint_that_is_not_there_is_named():
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.server_close()
    model = OpenAIModel("m", base_url=url, api_key="k")
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        model.complete({"model": "m", "messages": [{"role": "user", "content": "x"}]})
    model.close()
    assert caught.value.retryable
    assert url in str(caught.value)


def test_a_request_that_the_client_does_not_know_is_an_error(model):
    with pytest.raises(ModelError, match="refused by the client"):
        model.complete({"model": "m", "messages": [], "no_such_option": 1})


def test_without_a_key_the_error_says_what_to_set(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_ADMIN_KEY", raising=False)
    with pytest.raises(SessionError, match="set OPENAI_API_KEY"):
        OpenAIModel("m")


def test_without_the_package_the_error_names_the_extra():
    program = """
import sys
sys.modules["openai"] = None
from hermes_sdk.host.models import OpenAIModel
try:
    OpenAIModel("m")
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("SessionError [HS412]")
    assert "pip install 'hermes-sdk[llm]'" in done.stdout


def test_the_package_is_not_imported_before_it_is_needed():
    program = "import sys, hermes_sdk.host.models; print('openai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_one_model_serves_children_and_plugins(model):
    assert model.for_child("any goal") is model
    assert model.for_plugins() is model
