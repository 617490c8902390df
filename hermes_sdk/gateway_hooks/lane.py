"""One handler's events: a bounded queue, and the thread that hands them over, one at a time and in order.

Nothing of the gateway runs here, so whatever a handler does, it can only be late for itself. An awaitable runs on an
event loop of the handler's own, where it is cancelled at its deadline. A synchronous call cannot be stopped: it is
left to its thread and counted, and the queue moves on in a new one; with `MAX_LATE` of them the handler is suspended
until one ends (semantics 7).
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.awaiting import GRACE, is_awaitable
from hermes_sdk.dispatch.deadline import Deadline
from hermes_sdk.dispatch.failures import MAX_LATE, FailureLog, describe, missed
from hermes_sdk.dispatch.loop import CallbackLoop

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

logger = logging.getLogger(__name__)

QUEUE_LIMIT: Final = 1_000
"""Events that may wait for one handler."""
_REST: Final = 5.0
"""Seconds that a thread without work stays: to start one for each event is most of what an event costs."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one event at one handler."""

    hook: str
    value: Any = None
    """What it returned, of whatever type."""
    error: str = ""
    """Why there is no value: what it raised, or that it was not waited for."""


@dataclass(slots=True)
class Counters:
    """What happened at one handler since it was loaded."""

    handled: int = 0
    """Events whose call has returned."""
    failed: int = 0
    """Calls that raised or missed their deadline."""
    dropped: int = 0
    """Events that were never handed over: the queue was full, or the handler suspended or closed."""
    late: int = 0
    """Calls that missed their deadline and still run."""
    last_error: str = ""


@dataclass(slots=True)
class _Delivery:
    event_type: str
    context: dict[str, Any]
    answer: Future[Answer] | None

    def settle(self, answer: Answer) -> None:
        if self.answer is not None and self.answer.set_running_or_notify_cancel():
            self.answer.set_result(answer)


@dataclass(slots=True)
class _Worker:
    """One thread that works on the queue, and since when it has been in a call of the handler."""

    current: _Delivery | None = None
    since: float = 0.0
    synchronous: bool = False
    """It is inside the handler itself, where nobody can cancel it."""


class Lane:
    """The queue of one handler.

    Args:
        name: The hook, for messages.
        handle: The handler: ``handle(event_type, context)``, synchronous or asynchronous.
        place: ``file:line`` of it.
        timeout: What one call may take, in seconds.
        failures: Where failures are counted and logged.
        limit: How many events may wait.
    """

    def __init__(
        self,
        name: str,
        handle: Callable[[str, dict[str, Any]], Any],
        *,
        place: str,
        timeout: float,
        failures: FailureLog,
        limit: int = QUEUE_LIMIT,
    ) -> None:
        self.name = name
        self.counters = Counters()
        self._handle = handle
        self._place = place
        self._timeout = timeout
        self._failures = failures
        self._limit = limit
        self._queue: deque[_Delivery] = deque()
        self._changed = threading.Condition()
        self._worker: _Worker | None = None
        self._resting = False
        """Whether the worker waits for events."""
        self._loop = CallbackLoop()
        self._closed = False

    @property
    def suspended(self) -> bool:
        """Whether nothing is handed over because too many calls never returned."""
        return self.counters.late >= MAX_LATE

    @property
    def queued(self) -> int:
        """How many events wait."""
        return len(self._queue)

    @property
    def busy_for(self) -> float:
        """How long the handler has been at its present event, in seconds; 0 when it is idle."""
        with self._changed:
            worker = self._worker
            return 0.0 if worker is None or worker.current is None else time.monotonic() - worker.since

    def put(self, event_type: str, context: dict[str, Any], answer: Future[Answer] | None = None) -> None:
        """Queue an event, from any thread; never waits.

        Args:
            event_type: The event.
            context: A copy that is the handler's own.
            answer: Gets what comes of it.
        """
        delivery = _Delivery(event_type, context, answer)
        given_up, why = [delivery], self._why_not()
        with self._changed:
            if not (self._closed or self.suspended):
                self._queue.append(delivery)
                given_up = [self._queue.popleft()] if len(self._queue) > self._limit else []
                why = f"{self._limit} wait already"
                if self._worker is None:
                    self._start_worker()
                elif self._resting:
                    self._changed.notify_all()
        self._give_up(given_up, why)

    def check(self, now: float) -> float | None:
        """Leave a synchronous call that is late to itself; return when to look again, None if nothing runs.

        Args:
            now: `time.monotonic()`.
        """
        with self._changed:
            worker = self._worker
            if worker is None or worker.current is None or not worker.synchronous:
                return None
            due = worker.since + self._timeout
            if now < due:
                return due
            late = worker.current
            worker.current = None
            self._worker = None
            given_up = self._count_late()
            if self._queue:
                self._start_worker()
            else:
                self._changed.notify_all()
        self._failed(late, missed(self._timeout))
        self._give_up(given_up, self._why_not())
        return None

    def flush(self, until: float) -> bool:
        """Wait until every event has been handled and return whether that was in time.

        Args:
            until: `time.monotonic()` of the latest moment.
        """
        with self._changed:
            return self._changed.wait_for(self._done, max(0.0, until - time.monotonic()))

    def close(self, until: float) -> None:
        """Take no more events, hand over those that wait, and end.

        Args:
            until: `time.monotonic()` of the moment at which what is left is given up and running calls are cancelled.
        """
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self.flush(until)
        with self._changed:
            left = list(self._queue)
            self._queue.clear()
        self._give_up(left, self._why_not())
        self._loop.stop(timeout=GRACE)  # whoever blocks it does not end any sooner

    # -- the worker --------------------------------------------------------------------------------------------

    def _start_worker(self) -> None:
        """Start the thread that works on the queue; the lock is held."""
        worker = self._worker = _Worker()
        name = f"hermes-sdk-gateway-hook-{self.name}"
        try:
            threading.Thread(target=self._work, args=(worker,), name=name, daemon=True).start()
        except RuntimeError:  # no thread can be started any more: the interpreter ends
            self._worker = None
            self._changed.notify_all()

    def _work(self, worker: _Worker) -> None:
        while (delivery := self._next(worker)) is not None:
            try:
                value = self._call(worker, delivery)
            except BaseException as error:  # also a KeyboardInterrupt: nobody is here to take it
                if self._ended(worker):
                    self._failed(delivery, error)
            else:
                if self._ended(worker):
                    delivery.settle(Answer(self.name, value))

    def _next(self, worker: _Worker) -> _Delivery | None:
        with self._changed:
            if self._worker is worker and not self._queue:
                self._rest()
            if self._worker is not worker:  # it was late, and another one has the queue
                return None
            if not self._queue:
                self._worker = None
                self._changed.notify_all()
                return None
            worker.current = delivery = self._queue.popleft()
            worker.since, worker.synchronous = time.monotonic(), True
            return delivery

    def _rest(self) -> None:
        """Wait a while for events; the lock is held, and given up meanwhile."""
        self._resting = True
        self._changed.notify_all()  # whoever waits for the queue to be done
        self._changed.wait_for(lambda: self._queue or self._closed, _REST)
        self._resting = False

    def _done(self) -> bool:
        return self._worker is None or (self._resting and not self._queue)

    def _call(self, worker: _Worker, delivery: _Delivery) -> Any:
        value = self._handle(delivery.event_type, delivery.context)
        if not is_awaitable(value):
            return value
        with self._changed:
            worker.synchronous = False
            left = max(0.0, worker.since + self._timeout - time.monotonic())
        return self._loop.run(value, Deadline(self._timeout, left, self._went_late))

    def _ended(self, worker: _Worker) -> bool:
        """Note that a call is over; return whether anybody still wants to know what came of it."""
        with self._changed:
            self.counters.handled += 1
            if worker.current is None:
                self.counters.late -= 1
                return False
            worker.current = None
            return True

    def _went_late(self) -> Callable[[], None]:
        """Count an awaitable that neither ends nor lets itself be cancelled; return what to call when it ends."""
        with self._changed:
            given_up = self._count_late()
        self._give_up(given_up, self._why_not())

        def ended() -> None:
            with self._changed:
                self.counters.late -= 1

        return ended

    def _count_late(self) -> list[_Delivery]:
        """Count one more late call; return what is given up because of it. The lock is held."""
        self.counters.late += 1
        if not self.suspended:
            return []
        logger.warning(
            "gateway hook %r is suspended until one of its calls ends: %d of them did not return in %g s",
            self.name,
            self.counters.late,
            self._timeout,
        )
        given_up = list(self._queue)
        self._queue.clear()
        return given_up

    # -- what comes of it --------------------------------------------------------------------------------------

    def _failed(self, delivery: _Delivery, error: BaseException) -> None:
        text = self._failures.record(self.name, delivery.event_type, error, self._place, level=logging.WARNING)
        with self._changed:
            self.counters.failed += 1
            self.counters.last_error = f"{delivery.event_type}: {text}"
        delivery.settle(Answer(self.name, error=describe(error)))

    def _give_up(self, deliveries: list[_Delivery], why: str) -> None:
        if not deliveries:
            return
        with self._changed:
            first = self.counters.dropped == 0
            self.counters.dropped += len(deliveries)
        if first:
            logger.warning("gateway hook %r: events are dropped, %s", self.name, why)
        for delivery in deliveries:
            delivery.settle(Answer(self.name, error=f"dropped: {why}"))

    def _why_not(self) -> str:
        return "it is closed" if self._closed else "it is suspended"
