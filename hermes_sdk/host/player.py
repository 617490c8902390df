"""Play a session from start to end: a script, or a stored conversation with recorded or live tools.

Nothing is kept of what happened but counts, so that a transcript of a thousand calls takes the memory of its
messages; whoever wants more listens to the events.
"""

from __future__ import annotations

import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hermes_sdk.errors import SessionError, counted
from hermes_sdk.host.agent import Agent
from hermes_sdk.host.approvers import ScriptedApprover
from hermes_sdk.host.commands import CommandAnswer, run_command
from hermes_sdk.host.events import Notice, ToolFinished
from hermes_sdk.host.models.scripted import ScriptedModel
from hermes_sdk.host.models.transcript import TranscriptEndedError, TranscriptModel
from hermes_sdk.host.turn import TurnResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.host.approvers import Approver
    from hermes_sdk.host.conversation import UserMessage
    from hermes_sdk.host.events import Event, Listener
    from hermes_sdk.host.models.base import Model
    from hermes_sdk.host.session_script import ScriptTurn, SessionScript
    from hermes_sdk.host.settings import HostSettings
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
        mode: Whether tools run, see `Mode`; a script has no recorded results.
        model: Answers instead of the script; the user messages and approvals stay.
        approver: Asked when the script's answers are used up.
        settings: Instead of what the manager's configuration says.

    Returns:
        Counts, times, and what did not go as expected.

    Raises:
        SessionError: Recorded results are wanted of a script.
    """
    if script.kind == "script" and mode == "recorded":
        raise SessionError(
            "a script has no recorded results",
            where=str(script.path),
            why="its tools run for real",
            fix="play it live",
        )
    with ExitStack() as stack:
        if workdir is None:
            workdir = stack.enter_context(tempfile.TemporaryDirectory(prefix="hermes-session-"))
        player = _Player(script, Path(workdir).absolute(), approver, listener, progress)
        return player.play(manager, mode, model, settings)


class _Player:
    """One session being played.

    Args:
        script: What to play.
        workdir: Where tools run.
        approver: Asked when the script's answers are used up.
        listener: Told what happens.
        progress: Told how far it is.
    """

    def __init__(
        self,
        script: SessionScript,
        workdir: Path,
        approver: Approver | None,
        listener: Listener | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._script = script
        self._workdir = workdir
        self._approver = ScriptedApprover(script.approvals, otherwise=approver)
        self._listener = listener
        self._progress = progress
        self._calls = 0
        self._total = script.tool_call_count
        self._statuses: list[tuple[str, str]] = []
        """(call id, status) of the running turn, in the order in which calls ended."""
        self._history_before = 0
        """Messages of the session from before the running turn."""
        self._lock = threading.Lock()
        self._result = SessionResult(script.title)

    def play(
        self, manager: PluginManager, mode: Mode, model: Model | None, settings: HostSettings | None
    ) -> SessionResult:
        """Play it and return what it came to."""
        script, result = self._script, self._result
        started = time.perf_counter()
        self._make_files()
        replay = TranscriptModel(script.model)
        scripted = ScriptedModel(name=script.model, children=script.children, plugin_answers=script.plugin_answers)
        transcript = script.kind == "transcript"
        agent = Agent(
            manager,
            model or (replay if transcript else scripted),
            workdir=self._workdir,
            platform=script.platform,
            approver=self._approver,
            listener=self,
            settings=settings,
            system_prompt=script.system,
            max_iterations=script.max_iterations,
            recorded=replay.recorded_result if transcript and mode != "live" else None,
        )
        result.session_id = agent.session_id
        try:
            if transcript:
                self._replay(agent, replay)
            else:
                self._act(agent, scripted if model is None else None)
        finally:
            agent.close()
        result.hook_calls, result.hook_seconds = agent.clock.calls, agent.clock.seconds
        result.seconds = time.perf_counter() - started
        result.problems += scripted.mismatches
        self._check_files()
        return result

    # -- scripts -------------------------------------------------------------------------------------------

    def _act(self, agent: Agent, model: ScriptedModel | None) -> None:
        for number, turn in enumerate(self._script.turns, 1):
            where = turn.where or f"turn {number}"
            if turn.new_session:
                agent.new_session()
            message = agent.take_pending() if turn.user is None else turn.user
            if message is None:
                self._wrong(where, "no plugin put in a message for this turn")
                continue
            if model is not None:
                model.begin_turn(turn.steps)
            self._approver.begin_turn(turn.approvals)
            self._begin(agent)
            command = run_command(agent, turn.user if isinstance(turn.user, str) else "")
            ended = self._turn(agent, message) if command is None else self._command(agent, command)
            self._check_turn(agent, turn, ended, where)
            if ended.completed and model is not None and model.remaining:
                self._wrong(where, f"{counted(model.remaining, 'step')} of the model not asked for")
            if ended.completed and self._approver.left:
                self._wrong(where, f"{counted(self._approver.left, 'approval')} not asked for")
            if command is not None and command.leaves:
                behind = len(self._script.turns) - number
                if behind:
                    self._wrong(where, f"{counted(behind, 'turn')} behind /{command.name} not played")
                return

    def _command(self, agent: Agent, command: CommandAnswer) -> TurnResult:
        """Take what a slash command said for the end of a turn, so that a script can expect it."""
        if command.text:
            agent.relay.emit(Notice, text=command.text)
        ended = TurnResult(
            answer=None if command.failed else command.text,
            completed=not command.failed,
            interrupted=False,
            reason=command.text if command.failed else None,
            error=None,
            turn_id="",
            api_calls=0,
            tool_calls=0,
            duration_ms=0.0,
        )
        self._count(ended)
        return ended

    def _wrong(self, where: str, problem: str) -> None:
        self._result.problems.append(f"{where}: {problem}")

    def _check_turn(self, agent: Agent, turn: ScriptTurn, ended: TurnResult, where: str) -> None:
        expect, answer = turn.expect, ended.answer or ""
        problems = []
        if expect.completed is not None and ended.completed != expect.completed:
            why = f": {ended.error or ended.reason}" if not ended.completed else ""
            problems.append(f"the turn was {'' if ended.completed else 'not '}completed{why}")
        elif expect.reason is not None and ended.reason != expect.reason:
            problems.append(f"the turn ended because of {ended.reason!r}, not {expect.reason!r}")
        problems += [f"the answer lacks {text!r}" for text in expect.answer if text not in answer]
        problems += [f"the answer contains {text!r}" for text in expect.not_answer if text in answer]
        found = self._in_order(agent)
        if expect.tools is not None and found != list(expect.tools):
            problems.append(f"the tool calls ended {found}, not {list(expect.tools)}")
        for problem in problems:
            self._wrong(where, problem)

    def _in_order(self, agent: Agent) -> list[str]:
        """Return how the turn's calls ended, in the model's order: parallel ones end in any."""
        ended = dict(self._statuses)
        new = agent.history[self._history_before :]
        wished = [call["id"] for message in new for call in message.get("tool_calls", ())]
        return [ended[call_id] for call_id in wished if call_id in ended]

    # -- transcripts ---------------------------------------------------------------------------------------

    def _replay(self, agent: Agent, replay: TranscriptModel) -> None:
        for number, turn in enumerate(self._script.transcript, 1):
            replay.begin_turn(turn)
            agent.allow_iterations(len(turn.replies) + 1)
            self._begin(agent)
            ended = self._turn(agent, turn.user)
            if not ended.completed and not isinstance(ended.error, TranscriptEndedError):
                self._result.problems.append(f"turn {number} was not completed: {ended.error or ended.reason}")

    # -- both ----------------------------------------------------------------------------------------------

    def _begin(self, agent: Agent) -> None:
        self._statuses.clear()
        self._history_before = len(agent.history)

    def _turn(self, agent: Agent, message: UserMessage) -> TurnResult:
        ended = agent.run_turn(message)
        self._count(ended)
        return ended

    def _count(self, ended: TurnResult) -> None:
        result = self._result
        result.turns += 1
        result.completed += ended.completed
        result.api_calls += ended.api_calls
        result.tool_calls += ended.tool_calls
        result.last_answer = ended.answer
        self._tell_progress()

    @property
    def wants_payloads(self) -> bool:
        """Whether whoever listens wants to know what is sent to hooks."""
        return bool(getattr(self._listener, "wants_payloads", False))

    def __call__(self, event: Event) -> None:
        """Hear one event, as the agent's listener."""
        if self._listener is not None:
            self._listener(event)
        if not isinstance(event, ToolFinished):
            return
        with self._lock:  # parallel calls end in threads of their own
            statuses = self._result.statuses
            statuses[event.status] = statuses.get(event.status, 0) + 1
            if event.depth == 0:
                self._calls += 1
                self._statuses.append((event.call_id, event.status))
                self._tell_progress()

    def _tell_progress(self) -> None:
        if self._progress is not None:
            total = max(self._total, self._calls)
            self._progress(Progress(self._result.turns, self._script.turn_count, self._calls, total))

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
                self._result.problems.append(f"the file {name} does not exist")
            elif text not in path.read_text(encoding="utf-8", errors="replace"):
                self._result.problems.append(f"the file {name} lacks {text!r}")
