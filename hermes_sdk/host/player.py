"""Play a session from start to end: a script, or a stored conversation with recorded or live tools.

Nothing is kept of what happened but counts, so that a transcript of a thousand calls takes the memory of its
messages; whoever wants more listens to the events.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hermes_sdk.host.agent import Agent
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.commands import run_command
from hermes_sdk.host.events import Notice, ToolFinished
from hermes_sdk.host.models.scripted import ScriptedModel
from hermes_sdk.host.models.transcript import TranscriptEndedError, TranscriptModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.host.approvers import Approver
    from hermes_sdk.host.conversation import UserMessage
    from hermes_sdk.host.events import Event, Listener
    from hermes_sdk.host.models.base import Model
    from hermes_sdk.host.session_script import ScriptTurn, SessionScript
    from hermes_sdk.host.settings import HostSettings
    from hermes_sdk.host.turn import TurnResult
    from hermes_sdk.plugins.manager import PluginManager

Mode = Literal["auto", "live", "recorded"]
"""Whether the tools of a transcript run; ``auto`` runs those of a script and replays those of a transcript."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a session is."""

    turn: int
    turns: int
    tool_calls: int
    total_tool_calls: int
    """As many as the file asks for; child agents' calls are not counted."""


@dataclass(slots=True)
class SessionResult:
    """What a session came to."""

    title: str
    session_id: str = ""
    turns: int = 0
    completed: int = 0
    """Turns that gave an answer."""
    api_calls: int = 0
    tool_calls: int = 0
    """Tool calls of the session; those of child agents are in `statuses` too."""
    statuses: dict[str, int] = field(default_factory=dict)
    """How tool calls ended, counted: ``{"ok": 12, "blocked": 1}``."""
    hook_calls: int = 0
    hook_seconds: float = 0.0
    seconds: float = 0.0
    last_answer: str | None = None
    problems: list[str] = field(default_factory=list)
    """What did not go as the file expects, one line each."""

    @property
    def ok(self) -> bool:
        """Whether everything went as the file expects."""
        return not self.problems

    @property
    def hook_ms_per_tool_call(self) -> float:
        """Time in hooks for each tool call, in ms; all hooks of the session are in it."""
        calls = sum(self.statuses.values())
        return self.hook_seconds * 1000 / calls if calls else 0.0


def play(
    manager: PluginManager,
    script: SessionScript,
    *,
    workdir: Path | str | None = None,
    listener: Listener | None = None,
    progress: Callable[[Progress], None] | None = None,
    mode: Mode = "auto",
    model: Model | None = None,
    approver: Approver | None = None,
    settings: HostSettings | None = None,
) -> SessionResult:
    """Play `script` under the plugins of `manager`.

    Args:
        manager: Its plugins are loaded already.
        script: What `load_session` gave.
        workdir: Where tools run and files are made; a temporary directory by default, removed afterwards.
        listener: Told what happens.
        progress: Called after each tool call and each turn.
        mode: Whether tools run, see `Mode`.
        model: Answers instead of the script; the user messages and approvals stay.
        approver: Asked when the script's answers are used up.
        settings: Instead of what the manager's configuration says.

    Returns:
        Counts, times, and what did not go as expected.
    """
    with ExitStack() as stack:
        if workdir is None:
            workdir = stack.enter_context(tempfile.TemporaryDirectory(prefix="hermes-session-"))
        player = _Player(manager, script, Path(workdir).absolute(), listener, progress)
        return player.play(mode, model, approver, settings)


class _Player:
    def __init__(
        self,
        manager: PluginManager,
        script: SessionScript,
        workdir: Path,
        listener: Listener | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._manager = manager
        self._script = script
        self._workdir = workdir
        self._listener = listener
        self._progress = progress
        self._calls = 0
        self._total = script.tool_call_count
        self._statuses: list[tuple[str, str]] = []
        """(call id, status) of the running turn, in the order in which calls ended."""
        self.result = SessionResult(script.title)

    def play(
        self, mode: Mode, model: Model | None, approver: Approver | None, settings: HostSettings | None
    ) -> SessionResult:
        script, result = self._script, self.result
        started = time.perf_counter()
        self._make_files()
        replay = TranscriptModel(script.model)
        scripted = ScriptedModel(name=script.model, children=script.children, plugin_answers=script.plugin_answers)
        self._approver = ScriptedApprover(script.approvals, otherwise=approver)
        transcript = script.kind == "transcript"
        recorded = transcript and mode != "live"
        self._agent = Agent(
            self._manager,
            model or (replay if transcript else scripted),
            workdir=self._workdir,
            platform=script.platform,
            approver=self._approver,
            listener=self._hear,
            settings=settings,
            system_prompt=script.system,
            max_iterations=script.max_iterations,
            recorded=replay.recorded_result if recorded else None,
        )
        result.session_id = self._agent.session_id
        try:
            if transcript:
                self._replay(replay)
            else:
                self._act(scripted if model is None else None)
        finally:
            self._agent.close()
            clock = self._agent.clock
            result.hook_calls, result.hook_seconds = clock.calls, clock.seconds
            result.seconds = time.perf_counter() - started
        result.problems += scripted.mismatches
        self._check_files()
        return result

    # -- scripts -------------------------------------------------------------------------------------------

    def _act(self, model: ScriptedModel | None) -> None:
        for number, turn in enumerate(self._script.turns, 1):
            where = turn.where or f"turn {number}"
            if turn.new_session:
                self._agent.new_session()
            message = self._agent.take_pending() if turn.user is None else turn.user
            if message is None:
                self.result.problems.append(f"{where}: no plugin put in a message for this turn")
                continue
            if model is not None:
                model.begin_turn(turn.steps)
            self._approver.begin_turn(turn.approvals)
            if isinstance(message, str) and turn.user is not None and self._command(message, where):
                continue
            ended = self._turn(message)
            self._check_turn(turn, ended, where)
            if model is not None and model.remaining and ended.completed:
                self.result.problems.append(f"{where}: {model.remaining} steps of the model were not asked for")
            if self._approver.left:
                self.result.problems.append(f"{where}: {self._approver.left} approvals were not asked for")

    def _command(self, line: str, where: str) -> bool:
        answer = run_command(self._agent, line)
        if answer is None:
            return False
        self.result.turns += 1
        self.result.completed += not answer.failed
        if answer.failed:
            self.result.problems.append(f"{where}: {answer.text}")
        if answer.text:
            self._agent.relay.emit(Notice, text=answer.text)
        self.result.last_answer = answer.text
        return True

    def _check_turn(self, turn: ScriptTurn, ended: TurnResult, where: str) -> None:
        expect, answer = turn.expect, ended.answer or ""
        problems = []
        if expect.completed is not None and ended.completed != expect.completed:
            why = f": {ended.error or ended.reason}" if not ended.completed else ""
            problems.append(f"the turn was {'' if ended.completed else 'not '}completed{why}")
        elif expect.reason is not None and ended.reason != expect.reason:
            problems.append(f"the turn ended because of {ended.reason!r}, not {expect.reason!r}")
        problems += [f"the answer lacks {text!r}" for text in expect.answer if text not in answer]
        problems += [f"the answer contains {text!r}" for text in expect.not_answer if text in answer]
        found = self._in_order()
        if expect.tools is not None and found != list(expect.tools):
            problems.append(f"the tool calls ended {found}, not {list(expect.tools)}")
        self.result.problems += [f"{where}: {problem}" for problem in problems]

    def _in_order(self) -> list[str]:
        """Return how the turn's calls ended, in the model's order: parallel ones end in any."""
        ended = dict(self._statuses)
        wished = [
            call["id"]
            for message in self._agent.history
            for call in message.get("tool_calls", ())
            if call["id"] in ended
        ]
        return [ended[call_id] for call_id in wished]

    # -- transcripts ---------------------------------------------------------------------------------------

    def _replay(self, replay: TranscriptModel) -> None:
        for number, turn in enumerate(self._script.transcript, 1):
            replay.begin_turn(turn)
            self._agent.allow_iterations(len(turn.replies) + 1)
            ended = self._turn(turn.user)
            if not ended.completed and not isinstance(ended.error, TranscriptEndedError):
                self.result.problems.append(f"turn {number} was not completed: {ended.error or ended.reason}")

    # -- both ----------------------------------------------------------------------------------------------

    def _turn(self, message: UserMessage) -> TurnResult:
        self._statuses.clear()
        ended = self._agent.run_turn(message)
        result = self.result
        result.turns += 1
        result.completed += ended.completed
        result.api_calls += ended.api_calls
        result.tool_calls += ended.tool_calls
        result.last_answer = ended.answer
        self._tell_progress()
        return ended

    def _hear(self, event: Event) -> None:
        if self._listener is not None:
            self._listener(event)
        if isinstance(event, ToolFinished):
            statuses = self.result.statuses
            statuses[event.status] = statuses.get(event.status, 0) + 1
            if event.depth == 0:
                self._calls += 1
                self._statuses.append((event.call_id, event.status))
                self._tell_progress()

    def _tell_progress(self) -> None:
        if self._progress is not None:
            total = max(self._total, self._calls)
            self._progress(Progress(self.result.turns, self._script.turn_count, self._calls, total))

    def _make_files(self) -> None:
        self._workdir.mkdir(parents=True, exist_ok=True)
        for name, text in self._script.files.items():
            path = self._workdir / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def _check_files(self) -> None:
        for name, text in self._script.expect_files.items():
            path = self._workdir / name
            if not path.is_file():
                self.result.problems.append(f"the file {name} does not exist")
            elif text not in path.read_text(encoding="utf-8", errors="replace"):
                self.result.problems.append(f"the file {name} lacks {text!r}")
