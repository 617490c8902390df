"""PL4: a general deadline for callbacks abandons a shell hook that asked for more time.

`plugins.hook_callback_timeout` is for Python callbacks; an entry has its own timeout and no other.
"""

import asyncio

import pytest


@pytest.mark.parametrize("way", ["hook", "ahook"])
def test_pl4_the_entrys_own_timeout_rules(shell_home, way):
    script = shell_home.script("s.sh", """cat >/dev/null; sleep 0.5\necho '{"action":"block","message":"no"}'\n""")
    manager = shell_home.started(
        {"pre_tool_call": [{"command": script, "timeout": 30}]}, plugins={"hook_callback_timeout": 0.1}
    )
    payload = {"tool_name": "terminal", "args": {}}
    if way == "hook":
        decision = manager.hook.pre_tool_call(**payload)
    else:
        decision = asyncio.run(manager.ahook.pre_tool_call(**payload))
    assert decision[:2] == ("block", "no")
    assert manager.failures == {}
