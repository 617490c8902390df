"""The gateway hooks of one home: found, loaded, and handed the events of a gateway."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config import Config
from hermes_sdk.config.schema import is_seconds, wrong_type
from hermes_sdk.dispatch.failures import FailureLog
from hermes_sdk.dispatch.guard import must_propagate
from hermes_sdk.dispatch.watch import any_copy
from hermes_sdk.errors import PluginError
from hermes_sdk.gateway_hooks.events import clipped, matches
from hermes_sdk.gateway_hooks.handlers import import_handler, place_of, release_handler
from hermes_sdk.gateway_hooks.hook_file import FoundHook, find_hooks
from hermes_sdk.gateway_hooks.lane import QUEUE_LIMIT, Answer, Lane
from hermes_sdk.home import hermes_home, safe_mode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hermes_sdk.config.problems import Problem

logger = logging.getLogger(__name__)

HANDLER_TIMEOUT: Final = 300.0
"""Seconds that one call of a handler may take, where ``gateway.handler_timeout`` says nothing."""
HOOK_TIMEOUT: Final = 5.0
"""Seconds that `emit_collect` waits for answers, where ``gateway.hook_timeout`` says nothing."""
CLOSE_SECONDS: Final = 5.0
"""How long `close` waits for events that are still to be handled."""
_SHORTEST_LOOK: Final = 0.01


@dataclass(frozen=True, slots=True)
class HookStatus:
    """One gateway hook as a status shows it."""

    name: str
    events: tuple[str, ...]
    description: str
    directory: str
    state: str
    """``loaded``, ``suspended``, ``disabled``, ``refused`` (its HOOK.yaml), ``failed`` (its handler.py) or ``off``
    (safe mode)."""
    why: str = ""
    handled: int = 0
    failed: int = 0
    dropped: int = 0
    late: int = 0
    queued: int = 0
    busy_for: float = 0.0
    """Seconds that the present call has taken."""
    last_error: str = ""


@dataclass(slots=True)
class _Hook:
    found: FoundHook
    state: str = "loaded"
    why: str = ""
    module_name: str = ""
    lane: Lane | None = None


class HookRegistry:
    """Loads the gateway hooks of a home and hands them the events of a gateway.

    Every handler has a queue and a thread of its own: no method waits for a handler, but for `emit_collect`, which
    waits at most `hook_timeout`.

    Args:
        home: The home; the active one by default.
        handler_timeout: Seconds that one call of a handler may take; ``gateway.handler_timeout`` (300) by default.
        hook_timeout: Seconds that `emit_collect` waits; ``gateway.hook_timeout`` (5) by default.
        queue_limit: How many events may wait for one handler; of more, the oldest are dropped.
    """

    def __init__(
        self,
        home: Path | str | None = None,
        *,
        handler_timeout: float | None = None,
        hook_timeout: float | None = None,
        queue_limit: int = QUEUE_LIMIT,
    ) -> None:
        self.home = hermes_home() if home is None else Path(home).expanduser().absolute()
        self.problems: list[Problem] = []
        """What is wrong in HOOK.yaml files and around them; each was logged once."""
        config = Config.load(self.home)
        self.handler_timeout = handler_timeout or _seconds(config, "gateway.handler_timeout", HANDLER_TIMEOUT)
        self.hook_timeout = hook_timeout or _seconds(config, "gateway.hook_timeout", HOOK_TIMEOUT)
        self.failures = FailureLog("gateway hook")
        self._queue_limit = queue_limit
        self._hooks: list[_Hook] = []
        self._retired: list[Lane] = []
        self._lock = threading.RLock()
        self._changed = threading.Condition()
        self._loaded = self._closed = self._watching = False

    # -- loading -----------------------------------------------------------------------------------------------

    def discover_and_load(self) -> None:
        """Find and load the hooks of the home, by the names of their directories; a second call does nothing.

        What cannot be loaded is logged and listed by `status`; nothing is raised for it.
        """
        with self._lock:
            if not self._loaded:
                self._loaded = True
                self._load_all()

    def reload(self) -> None:
        """Read the hooks anew; what waits for the old handlers is still handed to them."""
        with self._lock:
            old, self._hooks = self._hooks, []
            self._retired = [lane for lane in self._retired if lane.queued or lane.busy_for or lane.counters.late]
            self._retired.extend(hook.lane for hook in old if hook.lane is not None)
            for hook in old:
                if hook.module_name:
                    release_handler(hook.module_name)
                self.failures.forget(hook.found.name)
            self._loaded, self._closed = True, False
            self._load_all()

    def _load_all(self) -> None:
        found, problems = find_hooks(self.home)
        self.problems = [*problems, *(problem for hook in found for problem in hook.problems)]
        for problem in self.problems:
            logger.warning("%s", problem)
        self._hooks = [self._load(hook) for hook in found]

    def _load(self, found: FoundHook) -> _Hook:
        if safe_mode() != "off":
            return _Hook(found, "off", "HERMES_SAFE_MODE is set")
        if not found.enabled:
            return _Hook(found, "disabled", "its HOOK.yaml says `enabled: false`")
        if found.refused:
            return _Hook(found, "refused", found.refused)
        try:
            module_name, handle = import_handler(found, self.home)
        except PluginError as error:
            logger.warning("%s", error)
            return _Hook(found, "failed", str(error))
        except BaseException as error:
            if must_propagate(error):
                raise
            place = str(found.directory / "handler.py")
            text = self.failures.record(found.name, "its import", error, place, level=logging.WARNING)
            return _Hook(found, "failed", text)
        lane = Lane(
            found.name,
            handle,
            place=place_of(handle, found),
            timeout=self.handler_timeout,
            failures=self.failures,
            limit=self._queue_limit,
        )
        logger.info("gateway hook %r is loaded for %s", found.name, ", ".join(found.events))
        return _Hook(found, module_name=module_name, lane=lane)

    # -- events ------------------------------------------------------------------------------------------------

    def handlers_of(self, event_type: str) -> list[str]:
        """Return the names of the hooks that an event is handed to, in order: exact subscriptions come first."""
        return [lane.name for lane in self._lanes_of(event_type)]

    def emit_nowait(self, event_type: str, context: Mapping[str, Any] | None = None) -> None:
        """Hand an event to its handlers, from any thread.

        Args:
            event_type: ``agent:step``, ``command:reset``.
            context: The keys of the event (`hermes_sdk.gateway_hooks.events`), values of the documented types. Each
                handler gets a copy of its own, long texts cut to their first 500 characters.
        """
        lanes = self._lanes_of(event_type)
        if lanes:
            given = clipped(event_type, context or {})
            for lane in lanes:
                lane.put(event_type, any_copy(given))
            self._watch()

    async def emit(self, event_type: str, context: Mapping[str, Any] | None = None) -> None:
        """Hand an event to its handlers and go on; see `emit_nowait`."""
        self.emit_nowait(event_type, context)

    async def emit_collect(self, event_type: str, context: Mapping[str, Any] | None = None) -> list[Any]:
        """Hand an event to its handlers and return what they returned, of whatever types, without None, in order.

        Waits at most `hook_timeout`: a handler that takes longer goes on, and its answer counts for nothing. One that
        has been at an earlier event for longer than that is not waited for at all.
        """
        return [answer.value for answer in await self.ask(event_type, context) if answer.value is not None]

    async def ask(
        self, event_type: str, context: Mapping[str, Any] | None = None, *, patience: float | None = None
    ) -> list[Answer]:
        """Hand an event to its handlers and return what came of it at each, in order.

        Args:
            event_type: As in `emit_nowait`.
            context: As in `emit_nowait`.
            patience: How long to wait, in seconds; `hook_timeout` by default.
        """
        patience = self.hook_timeout if patience is None else patience
        given = clipped(event_type, context or {})
        asked: list[tuple[Lane, asyncio.Future[Answer] | None]] = []
        for lane in self._lanes_of(event_type):
            answer: Future[Answer] | None = Future() if lane.busy_for < patience else None
            lane.put(event_type, any_copy(given), answer)
            asked.append((lane, None if answer is None else asyncio.wrap_future(answer)))
        if asked:
            self._watch()
        waiting = [answer for _, answer in asked if answer is not None]
        if waiting:
            await asyncio.wait(waiting, timeout=patience)
        return [_answer_of(lane, answer, patience) for lane, answer in asked]

    def _lanes_of(self, event_type: str) -> list[Lane]:
        if self._closed:
            return []
        exact: list[Lane] = []
        by_family: list[Lane] = []
        for hook in self._hooks:
            pattern = None if hook.lane is None else matches(hook.found.events, event_type)
            if hook.lane is not None and pattern is not None:
                (exact if pattern == event_type else by_family).append(hook.lane)
        return exact + by_family

    # -- late calls --------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Have somebody notice calls that never return; started by the first event that is handed over."""
        with self._changed:
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._look, name="hermes-sdk-gateway-hooks-watch", daemon=True).start()

    def _look(self) -> None:
        # a call that begins while this waits is due after it: all have the same deadline
        while self._watching:
            now = time.monotonic()
            due = [due for lane in self._all_lanes() if (due := lane.check(now)) is not None]
            until = min(due, default=now + self.handler_timeout)
            with self._changed:
                self._changed.wait_for(lambda: not self._watching, max(_SHORTEST_LOOK, until - time.monotonic()))

    def _all_lanes(self) -> list[Lane]:
        with self._lock:
            return [hook.lane for hook in self._hooks if hook.lane is not None] + self._retired

    # -- the rest ----------------------------------------------------------------------------------------------

    @property
    def loaded_hooks(self) -> list[dict[str, Any]]:
        """The loaded hooks, each with name, description, events and path, as hermes-agent lists them."""
        return [
            {
                "name": hook.found.name,
                "description": hook.found.description,
                "events": list(hook.found.events),
                "path": str(hook.found.directory),
            }
            for hook in self._hooks
            if hook.lane is not None
        ]

    def status(self) -> list[HookStatus]:
        """Return every hook that was found, what became of it, and its figures."""
        with self._lock:
            return [_status(hook) for hook in self._hooks]

    async def flush(self, seconds: float = CLOSE_SECONDS) -> bool:
        """Wait until every event has been handled and return whether that was in time.

        Args:
            seconds: How long to wait.
        """
        until = time.monotonic() + seconds
        lanes = self._all_lanes()
        return all([await asyncio.to_thread(lane.flush, until) for lane in lanes])

    async def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Take no more events, and give those that wait a moment to be handled; a second call does nothing.

        Args:
            seconds: How long to wait, for all handlers together.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            lanes = self._all_lanes()
        until = time.monotonic() + seconds
        await asyncio.gather(*(asyncio.to_thread(lane.close, until) for lane in lanes))
        with self._changed:
            self._watching = False
            self._changed.notify_all()
        with self._lock:
            for hook in self._hooks:
                if hook.module_name:
                    release_handler(hook.module_name)
                    hook.module_name = ""


def _seconds(config: Config, key: str, default: float) -> float:
    value = config.get(key, default)
    if is_seconds(value):
        return float(value)
    logger.warning("%s", wrong_type(config, tuple(key.split(".")), value, "a positive number of seconds"))
    return default


def _answer_of(lane: Lane, answer: asyncio.Future[Answer] | None, patience: float) -> Answer:
    if answer is None:
        return Answer(lane.name, error=f"not waited for: busy with an earlier event for more than {patience:g} s")
    if not answer.done():
        answer.cancel()
        return Answer(lane.name, error=f"did not answer within {patience:g} s")
    return answer.result()


def _status(hook: _Hook) -> HookStatus:
    found, lane = hook.found, hook.lane
    described = (found.name, found.events, found.description, str(found.directory))
    if lane is None:
        return HookStatus(*described, hook.state, hook.why)
    figures = lane.counters
    return HookStatus(
        *described,
        "suspended" if lane.suspended else hook.state,
        f"{figures.late} of its calls do not return" if lane.suspended else "",
        handled=figures.handled,
        failed=figures.failed,
        dropped=figures.dropped,
        late=figures.late,
        queued=lane.queued,
        busy_for=round(lane.busy_for, 3),
        last_error=figures.last_error,
    )
