"""What is fired: the recorded payloads of the corpus, and the samples of the contract as the real host sends them."""

import copy
import sys
from enum import Enum
from pathlib import Path
from types import SimpleNamespace

from cases import Firing
from plugin_source import MIDDLEWARE

from hermes_hookspecs.contract import HOOKS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data" / "corpus"))

from payloads import build, payloads

SHAPED_OTHERWISE = ("api_request_error", "subagent_start")
"""Recorded payloads that do not have the host's shape, so they say nothing about what it sends."""


def recorded(hook, label, overrides=None):
    """Return a firing of a recorded payload."""
    payload = build(hook, label, overrides or {})
    return Firing(f"{hook}/{label}{'+' if overrides else ''}", hook, payload)


def all_recorded(hook):
    """Return a firing of each recorded payload of a hook."""
    return [recorded(hook, label) for label, _ in payloads()[hook]]


def sample(hook):
    """Return a firing of the contract's sample, without the arguments that hermes-agent does not send."""
    # each argument by itself, so that a change in place shows in the one that a callback changed
    payload = {name: copy.deepcopy(value) for name, value in HOOKS[hook].sample().items()}
    if hook not in SHAPED_OTHERWISE:
        sent = payloads()[hook][0][1]
        payload = {name: value for name, value in payload.items() if name in sent}
    if hook == "pre_gateway_dispatch":  # the sample is made of classes and functions, which cannot travel
        payload = {"event": _of_namespaces(payload["event"]), "gateway": SimpleNamespace(), "session_store": None}
    return Firing(f"{hook}/sample", hook, payload)


def _of_namespaces(value):
    if isinstance(value, Enum):
        return SimpleNamespace(value=value.value)
    if isinstance(value, SimpleNamespace):
        return SimpleNamespace(**{name: _of_namespaces(item) for name, item in vars(value).items()})
    return value


def all_of(hook):
    """Return every firing of a hook or of middleware that there is."""
    if hook in MIDDLEWARE:
        return [Firing(f"{hook}/{label}", hook, payload) for label, payload in _of_middleware(hook).items()]
    return [*all_recorded(hook), sample(hook)]


def _of_middleware(kind):
    """Return payloads as hermes-agent hands them to middleware, one that succeeds and one whose execution fails."""
    if kind.startswith("tool"):
        call = build("pre_tool_call", "write", {})
        del call["middleware_trace"]
        return {"write": call, "fail": {**call, "args": {"fail": True}}}
    request = build("pre_api_request", "t", {})
    asked = {name: request[name] for name in ("task_id", "session_id", "model", "provider", "api_call_count")}
    return {"t": {**asked, "request": request["request"]["body"]}, "fail": {**asked, "request": {"fail": True}}}
