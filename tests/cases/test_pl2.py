"""PL2: a background child inherits standard output; the host waits for it, times out, and drops the verdict.

The answer counts when the script itself has exited; what it left running is left alone.
"""

import contextlib
import os
import signal

import pytest

CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
BLOCK = """echo '{"action":"block","message":"no"}'\n"""


@pytest.fixture
def left_running(tmp_path):
    """The file in which a script writes the process that it leaves behind; that is killed after the test."""
    file = tmp_path / "left"
    yield file
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(file.read_text()), signal.SIGKILL)


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("fail_closed", [False, True])
def test_pl2_a_child_that_holds_the_streams_neither_delays_nor_loses_the_answer(
    shell_home, left_running, fail_closed, noisy
):
    child = "yes" if noisy else "sleep 600"
    order = f"{child} &\necho $! > {left_running}\n"
    text = BLOCK + order if noisy else order + BLOCK
    script = shell_home.script("bg.sh", f"cat >/dev/null\n{text}exit 0\n")
    manager = shell_home.started({"pre_tool_call": [{"command": script, "timeout": 60, "fail_closed": fail_closed}]})
    assert manager.hook.pre_tool_call(**CALL)[:2] == ("block", "no")
    if not noisy:  # the noisy one ends by itself, since nobody reads any more
        os.kill(int(left_running.read_text()), 0)
