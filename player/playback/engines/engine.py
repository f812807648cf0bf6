"""What a playback engine is: the seam between the session and whatever makes the sound.

The session's thread is the only one that calls an engine. An engine reports through its listener, from any thread; each
report carries the generation of the `load` it belongs to, and the session drops what comes from an older one.
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
    """What was waited for is there: the engine is to be polled at once."""


class Playing(Report, frozen=True):
    """Sound comes out."""


class Starving(Report, frozen=True):
    """The engine waits for bytes (True) or has them again (False)."""

    waiting: bool


class Measured(Report, frozen=True):
    """The duration, ms; `exact` where it was counted."""

    duration_ms: int
    exact: bool = False


class Finished(Report, frozen=True):
    """The last sample was played, or the engine believes so: the session judges."""


class EngineFailed(Report, frozen=True):
    error: PlaybackError


EngineReport = Ready | Playing | Starving | Measured | Finished | EngineFailed
Listener = Callable[[EngineReport], None]


class Engine(Protocol):
    """Plays one Media at a time. Every method returns at once but `stop` and `close`, which wait for the sound to end.

    Volume is a percentage (0 to 150), speed a factor (0.5 to 3.0) that keeps the pitch. The listener may be called in a
    thread of the engine's own, and must only queue the report.
    """

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
        """Starts to play `media` at `start_ms`, stopping what was; beyond the end, half a second before it.

        `nearby` is a known byte near there, `claimed_ms` a length that may be true. Raises PlaybackError
        (NoSoundLibrary ...).
        """
        ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def stop(self) -> None: ...

    def seek(self, position_ms: int) -> None:
        """Sounds there as soon as its bytes are there: what is waited for elsewhere is given up."""
        ...

    def set_speed(self, speed: float) -> None: ...

    def set_volume(self, volume: int) -> None: ...

    def position(self) -> int | None:
        """The position right now, ms; None when nothing is loaded."""
        ...

    def byte_position(self) -> BytePosition | None:
        """The position right now and its byte; None where the position alone is enough, or nothing sounds yet."""
        ...

    def poll(self) -> None:
        """Reports what depends on time: `Playing`, `Starving`. Has to be called ten times a second."""
        ...

    def close(self) -> None:
        """Stops and gives everything back. The engine can't be used afterwards."""
        ...


EngineFactory = Callable[[Listener], Engine]
