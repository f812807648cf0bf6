"""The session's thread: carries out commands, handles reports in order, and publishes what playback does."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple, TypeVar, cast

from msgspec.structs import replace

from player.errors import EarmarkError
from player.events import Bus, Cause, Notice, PlaybackChanged
from player.model.playback import PlaybackState, PlaybackStatus, Severity
from player.playback.controller import PlaybackController
from player.playback.observers import EventTracker
from player.playback.outcomes import Refused, Why
from player.text.sentences import _

_SOON_S, _RUNNING_S = 0.1, 0.5
_JUMP_MS = 150
_TIMER_MOVED_MS = 1_000


class StatusPublisher:
    """Runs on the session's thread, except `status`, which any thread may read."""

    def __init__(
        self,
        bus: Bus,
        events: EventTracker,
        controller: PlaybackController,
        shown: Callable[[PlaybackStatus], PlaybackStatus],
    ) -> None:
        """`shown` adds to the controller's status whatever else should be shown."""
        self._bus = bus
        self._events = events
        self._controller = controller
        self._shown = shown
        self.status = PlaybackStatus()
        """The latest status."""
        self._published = self.status
        self.pending = False
        """Whether `status` remains to be published, held back only because the previous one was so recent."""

    def publish_events(self) -> None:
        """Publishes what has happened since the last call; `status` already shows it."""
        # A speed that was not changed by a command for the speed was changed by a rule.
        self._events.at_speed(self._controller.speed, Cause.RULE)
        if events := self._events.take():
            self.status = self._shown(self._controller.status)
            for event in events:
                self._bus.publish(event)

    def publish_status(self) -> None:
        """Updates `status`, and publishes it if it says something new and the last one isn't too recent."""
        published, self.status = self._published, self._shown(self._controller.status)
        due = publish_after(published, self.status)
        self.pending = due is not None and self.status.measured_at - published.measured_at < due
        if due is not None and not self.pending:
            self._published = self.status
            self._bus.publish(PlaybackChanged(self.status))


def publish_after(published: PlaybackStatus, status: PlaybackStatus) -> float | None:
    """In how many seconds after the last publication (at `published`) `status` is due; None if it says nothing new.

    A change of state is due at once. A position that merely advances with the clock is published twice a second, for
    subscribers that don't advance it themselves.
    """
    if (published.state, published.episode) != (status.state, status.episode):
        return 0.0
    expected = published.at(status.measured_at)
    now = replace(status, position_ms=0, sleep=replace(status.sleep, left_ms=None), measured_at=0.0)
    if replace(expected, position_ms=0, sleep=replace(expected.sleep, left_ms=None), measured_at=0.0) != now:
        return _SOON_S
    if abs(expected.position_ms - status.position_ms) > _JUMP_MS:
        return _SOON_S
    if _apart(expected.sleep.left_ms, status.sleep.left_ms):
        return _SOON_S
    return _RUNNING_S if status.state is PlaybackState.PLAYING else None


def _apart(expected_ms: int | None, left_ms: int | None) -> bool:
    """Whether the sleep timer's remaining time differs."""
    if expected_ms is None or left_ms is None:
        return expected_ms is not left_ms
    return abs(expected_ms - left_ms) > _TIMER_MOVED_MS


log = logging.getLogger(__name__)

_TICK_S = 0.1

T = TypeVar("T")
Work = Callable[[], object]


class _Entry(NamedTuple):
    """A piece of work for the session's thread, its cause, and the future for its outcome."""

    work: Work
    cause: Cause
    answer: Callable[[object], None] | None = None


class SessionThread:
    """`put` and `command` may be called from any thread. The thread survives any failure.

    The controller ticks about ten times a second while it needs to, or while a status remains to be published.
    """

    def __init__(
        self,
        bus: Bus,
        events: EventTracker,
        publisher: StatusPublisher,
        controller: PlaybackController,
    ) -> None:
        self._bus = bus
        self._events = events
        self._publisher = publisher
        self._controller = controller
        self._queue: SimpleQueue[_Entry] = SimpleQueue()
        self._failing: dict[str, str] = {}
        """What failed last, and the sentence that was shown about it."""
        self._ended = False
        self._thread = Thread(target=self._run, name="earmark-session", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def started(self) -> bool:
        return self._thread.ident is not None

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def put(self, work: Work, cause: Cause = Cause.ENGINE) -> None:
        self._queue.put(_Entry(work, cause))

    def wake(self) -> None:
        """Checks the status again."""
        self.put(lambda: None)

    def command(self, work: Callable[[], T], cause: Cause = Cause.PERSON) -> "Future[T | Refused]":
        """The future is done once the status shows the outcome. It raises nothing and can't be cancelled."""
        answer: Future[T | Refused] = Future()
        answer.set_running_or_notify_cancel()
        self._queue.put(_Entry(work, cause, lambda outcome: answer.set_result(cast(T | Refused, outcome))))
        return answer

    def leave(self) -> None:
        """On the thread: it ends after this piece of work; whatever waits is never carried out."""
        self._ended = True

    def end(self, last: Work, timeout_s: float) -> bool:
        """Carries out `last` after everything queued before it, and nothing more. False if that takes too long."""

        def work() -> None:
            self._ended = True
            last()

        self.put(work, Cause.PERSON)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    # -- on the thread ------------------------------------------------------------------------------------------

    def _run(self) -> None:
        next_tick = 0.0
        while not self._ended:
            # If the controller can't say, tick anyway: the failure may be temporary.
            ticks = self._guarded("ticks", self._ticks, otherwise=True)
            with suppress(Empty):
                self._carry_out(self._queue.get(timeout=_TICK_S if ticks else None))
            if time.monotonic() >= next_tick:
                next_tick = time.monotonic() + _TICK_S
                self._events.begin(Cause.RULE)
                self._guarded("tick", self._controller.tick, otherwise=None)
                self._guarded("events", self._publisher.publish_events, otherwise=None)
            self._guarded("status", self._publisher.publish_status, otherwise=None)

    def _ticks(self) -> bool:
        return self._publisher.pending or self._controller.ticks

    def _carry_out(self, entry: _Entry) -> None:
        self._events.begin(entry.cause)
        try:
            outcome = entry.work()
        except EarmarkError as error:
            outcome = self._failed(str(error))
        except Exception:
            log.exception("playback failed on a command or report")
            outcome = self._failed(_inside())
        self._guarded("events", self._publisher.publish_events, otherwise=None)
        if entry.answer:
            self._guarded("status", self._publisher.publish_status, otherwise=None)
            entry.answer(outcome)

    def _guarded(self, name: str, work: Callable[[], T], *, otherwise: T) -> T:
        """The result of `work`, or `otherwise` if it fails.

        Repeated failures are logged each time, the first with its traceback, and shown once until it succeeds again.
        """
        try:
            result = work()
        except Exception as error:
            sentence = str(error) if isinstance(error, EarmarkError) else _inside()
            again = self._failing.get(name) == sentence
            log.error("playback failed (%s): %r", name, error, exc_info=not again)
            if not again:
                self._failing[name] = sentence
                self._failed(sentence)
            return otherwise
        self._failing.pop(name, None)
        return result

    def _failed(self, sentence: str) -> Refused:
        self._bus.publish(Notice(sentence, Severity.ERROR))
        return Refused(Why.FAILED, sentence)


def _inside() -> str:
    return _("Something went wrong inside Earmark. See the log.")
