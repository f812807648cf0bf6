"""Publishes what playback does: discrete events, and the status when there is something new in it."""

from collections.abc import Callable

from msgspec.structs import replace

from player.events import Bus, Cause, PlaybackChanged
from player.model.playback import PlaybackState, PlaybackStatus
from player.playback.controller import PlaybackController
from player.playback.observers.event_tracker import EventTracker

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
    """In how many seconds after `published`, the last one, `status` is due; None if it says nothing new.

    A change of state is due at once. A position that merely advances with the clock is published twice a second,
    for subscribers that don't advance it themselves.
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
