"""Who is asked: a person at a terminal (see cli/), the answers of a script, or nobody.

An approver shows the prompt and brings the answer; what the answer means is decided in approvals.py.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_sdk.host.events import Choice
    from hermes_sdk.host.session import Interrupt

_LONGEST_COMMAND: Final = 2_000


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a person is asked."""

    plugin: str
    """The plugin, or `approval_store.HOST`."""
    text: str
    rule_key: str | None
    """What the answer may be remembered under; None: only once and deny are offered."""
    remembered: bool = False
    """Whether an earlier answer covers this reason, so that it alone would not ask."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person sees: the final arguments and every reason."""

    tool_name: str
    args: dict[str, Any]
    reasons: tuple[Reason, ...]
    offered: tuple[Choice, ...]
    session_id: str
    depth: int = 0
    """1 and more when a child agent wants to run the tool."""

    @property
    def command(self) -> str:
        """The command of the terminal, else the tool with its arguments as JSON."""
        command = self.args.get("command")
        if self.tool_name == "terminal" and isinstance(command, str):
            return command
        shown = json.dumps(self.args, ensure_ascii=False, default=str)
        return f"{self.tool_name} {shown}"[:_LONGEST_COMMAND]

    @property
    def description(self) -> str:
        """Every reason, joined."""
        return "; ".join(reason.text for reason in self.reasons)


class UnansweredError(Exception):
    """Nobody answered a prompt, for another reason than time: the call is denied, and the model is told why."""


class Approver(Protocol):
    """Brings prompts to a person.

    A prompt may come from a tool's worker thread or from a child agent's; there is one at a time.
    """

    name: str
    """Sent as ``decided_by``."""

    def available(self) -> bool:
        """Whether anybody is there. If not, what needs approval is blocked without a prompt."""
        ...

    def ask(self, prompt: Prompt, timeout: float, interrupt: Interrupt) -> Choice:
        """Show the prompt and return the answer; ``timeout`` after that many seconds without one.

        Raises:
            UnansweredError: It could not be shown, or was taken back.
        """
        ...


class NobodyThere:
    """No TTY, no chat: what needs approval is blocked."""

    name = "nobody"

    def available(self) -> bool:
        """Nobody is."""
        return False

    def ask(self, prompt: Prompt, timeout: float, interrupt: Interrupt) -> Choice:  # noqa: ARG002
        """Deny; never called by the host, which asks `available` first."""
        return "deny"


class ScriptedApprover:
    """Gives the answers of a script in their order.

    Args:
        answers: ``once``, ``session``, ``always``, ``deny`` or ``timeout``.
        otherwise: Who is asked when the answers are used up; nobody by default.
    """

    name = "script"

    def __init__(self, answers: Iterable[Choice] = (), otherwise: Approver | None = None) -> None:
        self._pool = deque(answers)
        self._turn: deque[Choice] = deque()
        self._otherwise: Approver = otherwise or NobodyThere()
        self.prompts: list[Prompt] = []
        """Every prompt that the script answered."""

    def begin_turn(self, answers: Iterable[Choice]) -> None:
        """Take answers that go before the others, and only for this turn."""
        self._turn = deque(answers)

    @property
    def left(self) -> int:
        """Answers of this turn that nobody asked for yet."""
        return len(self._turn)

    def available(self) -> bool:
        """Whether an answer is left, or somebody else is there."""
        return bool(self._turn or self._pool) or self._otherwise.available()

    def ask(self, prompt: Prompt, timeout: float, interrupt: Interrupt) -> Choice:
        """Return the next answer."""
        answers = self._turn or self._pool
        if not answers:
            return self._otherwise.ask(prompt, timeout, interrupt)
        self.prompts.append(prompt)
        return answers.popleft()
