"""The hooks: each call becomes a record, and what cannot be recorded is said, or stops tools."""

from __future__ import annotations

import logging
import os
import platform
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import hookimpl
from hermes_sdk.dispatch.outcomes import ToolDecision
from hermes_sdk.masking import redact

from .records import API, FIELDS, QUIET, TRANSFORMS, Records, acted
from .texts import Texts
from .writer import LogProblemError, problem_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from hermes_sdk.dispatch.outcomes import Outcome

    from .chain import Chain
    from .settings import Settings
    from .writer import Writer

logger = logging.getLogger(__name__)

_JUDGE: Final = "pre_tool_call"


class Hooks:
    """Holds one wrapper a hook, under the hook's name, as pluggy finds implementations."""


class Auditor:
    """Records hook calls.

    Args:
        settings: What the user wants.
        chain: Hashes records.
        writer: Where they go.
        folded: Whether the host tells how the answers of a call were folded.
    """

    def __init__(self, settings: Settings, chain: Chain, writer: Writer, *, folded: bool) -> None:
        texts = Texts(settings.text, chain.text_digest, keep_messages=settings.messages == "text")
        self._records = Records(texts, folded=folded)
        self._writer = writer
        self._blocks = settings.on_failure == "block"
        self._hooks = [hook for hook in FIELDS if settings.api or hook not in API]
        self._problem = ""
        self._pulse = Pulse(self._sync, settings.fsync_seconds) if settings.fsync == "interval" else None

    # -- in our host -----------------------------------------------------------------------------------

    def wrappers(self) -> Hooks:
        """Return an object with a wrapper for each hook: a wrapper sees the call as it comes and how it was decided."""
        hooks = Hooks()
        for hook in self._hooks:
            setattr(hooks, hook, self._wrapper(hook))
        return hooks

    def _wrapper(self, hook: str) -> Callable[..., Any]:
        @hookimpl(wrapper=True, tryfirst=True, specname=hook)
        def watch(**payload: Any) -> Generator[None, Outcome, Outcome | None]:
            asked = None if hook in QUIET else self._asked(hook, payload)
            outcome = yield
            if asked is None and not acted(outcome):
                return None
            record = self._asked(hook, payload) if asked is None else asked
            kept = self._keep(hook, lambda: record | self._records.decided(outcome))
            if kept or not self._blocks or not isinstance(outcome, ToolDecision):
                return None
            return outcome._replace(action="block", message=self._refusal())

        return watch

    def _asked(self, hook: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Note now what is asked, because others may change it in place; the call is recorded whatever it holds."""
        try:
            return self._records.asked(hook, payload)
        except Exception as error:
            logger.exception("audit_log: what %s sends cannot be read", hook)
            return {"kind": hook, "unreadable": type(error).__name__}

    # -- in hermes-agent -------------------------------------------------------------------------------

    def callbacks(self) -> dict[str, Callable[..., Any]]:
        """Return a callback for each hook whose call alone is worth a record."""
        return {hook: self._callback(hook) for hook in self._hooks if hook not in TRANSFORMS}

    def _callback(self, hook: str) -> Callable[..., Any]:
        def note(**payload: Any) -> dict[str, str] | None:
            kept = self._keep(hook, lambda: self._records.asked(hook, payload))
            blocks = hook == _JUDGE and self._blocks and not kept
            return {"action": "block", "message": self._refusal()} if blocks else None

        return note

    # -- writing ---------------------------------------------------------------------------------------

    def _keep(self, hook: str, made: Callable[[], dict[str, Any]]) -> bool:
        """Write a record, and return whether that worked; a first failure is logged, and its end."""
        try:
            self._writer.append(made())
        except (OSError, LogProblemError) as error:
            self._failed(hook, problem_text(error))
            return False
        except Exception as error:
            logger.exception("audit_log: %s cannot be recorded", hook)
            self._failed(hook, type(error).__name__)  # its text may hold what is to be masked
            return False
        if self._problem:
            logger.warning("audit_log: the log can be written again")
            self._problem = ""
        if self._pulse is not None:
            self._pulse.wanted()
        return True

    def _failed(self, hook: str, problem: str) -> None:
        if problem != self._problem:
            logger.error("audit_log: %s is not recorded: %s", hook, problem)
        self._problem = problem

    def _refusal(self) -> str:
        return f"the audit log cannot be written, and nothing may run unrecorded: {self._problem}"

    def _sync(self) -> None:
        try:
            self._writer.sync()
        except OSError as error:
            logger.warning("audit_log: the disk may lose what was written: %s", error.strerror)

    def close(self) -> None:
        """End the log of this process."""
        if self._pulse is not None:
            self._pulse.stop()
        self._writer.close()


class Pulse:
    """Does something some seconds after it was wanted, in a thread of its own, however often it was wanted meanwhile.

    Args:
        action: What is done.
        seconds: How long it may wait.
    """

    def __init__(self, action: Callable[[], None], seconds: float) -> None:
        self._action = action
        self._seconds = seconds
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def wanted(self) -> None:
        """Have it done; cheap when somebody else wanted it already."""
        if self._waits():
            return
        with self._lock:
            if self._waits():
                return
            self._timer = threading.Timer(self._seconds, self._run)
            self._timer.daemon = True
            try:
                self._timer.start()
            except RuntimeError:  # the interpreter ends, and begins no thread any more
                self._run()

    def _waits(self) -> bool:
        # in a process that was forked off, the thread is not there
        return self._timer is not None and self._timer.is_alive()

    def _run(self) -> None:
        self._timer = None  # first: what is written while the disk is busy wants another turn
        self._action()

    def stop(self) -> None:
        """Do it no more."""
        timer = self._timer
        if timer is not None and timer.is_alive():
            timer.cancel()
            timer.join()


def this_process(host: str) -> dict[str, Any]:
    """Return what a process says about itself in front of its first record.

    Args:
        host: Which program it is, and its version.
    """
    about: dict[str, Any] = {"host": host, "python": platform.python_version(), "user": os.getuid()}
    with suppress(OSError):  # the working directory is gone
        about["cwd"] = redact(str(Path.cwd()))
    return about
