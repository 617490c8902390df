"""The page's examples for the session hooks and for subagent_stop."""

import logging
from datetime import datetime

import pytest

from hermes_hookspecs.contract import HOOKS


def fire(manager, hook, **overrides):
    return getattr(manager.hook, hook)(**HOOKS[hook].sample(**overrides))


def test_p3_one_register_wires_six_hooks(load):
    """Seed P2, P3 and P4: each callback is called at its event, with keyword arguments."""
    manager, module = load("p3")
    expected = {
        "pre_tool_call": "my_tool_observer",
        "post_tool_call": "my_tool_logger",
        "pre_llm_call": "my_memory_callback",
        "post_llm_call": "my_sync_callback",
        "on_session_start": "my_init_callback",
        "on_session_end": "my_cleanup_callback",
    }
    for hook, callback in expected.items():
        fire(manager, hook)
        assert module.calls.pop(callback) == 1
        assert not module.calls


def test_x25_a_new_session_gets_a_cache(load):
    """Seed X25: one entry a session, with an ISO time."""
    manager, module = load("x25")
    fire(manager, "on_session_start", session_id="s-1", model="m", platform="cli")
    cache = module._session_caches["s-1"]
    assert datetime.fromisoformat(cache.pop("started"))
    assert cache == {"model": "m", "platform": "cli", "tool_calls": 0}


@pytest.mark.parametrize(
    ("completed", "interrupted", "status"),
    [(True, False, "completed"), (False, True, "interrupted"), (False, False, "failed")],
)
def test_x26_the_end_of_a_session_is_printed(load, capsys, completed, interrupted, status):
    """Seed X26, H6.4: status and tool calls of a known session; an unknown one prints nothing."""
    manager, module = load("x26")
    module._session_caches["s-1"] = {"tool_calls": 3}
    for _ in range(2):
        fire(manager, "on_session_end", session_id="s-1", completed=completed, interrupted=interrupted)
    assert capsys.readouterr().out == f"Session s-1 ended: {status}, 3 tool calls\n"
    assert module._session_caches == {}


def test_x27_the_duration_is_logged_once_at_the_first_end(load, caplog):
    """Seed X27, H6.1: on_session_end fires every turn, so the second end finds no start."""
    manager, module = load("x27")
    with caplog.at_level(logging.INFO, logger=module.__name__):
        fire(manager, "on_session_start", session_id="s-1")
        for _ in range(2):
            fire(manager, "on_session_end", session_id="s-1", completed=True, interrupted=False)
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("SESSION_DURATION session=s-1 seconds=0.")
    assert caplog.messages[0].endswith(" completed=True interrupted=False")


def test_x28_every_child_is_logged(load, caplog):
    """Seed X28, H9.3: role may be None."""
    manager, module = load("x28")
    with caplog.at_level(logging.INFO, logger=module.__name__):
        for role, status in [("researcher", "completed"), (None, "failed")]:
            fire(
                manager,
                "subagent_stop",
                parent_session_id="p",
                child_role=role,
                child_status=status,
                duration_ms=12,
            )
    assert caplog.messages == [
        "SUBAGENT parent=p role=researcher status=completed duration_ms=12",
        "SUBAGENT parent=p role=None status=failed duration_ms=12",
    ]
