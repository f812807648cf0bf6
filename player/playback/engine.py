"""The interface between the session and the engine that makes the sound; and an engine that passes its commands to one
track."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from player.errors import PlaybackError
from player.media.protocol import Media
from player.model.effects import NO_EFFECTS, Effects
from player.model.episode import BytePosition


class Report(Struct, frozen=True):
    generation: int


class Ready(Report, frozen=True):
    """What the engine was waiting for has arrived: poll it at once."""


class Playing(Report, frozen=True):
    """Sound is coming out."""


class Starving(Report, frozen=True):
    """The engine waits for bytes (True) or has them again (False)."""

    waiting: bool


class Measured(Report, frozen=True):
    """The duration, ms; `exact` where it was counted."""

    duration_ms: int
    exact: bool = False


class Finished(Report, frozen=True):
    """The last sample was played, as far as the engine knows: the session decides."""


class EngineFailed(Report, frozen=True):
    error: PlaybackError


class PlaysElsewhere(Report, frozen=True):
    """A device on the network plays, at speeds from `slowest` to `fastest` and without effects. It is called `device`,
    and fetches the bytes from this computer at `address` (host and port; "" once it no longer does)."""

    device: str
    address: str
    slowest: float = 1.0
    fastest: float = 1.0


class SwitchedThere(Report, frozen=True):
    """Somebody resumed (True) or paused the sound at the device itself."""

    playing: bool


class JumpedThere(Report, frozen=True):
    """Somebody moved the sound at the device itself, to this position in ms."""

    position_ms: int


EngineReport = (
    Ready | Playing | Starving | Measured | Finished | EngineFailed | PlaysElsewhere | SwitchedThere | JumpedThere
)
Listener = Callable[[EngineReport], None]


class Engine(Protocol):
    """Plays one Media at a time. Every method returns at once but `stop` and `close`, which wait for the sound to end.

    Volume is a percentage (0 to 150), speed a factor (0.5 to 3.0) that keeps the pitch. The listener may be called in a
    thread of the engine's own, and must only queue the report.
    """

    def warm_up(self) -> None:
        """Loads in advance what the first sound would otherwise have to wait for. Raises PlaybackError (NoSoundLibrary
        ...)."""
        ...

    def load(
        self,
        generation: int,
        media: Media,
        start_ms: int,
        *,
        speed: float,
        volume: int,
        nearby: BytePosition | None = None,
        claimed_ms: int | None = None,
        title: str = "",
    ) -> None:
        """Plays `media` from `start_ms` in place of what was loaded; a start beyond the end means half a second before
        it.

        `nearby` is a known byte near the start, `claimed_ms` a duration that may be wrong, `title` what a device shows.
        Raises PlaybackError (NoSoundLibrary ...).
        """
        ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def stop(self) -> None: ...

    def seek(self, position_ms: int) -> None:
        """Plays from there as soon as its bytes have arrived; requests for other bytes are dropped."""
        ...

    def set_speed(self, speed: float) -> None: ...

    def set_volume(self, volume: int) -> None: ...

    def set_effects(self, effects: Effects) -> Effects:
        """They are heard within a second or two, in this episode and in those that are loaded later. Returns those that
        there can be: none where a filter is missing."""
        ...

    def position(self) -> int | None:
        """The position right now, ms; None when nothing is loaded."""
        ...

    def byte_position(self) -> BytePosition | None:
        """The current position and its byte; None where the position is enough by itself, or before there is sound."""
        ...

    def poll(self) -> None:
        """Reports what depends on time: `Playing`, `Starving`. Must be called ten times a second."""
        ...

    def close(self) -> None:
        """Stops and releases everything. The engine can't be used afterwards."""
        ...


EngineFactory = Callable[[Listener], Engine]


class Track(Protocol):
    """One loaded episode or stream. Its methods do what those of `Engine` with the same names do."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def seek(self, position_ms: int) -> None: ...

    def set_speed(self, speed: float) -> None: ...

    def set_volume(self, volume: int) -> None: ...

    def set_effects(self, effects: Effects) -> None: ...

    def position(self) -> int: ...

    def byte_position(self) -> BytePosition | None: ...

    def poll(self) -> None: ...

    def close(self) -> None:
        """Ends the sound, and returns when it has ended. The track can't be used afterwards."""
        ...


AnyTrack = TypeVar("AnyTrack", bound=Track)


class TrackEngine(Generic[AnyTrack]):
    """All of `Engine` except `load`, which sets `_track`. While nothing is loaded, commands do nothing."""

    _track: AnyTrack | None = None
    _effects = NO_EFFECTS

    def warm_up(self) -> None: ...

    def pause(self) -> None:
        if self._track:
            self._track.pause()

    def resume(self) -> None:
        if self._track:
            self._track.resume()

    def stop(self) -> None:
        track, self._track = self._track, None
        if track:
            track.close()

    def seek(self, position_ms: int) -> None:
        if self._track:
            self._track.seek(position_ms)

    def set_speed(self, speed: float) -> None:
        if self._track:
            self._track.set_speed(speed)

    def set_volume(self, volume: int) -> None:
        if self._track:
            self._track.set_volume(volume)

    def set_effects(self, effects: Effects) -> Effects:
        self._effects = effects
        if self._track:
            self._track.set_effects(effects)
        return effects

    def position(self) -> int | None:
        return self._track.position() if self._track else None

    def byte_position(self) -> BytePosition | None:
        return self._track.byte_position() if self._track else None

    def poll(self) -> None:
        if self._track:
            self._track.poll()

    def close(self) -> None:
        self.stop()
