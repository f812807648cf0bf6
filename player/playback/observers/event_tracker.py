"""Which discrete events follow from what the controller does, each published once with its cause."""

from msgspec import Struct

from player.events import (
    Cause,
    EpisodeFinished,
    EpisodeLeft,
    EpisodeStarted,
    Event,
    Paused,
    PlaybackFailed,
    Resumed,
    Seeked,
    SpeedChanged,
)
from player.model.episode import EpisodeId
from player.model.playback import ACTIVE, PlaybackState


class HearingMemory(Struct, frozen=True):
    """The episode that was started and neither finished nor left, and whether it is silent since."""

    heard: EpisodeId | None = None
    silent: bool = False


class EventTracker:
    """Has no side effects. The service says what caused a piece of work, the controller reports what happens, and the
    service takes the resulting events.

    Internal states produce no events: opening, or waiting for bytes. A hearing begins with EpisodeStarted and ends with
    EpisodeFinished or EpisodeLeft; any silence in between ends with Resumed. A clip isn't listening: it pauses what it
    interrupts, and produces no events itself.
    """

    def __init__(self) -> None:
        self._cause = Cause.ENGINE
        self._wish = Cause.PERSON
        self._state = PlaybackState.STOPPED
        self._episode_id: EpisodeId | None = None
        self._position_ms = 0
        self._heard: EpisodeId | None = None
        """What was started, and neither finished nor left."""
        self._silent = False
        self._paused: Paused | None = None
        self._in_clip = False
        self._speed: float | None = None
        self._events: list[Event] = []

    def memory(self) -> HearingMemory:
        self._settle_pause()
        return HearingMemory(self._heard, self._silent)

    def recall(self, memory: HearingMemory) -> None:
        """The hearing goes on here: what began it was published elsewhere."""
        self._heard, self._silent, self._paused = memory.heard, memory.silent, None
        self._episode_id = memory.heard or self._episode_id

    def begin(self, cause: Cause) -> None:
        """A piece of work begins."""
        self._cause = cause

    def take(self) -> list[Event]:
        """Ends the piece of work and returns its events. A pause that also ended within it, as when the output changes,
        isn't one."""
        self._settle_pause()
        taken, self._events = self._events, []
        return taken

    def moved(self, state: PlaybackState, episode_id: EpisodeId, position_ms: int, error: str | None = None) -> None:
        """The controller is in `state` now, which may be the same as before."""
        if self._in_clip:
            return
        before, self._state = self._state, state
        before_ms, self._position_ms = self._position_ms, position_ms
        same = episode_id == self._episode_id
        self._episode_id = episode_id
        if same and before is state:
            return
        if not same:
            self._leave(before_ms)
        if state in ACTIVE and not (same and before in ACTIVE):
            # Nobody but a rule plays something by itself: the engine only reports that the last one is over.
            self._wish = Cause.RULE if self._cause is Cause.ENGINE else self._cause
        match state:
            case PlaybackState.PLAYING:
                self._sounds(episode_id, position_ms, self._wish)
            case PlaybackState.OPENING | PlaybackState.BUFFERING:
                self._paused = None
            case PlaybackState.PAUSED if self._heard is not None and not self._silent:
                self._paused = Paused(episode_id, position_ms, self._cause)
            case PlaybackState.ERROR:
                self._silent = True
                self._add(PlaybackFailed(episode_id, position_ms, error or "", self._cause))
            case PlaybackState.ENDED if before in ACTIVE:
                self._sounds(episode_id, before_ms, self._wish)
                self._heard = None
                self._add(EpisodeFinished(episode_id, self._cause))
            case PlaybackState.STOPPED:
                self._leave(position_ms)

    def seeked(self, episode_id: EpisodeId, from_ms: int, to_ms: int) -> None:
        if from_ms != to_ms and not self._in_clip:
            self._add(Seeked(episode_id, from_ms, to_ms, self._cause))

    def clip_begins(self, listener_ms: int) -> None:
        """Until `clip_over`, nothing that plays is listening. The listener stays at `listener_ms` of the current
        episode."""
        if self._in_clip:
            return
        self._in_clip = True
        if self._state in ACTIVE:
            self._state, self._position_ms = PlaybackState.PAUSED, listener_ms
            if self._heard is not None and not self._silent:
                self._paused = Paused(self._heard, listener_ms, self._cause)

    def clip_over(self) -> None:
        self._in_clip = False

    def at_speed(self, speed: float, cause: Cause | None = None) -> None:
        """The speed is now this, possibly unchanged. By default the cause is that of the current piece of work."""
        if self._speed not in (None, speed):
            self._add(SpeedChanged(speed, cause or self._cause))
        self._speed = speed

    def _sounds(self, episode_id: EpisodeId, position_ms: int, cause: Cause) -> None:
        self._paused = None
        if self._heard is None:
            self._heard = episode_id
            self._add(EpisodeStarted(episode_id, position_ms, cause))
        elif self._silent:
            self._add(Resumed(episode_id, position_ms, cause))
        self._silent = False

    def _leave(self, position_ms: int) -> None:
        if self._heard is not None:
            self._add(EpisodeLeft(self._heard, position_ms, self._cause))
            self._heard = None

    def _settle_pause(self) -> None:
        if self._paused is not None:
            paused, self._paused = self._paused, None
            self._silent = True
            self._events.append(paused)

    def _add(self, event: Event) -> None:
        self._settle_pause()
        self._events.append(event)
