"""The person at the terminal, asked before a tool runs."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, TextIO, cast

from hermes_sdk.cli.ask import ask, someone_is_there
from hermes_sdk.cli.screen import plain

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from hermes_sdk.host.approvers import Prompt
    from hermes_sdk.host.events import Choice
    from hermes_sdk.host.session import Interrupt


class TerminalApprover:
    """Asks at the terminal.

    Args:
        screen: Where to ask; not `sys.stdout`, which may be captured.
        undisturbed: Entered while asking; keeps everything else off the screen.
        explains: Whether to show command and reasons, too; not needed under a timeline, which just did.
    """

    name = "terminal"

    def __init__(
        self,
        screen: TextIO,
        undisturbed: Callable[[], AbstractContextManager[None]] = nullcontext,
        *,
        explains: bool = False,
    ) -> None:
        self._screen = screen
        self._undisturbed = undisturbed
        self._explains = explains

    def available(self) -> bool:
        """Whether stdin is a terminal."""
        return someone_is_there()

    def ask(self, prompt: Prompt, timeout: float, interrupt: Interrupt) -> Choice:
        """Ask, and return the answer; the end of input and Ctrl-C are a refusal."""
        offered = [choice for choice in prompt.offered if choice != "timeout"]
        question = f"allow {plain(prompt.tool_name)}:"
        if self._explains:
            question = f"{plain(prompt.command)}\n{plain(prompt.description)}\n{question}"
        try:
            with self._undisturbed():
                answer = ask(question, offered, screen=self._screen, timeout=timeout, withdrawn=interrupt.is_set)
        except TimeoutError:
            return "timeout"
        return cast("Choice", answer or "deny")
