"""The interface between the session and whatever makes the sound.

Only the session's thread calls an engine. The engine reports to its listener from any thread. Each report carries the
generation of the `load` that it belongs to; the session drops those of older generations.
"""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from player.errors import PlaybackError
from player.media.protocol import Media
from player.model.position import BytePosition


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


EngineReport = Ready | Playing | Starving | Measured | Finished | EngineFailed
Listener = Callable[[EngineReport], None]


class Engine(Protocol):
    """Plays one Media at a time. Every method returns at once but `stop` and `close`, which wait for the sound to end.

    Volume is a percentage (0 to 150), speed a factor (0.5 to 3.0) that keeps the pitch. The listener may be called in a
    thread of the engine's own, and must only queue the report.
    """

    def warm_up(self) -> None:
        """Loads what the first sound would have to wait for. Raises PlaybackError (NoSoundLibrary ...)."""
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
    ) -> None:
        """Plays `media` from `start_ms` in place of what was loaded; a start beyond the end means half a second before
        it.

        `nearby` is a known byte near the start, `claimed_ms` a duration that may be wrong. Raises PlaybackError
        (NoSoundLibrary ...).
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
