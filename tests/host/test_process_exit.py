"""What is still said when the process ends while a turn runs."""

import json
import subprocess
import sys
import textwrap

PROGRAM = """
import json, sys, threading
from pathlib import Path
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.host import Agent
from hermes_sdk.host.models import ScriptedModel
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptStep
from hermes_sdk.plugins.manager import PluginManager

manager = PluginManager(Path(sys.argv[1]), config={}, entry_points=False)
holder = PluginHolder("teller")
for hook in ("on_session_end", "on_session_finalize"):
    def tell(hook=hook, completed=None, interrupted=None, reason=None, **_):
        print(json.dumps([hook, completed, interrupted, reason]), flush=True)
    holder.add_callback(hook, tell)
manager.register(holder, "teller")
going = threading.Event()
class Slow(ScriptedModel):
    def complete(self, request):
        going.set()
        threading.Event().wait(60)
"""


def run(body, home):
    program = PROGRAM + textwrap.dedent(body)
    command = [sys.executable, "-c", program, home]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_turn_that_the_exit_cuts_off_has_its_end(home):  # seed H6.2
    body = """
        agent = Agent(manager, Slow())
        threading.Thread(target=agent.run_turn, args=("hello",), daemon=True).start()
        going.wait()
    """
    assert run(body, home) == [
        ["on_session_end", False, True, "exit"],
        ["on_session_finalize", None, None, "exit"],
    ]


def test_a_turn_that_goes_on_after_the_exit_began_ends_once(home):
    body = """
        held = threading.Event()
        class Held(ScriptedModel):
            def complete(self, request):
                going.set()
                held.wait()
                return super().complete(request)

        agent = Agent(manager, Held([ScriptStep(say="hi")]))
        turn = threading.Thread(target=agent.run_turn, args=("hello",))
        turn.start()
        going.wait()
        agent.end_at_exit()
        held.set()
        turn.join()
    """
    assert run(body, home) == [
        ["on_session_end", False, True, "exit"],
        ["on_session_finalize", None, None, "exit"],
    ]


def test_an_idle_agent_is_only_finalized_and_a_closed_one_is_left_alone(home):  # seed H7.1
    body = """
        agent = Agent(manager, ScriptedModel([ScriptStep(say="hi")]))
        agent.run_turn("hello")
        closed = Agent(manager, ScriptedModel([ScriptStep(say="hi")]))
        closed.run_turn("hello")
        closed.close("done")
        never_used = Agent(manager, ScriptedModel())
    """
    rows = run(body, home)
    assert rows == [
        ["on_session_end", True, False, None],
        ["on_session_end", True, False, None],
        ["on_session_finalize", None, None, "done"],
        ["on_session_finalize", None, None, "exit"],
    ]
