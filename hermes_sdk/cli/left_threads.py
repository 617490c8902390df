"""Threads that plugins left running: they hold a program up for ever, and nobody would know why.

Python waits at its end for every thread that is no daemon. One that a plugin forgot to end would keep a build or a
script from going on, without a word.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Final

from hermes_sdk.cli.problems import warn

if TYPE_CHECKING:
    from types import FrameType

PATIENCE: Final = 10.0
"""Seconds that they are waited for, as the background jobs of plugins are."""


def end_in_spite_of_them(code: int, patience: float = PATIENCE) -> None:
    """See to it that this process ends with `code`: nothing follows but Python's own end.

    Ctrl-C ends it at once from here on; a traceback out of Python's waiting would help nobody.
    """
    if not _left():
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_wait, args=(code, patience), name="hermes-sdk-end", daemon=True).start()


def _wait(code: int, patience: float) -> None:
    time.sleep(patience)  # Python ends threads of executors meanwhile, and with all of them gone the process
    left = _left()
    if left:
        warn(f"ended without waiting any longer for what plugins left running: {', '.join(map(_named, left))}")
        sys.stdout.flush()
        os._exit(code)


def _left() -> list[threading.Thread]:
    main = threading.main_thread()
    return [thread for thread in threading.enumerate() if thread is not main and not thread.daemon]


def _named(thread: threading.Thread) -> str:
    """Return the thread's name, with the ``file:line`` of the code that it was made for."""
    frame: FrameType | None = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - documented, in spite of its name
    place = ""
    while frame is not None:  # from the innermost outwards
        if frame.f_code.co_filename != threading.__file__:
            place = f" at {frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return f"thread {thread.name!r}{place}"
