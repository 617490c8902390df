"""An OpenAI-compatible model on loopback that answers as it is told and keeps what it was asked.

    with ModelServer([text("hello"), call("terminal", command="ls"), failure(500)]) as server:
        ...  # server.url, server.requests

Each request takes the next answer. Standard library only: it runs in hermes-agent's environment too.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MODEL: Final = "test-model"


def text(content: str) -> dict[str, Any]:
    """Return the answer that ends a turn."""
    return {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Return an answer that asks for one tool call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": f"call_{name}", "type": "function", "index": 0, "function": function}]
    return {"message": {"role": "assistant", "content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}


def failure(status: int) -> dict[str, Any]:
    """Return an answer that is an HTTP error."""
    return {"status": status}


class ModelServer:
    """Serves while its block runs."""

    def __init__(self, answers: Iterable[dict[str, Any]]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._answers = iter(answers)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="model-server", daemon=True)

    @property
    def url(self) -> str:
        """The base URL that a client is given."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer_to(self, request: dict[str, Any]) -> dict[str, Any]:
        """Keep a request and return its answer; whoever asks more often than planned gets a plain text."""
        with self._lock:
            self.requests.append(request)
            return next(self._answers, text("nothing is left to say"))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if not self.path.endswith("/chat/completions"):  # a probe for another kind of server
                    self.respond(404, "application/json", "{}")
                    return
                answer = server.answer_to(request)
                if "status" in answer:
                    error = {"message": "the model is ill", "type": "server_error"}
                    self.respond(answer["status"], "application/json", json.dumps({"error": error}))
                elif request.get("stream"):
                    self.respond(200, "text/event-stream", "".join(_streamed(answer)))
                else:
                    self.respond(200, "application/json", json.dumps(_completion(answer)))

            def do_GET(self) -> None:
                models = {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
                self.respond(200, "application/json", json.dumps(models))

            def respond(self, status: int, kind: str, body: str) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                """Say nothing on stderr."""

        return Handler


_USAGE: Final = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
_ABOUT: Final = {"id": "chatcmpl-1", "created": 1, "model": MODEL}


def _completion(answer: dict[str, Any]) -> dict[str, Any]:
    return {**_ABOUT, "object": "chat.completion", "choices": [{"index": 0, **answer}], "usage": _USAGE}


def _streamed(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the events of a streamed answer."""
    chunk = {**_ABOUT, "object": "chat.completion.chunk"}
    said = {"index": 0, "delta": answer["message"], "finish_reason": None}
    ended = {"index": 0, "delta": {}, "finish_reason": answer["finish_reason"]}
    for piece in ({"choices": [said]}, {"choices": [ended]}, {"choices": [], "usage": _USAGE}):
        yield f"data: {json.dumps(chunk | piece)}\n\n"
    yield "data: [DONE]\n\n"
