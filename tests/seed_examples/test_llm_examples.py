"""The page's examples for pre_llm_call and post_llm_call, with a memory service on loopback."""

import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hermes_hookspecs.contract import HOOKS

POLICY = "Never execute commands that delete files without explicit user confirmation."


class MemoryService:
    """Answers `/recall` with `results` and remembers what it is sent."""

    def __init__(self):
        self.results = []
        self.broken = False
        self.requests = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.requests.append((self.path, body))
                answer = b"<html>" if service.broken else json.dumps({"results": service.results}).encode()
                self.send_response(500 if service.broken else 200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def memory():
    service = MemoryService()
    thread = threading.Thread(target=service.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield service
    service.server.shutdown()
    service.server.server_close()
    thread.join()


def ask(manager, **overrides):
    return manager.hook.pre_llm_call(**HOOKS["pre_llm_call"].sample(**overrides))


def answered(manager, **overrides):
    return manager.hook.post_llm_call(**HOOKS["post_llm_call"].sample(**overrides))


def test_x20_a_dict_and_a_text_inject_the_same_and_none_injects_nothing(load):
    """Seed X20, H3.5 and H3.8: both forms are equal; pieces are joined with one blank line."""
    manager, _ = load("x20")
    outcome = ask(manager)
    assert outcome.text == (
        "Recalled memories:\n- User likes Python\n- Working on hermes-agent\n\nRecalled memories:\n- User likes Python"
    )
    assert [step.what for step in outcome.steps] == ["context", "context"]


def test_x21_memories_of_a_service_become_context(load, memory):
    """Seed X21 and H3.9: one POST with session and question, one line a memory."""
    manager, _ = load("x21", MEMORY_API=memory.url)
    memory.results = [{"text": "likes tea"}, {"text": "works at night"}]
    outcome = ask(manager, session_id="s-1", user_message="what do I drink?")
    assert outcome.text == "Recalled context:\n- likes tea\n- works at night"
    assert memory.requests == [("/recall", {"session_id": "s-1", "query": "what do I drink?"})]


def test_x21_without_memories_or_without_the_service_nothing_is_added(load, memory):
    """Seed X21: no results and any exception mean no context, and no failure of the plugin."""
    manager, _ = load("x21", MEMORY_API=memory.url)
    assert ask(manager).text is None
    memory.broken = True
    assert ask(manager).text is None
    absent, _ = load("x21", MEMORY_API="http://127.0.0.1:9")
    assert ask(absent).text is None
    assert manager.failures == absent.failures == {}


def test_x22_the_policy_is_added_to_every_question(load):
    """Seed X22."""
    manager, _ = load("x22")
    assert [ask(manager, is_first_turn=first).text for first in (True, False)] == [POLICY, POLICY]


def test_x23_a_finished_turn_is_sent_to_the_service(load, memory):
    """Seed X23: one POST with the three texts."""
    manager, _ = load("x23", MEMORY_API=memory.url)
    answered(manager, session_id="s-1", user_message="hi", assistant_response="hello")
    assert memory.requests == [("/store", {"session_id": "s-1", "user": "hi", "assistant": "hello"})]


def test_x23_a_service_that_fails_is_nobodys_problem(load, memory):
    """Seed X23: a failing POST is swallowed by the plugin itself."""
    memory.broken = True
    manager, _ = load("x23", MEMORY_API=memory.url)
    answered(manager)
    absent, _ = load("x23", MEMORY_API="http://127.0.0.1:9")
    answered(absent)
    assert manager.failures == absent.failures == {}


@pytest.mark.parametrize(("response", "length"), [("four", 4), ("", 0), (None, 0)])
def test_x24_the_length_of_an_answer_is_logged(load, caplog, response, length):
    """Seed X24: None counts 0."""
    manager, module = load("x24")
    with caplog.at_level(logging.INFO, logger=module.__name__):
        answered(manager, session_id="s-1", model="m", assistant_response=response)
    assert caplog.messages == [f"RESPONSE session=s-1 model=m chars={length}"]
