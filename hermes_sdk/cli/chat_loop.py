"""The conversation of `hermes-sdk chat`: read a line, run a command or a turn, and again."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.text import Text

from hermes_sdk.cli.ask import someone_is_there
from hermes_sdk.cli.ending import ending_properly
from hermes_sdk.cli.problems import EXIT_INTERRUPTED, EXIT_OK, TerminatedError
from hermes_sdk.cli.screen import plain
from hermes_sdk.host.commands import run_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from rich.console import Console

    from hermes_sdk.cli.capture import StdoutCapture
    from hermes_sdk.cli.ending import Ending
    from hermes_sdk.host.agent import Agent

_ENOUGH_PRESSES: Final = 2
"""Presses of Ctrl-C that end the program."""


class ChatLoop:
    """One sitting at the terminal.

    Args:
        agent: Who is talked to.
        capture: Keeps what plugins print off the screen while a turn or a command runs.
        screen: The console to draw on.
        before_turn: Called before each turn; a scripted model gets the turn's steps there.
    """

    def __init__(
        self,
        agent: Agent,
        capture: StdoutCapture,
        screen: Console,
        before_turn: Callable[[], None] | None = None,
    ) -> None:
        self._agent = agent
        self._capture = capture
        self._screen = screen
        self._before_turn = before_turn

    def run(self) -> int:
        """Talk until the person leaves or the process is asked to end, and return the exit code."""
        try:
            with ending_properly() as ending:
                return self._talk(ending)
        except TerminatedError as error:
            return error.exit_code

    def _talk(self, ending: Ending) -> int:
        presses = 0
        while presses < _ENOUGH_PRESSES:
            try:
                line = self._read()
            except EOFError:
                return EXIT_OK
            except TerminatedError:
                raise
            except KeyboardInterrupt:
                presses += 1
                if presses < _ENOUGH_PRESSES:
                    self._say("\npress Ctrl-C again to leave", "dim")
                continue
            leaves = False
            with _interrupting(self._agent) as ctrl_c, self._capture:
                leaves = self._answer(line)
            ending.end_if_asked()
            if leaves:
                return EXIT_OK
            presses = ctrl_c.presses
        return EXIT_INTERRUPTED

    def _read(self) -> str:
        """Return the next message; blank lines are not worth a turn."""
        prompt = "you> " if someone_is_there() else ""
        while True:
            line = input(prompt).strip()
            if line:
                return line

    def _answer(self, line: str) -> bool:
        """Run the command or the turn that `line` asks for; True when the person wants to leave."""
        command = run_command(self._agent, line)
        if command is None:
            self._turn(line)
        elif command.leaves:
            return True
        elif command.text:
            self._say(command.text, "yellow" if command.failed else "")
        while (injected := self._agent.take_pending()) is not None:
            self._turn(injected)
        return False

    def _turn(self, message: str) -> None:
        if self._before_turn is not None:
            self._before_turn()
        result = self._agent.run_turn(message)
        if result.answer:
            self._say(result.answer)

    def _say(self, text: str, style: str = "") -> None:
        self._screen.print(Text(plain(text), style))


class _CtrlC:
    """Counts Ctrl-C during one turn or command: the first asks it to end, the second breaks in."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.presses = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Be the handler of SIGINT."""
        del number, frame
        self.presses += 1
        if self.presses >= _ENOUGH_PRESSES or not self._agent.interrupt("Ctrl-C"):
            raise KeyboardInterrupt


@contextmanager
def _interrupting(agent: Agent) -> Iterator[_CtrlC]:
    """Handle Ctrl-C by `_CtrlC`; one that breaks into a command ends the block quietly."""
    handler = _CtrlC(agent)
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield handler
    except KeyboardInterrupt:
        agent.interrupt("Ctrl-C")
    finally:
        signal.signal(signal.SIGINT, before)
