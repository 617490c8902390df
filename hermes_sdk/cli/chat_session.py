"""What one sitting of `hermes-sdk chat` is made of: plugins, a model, an approver, and the loop."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text

from hermes_sdk.cli.approver import TerminalApprover
from hermes_sdk.cli.capture import StdoutCapture
from hermes_sdk.cli.chat_loop import ChatLoop
from hermes_sdk.cli.problems import EXIT_OK
from hermes_sdk.cli.recording_listener import RecordingListener
from hermes_sdk.cli.screen import console, plain
from hermes_sdk.cli.start import load_plugins, module_owner, opened_manager, plugins_in_force
from hermes_sdk.cli.timeline import Timeline
from hermes_sdk.dispatch import failures
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.models import OpenAIModel, ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from hermes_sdk.cli.logs import ScreenLog
    from hermes_sdk.host.events import Listener
    from hermes_sdk.host.models import Model
    from hermes_sdk.host.session_script import SessionScript
    from hermes_sdk.plugins.manager import PluginManager


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What the command line asked for; exactly one of `script` and `model` is given."""

    home: Path
    script: Path | None = None
    model: str | None = None
    base_url: str | None = None
    plugins: tuple[Path, ...] = ()
    workdir: Path | None = None
    trace: bool = False
    strict: bool = False
    record: Path | None = None
    """Where the recording goes; None makes none."""
    redacted: bool = True


class Script:
    """A scripted model for a person: whatever they say, the next turn of the script answers."""

    def __init__(self, script: SessionScript) -> None:
        self._turns = deque(script.turns)
        self.model = ScriptedModel(name=script.model, children=script.children, plugin_answers=script.plugin_answers)

    def before_turn(self) -> None:
        """Give the model the steps of the next turn."""
        self.model.begin_turn(self._turns.popleft().steps if self._turns else ())


def chat_session(request: ChatRequest, log: ScreenLog) -> int:
    """Chat as asked and return the exit code; warnings of `log` are drawn among the events."""
    script = _script(request.script)
    model: Model = script.model if script else OpenAIModel(request.model or "", base_url=request.base_url)
    capture = StdoutCapture()
    screen = console(capture.terminal)
    timeline = Timeline(screen, observed=request.trace, dialogue=False)
    capture.sink = timeline.printed
    with ExitStack() as stack:
        stack.callback(capture.close)
        stack.enter_context(log.shown_by(timeline.warned))
        with capture:
            manager = stack.enter_context(opened_manager(request.home, strict=request.strict))
            capture.owner = partial(module_owner, manager)
            load_plugins(manager, request.plugins)
            log.muted = (failures.__name__,)  # the timeline has them, without their place in the code
            manager.tracing = request.trace or request.record is not None
            listener: Listener = timeline
            if request.record is not None:
                title = f"chat with {model.name}"
                recording = RecordingListener(request.record, manager, title, redacted=request.redacted, then=timeline)
                stack.callback(recording.close)
                listener = recording
            agent = Agent(
                manager,
                model,
                workdir=request.workdir,
                approver=TerminalApprover(capture.terminal),
                listener=listener,
            )
            timeline.align((*manager.plugins, *agent.tool_names))
        _greet(screen, model, manager)
        code = ChatLoop(agent, capture, screen, script.before_turn if script else None).run()
        with capture:
            agent.close("exit" if code == EXIT_OK else "interrupted")
            manager.shutdown()
        timeline.close()
    return code


def _greet(screen: Console, model: Model, manager: PluginManager) -> None:
    screen.print(Text(plain(f"{model.name}; plugins: {plugins_in_force(manager)}"), "bold"))
    screen.print(Text("/help lists the commands, Ctrl-C interrupts a turn, /exit leaves", "dim"))


def _script(path: Path | None) -> Script | None:
    if path is None:
        return None
    from hermes_sdk.host.session_file import load_session

    return Script(load_session(path))
