"""The person at the terminal, asked before a tool runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO, cast

from hermes_sdk.cli.ask import ask, someone_is_there
from hermes_sdk.cli.screen import plain

if TYPE_CHECKING:
    from hermes_sdk.host.approvers import Prompt
    from hermes_sdk.host.events import Choice
    from hermes_sdk.host.session import Interrupt


class TerminalApprover:
    """Asks at the terminal; the timeline above the question shows the command and every reason.

    Args:
        screen: Where to ask; not stdout, which may be captured.
    """

    name = "terminal"

    def __init__(self, screen: TextIO) -> None:
        self._screen = screen

    def available(self) -> bool:
        """Whether stdin is a terminal."""
        return someone_is_there()

    def ask(self, prompt: Prompt, timeout: float, interrupt: Interrupt) -> Choice:
        """Ask, and return the answer; the end of input and Ctrl-C are a refusal."""
        offered = [choice for choice in prompt.offered if choice != "timeout"]
        question = f"allow {plain(prompt.tool_name)}:"
        try:
            answer = ask(question, offered, screen=self._screen, timeout=timeout, withdrawn=interrupt.is_set)
        except TimeoutError:
            return "timeout"
        return cast("Choice", answer or "deny")
