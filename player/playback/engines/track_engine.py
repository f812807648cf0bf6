"""Passes an engine's commands to the track that it plays."""

from typing import Generic, Protocol, TypeVar

from player.model.position import BytePosition


class Track(Protocol):
    """One loaded episode or stream. Its methods do what those of `Engine` with the same names do."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def seek(self, position_ms: int) -> None: ...

    def set_speed(self, speed: float) -> None: ...

    def set_volume(self, volume: int) -> None: ...

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

    def position(self) -> int | None:
        return self._track.position() if self._track else None

    def byte_position(self) -> BytePosition | None:
        return self._track.byte_position() if self._track else None

    def poll(self) -> None:
        if self._track:
            self._track.poll()

    def close(self) -> None:
        self.stop()
