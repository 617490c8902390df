"""One session file from start to end: plugins loaded, prints captured, events shown, plugins counted."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from hermes_sdk.cli.approver import TerminalApprover
from hermes_sdk.cli.capture import StdoutCapture
from hermes_sdk.cli.ending import ending_properly
from hermes_sdk.cli.logs import LOG_FILE
from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK, TerminatedError
from hermes_sdk.cli.progress import SessionProgress
from hermes_sdk.cli.recording_listener import RecordingListener
from hermes_sdk.cli.screen import console
from hermes_sdk.cli.start import load_plugins, module_owner, opened_manager
from hermes_sdk.cli.views import JsonView, TimelineView
from hermes_sdk.dispatch import failures
from hermes_sdk.host.events import HookFired, MiddlewareApplied
from hermes_sdk.host.session_file import load_session, play
from hermes_sdk.trace.summary import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType
    from typing import TextIO

    from rich.console import Console

    from hermes_sdk.cli.logs import ScreenLog
    from hermes_sdk.cli.views import View
    from hermes_sdk.host.events import Event
    from hermes_sdk.host.player import Mode, Progress, SessionResult
    from hermes_sdk.host.session_script import SessionScript
    from hermes_sdk.plugins.manager import PluginManager


_MODES: Final[dict[bool | None, Mode]] = {None: "auto", True: "live", False: "recorded"}


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the command line asked for."""

    session: Path
    home: Path
    plugins: tuple[Path, ...] = ()
    workdir: Path | None = None
    live: bool | None = None
    """Whether tools run for real; None: those of a script do, those of a conversation do not."""
    strict: bool = False
    quiet: bool = False
    as_json: bool = False
    record: Path | None = None
    """Where the recording goes; None makes none."""
    redacted: bool = True


def run_session(request: RunRequest, log: ScreenLog) -> int:
    """Play the session as asked and return the exit code; warnings of `log` are shown among the events.

    Raises:
        HermesSdkError: It cannot be played; the view was told.
        KeyboardInterrupt: The person ended it.
    """
    capture = StdoutCapture()
    view = _view(request, capture.terminal)
    capture.sink = view.printed
    with ExitStack() as stack:
        stack.callback(capture.close, rest_to_stderr=request.as_json)
        stack.enter_context(log.shown_by(view.warned))
        stack.enter_context(capture)
        try:
            script = load_session(request.session)
            manager = stack.enter_context(opened_manager(request.home, strict=request.strict))
            capture.owner = partial(module_owner, manager)
            load_plugins(manager, request.plugins)
            if isinstance(view, TimelineView):
                log.muted = (failures.__name__,)  # the timeline has them, without their place in the code
            tally, result = _play(request, script, manager, view, capture.terminal)
            manager.shutdown()  # plugins may still print; what comes of the session is the last word
        except (Exception, KeyboardInterrupt) as error:
            view.failed(error)
            if isinstance(error, TerminatedError):
                return error.exit_code
            raise
        view.end(result, tally)
    return EXIT_OK if result.ok else EXIT_FAILED


def _view(request: RunRequest, stream: TextIO) -> View:
    if request.as_json:
        return JsonView(stream)
    return TimelineView(stream, request.home / LOG_FILE, quiet=request.quiet)


def _play(
    request: RunRequest, script: SessionScript, manager: PluginManager, view: View, terminal: TextIO
) -> tuple[Tally, SessionResult]:
    manager.tracing = True
    tally = Tally()
    for plugin in manager.plugins.values():
        tally.expect(plugin.key, plugin.source)
    view.begin(script, manager)
    recording = _recording(request, script, manager)
    listen = _Listener(tally, view, recording)
    with (
        closing(recording) if recording else nullcontext(),
        SessionProgress(_bar_console(view)) as shown,
        _ending_on_ctrl_c() as ctrl_c,
        ending_properly() as ending,
    ):

        def progress(far: Progress) -> None:
            shown(far)
            ending.end_if_asked()
            ctrl_c.end_if_pressed()

        result = play(
            manager,
            script,
            workdir=request.workdir,
            listener=listen,
            progress=progress,
            mode=_MODES[request.live],
            approver=TerminalApprover(
                sys.stderr if request.as_json else terminal,
                shown.paused,
                explains=request.quiet or request.as_json,
            ),
        )
    return tally, result


class _Listener:
    """Counts what plugins do, shows it, and records it where that is wanted."""

    def __init__(self, tally: Tally, view: View, recording: RecordingListener | None) -> None:
        self.wants_payloads = recording is not None
        self._tally = tally
        self._view = view
        self._recording = recording

    def __call__(self, event: Event) -> None:
        """Hear one event."""
        if isinstance(event, HookFired):
            self._tally.add(event.outcome.steps, event.duration_ms)
        elif isinstance(event, MiddlewareApplied):
            self._tally.add_rewrites(event.plugins)
        if self._recording is not None:
            self._recording(event)
        self._view(event)


def _recording(request: RunRequest, script: SessionScript, manager: PluginManager) -> RecordingListener | None:
    if request.record is None:
        return None
    title = script.title or request.session.name
    return RecordingListener(request.record, manager, title, redacted=request.redacted)


def _bar_console(view: View) -> Console | None:
    """Return the terminal for a progress bar: the timeline's own, so that both share it, else stderr; or None."""
    if isinstance(view, TimelineView) and view.console.is_terminal:
        return view.console
    return console(sys.stderr) if sys.stderr.isatty() else None


class _CtrlC:
    """Ctrl-C ends the turn, as in a chat, and after it the session."""

    def __init__(self) -> None:
        self._pressed = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Be the handler of SIGINT."""
        self._pressed = True
        signal.default_int_handler(number, frame)

    def end_if_pressed(self) -> None:
        """Break out of the session; only its own thread can."""
        if self._pressed and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt


@contextmanager
def _ending_on_ctrl_c() -> Iterator[_CtrlC]:
    handler = _CtrlC()
    if threading.current_thread() is not threading.main_thread():
        yield handler
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield handler
    finally:
        signal.signal(signal.SIGINT, before)
