"""Approval prompts in a chat: asked there, answered there by `/approve` and `/deny` or an adapter's buttons."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hermes_sdk.host.approvers import UnansweredError
from hermes_sdk.host.gateway.messages import Note
from hermes_sdk.masking import redact

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from hermes_sdk.host.approvers import Prompt
    from hermes_sdk.host.events import Choice
    from hermes_sdk.host.session import Interrupt

    Post: TypeAlias = Callable[[Note, Callable[[bool], None]], None]

_POLL: Final = 0.1
"""Seconds between two looks at whether the turn was interrupted."""
_SOMEBODY: Final = "chat"
"""Who decided where it is not known who in the chat it was."""

_HOW: Final = {
    "once": "/approve",
    "session": "/approve session",
    "always": "/approve always",
    "deny": "/deny",
}


@dataclass(slots=True, eq=False)
class OpenApproval:
    """A prompt that waits for its answer."""

    prompt: Prompt
    id: str = field(default_factory=lambda: f"appr_{uuid.uuid4().hex[:12]}")
    answered: threading.Event = field(default_factory=threading.Event)
    choice: Choice = "deny"
    withdrawn: str = ""
    """Why nobody can answer it any more."""

    def answer(self, choice: str) -> None:
        """Take an answer; one that was not offered is a refusal."""
        for offered in self.prompt.offered:
            if offered == choice:
                self.choice = offered
        self.answered.set()

    def withdraw(self, why: str) -> None:
        """Stop waiting; `why` completes "needs approval and ..."."""
        if not self.answered.is_set():
            self.withdrawn = why
            self.answered.set()


class ChatApprover:
    """Asks in one chat. One prompt is open at a time, as the agent's gate sees to.

    Args:
        session_key: The chat.
        post: Shows a note in the chat, from any thread, and then says whether it arrived.
    """

    def __init__(self, session_key: str, post: Post) -> None:
        self.name = _SOMEBODY
        self._session_key = session_key
        self._post = post
        self._open: OpenApproval | None = None
        self._lock = threading.Lock()
        self._closed = ""

    def available(self) -> bool:
        """Whether there is a chat to ask in; whether the question arrives is seen when it is sent."""
        return True

    def ask(self, prompt: Prompt, timeout: float, interrupt: Interrupt) -> Choice:
        """Ask in the chat and wait, in the thread of the agent or of its tool.

        Raises:
            UnansweredError: The question did not arrive, or was taken back.
        """
        approval = OpenApproval(prompt)
        self.name = _SOMEBODY
        with self._lock:
            if self._closed:
                raise UnansweredError(self._closed)
            self._open = approval
        choice: Choice = "deny"
        try:
            self._post(self._request(approval, timeout), lambda arrived: _check(approval, arrived=arrived))
            choice = self._wait(approval, timeout, interrupt)
        finally:
            with self._lock:
                self._open = None
            self._post(self._end(approval, choice), _ignore)
        return choice

    @staticmethod
    def _wait(approval: OpenApproval, timeout: float, interrupt: Interrupt) -> Choice:
        deadline = time.monotonic() + timeout
        while not approval.answered.wait(max(0.0, min(_POLL, deadline - time.monotonic()))):
            if interrupt.is_set():
                approval.withdraw("the turn was interrupted")
            elif time.monotonic() >= deadline:
                return "timeout"
        if approval.withdrawn:
            raise UnansweredError(approval.withdrawn)
        return approval.choice

    def answer(self, choice: str, approval_id: str | None = None, by: str | None = None) -> bool:
        """Answer the open prompt; False where there is none, or another one than the one that is named.

        Who answered, `by`, is who the call was decided by; a chat may have several people.
        """
        with self._lock:
            approval = self._open
            if approval is None or approval.answered.is_set() or approval_id not in (None, approval.id):
                return False
            self.name = by or _SOMEBODY
            approval.answer(choice)
            return True

    @property
    def offered(self) -> tuple[Choice, ...]:
        """What the open prompt may be answered with; nothing where none is open."""
        approval = self._open
        return () if approval is None or approval.answered.is_set() else approval.prompt.offered

    def withdraw(self, why: str, *, for_good: bool = False) -> None:
        """Take the open prompt back, and with `for_good` every later one, too."""
        with self._lock:
            if for_good:
                self._closed = why
            if self._open is not None:
                self._open.withdraw(why)

    def _request(self, approval: OpenApproval, timeout: float) -> Note:
        prompt = approval.prompt
        command, description = redact(prompt.command), redact(prompt.description)
        choices = [choice for choice in prompt.offered if choice in _HOW]
        text = (
            f"Approval needed: {description}\n\n{command}\n\nAnswer with {', '.join(_HOW[each] for each in choices)}."
        )
        data = {
            "session_key": self._session_key,
            "approval_id": approval.id,
            "command": command,
            "description": description,
            "choices": choices,
            "timeout": timeout,
        }
        return Note("approval_request", text, data)

    def _end(self, approval: OpenApproval, choice: Choice) -> Note:
        data = {"session_key": self._session_key, "approval_id": approval.id, "choice": choice}
        return Note("approval_closed", f"Approval closed: {approval.withdrawn or choice}", data)


def _check(approval: OpenApproval, *, arrived: bool) -> None:
    if not arrived:
        approval.withdraw("the question did not reach the chat")


def _ignore(arrived: bool) -> None:
    """Need not know whether a note arrived."""
