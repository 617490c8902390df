"""What a test leaves behind: threads, processes, changes of the environment, each with the place that began it."""

from __future__ import annotations

import multiprocessing
import multiprocessing.process
import os
import subprocess
import sysconfig
import threading
import time
import traceback
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

KINDS: Final = ("threads", "processes", "environment")
_PATIENCE: Final = 2.0
"""Seconds that threads and processes may take to end by themselves."""
_POLL: Final = 0.02
_KEPT_ON_PURPOSE: Final = ("hermes-sdk-loop", "pytest_timeout")
"""Beginnings of the names of threads that their owners keep for the process."""
_LIBRARY: Final = sysconfig.get_path("stdlib") + os.sep
_INSTALLED: Final = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_PYTEST_OWN: Final = frozenset({"PYTEST_CURRENT_TEST", "PYTEST_VERSION"})


class LeakWatch:
    """Looks from its making to `end`: one test."""

    def __init__(self) -> None:
        self._threads = set(threading.enumerate())
        self._environment = dict(os.environ)
        self._directory = _cwd()
        self._children = set(multiprocessing.active_children())
        self._begun: dict[int, tuple[object, str]] = {}
        """Threads and processes with the places that began them, by the ids of these objects, which are kept."""
        self._processes: list[subprocess.Popen[Any]] = []
        self._restore = [
            self._note(threading.Thread, "start"),
            self._note(subprocess.Popen, "__init__"),
            self._note(multiprocessing.process.BaseProcess, "start"),
        ]

    def _note(self, owner: type[Any], name: str) -> Callable[[], None]:
        """Have the callers of a method noted; return what ends that."""
        original = getattr(owner, name)

        def noted(this: Any, *args: Any, **options: Any) -> Any:
            self._begun[id(this)] = (this, _caller())
            result = original(this, *args, **options)
            if isinstance(this, subprocess.Popen):
                self._processes.append(this)
            return result

        setattr(owner, name, noted)
        return lambda: setattr(owner, name, original)

    def end(self, allowed: Collection[str] = ()) -> list[str]:
        """Return one line for each leak, and mend what would disturb the next test.

        Args:
            allowed: Kinds that are let be; ``all`` lets every one be.
        """
        for restore in self._restore:
            restore()
        found = {
            "threads": list(self._leaked_threads()),
            "processes": list(self._leaked_processes()),
            "environment": list(self._changed_environment()),
        }
        return [line for kind in KINDS if not {kind, "all"} & set(allowed) for line in found[kind]]

    def _leaked_threads(self) -> Iterator[str]:
        deadline = time.monotonic() + _PATIENCE
        while (left := self._new_threads()) and time.monotonic() < deadline:
            time.sleep(_POLL)
        for thread in left:
            kind = "daemon thread" if thread.daemon else "thread"
            yield f"{kind} {thread.name!r}{self._begun_at(thread)}"

    def _new_threads(self) -> list[threading.Thread]:
        return [
            thread
            for thread in threading.enumerate()
            if thread not in self._threads and not thread.name.startswith(_KEPT_ON_PURPOSE)
        ]

    def _leaked_processes(self) -> Iterator[str]:
        deadline = time.monotonic() + _PATIENCE
        while (left := [each for each in self._processes if each.poll() is None]) and time.monotonic() < deadline:
            time.sleep(_POLL)
        for process in left:
            yield f"process {process.pid} {_command(process)}{self._begun_at(process)}"
            process.kill()
            process.wait()
        for child in set(multiprocessing.active_children()) - self._children:
            child.join(_PATIENCE)
            if child.is_alive():
                yield f"process {child.pid} {child.name!r}{self._begun_at(child)}"
                child.kill()
                child.join()

    def _changed_environment(self) -> Iterator[str]:
        now = dict(os.environ)
        for name in sorted(self._environment.keys() | now.keys() - _PYTEST_OWN):
            before, after = self._environment.get(name), now.get(name)
            if before == after or name in _PYTEST_OWN:
                continue
            what = "was set" if before is None else "was removed" if after is None else "was changed"
            yield f"environment variable {name} {what}; use monkeypatch.setenv"
            if before is None:
                del os.environ[name]
            else:
                os.environ[name] = before
        if _cwd() != self._directory:
            yield f"the working directory is {_cwd()} now; use monkeypatch.chdir"
            os.chdir(self._directory)

    def _begun_at(self, thing: object) -> str:
        _, place = self._begun.get(id(thing), (None, ""))
        return f", started at {place}" if place else ""


def _caller() -> str:
    """Return where the code stands that starts something: the last line that is not Python's own library's."""
    frames = traceback.extract_stack()[:-2]
    of_others = [frame for frame in frames if not _is_of_the_library(frame.filename)]
    return f"{of_others[-1].filename}:{of_others[-1].lineno}" if of_others else ""


def _is_of_the_library(file: str) -> bool:
    return file.startswith(("<frozen", _LIBRARY)) and not any(part in file for part in _INSTALLED)


def _command(process: subprocess.Popen[Any]) -> str:
    command = process.args if isinstance(process.args, str | bytes) else " ".join(map(str, process.args))  # type: ignore[arg-type]
    return repr(command)[:120]


def _cwd() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - text is what is shown
    except FileNotFoundError:
        return "/"
