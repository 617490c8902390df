"""The agent: sessions one after another, each a conversation in turns, under one manager's plugins."""

from __future__ import annotations

import logging
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import SessionError
from hermes_sdk.host.approval_store import ApprovalStore
from hermes_sdk.host.approvals import ApprovalGate
from hermes_sdk.host.bridge import CURRENT, HostLink
from hermes_sdk.host.delegate import Delegation
from hermes_sdk.host.events import SessionEnded
from hermes_sdk.host.fire import HookClock, HookRelay
from hermes_sdk.host.models.base import ToolCall
from hermes_sdk.host.process_exit import forget_at_exit, remember_at_exit
from hermes_sdk.host.session import TERMINAL, Session, new_session_id
from hermes_sdk.host.settings import HostSettings
from hermes_sdk.host.turn import TurnRunner
from hermes_sdk.host.workbench import Workbench, Workshop
from hermes_sdk.shell_hooks.register import register_from_config, registered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_sdk.host.approvers import Approver
    from hermes_sdk.host.conversation import Message, UserMessage
    from hermes_sdk.host.events import Listener
    from hermes_sdk.host.models.base import Model
    from hermes_sdk.host.session import Surface, Turn
    from hermes_sdk.host.tool_path import RecordedResults
    from hermes_sdk.host.toolbox import Tool
    from hermes_sdk.host.turn import TurnResult
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)


class Agent:
    """One agent and its sessions. Not for two turns at a time; `interrupt` may come from any thread.

    Args:
        manager: Whose hooks, middleware, tools and commands count.
        model: Answers.
        workdir: Where tools run; the current directory by default.
        platform: Sent to hooks: ``cli``, ``subagent``, or a messaging platform.
        session_id: Id of the first session; made by default.
        task_id: Sent to tool hooks; the session id by default.
        approver: Who is asked before dangerous tool calls; nobody by default, which blocks them.
        listener: Told what happens, see events.py.
        settings: What config.yaml says; read from the manager's configuration by default.
        system_prompt: Added to the system prompt.
        max_iterations: Model requests of one turn; from the settings by default.
        recorded: Gives tool results instead of running tools.
        parent: Makes this a child agent; use `child` instead.
        surface: Where the person is, for approval hooks; the terminal by default.
        hosted: One of many agents of a host that answers plugins itself, through `manager.host`.
        tools: More built-in tools, for its child agents too.
    """

    def __init__(
        self,
        manager: PluginManager,
        model: Model,
        *,
        workdir: Path | str | None = None,
        platform: str = "cli",
        session_id: str | None = None,
        task_id: str = "",
        approver: Approver | None = None,
        listener: Listener | None = None,
        settings: HostSettings | None = None,
        system_prompt: str = "",
        max_iterations: int | None = None,
        recorded: RecordedResults | None = None,
        parent: Agent | None = None,
        surface: Surface = TERMINAL,
        hosted: bool = False,
        tools: Iterable[Tool] = (),
    ) -> None:
        self.model = model
        self.platform = platform
        self.depth: int = parent.depth + 1 if parent else 0
        """0 for the agent that a person talks to, 1 for its children, and so on."""
        self.clock: HookClock = parent.clock if parent else HookClock()
        """Hook calls of this agent and its children, and how long they took."""
        self._listener = listener
        self._parent_id = parent.session_id if parent else None
        self._task_id = task_id
        settings = settings or (parent.settings if parent else HostSettings.from_config(manager.config))
        self._max_iterations = max_iterations or settings.max_iterations
        self.shop: Workshop = (
            parent.shop
            if parent
            else Workshop(
                manager,
                Path(workdir or Path.cwd()).absolute(),
                settings,
                ApprovalGate(approver, ApprovalStore(manager.home), settings.approval_timeout),
                system_prompt,
                recorded,
                surface,
                tuple(tools),
            )
        )
        """What this agent shares with its children."""
        self._pending: deque[str] = deque()
        self._runner: TurnRunner | None = None
        self._turn: Turn | None = None
        self._busy = threading.Lock()
        self._closed = False
        self._open_session(session_id or new_session_id())
        self._link = None if parent or hosted else HostLink(self)
        if self._link is not None:
            manager.host = self._link
        if parent is None:
            if registered(manager) is None:  # whoever starts an agent: no way to a tool leads past the shell hooks
                register_from_config(manager=manager)
            manager.publish_run_file()
        remember_at_exit(self)

    def _open_session(self, session_id: str) -> None:
        session = Session(
            self.model.name,
            self.platform,
            id=session_id,
            parent_id=self._parent_id,
            depth=self.depth,
            task_id=self._task_id,
            workdir=str(self.workdir),
            surface=self.shop.surface,
        )
        self.relay = HookRelay(self.manager, session, self._listener, self.clock)
        """Fires the hooks of the current session."""
        self._bench = Workbench(
            self.shop,
            session,
            self.relay,
            self.model,
            max_iterations=self._max_iterations,
            more_tools=(*Delegation(self).tools(), *self.shop.tools),
        )

    # -- what it is made of ----------------------------------------------------------------------------

    @property
    def manager(self) -> PluginManager:
        """Whose hooks count."""
        return self.shop.manager

    @property
    def settings(self) -> HostSettings:
        """What the configuration says about the host."""
        return self.shop.settings

    @property
    def workdir(self) -> Path:
        """Where tools run."""
        return self.shop.workdir

    @property
    def session_id(self) -> str:
        """Id of the current session."""
        return self._bench.session.id

    @property
    def history(self) -> list[Message]:
        """The stored conversation of the current session; not a copy."""
        return self._bench.session.history

    @property
    def system_prompt(self) -> str | None:
        """The system prompt of the current session; None before its first turn."""
        return self._bench.session.system_prompt

    @property
    def tool_names(self) -> list[str]:
        """Every tool that exists for this agent."""
        return self._bench.toolbox.names()

    @property
    def running(self) -> bool:
        """Whether a turn is under way."""
        return self._turn is not None

    # -- turns -----------------------------------------------------------------------------------------

    def run_turn(self, message: UserMessage, *, sender_id: str = "") -> TurnResult:
        """Run one turn and return how it ended.

        Ctrl-C during the turn interrupts it: the result says so, nothing is raised.

        Args:
            message: Text, or a list of content parts in OpenAI's format.
            sender_id: Who wrote it, where several people may; sent to pre_llm_call.

        Raises:
            SessionError: A turn is running already, or the agent is closed.
        """
        if self._closed:
            raise SessionError("the agent is closed", fix="make a new one", code="HS421")
        if not self._busy.acquire(blocking=False):
            raise SessionError(
                "a turn is running already",
                where=self.session_id,
                fix="wait for it, or interrupt it",
                code="HS420",
            )
        token = CURRENT.set(self)
        try:
            session_id = self.session_id
            self._turn = self._bench.session.begin_turn(message, sender_id)
            self._turn.interrupt.when_set = lambda: self.manager.companions.interrupt(session_id)
            self._runner = TurnRunner(self._bench, self._turn)
            return self._runner.run()
        finally:
            self._turn = self._runner = None
            self.manager.touch_run_file()
            CURRENT.reset(token)
            self._busy.release()

    def interrupt(self, reason: str = "interrupted") -> bool:
        """End the running turn early; False when none is running."""
        turn = self._turn
        if turn is None:
            return False
        turn.interrupt.set(reason)
        return True

    def allow_iterations(self, least: int) -> None:
        """Let a turn have at least so many model requests: a replay has as many as were stored."""
        self._bench.max_iterations = max(self._bench.max_iterations, least)

    # -- sessions --------------------------------------------------------------------------------------

    def new_session(self, reason: str = "new_session") -> str:
        """Close the session and open the next one; return its id.

        Raises:
            SessionError: A turn is running.
        """
        if self.running:
            raise SessionError("a session cannot be left during a turn", fix="interrupt it first", code="HS420")
        session_id = new_session_id()
        self.relay.on_session_finalize(reason=reason, new_session_id=session_id)
        self.relay.emit(SessionEnded, reason=reason)
        self._bench.close()
        self.shop.gate.forget_session()
        self._open_session(session_id)
        return session_id

    def resume(self, history: Iterable[Message], *, system_prompt: str | None, turns: int) -> None:
        """Take up a session that was stored: with a system prompt it has begun, and hooks see no new one.

        Args:
            history: Its conversation.
            system_prompt: What its turns began with, byte for byte; None before the first one.
            turns: How many there were.
        """
        session = self._bench.session
        session.history[:] = history
        session.system_prompt = system_prompt
        session.turns = turns

    def close(self, reason: str = "exit") -> None:
        """Close the last session; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        forget_at_exit(self)
        self.interrupt(reason)
        if self._bench.session.started:
            self.relay.on_session_finalize(reason=reason, new_session_id=None)
            self.relay.emit(SessionEnded, reason=reason)
        self._bench.close()
        if self._link is not None and self.manager.host is self._link:
            self.manager.host = None

    @property
    def resumable(self) -> bool:
        """Whether the stored conversation is all there is to its session: another agent may `resume` it."""
        return not self.running and not self._bench.has_background and not self.shop.gate.remembers

    def release(self) -> None:
        """End without a word to hooks: for a host that says itself that the session is over."""
        self._closed = True
        forget_at_exit(self)
        self._bench.close()

    def end_at_exit(self) -> None:
        """Say that the process ends: a running turn has its on_session_end, then the session is closed."""
        runner = self._runner
        self.interrupt("exit")
        if runner is not None:
            runner.end()
        self.close("exit")

    # -- children and plugins --------------------------------------------------------------------------

    def child(self, goal: str) -> Agent:
        """Return a child agent for a task, with a session of its own under the same plugins.

        Raises:
            ModelError: The model cannot play a child with this goal.
        """
        return Agent(
            self.manager,
            self.model.for_child(goal),
            platform="subagent",
            listener=self._listener,
            max_iterations=self._max_iterations,
            parent=self,
        )

    def dispatch_tool(self, name: str, args: dict[str, Any]) -> str:
        """Run a tool along the model's path, in the calling thread, and return what the model would see."""
        turn = self._turn or self._bench.session.idle_turn()
        path = self._bench.path
        call = path.begin(turn, ToolCall(name, args))
        try:
            path.judge(call)
            path.clear(call)
            path.execute(call)
        finally:
            if call.result is None:
                path.cancel(call)
        return call.result or ""

    def inject_message(self, content: str, role: str = "user") -> bool:
        """Put a message into the conversation: it starts the next turn, and ends the one that is running."""
        if self._closed:
            return False
        self._pending.append(content if role == "user" else f"[{role}] {content}")
        self.interrupt("new_message")
        return True

    def take_pending(self) -> str | None:
        """Return the oldest message that a plugin put in, for the next turn; None without one."""
        return self._pending.popleft() if self._pending else None
